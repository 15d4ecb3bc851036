"""``estimate_reliability``: failures a day, checkpoint interval, goodput, spares, spot nodes and a deadline."""

from __future__ import annotations

import math

from assistant.sizing.reliability.checkpoints import restore_s, young_interval_min
from assistant.sizing.reliability.conditions import Conditions, Resolved, resolve
from assistant.sizing.reliability.deadline import SpotOutcome, deadline_cost, expected_days
from assistant.sizing.reliability.goodput import Goodput, corruption_costs_min, goodput_of, losses_by_interval
from assistant.sizing.reliability.options import FailureOptions
from assistant.sizing.reliability.rates import FLEETS, HOURS_PER_DAY, dissent, failures_per_day, pessimistic_rate
from assistant.sizing.reliability.request import (
    MOST_DAYS,
    ReliabilityRequest,
    ReliabilityResult,
    RestoreTime,
    RunFailures,
    nodes_of,
)
from assistant.sizing.reliability.spot import RATES
from assistant.sizing.trace import Trace
from knowledge.calibration.reliability import PublishedRate, reliability_constants
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say


def estimate_reliability(
    request: ReliabilityRequest, catalogue: Catalogue | None = None, trace: Trace | None = None
) -> ReliabilityResult:
    """Failures a day, time between them, checkpoint interval, goodput, spare nodes, spot nodes and a deadline.

    Raises BadInput where neither GPUs nor nodes are given, they disagree, or the fleet or provider is unknown.
    """
    nodes = nodes_of(request)
    resolved = resolve(request, nodes, request.checkpoint_gb)
    at, rates, times = resolved.conditions, resolved.rates, resolved.times
    useful = goodput_of(at)
    if trace is not None:
        with trace.call("reliability", resolved.conditions.nodes):
            _explain(request, resolved, useful, trace)
    young = young_interval_min(at.stall_min, _hours(at.losing_daily) * 60.0) if at.stall_min else math.nan
    return ReliabilityResult(
        nodes=nodes,
        failures_per_day=at.failures_daily,
        failures_per_day_low=failures_per_day(nodes, FLEETS["rsc2"].rate_per_1000_node_days),
        failures_per_day_high=failures_per_day(nodes, pessimistic_rate(nodes)),
        mttf_h=_finite(_hours(at.failures_daily)),
        hardware_failures_per_day=at.hardware_daily,
        hardware_mttf_h=_finite(_hours(at.hardware_daily)),
        rate_says=rates.says,
        rate_dissent=dissent(nodes, rates),
        checkpoint_write_s=times.stall_s,
        checkpoint_drain_s=times.drain_s,
        checkpoint_says=times.says,
        checkpoint_interval_min=at.interval_min,
        checkpoint_interval_young_min=_finite(young),
        checkpoint_interval_why=resolved.interval_why,
        restart_min=at.restart_min,
        restores=_restores(request, nodes),
        goodput=useful.share,
        goodput_exact=useful.exact,
        goodput_formula=useful.formula,
        days_with_failures=None if request.days is None else expected_days(at, request.days),
        spare_nodes=at.spares,
        spare_why=say(
            "reliability.spares", share=request.availability_target, spares=at.spares, nodes=nodes + at.spares
        ),
        silent_corruptions_per_day=failures_per_day(nodes, _corruption_rate(request)),
        silent_corruption_costs_min=corruption_costs_min(at),
        interval_table=losses_by_interval(at),
        spot=_spot(resolved, useful),
        deadline=deadline_cost(at, request.days, request.deadline_days)
        if request.days and request.deadline_days
        else None,
        assumptions=_assumptions(request, resolved),
    )


def of_run(options: FailureOptions, gpus: int, checkpoint_gb: float, days: float) -> tuple[float | None, RunFailures]:
    """Days with failures of a run of ``days`` without any, and what does it. None where no one would wait for its end
    (``MOST_DAYS``). Raises as ``estimate_reliability``.
    """
    said = options.model_dump(include=options.model_fields_set & set(FailureOptions.model_fields))
    judged = ReliabilityRequest(**said, gpus=gpus, checkpoint_gb=checkpoint_gb, days=min(days, MOST_DAYS))
    result = estimate_reliability(judged)
    main = {name: getattr(result, name) for name in RunFailures.model_fields}
    return (result.days_with_failures if days <= MOST_DAYS else None), RunFailures(**main)


