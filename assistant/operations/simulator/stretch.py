"""What is played, and undisturbed training in closed form: where it stands at any moment, what is safe by then."""

from __future__ import annotations

import math
from typing import NamedTuple

LONGEST = 50.0
"""Times its undisturbed length that a run may take."""
MOST_EVENTS = 5_000
"""Events without progress after which a run is given up; with progress there may be some more."""
NEVER_MIN = 1e12
"""Interval in minutes of a run that keeps no checkpoint."""


class Course(NamedTuple):
    """What is to be played: minutes of work, the first load, and the length of a step (0: no steps are told apart)."""

    work_min: float
    load_min: float
    step_min: float = 0.0

    @property
    def longest_min(self) -> float:
        """A run that takes longer than this is given up."""
        return LONGEST * (self.work_min + self.load_min)

    def most_events(self, done_min: float) -> float:
        """Events that a run may have had by the time so much work is done."""
        return MOST_EVENTS * (1.0 + 32.0 * done_min / self.work_min)

    def in_steps(self, minutes: float) -> float:
        """The whole number of steps nearest to an interval, at least one."""
        return max(1, round(minutes / self.step_min)) * self.step_min if self.step_min else minutes

    def begun_steps(self, work: float) -> float:
        """Work without the step that is not complete."""
        return math.floor(work / self.step_min) * self.step_min if self.step_min else work


class Poison(NamedTuple):
    """A corruption nobody has noticed: the work at which it came in, the last clean work, and when it is found."""

    work: float
    clean: float
    found: float


class Standing(NamedTuple):
    """Minutes of work done, in a checkpoint, and safe in storage; minutes spent saving; whether it saves now."""

    work: float
    captured: float
    safe: float
    saved_for: float
    saving: bool


class Stretch(NamedTuple):
    """Training from ``start`` on, with ``base`` minutes of work done, of which ``safe`` are in storage.

    Each ``interval`` minutes of training are followed by ``stall`` minutes in which it stands still; the checkpoint is
    safe ``drain`` minutes later.
    """

    start: float
    base: float
    safe: float
    interval: float
    stall: float
    drain: float

    def at(self, moment: float) -> Standing:
        """Where it stands at a moment after ``start``."""
        gone, cycle = moment - self.start, self.interval + self.stall
        whole = math.floor(gone / cycle)
        rest = gone - whole * cycle
        drained = math.floor((gone - self.drain) / cycle) if gone >= self.drain else 0
        captured = self.base + whole * self.interval if whole else self.safe
        return Standing(
            work=self.base + whole * self.interval + min(rest, self.interval),
            captured=captured,
            safe=self.base + drained * self.interval if drained else self.safe,
            saved_for=whole * self.stall + max(0.0, rest - self.interval),
            saving=rest > self.interval,
        )

    def reaches(self, work: float) -> float:
        """The moment at which so much work is done; the last interval ends without a checkpoint."""
        needed = work - self.base
        whole = max(0, math.ceil(needed / self.interval) - 1)
        return self.start + whole * (self.interval + self.stall) + needed - whole * self.interval
