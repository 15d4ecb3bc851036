"""What a training demand needs of one accelerator, in GPUs and days; and the record that all needs share."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any, Literal

from pydantic import Field

from assistant.demand import TrainingDemand
from assistant.output import plain
from assistant.sizing.load import Band
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
    hand has room for fewer (0: all of them). With a ``mig_profile`` a replica is a GPU of ``instances_per_gpu`` parts,
    and ``instances`` of them serve.
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
    mig_profile: str | None = None
    instances: int = 0
    instances_per_gpu: int = 0
    caution: str | None = None

    @property
    def gpus(self) -> int:
        """GPUs in all."""
        return self.gpus_per_replica * self.replicas


def level(band: Band, at: Level) -> float:
    """A band at one of its three values."""
    return float({"low": band.low, "likely": band.likely, "high": band.high}[at])


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
