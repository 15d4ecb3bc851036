"""What a demand needs of one accelerator: replicas and their size for serving, GPUs and days for training."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

from pydantic import Field

from assistant.demand import WITHOUT_SPEED_MODEL, ServingDemand, TrainingDemand
from assistant.output import plain
from assistant.sizing.encoders import EncoderRequest, estimate_encoder
from assistant.sizing.load import Band
from assistant.sizing.replicas import ReplicaPlan, ServeDemand, plan_replicas
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import Accelerator

Level = Literal["low", "likely", "high"]


METHODS = {
    "full": "full fine-tuning",
    "lora": "LoRA fine-tuning",
    "qlora": "QLoRA fine-tuning",
    "pretraining": "pre-training",
    "rl": "reinforcement learning",
}
"""Training methods as people say them."""


def _amount(tokens: float) -> str:
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if tokens >= size:
            return f"{tokens / size:.3g} {word}"
    return f"{tokens:.0f}"


class Need(Frozen):
    """Replicas of so many GPUs each. A training job is one replica that may span servers.

    ``carries`` requests in flight go to one serving replica. ``required`` replicas carry the load where the hardware at
    hand has room for fewer (0: all of them).
    """

    kind: str
    model: str
    gpus_per_replica: int
    replicas: int
    binding: str
    fits: bool = True
    why_not: str | None = None
    nearest_fix: dict[str, Any] | None = None
    causes: tuple[str, ...] = ()
    basis: str | None = None
    training: bool = False
    weight_dtype: str | None = None
    figures: Mapping[str, Any] = Field(default_factory=dict)
    carries: int = 0
    late: str | None = None
    required: int = 0

    @property
    def gpus(self) -> int:
        """GPUs in all."""
        return self.gpus_per_replica * self.replicas


def level(band: Band, at: Level) -> float:
    """A band at one of its three values."""
    return float({"low": band.low, "likely": band.likely, "high": band.high}[at])


def serving_need(
    demand: ServingDemand,
    at: Level,
    factor: float,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    trace: Trace | None = None,
) -> Need:
    """Replicas that carry the load at ``at`` times ``factor`` within the targets."""
    if demand.model.architecture is None or demand.kind in WITHOUT_SPEED_MODEL:
        return _encoder(demand, at, factor, card, catalogue) or _smallest_unit(demand, at, card)
    in_flight = demand.in_flight and max(1.0, ceil(level(demand.in_flight, at) * factor))
    inputs = {"low": demand.input_tokens_low, "likely": demand.input_tokens, "high": demand.input_tokens_high}[at]
    rate = demand.requests_per_s and level(demand.requests_per_s, at) * factor
    asked = ServeDemand(
        input_tokens=inputs,
        output_tokens=demand.output_tokens,
        context=demand.context,
        requests_in_flight=in_flight or None,
        requests_per_s=rate or None,
        ttft_ms=demand.ttft_ms,
        tpot_ms=demand.tpot_ms,
    )
    plan, dropped = _plan(demand, asked, card, per_unit, catalogue, trace)
    serve = plan.serve
    load = f"{in_flight:.4g} requests in flight" if in_flight else f"{rate or 0:.4g} requests a second"
    causes = (
        f"{demand.model.name} in {serve.weight_dtype}: {_replicas(plan.replicas, plan.gpus_per_replica)} for {load}, "
        f"demanded by {plan.binding}",
        *plan.reasons,
        *dropped,
    )
    return Need(
        kind=demand.kind,
        model=demand.model.name,
        gpus_per_replica=plan.gpus_per_replica,
        replicas=plan.replicas,
        binding=plan.binding,
        fits=plan.fits,
        why_not=plan.why_not,
        nearest_fix=plain(plan.nearest_fix) if plan.nearest_fix else None,
        causes=causes,
        basis=serve.basis,
        weight_dtype=serve.weight_dtype,
        figures=plain(serve),
        carries=plan.requests_per_replica,
    )


def _plan(
    demand: ServingDemand,
    asked: ServeDemand,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    trace: Trace | None,
) -> tuple[ReplicaPlan, tuple[str, ...]]:
    """The plan; a latency target that nobody stated and no layout can meet is given up, and that is said."""
    assert demand.model.architecture is not None
    dropped: list[str] = []
    while True:
        plan = plan_replicas(
            demand.model.architecture,
            card,
            asked,
            catalogue,
            weight_dtype=demand.weight_dtype,
            kv_dtype=demand.kv_dtype,
            gpus_per_node=per_unit,
            trace=trace,
        )
        field = {"TTFT": "ttft_ms", "TPOT": "tpot_ms"}.get(plan.binding)
        if plan.fits or field is None or field in demand.stated_targets or getattr(asked, field) is None:
            return plan, tuple(dropped)
        dropped.append(f"{plan.why_not}; the target was assumed, so it is given up")
        asked = asked.model_copy(update={field: None})


def _replicas(count: int, gpus: int) -> str:
    """``3 replicas of 2 GPUs``."""
    return f"{count} replica{'s' if count > 1 else ''} of {gpus} GPU{'s' if gpus > 1 else ''}"


ENCODER_SHARE = 0.8
"""Share of a card's memory that an encoder's weights may take beside what it reads."""


def _encoder(demand: ServingDemand, at: Level, factor: float, card: Accelerator, catalogue: Catalogue) -> Need | None:
    """Embedding and reranking by the rate of an encoder; None where its shape or the rate of requests is not known."""
    rate = demand.requests_per_s and level(demand.requests_per_s, at) * factor
    if rate is None and demand.in_flight is not None and demand.users_total is not None:
        rate = level(demand.in_flight, at) * factor  # each active user asks once a second
    if demand.kind not in ("embeddings", "reranking") or demand.model.architecture is None or not rate:
        return None
    dtype = demand.weight_dtype or "fp16"
    asked = EncoderRequest(
        model=demand.model.architecture,
        gpu=card.id,
        tokens_per_text=demand.input_tokens.mean,
        weight_dtype=dtype,
    )
    found = estimate_encoder(asked, catalogue)
    memory = card.engine_visible_bytes.value or card.memory_bytes.value
    if memory is None or found.weights_gib * 2**30 > ENCODER_SHARE * memory:
        return None
    replicas = max(1, ceil(rate / found.texts_per_s))
    cause = (
        f"{demand.model.name}: one GPU reads about {found.texts_per_s:.3g} texts a second "
        f"({found.texts_per_s_p10:.3g} to {found.texts_per_s_p90:.3g}) of {demand.input_tokens.mean:.0f} tokens; "
        f"{rate:.3g} a second are asked"
    )
    return Need(
        kind=demand.kind,
        model=demand.model.name,
        gpus_per_replica=1,
        replicas=replicas,
        binding="throughput" if replicas > 1 else "minimum unit",
        causes=(cause,),
        basis=found.basis,
        weight_dtype=dtype,
        figures=plain(found),
    )


def _smallest_unit(demand: ServingDemand, at: Level, card: Accelerator) -> Need:
    """Memory and the smallest unit, where the arithmetic has no speed to offer; said so."""
    memory_gb = (card.engine_visible_bytes.value or card.memory_bytes.value or 0) / 1e9
    weights_gb = demand.model.params_b * 2
    gpus = max(1, ceil(weights_gb / (0.8 * memory_gb))) if memory_gb else 1
    cause = (
        f"{demand.model.name}: sized by memory ({weights_gb:.3g} GB of weights in 16 bit) and the smallest unit only; "
        f"the knowledge base has no measured throughput for {demand.kind}, so measure one GPU before buying more"
    )
    return Need(
        kind=demand.kind,
        model=demand.model.name,
        gpus_per_replica=gpus,
        replicas=1,
        binding="minimum unit",
        causes=(cause,),
        basis="extrapolated",
        weight_dtype=demand.weight_dtype or "bf16",
    )


MOST_ROUNDS = 6
"""Steps towards a count that keeps the deadline; each comes closer in proportion."""

MOST_TRAINING_GPUS = 131_072
"""No published run is larger; beyond it the arithmetic of one job says nothing."""

MOST_STATE_SHARE = 0.85
"""State that fills more of a GPU than this leaves a training plan one fragment away from failing; our judgement."""

SMALLEST_PARTITION = 2
"""Servers of the smallest HPC partition on which codes over a network can be tried; our judgement."""


def codes_need(per_unit: int, gpus: int | None = None) -> Need:
    """HPC codes: no model here predicts them, so they get what is named, or the smallest partition over a network."""
    count = gpus or SMALLEST_PARTITION * per_unit
    cause = (
        f"HPC codes: {count} GPUs, "
        + ("as named" if gpus else "the smallest partition that crosses a network")
        + "; nothing here predicts their speed, so benchmark the codes themselves"
    )
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


def training_need(
    demand: TrainingDemand,
    at: Level,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    gpus: int | None = None,
    trace: Trace | None = None,
) -> Need:
    """GPUs that finish in time, or how long ``gpus`` take. ``at`` low is the loosest deadline."""
    days = {"low": demand.days.high, "likely": demand.days.likely, "high": demand.days.low}[at]
    estimate = _estimator(demand, card, catalogue)
    if gpus is not None:
        return _training(demand, estimate(gpus, trace), gpus, "stated", days)
    result = estimate(None, None)
    count, binding = _whole(result.gpus, per_unit), "memory"
    for _ in range(MOST_ROUNDS):
        result = estimate(count, trace)
        taken = result.days_with_failures or result.days or 0.0
        crowded = result.state_gib_per_gpu > MOST_STATE_SHARE * result.available_gib_per_gpu
        if not result.fits or (taken <= days and not crowded):
            break
        wanted = _whole(max(count + 1, ceil(count * taken / days)), per_unit)
        binding = "deadline" if taken > days else binding
        if wanted > MOST_TRAINING_GPUS:
            need = _training(demand, result, count, binding, days)
            why = f"{days:.3g} days would take {wanted:,} of {card.name}, more than any published run"
            fix = {"change": f"a deadline of {taken:.3g} days, or a faster accelerator"}
            return need.model_copy(update={"fits": False, "why_not": why, "nearest_fix": fix})
        count = wanted
    else:
        result = estimate(count, trace)
    return _training(demand, result, count, binding, days)


def _whole(gpus: int, per_unit: int) -> int:
    """As asked within one server, whole servers beyond."""
    return gpus if gpus <= per_unit else ceil(gpus / per_unit) * per_unit


def _estimator(demand: TrainingDemand, card: Accelerator, catalogue: Catalogue) -> Any:
    # Serving alone never needs these, and they take a good part of the start.
    from assistant.sizing.training import estimate_train
    from assistant.sizing.training.finetuning import FinetuneRequest, estimate_finetune
    from assistant.sizing.training.request import TrainRequest

    named: dict[str, Any] = (
        {"model": demand.model.id} if demand.model.id else {"parameters": demand.model.params_b * 1e9}
    )
    common = {**named, "gpu": card.id, "tokens": demand.tokens.likely}

    def estimate(gpus: int | None, trace: Trace | None) -> Any:
        if demand.method in ("pretraining", "rl"):
            return estimate_train(TrainRequest(**common, gpus=gpus), catalogue, trace)
        request = FinetuneRequest(**common, gpus=gpus, method=demand.method)
        return estimate_finetune(request, catalogue, trace)

    return estimate


def _training(demand: TrainingDemand, result: Any, gpus: int, binding: str, days: float) -> Need:
    taken = result.days_with_failures or result.days
    time = f"{taken:.3g} days" if taken is not None and result.fits else "an unknown time"
    said = "asked for" if demand.deadline_stated else "assumed as allowed"
    return Need(
        kind=demand.method,
        model=demand.model.name,
        gpus_per_replica=gpus,
        replicas=1,
        binding=binding,
        fits=result.fits,
        why_not=result.why_not,
        nearest_fix={"change": result.nearest_fix} if result.nearest_fix else None,
        causes=(
            f"{demand.model.name}, {METHODS.get(demand.method, demand.method)}: {_amount(demand.tokens.likely)} tokens "
            f"take {time} on {gpus} GPUs; {days:.3g} days are {said}",
        ),
        basis=result.basis,
        training=True,
        figures=plain(result),
        late=_late(demand, taken, days),
    )


def _late(demand: TrainingDemand, taken: float | None, days: float) -> str | None:
    """What is late, where the customer named a deadline."""
    if not demand.deadline_stated or taken is None or taken <= days:
        return None
    return f"training {demand.model.name} takes {taken:.3g} days, {days:.3g} were asked for"
