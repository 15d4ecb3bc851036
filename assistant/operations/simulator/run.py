"""One run, event by event: load, compute and synchronise, save, fail, wait for a node, restart from the checkpoint.

Between two events everything is in closed form (``stretch``), so a month costs as much as it has failures. Times are in
minutes from the start. Interruptions are a Poisson process; they strike while saving and restarting too.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace

from assistant.operations.simulator.chance import daily_rates, said
from assistant.operations.simulator.events import INTERRUPTIONS, Event, Ledger, Moment, Phase
from assistant.operations.simulator.pool import Pool
from assistant.operations.simulator.stretch import NEVER_MIN, Course, Poison, Standing, Stretch
from assistant.sizing.reliability.conditions import Conditions
from assistant.sizing.reliability.rates import MINUTES_PER_DAY


class Run:
    """One run under ``at``. ``moments`` holds what happened, where ``record`` is set."""

    def __init__(self, at: Conditions, course: Course, seed: int, record: bool = False) -> None:
        self.at, self.course, self.seed, self.record = at, course, seed, record
        self.chance = random.Random(seed)
        self.pool, self.ledger = Pool(at), Ledger()
        self.moments: list[Moment] = []
        self.now, self.events = 0.0, 0
        self.phase, self.since = Phase.LOAD, 0.0
        self.done = self.safe = 0.0
        self.stretch: Stretch | None = None
        self.poison: Poison | None = None
        self.interval_min = at.interval_min
        self.ends = course.load_min
        self.rates: Mapping[Event, float] = {}
        self.next_random = self._draw()

    # What can be asked

    @property
    def over(self) -> bool:
        """Whether nothing more happens."""
        return self.phase is Phase.OVER

    @property
    def finished(self) -> bool:
        """Whether the work is done."""
        return self.over and self.done >= self.course.work_min

    def standing(self) -> Standing:
        """Where the work stands now."""
        if self.stretch is not None:
            return self.stretch.at(self.now)
        return Standing(self.done, self.safe, self.safe, 0.0, False)

    def so_far(self) -> Ledger:
        """The accounts as of now; work that is not safe yet counts as useful."""
        ledger = replace(self.ledger)
        if self.stretch is not None:
            stands = self.stretch.at(self.now)
            ledger.useful_min += stands.work - self.done
            ledger.saving_min += stands.saved_for
        else:
            ledger.spend(self.phase, self.now - self.since)
        return ledger

    @property
    def interval(self) -> float:
        """Minutes of training between two checkpoints, in whole steps."""
        return self.course.in_steps(self.interval_min or NEVER_MIN)

    # Time

    def next_event(self) -> float:
        """When something happens next."""
        found = self.poison.found if self.poison else math.inf
        return min(self.next_random, self.ends, self.pool.next_return, found)

    def play(self) -> Run:
        """To the end."""
        while not self.over:
            self.step()
        return self

    def step(self) -> None:
        """To the next event, and through it."""
        due = self.next_event()
        self.now = max(self.now, due)  # saving at a notice may have passed it
        self.events += 1
        if self.now > self.course.longest_min or self.events > self.course.most_events(self.done):
            self._give_up()
        elif due == self.pool.next_return:
            self._node_back()
        elif self.poison is not None and due == self.poison.found:
            self._found()
        elif due == self.ends:
            self._phase_over()
        else:
            self.strike(self._kind())

    def advance(self, moment: float) -> None:
        """To a moment, through everything that happens until then."""
        while not self.over and self.next_event() <= moment:
            self.step()
        if not self.over:
            self.now = max(self.now, moment)

    # What can be done to it

    def strike(self, event: Event) -> None:
        """Let something happen now: a failure, a preemption, a silent corruption, a spare lost."""
        if self.over:
            return
        if event is Event.CORRUPTED:
            self._corrupt()
        elif event is Event.SPARE_LOST:
            self.pool.lose(self.now)
            waits = self.phase is Phase.WAIT
            self._tell(event, "another node fails meanwhile" if waits else f"a spare fails; {self.pool.idle} left")
        else:
            self._interrupt(event)
        self.next_random = self._draw()

    def set_spares(self, spares: int) -> None:
        """Another number of spares from now on; a job that waits goes on if that is enough."""
        self.at = self.pool.at = self.at._replace(spares=spares)
        if self.phase is Phase.WAIT and self.pool.enough:
            self._book()
            self._enter(Phase.RESTART)
        self.next_random = self._draw()

    def set_interval(self, interval_min: float) -> None:
        """Save at another interval from now on; what is on its way to storage then counts as not safe."""
        self.interval_min = interval_min
        if self.stretch is not None:
            stands = self.stretch.at(self.now)
            self.ledger.saving_min += stands.saved_for
            self._begin_stretch(stands.work, stands.safe)

    # Chance

    def _draw(self) -> float:
        self.rates = daily_rates(self.at, self.pool, self.phase)
        daily = sum(self.rates.values())
        return self.now + self.chance.expovariate(daily / MINUTES_PER_DAY) if daily > 0 else math.inf

    def _kind(self) -> Event:
        return self.chance.choices(list(self.rates), list(self.rates.values()))[0]

    # Phases

    def _enter(self, phase: Phase) -> None:
        self.phase, self.since = phase, self.now
        lasts = {Phase.LOAD: self.course.load_min, Phase.RESTART: self.at.restart_min}
        self.ends = self.now + lasts.get(phase, math.inf)
        self.next_random = self._draw()

    def _phase_over(self) -> None:
        if self.phase is Phase.TRAIN:
            self._leave_training(self.course.work_min)
            self._finish()
            return
        loading = self.phase is Phase.LOAD
        self._book()
        self._tell(
            Event.LOADED if loading else Event.RESTARTED,
            "loaded, training begins" if loading else "training goes on from the checkpoint",
        )
        self.phase = Phase.TRAIN
        self._begin_stretch(self.done, self.safe)
        self.next_random = self._draw()

    def _begin_stretch(self, work: float, safe: float) -> None:
        self.stretch = Stretch(self.now, work, safe, self.interval, self.at.stall_min, self.at.drain_min)
        self.ends = self.stretch.reaches(self.course.work_min)

    def _book(self) -> None:
        """The time of a phase without training, to its account."""
        self.ledger.spend(self.phase, self.now - self.since)
        self.since = self.now

    def _leave_training(self, kept: float) -> float:
        """End a stretch with ``kept`` minutes of work surviving; returns the minutes that are lost.

        ``done`` is what the accounts hold: work that a change of the interval carried into this stretch comes on top.
        """
        assert self.stretch is not None
        stands = self.stretch.at(self.now)
        lost = max(0.0, stands.work - kept)
        self.ledger.useful_min += kept - self.done
        self.ledger.lost_min += lost
        self.ledger.saving_min += stands.saved_for
        self.done = self.safe = kept
        self.stretch = None
        return lost

    # Events

    def _interrupt(self, event: Event) -> None:
        lost = 0.0
        if self.phase is Phase.TRAIN and self.stretch is not None:
            stands = self.stretch.at(self.now)
            kept = stands.safe
            if event is Event.PREEMPTED and self.at.saves_on_notice:
                kept = max(stands.safe, self.course.begun_steps(stands.work))
            lost = self._leave_training(kept)
            if kept > stands.safe:
                self._save_at_notice()
            if self.poison is not None and kept <= self.poison.work:
                self.poison = None
        elif self.phase is not Phase.TRAIN:
            self._book()
        if event is not Event.SOFTWARE:
            self.pool.lose(self.now, spot=event is Event.PREEMPTED)
        if self.phase is not Phase.WAIT:
            self.ledger.interruptions += 1
            if self.record:
                self._tell(event, said(event, self.at, self.pool), lost)
        self._go_on()

    def _save_at_notice(self) -> None:
        """The node stays until what is saved is safe."""
        taken = self.at.until_safe_min
        self.ledger.saving_min += taken
        self.now += taken

    def _go_on(self) -> None:
        """Restart where there are nodes, else wait for one."""
        if self.pool.enough:
            self._enter(Phase.LOAD if self.phase is Phase.LOAD else Phase.RESTART)
            return
        if self.phase is not Phase.WAIT:
            back_h = (self.pool.next_return - self.now) / 60.0
            self._tell(Event.WAITING, f"no spare left: waits, the next node is due in {back_h:,.1f} h")
        self._enter(Phase.WAIT)

    def _node_back(self) -> None:
        self.pool.take_back()
        if self.phase is Phase.WAIT and self.pool.enough:
            self._book()
            self._tell(Event.NODE_BACK, "a node is back: restart")
            self._enter(Phase.RESTART)
        else:
            if self.phase is Phase.WAIT:
                self._book()
            self.next_random = self._draw()  # more spares stand idle, or more nodes wait

    def _corrupt(self) -> None:
        """Wrong numbers come in; nothing shows yet. A second one before the first is found changes nothing."""
        if self.stretch is None or self.poison is not None:
            return
        stands = self.stretch.at(self.now)
        late = self.at.found_after_min >= self.at.drain_min
        clean = stands.captured if late else stands.safe
        self.poison = Poison(stands.work, clean, self.now + self.at.found_after_min)
        self._tell(Event.CORRUPTED, "silent data corruption on one GPU; nothing shows yet")

    def _found(self) -> None:
        assert self.poison is not None
        clean, self.poison = self.poison.clean, None
        lost = self._roll_back(clean)
        self.ledger.interruptions += 1
        self.pool.lose(self.now)
        self._tell(Event.FOUND, "the corruption shows; back to the last clean checkpoint, the node goes", lost)
        self._go_on()

    def _roll_back(self, clean: float) -> float:
        """Everything after ``clean`` is undone, saved or not."""
        if self.stretch is not None:
            return self._leave_training(clean)
        self._book()
        undone = self.done - clean
        self.ledger.useful_min -= undone
        self.ledger.lost_min += undone
        self.done = self.safe = clean
        return undone

    def _finish(self) -> None:
        self.ledger.unnoticed = int(self.poison is not None)
        self.phase = Phase.OVER
        unnoticed = "; a corruption is in the result, unnoticed" if self.poison else ""
        self._tell(Event.FINISHED, f"finished{unnoticed}")

    def _give_up(self) -> None:
        if self.stretch is not None:
            self._leave_training(self.stretch.at(self.now).safe)
        else:
            self._book()
        self.phase = Phase.OVER
        self._tell(Event.GAVE_UP, "given up: at this rate it makes no progress worth waiting for")

    def _tell(self, event: Event, says: str, lost: float = 0.0) -> None:
        if not self.record:
            return
        share = self.done / self.course.work_min
        shown = lost if event in INTERRUPTIONS else 0.0
        self.moments.append(Moment(at_h=self.now / 60.0, event=event, says=says, lost_min=shown, done_share=share))
