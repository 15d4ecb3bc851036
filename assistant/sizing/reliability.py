"""Failures, checkpoints, goodput and spare nodes.

Two rates are kept apart. *Node hardware* counts faults that put a machine out of service: it sets the spares.
*Job observed* counts every unplanned end of a job, software included: it sets the checkpoint interval and the
goodput. Published fleets disagree by a factor of four between them (at 1,024 GPUs the RSC clusters saw 7.9 h between
interruptions where their hardware rate alone gives 28.8 h).

Every rate is per 1,000 node-days; a node is a server, of eight GPUs unless said otherwise.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from assistant.sizing.trace import Trace
from knowledge.calibration import calibration
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

HOURS_PER_DAY = 24.0
MINUTES_PER_DAY = 1440.0
FIRST_ORDER_LIMIT = 0.2
"""Share of time lost beyond which the first-order goodput is left for the exact one (they differ by 2 % there)."""


class RateKind(StrEnum):
    """What a failure rate counts."""

    NODE_HARDWARE = "node_hardware"
    JOB_OBSERVED = "job_observed"


class Fleet(Frozen):
    """A published failure rate, per 1,000 node-days, with what it counts and where it was read."""

    id: str
    rate_per_1000_node_days: float
    kind: RateKind
    says: str
    sources: tuple[str, ...]


FLEETS = {row["id"]: Fleet.model_validate(row) for row in calibration("reliability")["fleets"]}
"""Published fleets by id."""


class ReliabilityRequest(Frozen):
    """What to judge. Left-out rates are Llama 3's; left-out intervals are Daly's optimum.

    ``failures_per_1000_node_days`` overrides the job-observed rate, ``hardware_failures_per_1000_node_days`` the rate
    that spares are planned for. ``checkpoint_write_s`` is the time that training stands still for one checkpoint:
    with asynchronous saving only the copy to host memory, and ``checkpoint_drain_s`` is then the time until the copy
    is safe, below which no interval can go.
    """

    gpus: int | None = Field(default=None, ge=1)
    nodes: int | None = Field(default=None, ge=1)
    gpus_per_node: int = Field(default=8, ge=1)
    fleet: str | None = None
    failures_per_1000_node_days: float | None = Field(default=None, ge=0)
    hardware_failures_per_1000_node_days: float | None = Field(default=None, ge=0)
    checkpoint_write_s: float = Field(default=10.0, ge=0)
    checkpoint_drain_s: float = Field(default=60.0, ge=0)
    checkpoint_interval_min: float | None = Field(default=None, gt=0)
    restart_min: float = Field(default=10.0, ge=0)
    days: float | None = Field(default=None, ge=0)
    availability_target: float = Field(default=0.99, gt=0, lt=1)
    repair_days: float = Field(default=3.0, ge=0)


class IntervalLoss(Frozen):
    """What one checkpoint interval costs: shares of wall-clock time between 0 and 1."""

    interval_min: float
    goodput: float
    saving_share: float
    lost_work_share: float
    restart_share: float


class ReliabilityResult(Frozen):
    """Failures of the job and what to do about them; ``_low`` and ``_high`` span the published fleets."""

    nodes: int
    failures_per_day: float
    failures_per_day_low: float
    failures_per_day_high: float
    mttf_h: float | None
    hardware_failures_per_day: float
    hardware_mttf_h: float | None
    rate_says: str
    checkpoint_interval_min: float | None
    checkpoint_interval_young_min: float | None
    checkpoint_interval_why: str
    goodput: float
    goodput_exact: float
    goodput_formula: str
    days_with_failures: float | None
    spare_nodes: int
    spare_why: str
    interval_table: tuple[IntervalLoss, ...]
    assumptions: tuple[str, ...]


class Rates(NamedTuple):
    """The two rates of a request, per 1,000 node-days, and what they rest on."""

    job: float
    hardware: float
    says: str
    sources: tuple[str, ...]


def failures_per_day(nodes: float, rate_per_1000_node_days: float) -> float:
    """Expected failures a day of ``nodes`` machines."""
    return nodes * rate_per_1000_node_days / 1000.0


def mttf_h(nodes: float, rate_per_1000_node_days: float) -> float:
    """Mean time between failures of a job on ``nodes`` machines, in hours; infinite where nothing fails."""
    daily = failures_per_day(nodes, rate_per_1000_node_days)
    return HOURS_PER_DAY / daily if daily > 0 else math.inf


def young_interval_min(write_min: float, mttf_min: float) -> float:
    """Young's first-order optimum ``sqrt(2 C M)`` in minutes (CACM 17(9), 1974)."""
    return math.sqrt(2.0 * write_min * mttf_min)


