"""A request resolved: everything that a run meets, in the units of the formulas. What is estimated and what is played
start from the same ``Conditions``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from assistant.sizing.reliability.checkpoints import SaveTimes, best_interval_min, restart_min, save_times
from assistant.sizing.reliability.options import FailureOptions
from assistant.sizing.reliability.rates import MINUTES_PER_DAY, Rates, failures_per_day, rates_of
from assistant.sizing.reliability.spares import spare_nodes, unavailable_share
from assistant.sizing.reliability.spot import SpotMarket, market_of
from knowledge.calibration.reliability import reliability_constants
from knowledge.errors import BadInput
from knowledge.message import Message, say

MOST_NODES = 1_000_000
"""More nodes are taken for a slip."""


class Conditions(NamedTuple):
    """Nodes, rates a day of the whole job, and times in minutes. ``interval_min`` is None where nothing ever fails."""

    nodes: int
    spares: int
    spot_nodes: int
    failures_daily: float
    hardware_daily: float
    preemptions_daily: float
    corruptions_daily: float
    interval_min: float | None
    stall_min: float
    drain_min: float
    until_safe_min: float
    restart_min: float
    found_after_min: float
    notice_min: float
    replacement_min: float
    repair_days: float

    @property
    def saves_on_notice(self) -> bool:
        """Whether a checkpoint is safe before a node that was given notice is gone."""
        return self.until_safe_min <= self.notice_min

    @property
    def losing_daily(self) -> float:
        """Interruptions a day after which work since the last checkpoint is done again."""
        return self.failures_daily + (0.0 if self.saves_on_notice else self.preemptions_daily)

    def away_share(self, spot_only: bool = False) -> float:
        """Share of time that a node is away: in repair after a failure or corruption, or taken and not replaced."""
        taken = self.preemptions_daily * self.replacement_min / MINUTES_PER_DAY
        repaired = 0.0 if spot_only else (self.hardware_daily + self.corruptions_daily) * self.repair_days
        return unavailable_share((taken + repaired) / self.nodes)

    def on(self, nodes: int, spot_nodes: int) -> Conditions:
        """The same on another number of nodes, so many of them spot, and spares in proportion; the rest stays."""
        grown = nodes / self.nodes
        spot = self.preemptions_daily / self.spot_nodes * spot_nodes if self.spot_nodes else 0.0
        return self._replace(
            nodes=nodes,
            spares=math.ceil(self.spares * grown),
            spot_nodes=spot_nodes,
            failures_daily=self.failures_daily * grown,
            hardware_daily=self.hardware_daily * grown,
            corruptions_daily=self.corruptions_daily * grown,
            preemptions_daily=spot,
        )


class Resolved(NamedTuple):
    """``Conditions`` with what they rest on."""

    conditions: Conditions
    rates: Rates
    times: SaveTimes
    market: SpotMarket | None
    interval_why: Message


def resolve(
    options: FailureOptions, nodes: int, checkpoint_gb: float | None = None, spares: int | None = None
) -> Resolved:
    """What a run on ``nodes`` meets. ``checkpoint_gb`` in 10^9 bytes; spares left out: what the target takes.

    Raises BadInput for an unknown fleet or provider and rates that contradict each other.
    """
    if nodes > MOST_NODES:
        raise BadInput("nodes", nodes, f"at most {MOST_NODES:,}", [str(MOST_NODES)])
    gpus = nodes * options.gpus_per_node
    rates, market, times = rates_of(options), market_of(options), save_times(options, gpus, checkpoint_gb)
    repair_days = _repair_days(options, market)
    spot_nodes = round(nodes * options.spot_share) if market else 0
    found = options.corruption_found_after_min
    conditions = Conditions(
        nodes=nodes,
        spares=spares or 0,
        spot_nodes=spot_nodes,
        failures_daily=failures_per_day(nodes, rates.job),
        hardware_daily=failures_per_day(nodes, rates.hardware),
        preemptions_daily=failures_per_day(spot_nodes, market.rate) if market else 0.0,
        corruptions_daily=failures_per_day(nodes, options.corruptions_per_1000_node_days),
        interval_min=None,
        stall_min=times.stall_s / 60.0,
        drain_min=times.drain_s / 60.0,
        until_safe_min=times.until_safe_s / 60.0,
        restart_min=restart_min(options, gpus, checkpoint_gb),
        found_after_min=reliability_constants().corruption.found_after_min if found is None else found,
        notice_min=market.notice_s / 60.0 if market else 0.0,
        replacement_min=market.replacement_min if market else 0.0,
        repair_days=repair_days,
    )
    if spares is None:
        wanted = spare_nodes(nodes, conditions.away_share(), options.availability_target)
        conditions = conditions._replace(spares=wanted)
    interval, why = interval_of(options, conditions, times)
    return Resolved(conditions._replace(interval_min=interval), rates, times, market, why)


def _repair_days(options: FailureOptions, market: SpotMarket | None) -> float:
    """As stated or assumed; where all nodes are spot, a failed one is replaced as a preempted one is."""
    if market is not None and options.spot_share == 1 and "repair_days" not in options.model_fields_set:
        return market.replacement_min / MINUTES_PER_DAY
    return options.repair_days


def interval_of(options: FailureOptions, conditions: Conditions, times: SaveTimes) -> tuple[float | None, Message]:
    """The stated interval in minutes, or the best one for what the run meets."""
    if options.checkpoint_interval_min is not None:
        return options.checkpoint_interval_min, say("reliability.interval.stated")
    losing = conditions.losing_daily + conditions.corruptions_daily
    return best_interval_min(times, MINUTES_PER_DAY / losing if losing else math.inf)
