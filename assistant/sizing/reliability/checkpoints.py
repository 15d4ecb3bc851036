"""Checkpoints: how long training stands still, until one is safe, how long it takes to read one, and how often."""

from __future__ import annotations

import math
from typing import NamedTuple

from assistant.sizing.reliability.options import FailureOptions, Saving
from knowledge.calibration.reliability import reliability_constants
from knowledge.message import Message, say

TYPICAL_STALL_S = 10.0
"""Standstill where neither its length nor the size of a checkpoint is known."""
TYPICAL_DRAIN_S = 60.0
"""Writing to storage where neither the time nor the size is known. It decides only whether a notice is long enough."""
SHORTEST_INTERVAL_MIN = 1.0
"""No published run of scale keeps checkpoints in storage closer together than this."""


class SaveTimes(NamedTuple):
    """Seconds that training stands still for one checkpoint, and from there until it is safe in storage."""

    stall_s: float
    drain_s: float
    says: Message
    drain_known: bool = True

    @property
    def until_safe_s(self) -> float:
        """From the begin of saving until the checkpoint is safe; with a typical drain where it is not known."""
        return self.stall_s + (self.drain_s if self.drain_known else TYPICAL_DRAIN_S)


def write_gb_per_s(gpus: int, stated: float | None) -> float:
    """GB/s at which a job writes: as stated, else what each GPU's writer reached elsewhere, up to a cap."""
    known = reliability_constants().checkpoints
    return stated or min(known.write_gb_per_s_most, known.write_gb_per_s_and_gpu * gpus)


def save_times(options: FailureOptions, gpus: int, checkpoint_gb: float | None) -> SaveTimes:
    """Standstill and drain of one checkpoint; stated times come before those that follow from its size."""
    written_s = checkpoint_gb / write_gb_per_s(gpus, options.write_gb_per_s) if checkpoint_gb else None
    stall_s, drain_s, says = options.checkpoint_write_s, options.checkpoint_drain_s, say("reliability.save.stated")
    if options.saving is Saving.SYNC:
        if stall_s is None:
            stall_s = written_s if written_s is not None else TYPICAL_STALL_S
            says = say("reliability.save.written" if written_s is not None else "reliability.save.written_assumed")
        return SaveTimes(stall_s, drain_s or 0.0, says)
    if stall_s is None:
        stall_s = _copied_s(checkpoint_gb, gpus) if checkpoint_gb else TYPICAL_STALL_S
        says = say("reliability.save.copied" if written_s is not None else "reliability.save.copied_assumed")
    if drain_s is None:
        return SaveTimes(stall_s, written_s or 0.0, says, drain_known=written_s is not None)
    return SaveTimes(stall_s, drain_s, says)


def _copied_s(checkpoint_gb: float, gpus: int) -> float:
    return checkpoint_gb / gpus / reliability_constants().checkpoints.staging_gb_per_s_and_gpu


def restore_s(checkpoint_gb: float, gpus: int, stated_gb_per_s: float | None = None, job_gpus: int = 0) -> float:
    """Seconds to read a checkpoint on ``gpus`` GPUs, which all take part whatever number of them wrote it.

    Left out, the rate is twice that of writing. A stated one is what ``job_gpus`` draw (0: ``gpus``); fewer draw less.
    """
    if stated_gb_per_s is not None:
        return checkpoint_gb / (stated_gb_per_s * min(1.0, gpus / (job_gpus or gpus)))
    return checkpoint_gb / (write_gb_per_s(gpus, None) * reliability_constants().checkpoints.read_over_write)


def restart_min(options: FailureOptions, gpus: int, checkpoint_gb: float | None) -> float:
    """Minutes from a failure until training goes on: as stated, else the published typical one, more where reading the
    checkpoint takes longer than that leaves for it.
    """
    if options.restart_min is not None:
        return options.restart_min
    known = reliability_constants().restart
    reading = restore_s(checkpoint_gb, gpus, options.read_gb_per_s) / 60.0 if checkpoint_gb else 0.0
    return max(known.typical_min, known.without_restore_min + reading)


def young_interval_min(write_min: float, mttf_min: float) -> float:
    """Young's first-order optimum ``sqrt(2 C M)`` in minutes (CACM 17(9), 1974)."""
    return math.sqrt(2.0 * write_min * mttf_min)


def daly_interval_min(write_min: float, mttf_min: float) -> float:
    """Daly's higher-order optimum in minutes (FGCS 22(3), 2006); the mean time to failure itself from C = 2 M on."""
    if write_min >= 2.0 * mttf_min:
        return mttf_min
    root = math.sqrt(write_min / (2.0 * mttf_min))
    return young_interval_min(write_min, mttf_min) * (1.0 + root / 3.0 + root * root / 9.0) - write_min


def best_interval_min(times: SaveTimes, mttf_min: float) -> tuple[float | None, Message]:
    """Daly's optimum, not below what can be kept: the next checkpoint starts once the last one is safe."""
    if math.isinf(mttf_min):
        return None, say("reliability.interval.nothing_fails")
    optimum = daly_interval_min(times.stall_s / 60.0, mttf_min)
    floor = max(times.drain_s / 60.0, SHORTEST_INTERVAL_MIN)
    if optimum < floor:
        return floor, say("reliability.interval.shortest")
    return optimum, say("reliability.interval.daly")
