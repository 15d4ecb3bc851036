"""What happens in a run, and where its time goes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from knowledge.evidence import Frozen


class Event(StrEnum):
    """One kind of thing that happens."""

    LOADED = "loaded"
    HARDWARE = "hardware"
    SOFTWARE = "software"
    PREEMPTED = "preempted"
    SPARE_LOST = "spare_lost"
    CORRUPTED = "corrupted"
    FOUND = "corruption_found"
    WAITING = "waiting"
    NODE_BACK = "node_back"
    RESTARTED = "restarted"
    FINISHED = "finished"
    GAVE_UP = "gave_up"


INTERRUPTIONS = frozenset({Event.HARDWARE, Event.SOFTWARE, Event.PREEMPTED, Event.FOUND})
"""After these the job starts again."""


class Phase(StrEnum):
    """What the job does."""

    LOAD = "load"
    TRAIN = "train"
    RESTART = "restart"
    WAIT = "wait"
    OVER = "over"


class Moment(Frozen):
    """Something that happened ``at_h`` hours after the start, with the minutes of work that it undid."""

    at_h: float
    event: Event
    says: str
    lost_min: float = 0.0
    done_share: float = 0.0


@dataclass
class Ledger:
    """Wall-clock minutes by what they went into; they add up to the time since the start."""

    useful_min: float = 0.0
    saving_min: float = 0.0
    lost_min: float = 0.0
    restart_min: float = 0.0
    waiting_min: float = 0.0
    loading_min: float = 0.0
    interruptions: int = 0
    unnoticed: int = 0

    def spend(self, phase: Phase, minutes: float) -> None:
        """Time of a phase without training."""
        if phase is Phase.RESTART:
            self.restart_min += minutes
        elif phase is Phase.WAIT:
            self.waiting_min += minutes
        elif phase is Phase.LOAD:
            self.loading_min += minutes

    @property
    def elapsed_min(self) -> float:
        """All of it."""
        return (
            self.useful_min + self.saving_min + self.lost_min + self.restart_min + self.waiting_min + self.loading_min
        )
