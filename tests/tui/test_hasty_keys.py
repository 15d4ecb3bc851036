"""Keys that come faster than the app: none is taken twice, lost, or taken for another field's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from assistant.store import Store
from tui.app import SizewrightApp
from tui.paste import PasteParser
from tui.screens.session.checklist import ItemDialog
from tui.screens.session.home import HomeScreen
from tui.widgets.answer_box import AnswerBox
from tui.widgets.dialogs import Confirm, Dialog

Drive = Callable[..., SizewrightApp]


def at_once(app: SizewrightApp, *keys: str) -> None:
    """Keys as a terminal sends them together: all are there before the first one is looked at."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else {"enter": "\r", "tab": "\t"}.get(key)))


@pytest.mark.parametrize("second", ["enter", "escape"])
def test_a_second_key_on_a_dialog_leaves_the_screen_below(drive: Drive, sample: str, settle: Any, second: str) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("r")
        await settle(pilot)
        at_once(app, "enter", second)
        await settle(pilot)
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)

    drive(script)


def test_a_letter_held_on_the_list_of_screens_opens_one(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g")
        await settle(pilot)
        at_once(app, "k", "k", "k", "k")
        await settle(pilot)
        assert not isinstance(app.screen, Dialog)
        assert getattr(app.screen, "name_id", "") == "catalogue"

    drive(script)


def test_what_is_typed_behind_an_answer_is_another_line(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        box = app.screen.query_one(AnswerBox)
        box.text = "310 users"
        at_once(app, "enter", "z", "z")
        await settle(pilot)
        assert app.snapshot is not None
        assert app.snapshot.brief.value("users_total") == 310
        assert box.text == "zz"

    drive(script)


def test_a_refused_line_comes_back_before_what_was_typed_since(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        box = app.screen.query_one(AnswerBox)
        box.text = "qwxz [/] [bold"
        at_once(app, "enter", "z", "z")
        await settle(pilot)
        assert box.text == "qwxz [/] [bold\nzz"

    drive(script)


def test_a_second_enter_does_not_answer_a_question_not_yet_seen(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        app.screen.query_one(AnswerBox).text = "310 users"
        at_once(app, "enter", "enter")
        await settle(pilot)
        assert app.snapshot is not None
        assert set(app.snapshot.brief.only_stated().answers) == {"workload", "users_total", "country"}

    drive(script)


async def _form(app: SizewrightApp, pilot: Pilot[None], settle: Any) -> ItemDialog:
    app.go("checklist")
    await settle(pilot)
    await pilot.press("e")
    await settle(pilot)
    assert isinstance(app.screen, ItemDialog)
    return app.screen


@pytest.mark.parametrize("between", ["tab", "enter"])
def test_text_behind_a_change_of_field_lands_in_the_next(drive: Drive, sample: str, settle: Any, between: str) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        form = await _form(app, pilot, settle)
        at_once(app, "a", "b", between, "4", "7", between, "e", "v")
        await settle(pilot)
        assert [line.value for line in form.query(Input)] == ["ab", "47", "ev"]
        item = app.screen_stack[-2].at  # type: ignore[attr-defined]
        at_once(app, "!", "enter")
        await settle(pilot)
        assert app.snapshot is not None
        state = app.snapshot.checklist[item]
        assert (state.owner, state.by, state.evidence) == ("ab", "47", "ev!")

    drive(script, resume=sample)


def test_escape_asks_before_it_throws_a_filled_form_away(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        form = await _form(app, pilot, settle)
        await pilot.press("a", "escape")
        await settle(pilot)
        asked: object = app.screen
        assert isinstance(asked, Confirm)
        await pilot.press("escape")  # no: back to the form, nothing lost
        await settle(pilot)
        assert app.screen is form
        assert form.query(Input).first().value == "a"
        await pilot.press("escape", "y")
        await settle(pilot)
        assert not isinstance(app.screen, Dialog)

    drive(script, resume=sample)


# A paste with what a terminal obeys

COLOURED = "\x1b[31mNVRM: Xid 79\x1b[0m \x07 \x1b]0;title\x07 fallen off\nthe bus"


@pytest.mark.parametrize("size", [1, 3, 7, 4096], ids=lambda n: f"read by {n}")
def test_a_paste_is_one_event_whatever_it_holds(size: int) -> None:
    parser = PasteParser()
    sent = f"a\x1b[200~{COLOURED}\x1b[201~b"
    seen = [event for at in range(0, len(sent), size) for event in parser.feed(sent[at : at + size])]
    assert [type(event) for event in seen] == [events.Key, events.Paste, events.Key]
    assert isinstance(seen[1], events.Paste)
    assert seen[1].text == COLOURED


def test_keys_beside_pastes_are_read_as_before() -> None:
    parser = PasteParser()
    seen = list(parser.feed("\x1b[A\x1b[200~x\x1b[201~\x1b[200~y\x1b[201~\x07"))
    assert [getattr(event, "key", getattr(event, "text", "")) for event in seen] == ["up", "x", "y", "ctrl+g"]


def test_a_coloured_log_is_text_in_the_box(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        for event in PasteParser().feed(f"\x1b[200~{COLOURED}\x1b[201~"):
            app.post_message(event)
        await settle(pilot)
        assert app.screen.query_one(AnswerBox).text == ("␛[31mNVRM: Xid 79␛[0m ␇ ␛]0;title␇ fallen off\nthe bus")

    drive(script)


# A database that cannot be used


def banner(app: SizewrightApp) -> str:
    shown = app.screen.query_one(".banner", Static)
    return str(shown.render()) if shown.display else ""


def test_a_file_deleted_while_open_is_said_and_what_is_typed_stays(
    drive: Drive, sample: str, db: str, settle: Any, type_text: Any, tmp_path: Path
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        aside = tmp_path / "aside.db"
        Path(db).rename(aside)
        await type_text(pilot, "310 users")
        assert app.screen.query_one(AnswerBox).text == "310 users"
        await app.look_for_changes()
        await settle(pilot)
        assert "NOTHING IS SAVED" in banner(app)
        assert "deleted, moved or replaced" in banner(app)
        aside.rename(db)
        await app.look_for_changes()
        await settle(pilot)
        assert banner(app) == ""
        await pilot.press("enter")
        await settle(pilot)

    drive(script)
    with Store(db) as store:
        assert store.brief(sample).value("users_total") == 310


def test_a_database_that_cannot_be_opened_is_no_promise_of_loading(drive: Drive, db: str, settle: Any) -> None:
    Path(db).parent.mkdir(parents=True)
    Path(db).write_text("no database, and longer than the head of one " * 9, encoding="utf-8")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        lead = str(app.screen.query_one("#lead", Static).render())
        assert "Loading" not in lead
        assert "cannot be read" in lead
        assert "not a sizewright database" in banner(app)
        Path(db).unlink()  # put right: the list appears without a restart
        await app.look_for_changes()
        await settle(pilot)
        assert banner(app) == ""
        assert "No session yet" in str(app.screen.query_one("#lead", Static).render())

    drive(script)


def test_a_read_only_database_says_that_nothing_is_saved(
    drive: Drive, sample: str, settle: Any, type_text: Any
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await app.backend.call(lambda: app.backend.store.db.conn.execute("pragma query_only = on"))
        await type_text(pilot, "310 users")
        assert app.screen.query_one(AnswerBox).text == "310 users"
        assert "NOTHING IS SAVED" in banner(app)
        assert "may not be written" in banner(app)

    drive(script)