def daly_interval_min(write_min: float, mttf_min: float) -> float:
    """Daly's higher-order optimum in minutes (FGCS 22(3), 2006); the mean time to failure itself from C = 2 M on."""
    if write_min >= 2.0 * mttf_min:
        return mttf_min
    root = math.sqrt(write_min / (2.0 * mttf_min))
    return young_interval_min(write_min, mttf_min) * (1.0 + root / 3.0 + root * root / 9.0) - write_min


def first_order_goodput(daily: float, interval_min: float, write_min: float, restart_min: float) -> float:
    """Expected effective training time ratio of Kokolis et al. (arXiv 2410.21680); negative out of its range.

    ``daily`` failures a day each cost ``restart_min`` and half an interval; saving blocks ``write_min`` an interval.
    """
    lost = daily * (restart_min + interval_min / 2.0) / MINUTES_PER_DAY
    return (1.0 - lost) / (1.0 + write_min / interval_min)


def exact_goodput(daily: float, interval_min: float, write_min: float, restart_min: float) -> float:
    """Useful share of time for failures of a Poisson process, by renewal (Daly 2006), between 0 and 1.

    Failures may strike while saving and restarting too: ``T / (M e^(R/M) (e^((T+C)/M) - 1))``.
    """
    if daily <= 0:
        return interval_min / (interval_min + write_min)
    mttf = MINUTES_PER_DAY / daily
    exponent = (interval_min + write_min) / mttf
    if exponent + restart_min / mttf > 600.0:
        return 0.0
    return interval_min / (mttf * math.exp(restart_min / mttf) * math.expm1(exponent))


def spare_nodes(nodes: int, unavailable: float, target: float) -> int:
    """Fewest spares with which ``nodes`` machines work at any moment with probability ``target``.

    Each machine is out of service independently with probability ``unavailable``: of n + s machines at most s may be.
    """
    if unavailable <= 0:
        return 0
    if unavailable >= 1:
        raise BadInput("repair_days", unavailable, "a repair time short enough for nodes to work at all")
    low, high = -1, 1
    while _at_most(nodes + high, unavailable, high) < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _at_most(nodes + middle, unavailable, middle) < target:
            low = middle
        else:
            high = middle
    return high


def _at_most(count: int, probability: float, most: int) -> float:
    """Binomial P(X <= most), each term from the last in logarithms, so that large counts do not underflow."""
    odds = math.log(probability) - math.log1p(-probability)
    term = count * math.log1p(-probability)
    total = math.exp(term)
    for k in range(1, most + 1):
        term += math.log(count - k + 1) - math.log(k) + odds
        total += math.exp(term)
    return total


def interval_loss(daily: float, interval_min: float, write_min: float, restart_min: float) -> IntervalLoss:
    """Where the time goes at one interval: saving, work done again, restarting."""
    useful = exact_goodput(daily, interval_min, write_min, restart_min)
    saving = useful * write_min / interval_min
    restart = min(daily * restart_min / MINUTES_PER_DAY, max(0.0, 1.0 - useful - saving))
    return IntervalLoss(
        interval_min=interval_min,
        goodput=useful,
        saving_share=saving,
        restart_share=restart,
        lost_work_share=max(0.0, 1.0 - useful - saving - restart),
    )


def goodput(daily: float, interval_min: float, write_min: float, restart_min: float) -> tuple[float, str]:
    """Share of wall-clock time that trains, and the id of the formula: first order in its range, else exact."""
    lost = daily * (restart_min + interval_min / 2.0) / MINUTES_PER_DAY
    if lost <= FIRST_ORDER_LIMIT:
        return first_order_goodput(daily, interval_min, write_min, restart_min), "ettr_first_order"
    return exact_goodput(daily, interval_min, write_min, restart_min), "ettr_renewal"


def _nodes(request: ReliabilityRequest) -> int:
    if request.nodes is not None:
        if request.gpus is not None and math.ceil(request.gpus / request.gpus_per_node) != request.nodes:
            raise BadInput(
                "nodes",
                request.nodes,
                f"{request.gpus} GPUs at {request.gpus_per_node} a node",
                [str(math.ceil(request.gpus / request.gpus_per_node))],
            )
        return request.nodes
    if request.gpus is None:
        raise BadInput("gpus", None, "a number of GPUs or of nodes")
    return math.ceil(request.gpus / request.gpus_per_node)


def _fleet(name: str) -> Fleet:
    if name not in FLEETS:
        raise BadInput("fleet", name, "one of " + ", ".join(FLEETS), list(FLEETS)[:3])
    return FLEETS[name]


def _rates(request: ReliabilityRequest) -> Rates:
    named = _fleet(request.fleet) if request.fleet else None
    job, hardware = FLEETS["llama3"], FLEETS["llama3_hardware"]
    if named and named.kind is RateKind.JOB_OBSERVED:
        job = named
    elif named:
        # A hardware rate is a floor of what a job sees: nothing else is known of that fleet.
        job = hardware = named
    stated = request.failures_per_1000_node_days
    job_rate = job.rate_per_1000_node_days if stated is None else stated
    hardware_rate = request.hardware_failures_per_1000_node_days
    if hardware_rate is None:
        hardware_rate = min(hardware.rate_per_1000_node_days, job_rate)
    says = f"{job.id}: {job.says}" if stated is None else f"stated: {stated:g} failures per 1,000 node-days"
    return Rates(job_rate, hardware_rate, says, job.sources if stated is None else ())


