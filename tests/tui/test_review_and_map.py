"""Review and map: every field with its origin; edit, take back, filter, undo, redo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import DataTable, Static, Tree

from assistant.interview.questions import load_questions
from tui.app import SizewrightApp
from tui.fields import MARKS, NOTES, State
from tui.screens.session.interview import InterviewScreen
from tui.screens.session.map import MapScreen
from tui.screens.session.review import ReviewScreen

Drive = Callable[..., SizewrightApp]


def lines(app: SizewrightApp) -> dict[str, list[str]]:
    """Field -> value, state, origin as the review shows them."""
    table: DataTable[Any] = app.screen.query_one("#fields", DataTable)
    found = [[str(cell).strip() for cell in table.get_row_at(n)] for n in range(table.row_count)]
    return {cells[0]: cells[1:] for cells in found if any(cells[1:])}


def to_field(app: SizewrightApp, name: str) -> None:
    """Put the cursor on a field."""
    screen = app.screen
    assert isinstance(screen, ReviewScreen)
    at = next(n for n, one in enumerate(screen.listed) if one and one.question.id == name)
    screen.table.move_cursor(row=at)


async def open_review(pilot: Pilot[None], settle: Any) -> None:
    await pilot.press("enter")
    await settle(pilot)
    await pilot.press("ctrl+r")
    await settle(pilot)


def test_every_field_shows_value_state_and_words(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_review(pilot, settle)
        shown = lines(app)
        assert shown["users_total"] == ["500 users", "● stated", "from “500 employees”"]
        assert shown["country"] == ["Germany", "● stated", "typed"]
        assert shown["ttft_ms"][1] == "? not known"
        assert shown["tpot_ms"][1] == "○ assumed"
        assert shown["tpot_ms"][2]  # with the reason
        assert shown["weight_dtype"][1] == "· open"

    drive(script, size=(160, 70))


def test_states_are_told_by_signs_and_words_not_by_colour() -> None:
    assert len(set(MARKS.values())) == len(State)


def test_edit_asks_the_field_and_comes_back(drive: Drive, sample: str, settle: Any, type_text: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_review(pilot, settle)
        to_field(app, "users_total")
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.question is not None
        assert app.snapshot.question.id == "users_total"
        await type_text(pilot, "800")
        assert isinstance(app.screen, ReviewScreen)
        assert lines(app)["users_total"][0] == "800 users"
        detail = str(app.screen.query_one("#detail", Static).render())
        assert "users_total: 500 users → 800 users" in detail

    drive(script, size=(160, 70))


def test_take_back_undo_and_redo(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_review(pilot, settle)
        to_field(app, "country")
        await pilot.press("x")
        await settle(pilot)
        assert app.snapshot is not None
        assert not app.snapshot.brief.stated("country")
        assert "was Germany" in lines(app)["country"][2]
        await pilot.press("u")
        await settle(pilot)
        assert app.snapshot.brief.value("country") == "DE"
        await pilot.press("r")
        await settle(pilot)
        assert not app.snapshot.brief.stated("country")
        await pilot.press("r")  # nothing left to redo: said, not done
        await settle(pilot)
        assert not app.snapshot.brief.stated("country")

    drive(script, size=(160, 70))


def test_filters_show_open_assumed_and_changed(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_review(pilot, settle)
        everything = lines(app)
        await pilot.press("f")
        await settle(pilot)
        assert {cells[1] for cells in lines(app).values()} == {"· open"}
        await pilot.press("f")
        await settle(pilot)
        assert {cells[1] for cells in lines(app).values()} == {"○ assumed", "? not known"}
        await pilot.press("f")
        await settle(pilot)
        assert not lines(app)
        await pilot.press("f")
        await settle(pilot)
        to_field(app, "country")
        await pilot.press("x", "f", "f", "f")
        await settle(pilot)
        assert list(lines(app)) == ["country"]
        await pilot.press("u", "f")
        await settle(pilot)
        assert lines(app) == everything

    drive(script, size=(160, 70))


def test_the_map_holds_every_field_that_applies_and_all_on_demand(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+g", "m")
        await settle(pilot)
        assert isinstance(app.screen, MapScreen)
        tree: Tree[str] = app.screen.query_one("#tree", Tree)
        some = [leaf.data for node in tree.root.children for leaf in node.children]
        assert "users_total" in some
        assert "dataset_tb" not in some  # training data: a chat needs none
        await pilot.press("n")
        await settle(pilot)
        every = [leaf.data for node in tree.root.children for leaf in node.children]
        assert sorted(str(name) for name in every) == sorted(
            q.id for q in load_questions().questions if q.id not in NOTES
        )

    drive(script)


def test_enter_on_the_map_asks_that_field_and_comes_back(
    drive: Drive, sample: str, settle: Any, type_text: Any
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+g", "m")
        await settle(pilot)
        await pilot.press("down", "enter")  # the first field below the first section
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.question is not None
        assert app.snapshot.question.id == "workload"
        await type_text(pilot, "2")
        assert isinstance(app.screen, MapScreen)

    drive(script)
