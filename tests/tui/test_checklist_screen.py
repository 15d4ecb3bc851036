"""The checklist: what a key does stands in the store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.session.checklist import ChecklistScreen, ItemDialog

Drive = Callable[..., SizewrightApp]
Settle = Callable[[Pilot[None]], Awaitable[None]]
ITEM = "memory_plan"  # the first item of every list: the first duty before an order
HOSTILE_TEXT = "[/] [bold]x[/bold] [H100] \x1b[31m"


async def to(app: SizewrightApp, pilot: Pilot[None], settle: Settle) -> ChecklistScreen:
    app.take(await app.backend.open("c0ffee00"))
    app.go("checklist")
    await settle(pilot)
    assert isinstance(app.screen, ChecklistScreen)
    return app.screen


def shown(screen: ChecklistScreen) -> list[str]:
    return [row.key for row in screen.listing.rows if row.key]


def test_space_ticks_and_unticks_in_the_store(drive: Drive, sample: str, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        assert screen.at == ITEM
        assert screen.equivalent_command() == f"sizewright checklist {sample} --done {ITEM} --by NAME"
        await pilot.press("space")
        await settle(pilot)
        with Store(db) as store:
            assert store.checklist(sample)[ITEM].done
        assert screen.listing.rows[1].cells[0] == "[x]"
        assert screen.listing.rows[0].cells[0].startswith("Before the order  1/")
        assert screen.at == ITEM  # the cursor stays
        assert screen.equivalent_command() == f"sizewright checklist {sample} --open {ITEM} --by NAME"
        await pilot.press("space")
        await settle(pilot)

    drive(script)
    with Store(db) as store:
        assert not store.checklist(sample)[ITEM].done


def test_owner_name_and_evidence_are_kept_and_shown_as_text(drive: Drive, sample: str, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        await pilot.press("e")
        await pilot.pause()
        assert isinstance(app.screen, ItemDialog)
        for name, value in (("owner", "Lee"), ("by", "Kim"), ("evidence", HOSTILE_TEXT)):
            app.screen.query_one(f"#{name}", Input).value = value
        await pilot.press("enter", "enter", "enter")
        await settle(pilot)
        await pilot.press("space")
        await settle(pilot)
        assert any("[/] [bold]x[/bold] [H100]" in line.text for line in screen.pane.lines)
        assert screen.equivalent_command().endswith("--by Kim")

    drive(script)
    with Store(db) as store:
        state = store.checklist(sample)[ITEM]
    assert (state.done, state.owner, state.by) == (True, "Lee", "Kim")
    assert state.evidence is not None
    assert "[H100]" in state.evidence


def test_escape_leaves_the_item_as_it_was(drive: Drive, sample: str, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        await pilot.press("e", *"Lee", "escape")
        await settle(pilot)
        await pilot.press("y")  # throw it away
        await settle(pilot)
        assert app.screen is screen

    drive(script)
    with Store(db) as store:
        assert store.checklist(sample) == {}


def test_quitting_saves_what_was_typed_and_leaves_when_pressed_again(
    drive: Drive, sample: str, db: str, settle: Settle
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        await pilot.press("e", *"Lee", "ctrl+q")
        await settle(pilot)
        assert app.screen is screen
        await pilot.press("ctrl+q")

    drive(script)
    with Store(db) as store:
        assert store.checklist(sample)[ITEM].owner == "Lee"


def test_filters_narrow_the_list_and_come_back(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        everything = shown(screen)
        await pilot.press("space")
        await settle(pilot)
        await pilot.press("t")
        assert shown(screen) == everything[1:]
        await pilot.press("t", "p")
        assert app.snapshot is not None
        assert app.snapshot.sizing is not None
        phase = {entry.id: entry.phase for entry in app.snapshot.sizing.checklist}
        assert {phase[item] for item in shown(screen)} == {"before_order"}
        for _ in range(len(set(phase.values()))):
            await pilot.press("p")
        assert shown(screen) == everything
        await pilot.press("slash", *"dcgm")
        await pilot.pause()
        assert 0 < len(shown(screen)) < len(everything)
        await pilot.press(*"zzz")
        await pilot.pause()
        assert shown(screen) == []
        assert screen.at == ""

    drive(script)


def test_two_programs_see_each_others_ticks(drive: Drive, sample: str, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        with Store(db) as other:
            other.mark(sample, ITEM, True, "Kim")
        await app.look_for_changes()
        await settle(pilot)
        assert screen.listing.rows[1].cells[0] == "[x]"

    drive(script)


def test_an_items_command_is_copied_to_a_file_too(drive: Drive, sample: str, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        assert app.snapshot is not None
        assert app.snapshot.sizing is not None
        entry = next(e for e in app.snapshot.sizing.checklist if e.command)
        screen.point_at(entry.id)
        await pilot.press("x")
        await settle(pilot)
        written: list[Any] = list((Path(db).parent / "copied").iterdir())
        assert [path.read_text(encoding="utf-8").strip() for path in written] == [entry.command]

    drive(script)
