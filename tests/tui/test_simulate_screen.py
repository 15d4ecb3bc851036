"""The simulator's screen: watched, stepped, struck, changed; and its plot against the closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from assistant.operations.simulator.inputs import played
from assistant.operations.simulator.request import SimulateRequest
from assistant.operations.simulator.run import Run
from assistant.service import Assistant
from tui.app import SizewrightApp
from tui.frame.parts import Pane
from tui.screens.operations.simulate import SimulateScreen
from tui.views.lines import say_in
from tui.views.simulate import bar_text, bars, moment_lines, state, status_lines

Drive = Callable[..., SizewrightApp]


def screen_of(app: SizewrightApp) -> SimulateScreen:
    assert isinstance(app.screen, SimulateScreen)
    return app.screen


def run_of(app: SizewrightApp) -> Run:
    run = screen_of(app).run
    assert run is not None
    return run


def text_of(app: SizewrightApp, selector: str) -> str:
    return str(app.screen.query_one(selector, Static).render())


async def open_it(app: SizewrightApp, pilot: Pilot[None], settle: Any) -> None:
    await pilot.press("ctrl+g", "s")
    await settle(pilot)
    assert run_of(app)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
def test_it_opens_without_a_session_and_steps_through_events(drive: Drive, settle: Any, size: tuple[int, int]) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_it(app, pilot, settle)
        assert "256 nodes" in text_of(app, "#status")
        assert "> " in text_of(app, "#plot") or ">*" in text_of(app, "#plot")
        await pilot.press("n", "n", "n")
        await settle(pilot)
        run = run_of(app)
        assert run.events == 3
        screen = screen_of(app)
        assert len(screen.query_one(Pane).lines) == len(run.moments)
        await pilot.press("space", "full_stop")
        then = run.now
        screen._tick()
        assert run.now > then
        await pilot.press("escape")
        await settle(pilot)
        assert not screen.going  # nobody watches

    drive(script, size=size)


def test_a_node_fails_now_and_the_spares_run_out(drive: Drive, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_it(app, pilot, settle)
        spares = run_of(app).at.spares
        await pilot.press("n", *"f" * (spares + 1))
        await settle(pilot)
        assert "waits for a node" in text_of(app, "#status")
        await pilot.press("s")  # one spare more: it goes on
        await settle(pilot)
        assert "restart" in text_of(app, "#status").splitlines()[0]
        assert f"--spares {spares + 1}" in screen_of(app).equivalent_command()
        await pilot.press("t")
        await settle(pilot)
        assert any("spot" in str(notice.message) for notice in app._notifications)

    drive(script)


def test_interval_seed_and_inputs_change_the_command(drive: Drive, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_it(app, pilot, settle)
        before = run_of(app).interval
        await pilot.press("plus")
        await settle(pilot)
        assert run_of(app).interval == pytest.approx(1.25 * before)
        await pilot.press("minus", "minus", "N")
        await settle(pilot)
        assert run_of(app).interval == pytest.approx(before / 1.25, rel=1e-3)
        assert run_of(app).seed == 2
        assert "--seed 2" in screen_of(app).equivalent_command()
        await pilot.press("i")
        await settle(pilot)
        app.screen.query_one(Input).value = "--gpus 4096 --days 10 --fleet rsc1 --spot aws"
        await pilot.press("enter")
        await settle(pilot)
        assert run_of(app).at.nodes == 512
        await pilot.press("t", "e")
        await settle(pilot)
        assert run_of(app).over
        assert "Sizewright" not in screen_of(app).copy_text()
        assert "finished" in screen_of(app).copy_text()

    drive(script)


def test_bad_inputs_are_said_and_change_nothing(drive: Drive, settle: Any, hostile: tuple[str, ...]) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await open_it(app, pilot, settle)
        run = run_of(app)
        for line in ("--gpus many", "'", hostile[0]):
            await pilot.press("i")
            await settle(pilot)
            app.screen.query_one(Input).value = line
            await pilot.press("enter")
            await settle(pilot)
            assert run_of(app) is run, line
        said = [str(notice.message) for notice in app._notifications]
        assert any("gpus" in text for text in said)
        assert not any("Internal error" in text for text in said)

    drive(script)


def test_reached_from_the_plans(drive: Drive, sample: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("plans")
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert run_of(app).at.nodes == 256  # a chat trains nothing: the example

    drive(script, resume=sample)


def test_the_plot_is_the_closed_form_and_marks_the_best(assistant: Assistant) -> None:
    """At Daly's optimum work done again and saving cost about the same: sqrt(2 C / M) / 2 of the time each."""
    at = played(SimulateRequest(gpus=2048, days=30), assistant.catalogue).conditions
    found = bars(at, at.interval_min, 40, wide=False)
    best = next(bar for bar in found if bar.best)
    assert best.chosen
    first_order = (2 * at.stall_min * at.failures_daily / 1440) ** 0.5
    assert best.share == pytest.approx(first_order, rel=0.02)
    assert max(bar.lost + bar.saving for bar in found) <= 41
    assert bar_text(best).startswith(">*")
    assert [bar.share for bar in bars(at, 30.0, 40, wide=True) if bar.chosen] != []
    assert bars(at._replace(interval_min=None), None, 40, wide=False) == ()


def test_status_names_what_the_job_does(assistant: Assistant) -> None:
    game = played(SimulateRequest(gpus=64, days=1, failures_per_1000_node_days=0, checkpoint_interval_min=60,
                                  checkpoint_write_s=600, load_min=30), assistant.catalogue)  # fmt: skip
    run = Run(game.conditions, game.course, seed=1, record=True)
    say = say_in("en")
    assert state(run) == "sim.load"
    run.advance(30 + 20)
    assert state(run) == "sim.train"
    run.advance(30 + 65)
    assert state(run) == "sim.saving"
    assert "60.0 min of work not safe" in list(status_lines(run, "", say, 78))[2]
    run.play()
    assert state(run) == "sim.finished"
    assert "finished" in moment_lines(run.moments, say)[0].text
    assert all(len(line) <= 78 for line in status_lines(run, "paused", say, 78))
