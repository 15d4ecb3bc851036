"""What a training demand needs of one accelerator, in GPUs and days; and the record that all needs share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import Any

from assistant.output import plain
from assistant.planning.count.needs.need import Level, Need, level
from assistant.planning.demands.demand import TrainingDemand
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say
from knowledge.schema import Accelerator

SPOT: dict[str, Any] = {"spot": "other", "notice_s": 30.0}
"""Spot nodes of a provider that nobody named: the shortest notice of those that publish one."""

MOST_ROUNDS = 6
"""Steps towards a count that keeps the deadline; each comes closer in proportion."""

MOST_TRAINING_GPUS = 131_072
"""No published run is larger; beyond it the arithmetic of one job says nothing."""

LEAST_GAIN = 0.4
"""Power of the GPU count that a training's speed must grow with; below it more GPUs are wasted. Our judgement."""

MOST_STATE_SHARE = 0.85
"""State that fills more of a GPU than this leaves a training plan one fragment away from failing; our judgement."""

SMALLEST_PARTITION = 2
"""Servers of the smallest HPC partition on which codes over a network can be tried; our judgement."""


def codes_need(per_unit: int, gpus: int | None = None) -> Need:
    """HPC codes: no model here predicts them, so they get what is named, or the smallest partition over a network."""
    count = gpus or SMALLEST_PARTITION * per_unit
    cause = say("planning.codes_named" if gpus else "planning.codes_smallest", gpus=count)
    return Need(
        kind="hpc",
        model="HPC codes",
        gpus_per_replica=count,
        replicas=1,
        binding="minimum unit",
        causes=(cause,),
        basis="extrapolated",
        training=True,
    )


def training_needs(
    demands: Sequence[TrainingDemand],
    at: Level,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    gpus: int | None = None,
    trace: Trace | None = None,
) -> tuple[Need, ...]:
    """GPUs that finish in time, or how long ``gpus`` take, job by job; several take turns on the same GPUs.

    ``at`` low is the loosest deadline and the fewest tokens, high the tightest and the most.
    """
    if not demands:
        return ()
    if trace is None:
        return _remembered(tuple(demands), at, card.id, per_unit, catalogue, gpus)
    return _worked_out(demands, at, card, per_unit, catalogue, gpus, trace)


@lru_cache(maxsize=512)
def _remembered(
    demands: tuple[TrainingDemand, ...], at: Level, card: str, per_unit: int, catalogue: Catalogue, gpus: int | None
) -> tuple[Need, ...]:
    """What-ifs ask for the same training again and again, and one takes up to a second."""
    return _worked_out(demands, at, catalogue.accelerator(card), per_unit, catalogue, gpus, None)


def _worked_out(
    demands: Sequence[TrainingDemand],
    at: Level,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    gpus: int | None,
    trace: Trace | None,
) -> tuple[Need, ...]:
    days = {"low": demands[0].days.high, "likely": demands[0].days.likely, "high": demands[0].days.low}[at]
    estimates = [_estimator(demand, at, card, catalogue) for demand in demands]
    if gpus is not None:
        return _in_turn(demands, [estimate(gpus, trace) for estimate in estimates], at, gpus, "stated", days)
    count = _whole(max(estimate(None, None).gpus for estimate in estimates), per_unit)
    results, binding = [estimate(count, trace) for estimate in estimates], "memory"
    said: tuple[Message, ...] = ()
    for _ in range(MOST_ROUNDS):
        taken = _sure(results)
        crowded = _crowded(results)
        if not all(result.fits for result in results) or (taken <= days and not crowded):
            break
        wanted = _whole(max(count + 1, ceil(count * taken / days)), per_unit)
        if wanted > MOST_TRAINING_GPUS:
            why = say("planning.more_than_published", days=float(days), wanted=wanted, card=card.name)
            fix = {"change": say("planning.fix_deadline", days=float(taken))}
            needs = _in_turn(demands, results, at, count, binding, days)
            return tuple(n.model_copy(update={"fits": False, "why_not": why, "nearest_fix": fix}) for n in needs)
        tried = [estimate(wanted, trace) for estimate in estimates]
        if taken > days and wanted >= 2 * count and _sure(tried) > taken * (count / wanted) ** LEAST_GAIN:
            said = (say("planning.hardly_help", wanted=wanted, time=duration(_sure(tried))),)
            break
        binding = "deadline" if taken > days else binding
        count, results = wanted, tried
    for _ in range(MOST_ROUNDS if binding == "deadline" else 0):
        fewer = _whole(ceil(count * _sure(results) / days), per_unit)
        tried = [estimate(fewer, trace) for estimate in estimates] if fewer < count else []
        if not tried or not all(r.fits for r in tried) or _sure(tried) > days or _crowded(tried):
            break
        count, results = fewer, tried
    return _in_turn(demands, results, at, count, binding, days, said)


def _crowded(results: Sequence[Any]) -> bool:
    """Whether state fills so much of a GPU that the plan is one fragment away from failing."""
    return any(r.state_gib_per_gpu > MOST_STATE_SHARE * r.available_gib_per_gpu for r in results)


def _total(results: Sequence[Any]) -> float:
    return sum(_days(result) for result in results)


P80_OVER_P90 = 0.8416 / 1.2816
"""Standard deviations from the median to the 80th percentile over those to the 90th, of a normal distribution."""


def days_p80(result: Any) -> float:
    """Days within which four runs of five are done: the speed's error band is taken for lognormal."""
    rate, slow = result.tokens_per_s_per_gpu, result.tokens_per_s_per_gpu_p10
    if not rate or not slow:
        return _days(result)
    return _days(result) * float((rate / slow) ** P80_OVER_P90)


