"""Plans, why, decisions, obligations and assumptions: every action by what it changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tui.app import SizewrightApp
from tui.frame.listing import ListScreen
from tui.frame.parts import Pane, Search
from tui.screens.knowledge.rules import RulesScreen
from tui.screens.result.plans import PlansScreen
from tui.screens.result.why import WhyScreen
from tui.screens.session.interview import InterviewScreen

Drive = Callable[..., SizewrightApp]
Settle = Callable[[Pilot[None]], Awaitable[None]]
SIZES = [(80, 24), (120, 40)]


async def to(app: SizewrightApp, pilot: Pilot[None], settle: Settle, name: str) -> Any:
    """A screen of the sample session."""
    app.take(await app.backend.open("c0ffee00"))
    app.go(name)
    await settle(pilot)
    return app.screen


def pane(app: SizewrightApp) -> str:
    return "\n".join(f"{line.label} {line.text}" for line in app.screen.query_one(Pane).lines)


@pytest.mark.parametrize("size", SIZES)
def test_plans_stand_side_by_side_and_the_pane_says_what_drives_the_count(
    drive: Drive, sample: str, settle: Settle, size: tuple[int, int]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        assert isinstance(screen, PlansScreen)
        heads = [str(column.label) for column in screen.table.ordered_columns]
        assert heads == ["", "lean", "recommended", "roomy"]
        assert screen.at is not None
        assert (screen.at.figure, screen.at.plan) == ("gpus", "recommended")
        assert "demanded by spare" in pane(app)  # as the stored document says
        await pilot.press("left")
        assert screen.at is not None
        assert screen.at.plan == "lean"
        last = screen.table.size.height
        assert last >= 8  # rows of the table in the smaller window

    drive(script, size=size)


def test_sections_are_a_key_away(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        await pilot.press("n")
        assert screen.at.figure.startswith("servers.")
        await pilot.press("N")
        assert screen.at.figure == "fits"
        await pilot.press("N")
        assert screen.at.figure == "bill.0"

    drive(script)


def test_resize_keeps_the_cursor_of_the_plans(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        await pilot.press("n", "down")
        before = screen.at
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert screen.at == before

    drive(script)


def test_from_a_figure_to_its_formula_inputs_and_sources(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        keys = [row.key for row in screen.rows]
        screen.table.move_cursor(row=keys.index("facility.nominal_it_kw"), column=2)
        await pilot.press("w")
        await settle(pilot)
        why = app.screen
        assert isinstance(why, WhyScreen)
        node = why.steps.cursor_node
        assert node is not None
        assert node.data is not None
        assert node.data.figure == "nominal_it_kw"
        assert node.is_expanded
        text = why.copy_text()
        assert "formula nominal_it" in text
        assert "law, read as primary text" in text  # the delegated regulation 2024/1364 defines the quantity
        assert "http" in text
        await pilot.press("p")
        await settle(pilot)
        assert isinstance(app.screen, PlansScreen)

    drive(script)


def test_why_unfolds_and_folds(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        why = await to(app, pilot, settle, "why")
        assert why.steps.cursor_node.data.figure == "gpus"
        await pilot.press("z")
        assert not any(node.is_expanded for node in why.steps.root.children)
        await pilot.press("o")
        await pilot.pause()
        assert why.steps.cursor_node.is_expanded

    drive(script)


def test_a_row_that_another_plan_has_says_whose_steps_are_shown(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        keys = [row.key for row in screen.rows]
        screen.table.move_cursor(row=keys.index("facility.nominal_it_kw"), column=3)
        await pilot.press("enter")
        await settle(pilot)
        about = str(app.screen.query_one("#about").render())
        assert "recommended plan" in about
        assert "earlier catalogue" in about  # the stored document is older than the data

    drive(script)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["decisions", "obligations", "assumptions", "checklist", "export"])
def test_lists_have_rows_details_and_a_command(
    drive: Drive, sample: str, settle: Settle, name: str, size: tuple[int, int]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, name)
        assert isinstance(screen, ListScreen)
        first = screen.at
        assert first
        await pilot.press("j")
        assert screen.at not in ("", first)
        assert screen.pane.lines
        assert screen.pane.size.height >= 8
        assert screen.equivalent_command().startswith("sizewright ")
        assert sample in screen.equivalent_command()

    drive(script, size=size)


def test_search_narrows_as_one_types_and_escape_takes_it_back(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "decisions")
        everything = len(screen.listing.rows)
        await pilot.press("slash", *"heat")
        await pilot.pause()
        assert [row.key for row in screen.listing.rows if "heat" in row.cells[0]] == ["cooling"]
        assert len(screen.listing.rows) < everything
        await pilot.press("enter")
        assert screen.focused is screen.listing
        await pilot.press("slash", "escape")
        await pilot.pause()
        assert len(screen.listing.rows) == everything
        assert screen.query_one(Search).value == ""

    drive(script)


def test_details_take_the_window_and_give_it_back(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "decisions")
        half = screen.pane.size.height
        await pilot.press("enter")
        await pilot.pause()
        assert screen.focused is screen.pane
        assert screen.pane.size.height > half
        await pilot.press("escape")
        await pilot.pause()
        assert screen.pane.size.height == half
        assert app.screen is screen
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)

    drive(script)


def test_details_scroll_from_the_list(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "obligations")
        await pilot.press("J")
        await pilot.pause()
        assert screen.pane.scroll_offset.y > 0
        await pilot.press("K")
        await pilot.pause()
        assert screen.pane.scroll_offset.y == 0

    drive(script)


def test_a_decision_opens_its_rule(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "decisions")
        screen.point_at("cooling")
        await pilot.press("r")
        await settle(pilot)
        rules = app.screen
        assert isinstance(rules, RulesScreen)
        assert app.snapshot is not None
        assert app.snapshot.sizing is not None
        cooling = next(d for d in app.snapshot.sizing.decisions if d.id == "cooling")
        assert rules.at == cooling.because[0].rule

    drive(script)


def test_an_open_duty_opens_the_question_that_closes_it(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "obligations")
        screen.point_at("duty.de_enefg")
        assert "not legal advice" in pane(app)
        await pilot.press("c")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.question is not None
        assert app.snapshot.question.id == "site_total_it_kw"

    drive(script)


def test_a_warning_has_no_question_and_says_so(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "obligations")
        screen.point_at("warning.0")
        await pilot.press("c")
        await settle(pilot)
        assert app.screen is screen

    drive(script)


def test_an_assumption_opens_its_question(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "assumptions")
        screen.point_at("pue")
        await pilot.press("c")
        await settle(pilot)
        assert isinstance(app.screen, InterviewScreen)
        assert app.snapshot is not None
        assert app.snapshot.question is not None
        assert app.snapshot.question.id == "pue"

    drive(script)


def test_without_a_sizing_every_screen_says_what_to_do(drive: Drive, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.take(await app.backend.new("", "presales", "en"))
        for name in ("plans", "why", "decisions", "obligations", "assumptions", "checklist", "export"):
            app.go(name)
            await settle(pilot)
            assert "No sizing yet" in pane(app), name

    drive(script)


def test_in_german(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle, "plans")
        assert [str(column.label) for column in screen.table.ordered_columns][1:] == ["knapp", "empfohlen", "großzügig"]

    drive(script, lang="de")
