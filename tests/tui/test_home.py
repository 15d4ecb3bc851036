"""The list of sessions: every action by its effect on the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.widgets import DataTable, Input

from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.session.home import HomeScreen
from tui.screens.session.interview import InterviewScreen

Drive = Callable[..., SizewrightApp]


def labels(db: str, deleted: bool = False) -> list[str]:
    with Store(db) as store:
        return sorted(row.label for row in store.sessions(deleted))


def shown(app: SizewrightApp) -> list[list[str]]:
    table: DataTable[Any] = app.screen.query_one("#sessions", DataTable)
    return [[str(cell).strip() for cell in table.get_row_at(n)] for n in range(table.row_count)]


def test_a_session_is_listed_with_state_change_gpus_and_power(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        # The stored document says 4 GPUs and 6.9 kW nominal; three fields are stated.
        assert shown(app) == [["City library", "3 stated, sized", "2026-11-29 10:00", "4", "6.9"]]

    drive(script)


def test_new_opens_an_empty_session_that_asks_for_the_message(drive: Drive, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("n")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert not app.snapshot.brief.answers

    drive(script)
    assert labels(db) == [""]


def test_enter_opens_the_session_under_the_cursor(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.brief.value("users_total") == 500

    assert drive(script).last_session == sample


def test_copy_keeps_the_answers_under_a_new_label(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("c")
        await settle(pilot)
        assert len(shown(app)) == 2

    drive(script)
    assert labels(db) == ["City library", "Copy of City library"]
    with Store(db) as store:
        assert [store.brief(row.id).value("users_total") for row in store.sessions()] == [500, 500]


def test_rename_takes_any_text_as_text(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await settle(pilot)
        app.screen.query_one(Input).value = "[/] 4x[H100]"
        await pilot.press("enter")
        await settle(pilot)
        assert shown(app)[0][0] == "[/] 4x[H100]"

    drive(script)
    assert labels(db) == ["[/] 4x[H100]"]


def test_escape_leaves_the_label_as_it_was(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await settle(pilot)
        await pilot.press("x", "escape")
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)

    drive(script)
    assert labels(db) == ["City library"]


def test_delete_hides_and_undo_brings_back(drive: Drive, sample: str, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("d")
        await settle(pilot)
        assert shown(app) == []
        assert labels(db, deleted=True) == ["City library"]
        await pilot.press("u")
        await settle(pilot)
        assert len(shown(app)) == 1

    drive(script)
    assert labels(db) == ["City library"]


def test_actions_without_a_session_do_nothing(drive: Drive, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter", "c", "r", "d", "u", "ctrl+r")
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)

    drive(script)
    assert labels(db) == []


def test_opening_one_session_after_another_shows_the_second(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+r")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("n")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.row.label == ""
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert app.screen.shown is app.snapshot

    drive(script)


def test_keys_that_come_faster_than_a_session_opens_open_one(drive: Drive, db: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        for key in ("n", "n", "n", "escape", "n", "escape", "n"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await settle(pilot)
        await settle(pilot)

    drive(script)
    with Store(db) as store:
        assert 1 <= len(store.sessions()) <= 3  # no more than there were visits to the home screen
