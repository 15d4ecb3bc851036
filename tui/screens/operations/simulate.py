"""A training run to watch and play with: step it, let it run, fail a node, change interval and spares."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from assistant.operations.simulator.events import Event
from assistant.operations.simulator.inputs import filled, played, training_figures
from assistant.operations.simulator.request import SimulateRequest
from assistant.operations.simulator.run import Run
from assistant.operations.simulator.words import options_line, request_from
from tui.frame.base import BaseScreen
from tui.frame.parts import Pane
from tui.keys import key
from tui.text import plain, row, stack
from tui.views.lines import Say, say_in
from tui.views.simulate import NAME, bar_text, bars, moment_lines, status_lines
from tui.widgets.dialogs import Prompt

if TYPE_CHECKING:
    from assistant.operations.simulator.inputs import Played
    from tui.backend import Snapshot

DEFAULT = SimulateRequest(gpus=2048, days=30)
TICK_S = 0.1
SPEEDS_H_PER_S = (0.1, 0.5, 2.0, 6.0, 24.0, 72.0, 240.0)
"""Hours of the run that pass in a second of watching."""
STEP = 1.25
"""One key press makes the interval so much longer or shorter."""
SHORTEST_MIN, LONGEST_MIN = 0.1, 100_000.0
"""Ends of what the keys make of the interval."""
SHOWN = 200
"""Latest events in the list; the command prints all."""


class SimulateScreen(BaseScreen):
    """Status above; events and the plot of time lost against the interval below it."""

    name_id = "simulate"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        key("simulate.run", "space", "run_or_pause"),
        key("simulate.step", "n", "step"),
        key("simulate.fail", "f", "strike('hardware')"),
        key("simulate.longer", "plus", "interval(1)", show=False),
        key("simulate.shorter", "minus", "interval(-1)", show=False),
        key("simulate.more_spares", "s", "spares(1)", show=False),
        key("simulate.fewer_spares", "S", "spares(-1)", show=False),
        key("simulate.software", "x", "strike('software')", show=False),
        key("simulate.corrupt", "c", "strike('corrupted')", show=False),
        key("simulate.preempt", "t", "strike('preempted')", show=False),
        key("simulate.faster", "full_stop", "speed(1)", show=False),
        key("simulate.slower", "comma", "speed(-1)", show=False),
        key("simulate.to_end", "e", "to_end"),
        key("simulate.again", "r", "again(0)", show=False),
        key("simulate.next_seed", "N", "again(1)", show=False),
        key("simulate.inputs", "i", "inputs"),
    ]

    DEFAULT_CSS = """
    SimulateScreen #status { height: auto; padding: 0 1; background: $surface; }
    SimulateScreen #columns { height: 1fr; }
    SimulateScreen.-roomy #columns { layout: horizontal; }
    SimulateScreen.-slim #columns { layout: vertical; }
    SimulateScreen #plot { padding: 0 1; }
    SimulateScreen.-roomy #plot { width: 1fr; height: 1fr; }
    SimulateScreen.-slim #plot { height: auto; }
    SimulateScreen.-roomy #details { width: 1fr; height: 1fr; margin: 0 1 0 0; }
    SimulateScreen.-slim #details { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.request = DEFAULT
        self.own = False
        """Whether somebody chose the inputs here: then a session's sizing no longer replaces them."""
        self.game: Played | None = None
        self.run: Run | None = None
        self.speed = 3
        self.ticking: Timer | None = None
        self.going = False

    def body(self) -> ComposeResult:
        """Status, plot and events."""
        yield Static("", id="status", markup=False)
        with Container(id="columns"):
            yield Static("", id="plot", markup=False)
            yield Pane()

    @property
    def say(self) -> Say:
        """The labels of the views."""
        return say_in(self.lang)

    def on_mount(self) -> None:
        """The clock stands until the run is started."""
        super().on_mount()
        self.ticking = self.set_interval(TICK_S, self._tick, pause=True)
        if self.snapshot is None:
            self._begin(self.request)

    def on_screen_suspend(self) -> None:
        """A run that nobody watches stands still."""
        self._pause()

    def show(self, snapshot: Snapshot) -> None:
        """The training job of the session's sizing, where it has one and nobody chose other inputs here."""
        figures = training_figures(snapshot.sizing) if snapshot.sizing else None
        wanted = filled(SimulateRequest(), figures) if figures else DEFAULT
        if self.run is None or (not self.own and wanted != self.request):
            self._begin(wanted)

    def _begin(self, request: SimulateRequest) -> None:
        self._pause()
        self.do(self._prepare(request))

    async def _prepare(self, request: SimulateRequest) -> None:
        """Resolve the inputs on the core's thread: a model takes a moment."""
        game = await self.backend.call(lambda: played(request, self.backend.assistant.catalogue))
        self.request, self.game = request, game
        self.run = Run(game.conditions, game.course, request.seed, record=True)
        self.fill()

    # What is shown

    def fill(self) -> None:
        """Everything anew from the run as it stands."""
        run = self.run
        if run is None or self.game is None or not self.whole:
            return
        width = max(40, self.size.width - 2)
        speed = f"{SPEEDS_H_PER_S[self.speed]:g} h/s" if self.going else self.say("sim.paused")
        self.query_one("#status", Static).update(plain("\n".join(status_lines(run, speed, self.say, width))))
        self.query_one("#plot", Static).update(self._plot(run))
        self.query_one(Pane).put(moment_lines(run.moments[-SHOWN:], self.say))
        self.refresh_frame()

    def _plot(self, run: Run) -> Content:
        wide = self.has_class("-roomy")
        across = (self.size.width // 2 if wide else self.size.width) - NAME - 14
        assert self.game is not None
        rows = bars(self.game.conditions, run.interval_min, max(10, across), wide and self.size.height >= 30)
        head = row((self.t("view.sim.plot"), "bold"))
        if not rows:
            return stack([head, plain(self.t("view.sim.no_failures"))])
        return stack([head, *(plain(bar_text(bar), "bold" if bar.chosen else "") for bar in rows)])

    def on_resize(self, event: object) -> None:
        """The plot and the bar fit the new width."""
        self.call_after_refresh(self.fill)

    def equivalent_command(self) -> str:
        """The command that plays the same run to its end, with the comparisons."""
        return f"sizewright simulate {options_line(self.request)}"

    def copy_text(self) -> str:
        """Status, plot and events as text."""
        if self.run is None:
            return self.equivalent_command()
        status = list(status_lines(self.run, "", self.say, 78))
        events = [one.text for one in moment_lines(self.run.moments, self.say)]
        return "\n".join([*status, "", *events])

    # The clock

    def _pause(self) -> None:
        self.going = False
        if self.ticking is not None:
            self.ticking.pause()

    def _tick(self) -> None:
        if self.run is None:
            return
        self.run.advance(self.run.now + SPEEDS_H_PER_S[self.speed] * 60.0 * TICK_S)
        if self.run.over:
            self._pause()
        self.fill()

    # Actions

    def action_run_or_pause(self) -> None:
        """Let it run, or hold it."""
        if self.run is None or self.ticking is None:
            return
        if self.going or self.run.over:
            self._pause()
        else:
            self.going = True
            self.ticking.resume()
        self.fill()

    def action_step(self) -> None:
        """To the next event."""
        if self.run is not None and not self.run.over:
            self._pause()
            self.run.step()
            self.fill()

    def action_to_end(self) -> None:
        """Play the rest at once."""
        if self.run is not None:
            self._pause()
            self.run.play()
            self.fill()

    def action_strike(self, event: str) -> None:
        """Let something happen now."""
        if self.run is None or self.run.over:
            return
        if event == Event.PREEMPTED.value and not self.run.at.spot_nodes:
            self.desk.notice(self.t("sim.no_spot"))
            return
        self.run.strike(Event(event))
        self.fill()

    def action_interval(self, direction: int) -> None:
        """Save less often, or more often, from now on."""
        if self.run is None:
            return
        wanted = (self.run.interval_min or self.run.course.work_min) * STEP**direction
        self.run.set_interval(min(LONGEST_MIN, max(SHORTEST_MIN, wanted)))
        self._chosen(checkpoint_interval_min=float(f"{self.run.interval_min:.4g}"))

    def action_spares(self, change: int) -> None:
        """One spare more or fewer from now on."""
        if self.run is not None:
            self.run.set_spares(max(0, self.run.at.spares + change))
            self._chosen(spares=self.run.at.spares)

    def _chosen(self, **values: object) -> None:
        self.own = True
        self.request = self.request.model_copy(update=values)
        self.fill()

    def action_speed(self, change: int) -> None:
        """Faster or slower."""
        self.speed = min(len(SPEEDS_H_PER_S) - 1, max(0, self.speed + change))
        self.fill()

    def action_again(self, further: int) -> None:
        """From the start: the same run, or that of the next seed, with the interval and spares as they are now."""
        if self.run is not None:
            self._begin(self.request.model_copy(update={"seed": self.request.seed + further}))

    def action_inputs(self) -> None:
        """The options of the command, to be changed."""

        def given(line: str | None) -> None:
            if line is not None and line.strip():
                self.own = True
                self.do(self._take(line))

        title, question = self.t("screen.simulate"), self.t("sim.ask_inputs")
        self.app.push_screen(Prompt(title, question, self.lang, options_line(self.request)), given)

    async def _take(self, line: str) -> None:
        words = line.strip().removeprefix("sizewright simulate").strip()
        self._pause()
        await self._prepare(request_from(words))