def _interval(request: ReliabilityRequest, mttf_min: float) -> tuple[float | None, str]:
    if request.checkpoint_interval_min is not None:
        return request.checkpoint_interval_min, "stated"
    if math.isinf(mttf_min):
        return None, "nothing fails at this rate: no interval is better than another"
    optimum = daly_interval_min(request.checkpoint_write_s / 60.0, mttf_min)
    floor = max(request.checkpoint_drain_s / 60.0, 1.0)
    if optimum < floor:
        return floor, "the shortest that can be kept: Daly's optimum is shorter"
    return optimum, "Daly's optimum for this write time and failure rate"


def _table(daily: float, chosen_min: float, write_min: float, restart_min: float) -> tuple[IntervalLoss, ...]:
    steps = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
    return tuple(interval_loss(daily, chosen_min * step, write_min, restart_min) for step in steps)


def _assumptions(request: ReliabilityRequest) -> tuple[str, ...]:
    texts = {
        "checkpoint_write_s": f"a checkpoint halts training {request.checkpoint_write_s:g} s (asynchronous saving)",
        "restart_min": f"a restart takes {request.restart_min:g} min (published: 5 to 20)",
        "repair_days": f"a failed node is back after {request.repair_days:g} days (own judgement)",
        "availability_target": f"enough nodes {request.availability_target:.0%} of the time",
        "gpus_per_node": f"{request.gpus_per_node} GPUs a node",
    }
    return tuple(text for name, text in texts.items() if name not in request.model_fields_set)


def estimate_reliability(
    request: ReliabilityRequest, catalogue: Catalogue | None = None, trace: Trace | None = None
) -> ReliabilityResult:
    """Failures a day, time between them, checkpoint interval, goodput and spare nodes.

    Raises BadInput where neither GPUs nor nodes are given, they disagree, or the fleet is unknown.
    """
    nodes, rates = _nodes(request), _rates(request)
    daily, hours = failures_per_day(nodes, rates.job), mttf_h(nodes, rates.job)
    write_min = request.checkpoint_write_s / 60.0
    interval, why = _interval(request, hours * 60.0)
    useful, formula = (
        goodput(daily, interval, write_min, request.restart_min) if interval else (1.0, "ettr_first_order")
    )
    unavailable = rates.hardware / 1000.0 * request.repair_days
    spares = spare_nodes(nodes, unavailable / (1.0 + unavailable), request.availability_target)
    if trace is not None:
        trace.note("failures_per_day", daily, "failures_per_day", rates.sources, nodes=nodes, rate=rates.job)
        trace.note("mttf_h", _finite(hours), "mttf", rates.sources, failures_per_day=daily)
        trace.note(
            "checkpoint_interval_min", interval, "checkpoint_interval_daly", write_min=write_min, mttf_h=_finite(hours)
        )
        trace.note("goodput", useful, formula, interval_min=interval, restart_min=request.restart_min)
        trace.note("spare_nodes", spares, "spare_nodes_binomial", unavailable=unavailable, nodes=nodes)
    return ReliabilityResult(
        nodes=nodes,
        failures_per_day=daily,
        failures_per_day_low=failures_per_day(nodes, FLEETS["rsc2"].rate_per_1000_node_days),
        failures_per_day_high=failures_per_day(nodes, _pessimistic_rate(nodes)),
        mttf_h=None if math.isinf(hours) else hours,
        hardware_failures_per_day=failures_per_day(nodes, rates.hardware),
        hardware_mttf_h=_finite(mttf_h(nodes, rates.hardware)),
        rate_says=rates.says,
        checkpoint_interval_min=interval,
        checkpoint_interval_young_min=_finite(young_interval_min(write_min, hours * 60.0)) if write_min else None,
        checkpoint_interval_why=why,
        goodput=useful,
        goodput_exact=exact_goodput(daily, interval, write_min, request.restart_min) if interval else 1.0,
        goodput_formula=formula,
        days_with_failures=None if request.days is None or useful <= 0 else request.days / useful,
        spare_nodes=spares,
        spare_why=f"{request.availability_target:.0%} of the time at most {spares} of {nodes + spares} nodes are out",
        interval_table=_table(daily, interval, write_min, request.restart_min) if interval else (),
        assumptions=_assumptions(request),
    )


def _pessimistic_rate(nodes: int) -> float:
    """The worst published rate for a job of this size."""
    return FLEETS["rsc_small_jobs" if nodes <= 128 else "opt"].rate_per_1000_node_days


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