def _sure(results: Sequence[Any]) -> float:
    return sum(days_p80(result) for result in results)


def _days(result: Any) -> float:
    return float(result.days_with_failures or result.days or 0.0)


def duration(days: float) -> Message:
    """Days, or hours where it is less than one."""
    return say("planning.days", days=float(days)) if days >= 1 else say("planning.hours", hours=days * 24.0)


def _in_turn(
    demands: Sequence[TrainingDemand],
    results: Sequence[Any],
    at: Level,
    gpus: int,
    binding: str,
    days: float,
    said: tuple[Message, ...] = (),
) -> tuple[Need, ...]:
    """The jobs' needs, the longest first holding the GPUs; what they take together is said with it."""
    total = _total(results)
    longest = max(range(len(results)), key=lambda i: _days(results[i]))
    needs = []
    for i, (demand, result) in enumerate(zip(demands, results, strict=True)):
        need = _training(demand, result, level(demand.tokens, at), gpus, binding, days, total)
        if said and i == longest:
            need = need.model_copy(update={"causes": (*need.causes, *said)})
        if len(demands) > 1 and i == longest:
            text = say("planning.take_turns", jobs=len(demands), gpus=gpus, time=duration(total))
            need = need.model_copy(update={"causes": (*need.causes, text)})
        needs.append(need if i == longest else need.model_copy(update={"in_turn": True}))
    return tuple(needs)


def _whole(gpus: int, per_unit: int) -> int:
    """As asked within one server, whole servers beyond."""
    return gpus if gpus <= per_unit else ceil(gpus / per_unit) * per_unit


def _estimator(demand: TrainingDemand, at: Level, card: Accelerator, catalogue: Catalogue) -> Any:
    # Serving alone never needs these, and they take a good part of the start.
    from assistant.sizing.training.estimate import estimate_train
    from assistant.sizing.training.finetuning.estimate import FinetuneRequest, estimate_finetune
    from assistant.sizing.training.parts.request import TrainRequest
    from assistant.sizing.training.rl.estimate import estimate_rl
    from assistant.sizing.training.rl.request import RLRequest

    named: dict[str, Any] = (
        {"model": demand.model.id} if demand.model.id else {"parameters": demand.model.params_b * 1e9}
    )
    common = {**named, "gpu": card.id, "tokens": level(demand.tokens, at), **(SPOT if demand.spot else {})}

    if demand.sequence:
        common["sequence"] = demand.sequence

    def estimate(gpus: int | None, trace: Trace | None) -> Any:
        if demand.algorithm:
            learning = RLRequest(**common, gpus=gpus, method=demand.tuning, algorithm=demand.algorithm)
            return estimate_rl(learning, catalogue, trace)
        if demand.method == "pretraining":
            return estimate_train(TrainRequest(**common, gpus=gpus), catalogue, trace)
        request = FinetuneRequest(**common, gpus=gpus, method=demand.method)
        return estimate_finetune(request, catalogue, trace)

    return estimate


def _training(
    demand: TrainingDemand, result: Any, tokens: float, gpus: int, binding: str, days: float, total: float
) -> Need:
    taken = result.days_with_failures or result.days
    known = taken is not None and result.fits
    cause = say(
        "planning.train_asked" if demand.deadline_stated else "planning.train_assumed",
        model=demand.model.name,
        method=_said(demand),
        tokens=_amount(tokens),
        time=duration(taken) if known else say("planning.unknown_time"),
        gpus=gpus,
        days=float(days),
    )
    sure = (say("planning.train_p80", time=duration(days_p80(result))),) if known else ()
    return Need(
        kind=demand.method,
        model=demand.model.name,
        gpus_per_replica=gpus,
        replicas=1,
        binding=binding,
        fits=result.fits,
        why_not=result.why_not,
        nearest_fix={"change": result.nearest_fix} if result.nearest_fix else None,
        causes=(cause, *sure, *_spot_said(result)),
        basis=result.basis,
        training=True,
        figures={**plain(result), "days_p80": plain(days_p80(result)), "days_wanted": plain(days)},
        late=_late(demand, total, days),
        group=demand.group,
    )


def _spot_said(result: Any) -> tuple[Message, ...]:
    """What spot nodes do to the run, with the published rates that disagree."""
    failures = result.failures
    if failures is None or failures.spot is None:
        return ()
    spot = failures.spot
    return (
        say(
            "planning.on_spot",
            spares=failures.spare_nodes,
            preemptions=float(spot.preemptions_per_day),
            source=spot.preemptions_say,
            goodput=failures.goodput,
            on_demand=spot.goodput_on_demand,
            low=spot.goodput_low,
            price=spot.worth_below_price_share,
        ),
    )


def _amount(tokens: float) -> Message:
    """Tokens in trillions, billions or millions."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if tokens >= size:
            return say(f"planning.tokens.{word}", count=tokens / size)
    return say("planning.tokens.few", count=round(tokens))


def _said(demand: TrainingDemand) -> Message:
    if not demand.algorithm:
        return say("planning.method", method=demand.method)
    algorithm = demand.algorithm.upper()
    if demand.tuning == "full":
        return say("planning.method_by", method=demand.method, algorithm=algorithm)
    tuning = {"lora": "LoRA", "qlora": "QLoRA"}.get(demand.tuning, demand.tuning)
    return say("planning.method_by_adapters", method=demand.method, algorithm=algorithm, tuning=tuning)


def _late(demand: TrainingDemand, taken: float, days: float) -> Message | None:
    """What is late, where the customer named a deadline; ``taken`` by all jobs in turn."""
    if not demand.deadline_stated or taken <= days:
        return None
    return say("planning.late", model=demand.model.name, taken=float(taken), days=float(days))
