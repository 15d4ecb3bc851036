"""What is left of the time: closed forms for failures, checkpoints, spot nodes and silent corruption."""

from __future__ import annotations

import math
from typing import NamedTuple

from assistant.sizing.reliability.conditions import Conditions
from assistant.sizing.reliability.rates import MINUTES_PER_DAY
from assistant.sizing.reliability.spares import at_most
from knowledge.evidence import Frozen

FIRST_ORDER_LIMIT = 0.2
"""Share of time lost beyond which the first-order goodput is left for the exact one (they differ by 2 % there)."""
MOST_EXPONENT = 600.0
"""Beyond it a floating-point number overflows, and no progress is left to speak of."""
TABLE_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Intervals of the table, as multiples of the best one."""


class IntervalLoss(Frozen):
    """What one checkpoint interval costs: shares of wall-clock time between 0 and 1."""

    interval_min: float
    goodput: float
    saving_share: float
    lost_work_share: float
    restart_share: float


class Goodput(NamedTuple):
    """Share of wall-clock time that trains, the exact form of it, and the id of the formula of the first."""

    share: float
    exact: float
    formula: str


def first_order_goodput(
    daily: float, interval_min: float, write_min: float, restart_min: float, drain_min: float = 0.0
) -> float:
    """Expected effective training time ratio of Kokolis et al. (arXiv 2410.21680); negative out of its range.

    ``daily`` failures a day each cost ``restart_min``, half an interval and the time until a checkpoint is safe; saving
    blocks ``write_min`` an interval.
    """
    lost = daily * (restart_min + drain_min + interval_min / 2.0) / MINUTES_PER_DAY
    return (1.0 - lost) / (1.0 + write_min / interval_min)


def exact_goodput(
    daily: float, interval_min: float, write_min: float, restart_min: float, drain_min: float = 0.0
) -> float:
    """Useful share of time for failures of a Poisson process, by renewal (Daly 2006), between 0 and 1.

    Failures may strike while saving and restarting too: ``T / (M e^((R + D)/M) (e^((T + C)/M) - 1))``. The drain D adds
    to the exponent because the n-th checkpoint after a restart survives if the next failure is later than
    n (T + C) + D: the expected number of them is e^(-D/M) / (e^((T + C)/M) - 1), in a mean time of M e^(R/M).
    """
    if daily <= 0:
        return interval_min / (interval_min + write_min)
    mttf = MINUTES_PER_DAY / daily
    exponent, before = (interval_min + write_min) / mttf, (restart_min + drain_min) / mttf
    if exponent + before > MOST_EXPONENT:
        return 0.0
    return interval_min / (mttf * math.exp(before) * math.expm1(exponent))


def interval_loss(
    daily: float, interval_min: float, write_min: float, restart_min: float, drain_min: float = 0.0
) -> IntervalLoss:
    """Where the time goes at one interval: saving, work done again, restarting."""
    useful = exact_goodput(daily, interval_min, write_min, restart_min, drain_min)
    saving = useful * write_min / interval_min
    restart = min(daily * restart_min / MINUTES_PER_DAY, max(0.0, 1.0 - useful - saving))
    return IntervalLoss(
        interval_min=interval_min,
        goodput=useful,
        saving_share=saving,
        restart_share=restart,
        lost_work_share=max(0.0, 1.0 - useful - saving - restart),
    )


def losses_by_interval(at: Conditions) -> tuple[IntervalLoss, ...]:
    """The table of loss against interval, around the one that was chosen; empty where nothing fails."""
    if at.interval_min is None:
        return ()
    args = (at.stall_min, at.restart_min, at.drain_min)
    return tuple(interval_loss(at.losing_daily, at.interval_min * step, *args) for step in TABLE_STEPS)


def goodput_of(at: Conditions, all_waits: bool = False) -> Goodput:
    """Share of wall-clock time that makes progress under ``at``.

    Interruptions that lose work by the first-order form in its range, else by the exact one; the rest are factors:
    restarts after a preemption that was saved, corruption, and the time in which there are nodes enough. Of waiting
    only that for spot nodes counts, since spares are planned so that hardware makes nobody wait; or ``all_waits``.
    """
    rest = enough_nodes(at, spot_only=not all_waits) * _restarts_after_saving(at) * _clean(at)
    if at.interval_min is None:
        return Goodput(rest, rest, "ettr_first_order")
    times = (at.interval_min, at.stall_min, at.restart_min, at.drain_min)
    lost = at.losing_daily * (at.restart_min + at.drain_min + at.interval_min / 2.0) / MINUTES_PER_DAY
    exact = exact_goodput(at.losing_daily, *times)
    if lost <= FIRST_ORDER_LIMIT:
        return Goodput(first_order_goodput(at.losing_daily, *times) * rest, exact * rest, "ettr_first_order")
    return Goodput(exact * rest, exact * rest, "ettr_renewal")


def enough_nodes(at: Conditions, spot_only: bool = False) -> float:
    """Share of time in which at most as many nodes are away as there are spares, each away independently."""
    away = at.away_share(spot_only)
    return at_most(at.nodes + at.spares, away, at.spares) if away > 0 else 1.0


def _restarts_after_saving(at: Conditions) -> float:
    """Share of time left by preemptions that a checkpoint at the notice makes harmless but for the restart.

    A restart of R that must go through without another one takes (e^(p R) - 1) / p.
    """
    a_minute = at.preemptions_daily / MINUTES_PER_DAY
    if not at.saves_on_notice or not a_minute:
        return 1.0
    if a_minute * at.restart_min > MOST_EXPONENT:
        return 0.0
    return 1.0 / (1.0 + a_minute * at.until_safe_min + math.expm1(a_minute * at.restart_min))


def corruption_costs_min(at: Conditions) -> float:
    """Minutes that one silent corruption costs: until it is found, back to a clean checkpoint, and the restart."""
    return at.found_after_min + (at.interval_min or 0.0) / 2.0 + at.restart_min


def _clean(at: Conditions) -> float:
    """Share of time left by corruption that is found late; first order, never negative."""
    return 1.0 / (1.0 + at.corruptions_daily * corruption_costs_min(at) / MINUTES_PER_DAY)