def _restores(request: ReliabilityRequest, nodes: int) -> tuple[RestoreTime, ...]:
    """Reading a checkpoint on the nodes that wrote it, on half of them, and on as many as were asked for."""
    if request.checkpoint_gb is None:
        return ()
    counts = {nodes, max(1, nodes // 2), request.restore_nodes or nodes}
    job, per = nodes * request.gpus_per_node, request.gpus_per_node
    return tuple(
        RestoreTime(nodes=n, restore_s=restore_s(request.checkpoint_gb, n * per, request.read_gb_per_s, job))
        for n in sorted(counts, reverse=True)
    )


def _spot(resolved: Resolved, useful: Goodput) -> SpotOutcome | None:
    market, at = resolved.market, resolved.conditions
    if market is None:
        return None
    alone = goodput_of(at.on(at.nodes, 0)).share
    low, high = (goodput_of(_taken(at, rate)).share for rate in (RATES["traced"], RATES["advisor_low"]))
    return SpotOutcome(
        provider=market.provider,
        spot_nodes=at.spot_nodes,
        notice_s=market.notice_s,
        preemptions_per_day=at.preemptions_daily,
        preemptions_say=market.says,
        saves_on_notice=at.saves_on_notice,
        replacement_min=market.replacement_min,
        goodput_on_demand=alone,
        goodput_low=min(low, useful.share),
        goodput_high=max(high, useful.share),
        worth_below_price_share=useful.share / alone if alone > 0 else 0.0,
    )


def _taken(at: Conditions, rate: PublishedRate) -> Conditions:
    return at._replace(preemptions_daily=failures_per_day(at.spot_nodes, rate.rate_per_1000_node_days))


def _corruption_rate(request: ReliabilityRequest) -> float:
    """As stated, else Llama 3's: a count to know of, which costs nothing here unless it is stated."""
    stated = "corruptions_per_1000_node_days" in request.model_fields_set
    known = reliability_constants().corruption.rate_per_1000_node_days
    return request.corruptions_per_1000_node_days if stated else known


def _assumptions(request: ReliabilityRequest, resolved: Resolved) -> tuple[Message, ...]:
    at, times, said = resolved.conditions, resolved.times, request.model_fields_set
    corruption = reliability_constants().corruption.rate_per_1000_node_days
    own = at.repair_days == request.repair_days
    notes = {
        "checkpoint_write_s": say("reliability.assumed.checkpoint", seconds=times.stall_s, why=times.says),
        "restart_min": say("reliability.assumed.restart", minutes=at.restart_min),
        "repair_days": say(f"reliability.assumed.{'repair' if own else 'replaced'}", days=at.repair_days),
        "availability_target": say("reliability.assumed.availability", share=request.availability_target),
        "gpus_per_node": say("reliability.assumed.gpus_per_node", gpus=request.gpus_per_node),
        "corruptions_per_1000_node_days": say("reliability.assumed.corruption", rate=corruption),
    }
    if resolved.market is not None:
        notes["preemptions_per_1000_node_days"] = say("reliability.assumed.preemptions", rate=resolved.market.says)
        notes["replacement_min"] = say("reliability.assumed.replacement", minutes=at.replacement_min)
    return tuple(note for name, note in notes.items() if name not in said)


def _explain(request: ReliabilityRequest, resolved: Resolved, useful: Goodput, trace: Trace) -> None:
    at, rates = resolved.conditions, resolved.rates
    daily, hours = at.failures_daily, _finite(_hours(at.failures_daily))
    trace.note("failures_per_day", daily, "failures_per_day", rates.sources, nodes=at.nodes, rate=rates.job)
    trace.note("mttf_h", hours, "mttf", rates.sources, failures_per_day=daily)
    saved = reliability_constants().checkpoints.sources if request.checkpoint_gb else ()
    written = trace.note(
        "checkpoint_write_s",
        resolved.times.stall_s,
        "checkpoint_times",
        saved,
        gb=request.checkpoint_gb,
        nodes=at.nodes,
    )
    interval = trace.note(
        "checkpoint_interval_min", at.interval_min, "checkpoint_interval_daly", checkpoint_write_s=written, mttf_h=hours
    )
    trace.note("goodput", useful.share, useful.formula, interval_min=interval, restart_min=at.restart_min)
    trace.note("spare_nodes", at.spares, "spare_nodes_binomial", unavailable=at.away_share(), nodes=at.nodes)
    if resolved.market is not None:
        market = resolved.market
        trace.note(
            "spot.preemptions_per_day", at.preemptions_daily, "spot_goodput", market.sources, nodes=at.spot_nodes,
            rate=market.rate, replacement_min=market.replacement_min,
        )  # fmt: skip


def _hours(daily: float) -> float:
    return HOURS_PER_DAY / daily if daily > 0 else math.inf


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
