"""What a demand needs of one accelerator: replicas and their size for serving, GPUs and days for training."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

from pydantic import Field

from assistant.demand import WITHOUT_SPEED_MODEL, ServingDemand, TrainingDemand
from assistant.output import plain
from assistant.sizing.finetuning import FinetuneRequest, estimate_finetune
from assistant.sizing.load import Band
from assistant.sizing.replicas import ServeDemand, plan_replicas
from assistant.sizing.trace import Trace
from assistant.sizing.train_request import TrainRequest
from assistant.sizing.training import estimate_train
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema import Accelerator

Level = Literal["low", "likely", "high"]


class Need(Frozen):
    """Replicas of so many GPUs each. A training job is one replica that may span servers."""

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
        return _smallest_unit(demand, at, card)
    in_flight = demand.in_flight and max(1.0, level(demand.in_flight, at) * factor)
    rate = demand.requests_per_s and level(demand.requests_per_s, at) * factor
    asked = ServeDemand(
        input_tokens=demand.input_tokens,
        output_tokens=demand.output_tokens,
        context=demand.context,
        requests_in_flight=in_flight or None,
        requests_per_s=rate or None,
        ttft_ms=demand.ttft_ms,
        tpot_ms=demand.tpot_ms,
    )
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
    serve = plan.serve
    load = f"{in_flight:.4g} requests in flight" if in_flight else f"{rate or 0:.4g} requests a second"
    causes = (
        f"{demand.model.name}: {plan.replicas} x {plan.gpus_per_replica} GPUs for {load}, demanded by {plan.binding}",
        *plan.reasons,
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
    count = _whole(result.gpus, per_unit)
    binding = "memory"
    for _ in range(4):
        result = estimate(count, trace)
        taken = result.days_with_failures or result.days
        if not result.fits or taken is None or taken <= days:
            break
        binding = "deadline"
        count = _whole(ceil(count * taken / days), per_unit)
    return _training(demand, result, count, binding, days)


def _whole(gpus: int, per_unit: int) -> int:
    """As asked within one server, whole servers beyond."""
    return gpus if gpus <= per_unit else ceil(gpus / per_unit) * per_unit


def _estimator(demand: TrainingDemand, card: Accelerator, catalogue: Catalogue) -> Any:
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
    time = f"{taken:.3g} days" if taken is not None else "an unknown time"
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
            f"{demand.model.name}, {demand.method}: {demand.tokens.likely:.3g} tokens take {time} on {gpus} GPUs, "
            f"{days:.3g} days allowed",
        ),
        basis=result.basis,
        training=True,
        figures=plain(result),
    )


def need_error(error: BadInput) -> str:
    """Why an accelerator cannot serve a demand, for the list of those passed over."""
    return error.expected
