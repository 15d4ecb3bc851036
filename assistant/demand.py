"""From a brief to demands: which models must serve whom and how fast, and what must be trained by when."""

from __future__ import annotations

from typing import Any

from assistant.interview.brief import Answer, Brief, Status
from assistant.sizing.load import Band, Lengths
from knowledge.architecture import ModelArchitecture, architecture_of
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

SERVING = frozenset(
    [
        "chat",
        "rag",
        "coding",
        "agents",
        "summarising",
        "batch",
        "embeddings",
        "reranking",
        "speech",
        "ocr",
        "vision",
        "image_generation",
        "video",
        "mixed",
    ]
)
TRAINING = frozenset({"pretraining", "finetuning", "rl"})
WITHOUT_SPEED_MODEL = frozenset({"embeddings", "reranking", "speech", "image_generation", "video"})
"""Workloads whose speed the arithmetic does not predict: they are sized by memory and by the smallest unit."""


CONTEXT_SHARE = 0.25
"""Share of a stated context that prompts are assumed to fill on average; our judgement, replaceable by lengths."""

FEW_USERS = 10
"""So few people may all ask at once: the high end takes them to."""


PURPOSE = (
    "workload",
    "models",
    "parameters_b",
    "users_total",
    "users_concurrent",
    "requests_per_s",
    "training_tokens",
    "training_method",
    "documents",
)
"""Fields that say what the cluster is for; where none is stated its purpose is not known."""


def site_limit_kw(brief: Brief) -> float | None:
    """The power that the site brings in all (kW); a limit on IT power is scaled by the PUE that the brief holds."""
    power = brief.value("site_power_kw")
    if power is None:
        return None
    return float(power) * (float(brief.value("pue") or 1.5) if brief.value("site_power_is") == "it" else 1.0)


def pue_of(brief: Brief) -> float | None:
    """The PUE to plan with: the stated one, or the assumed one where a limit on IT power was scaled by it."""
    counts = brief.stated("pue") or (brief.value("site_power_kw") and brief.value("site_power_is") == "it")
    return float(brief.value("pue")) if counts and brief.value("pue") else None


class ModelUse(Frozen):
    """A model of the brief: its shape where it is known, and what was taken for granted in reading the name."""

    name: str
    id: str | None
    kind: str = "llm"
    params_b: float
    architecture: ModelArchitecture | None
    note: str | None = None


class ServingDemand(Frozen):
    """A model that must serve: lengths in tokens, requests in flight (or a second) at the peak, targets in ms."""

    kind: str
    model: ModelUse
    weight_dtype: str | None
    kv_dtype: str
    context: int | None
    input_tokens: Lengths
    input_tokens_low: Lengths
    input_tokens_high: Lengths
    output_tokens: Lengths
    in_flight: Band | None
    requests_per_s: Band | None
    ttft_ms: float | None
    tpot_ms: float | None
    users_total: float | None
    stated_targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class TrainingDemand(Frozen):
    """A model that must be trained: tokens, and the days it may take (low is the tightest)."""

    method: str
    model: ModelUse
    tokens: Band
    days: Band
    weight_dtype: str | None = None
    deadline_stated: bool = False


class Demands(Frozen):
    """All that a brief asks for. ``codes`` where simulation codes run that no model here predicts."""

    serving: tuple[ServingDemand, ...]
    training: tuple[TrainingDemand, ...]
    workload: str
    codes: bool = False

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """The models, each once, in the order in which they were named."""
        uses = [*(d.model for d in self.serving), *(d.model for d in self.training)]
        return tuple({use.name: use for use in uses}.values())


def demands_of(brief: Brief, catalogue: Catalogue) -> Demands:
    """The demands of a completed brief. Raises BadInput for a model that is not known."""
    workload = str(brief.value("workload") or "chat")
    models = models_of(brief, catalogue)
    serves = workload in SERVING
    trains = workload in TRAINING or (workload in ("mixed", "hpc") and _training_stated(brief))
    return Demands(
        serving=tuple(_serving(brief, model, workload, len(models)) for model in models) if serves else (),
        training=tuple(_training(brief, model, workload) for model in models[:1]) if trains else (),
        workload=workload,
        codes=workload == "hpc" and not trains,
    )


def _training_stated(brief: Brief) -> bool:
    return any(brief.stated(field) for field in ("training_method", "training_tokens"))


def models_of(brief: Brief, catalogue: Catalogue) -> tuple[ModelUse, ...]:
    """The models named, or one of the size asked for, its shape assumed from the nearest known dense model."""
    named = brief.value("models") or ()
    if isinstance(named, str):
        named = (named,)
    if named:
        return _with_sized(tuple(_named(str(name), catalogue) for name in named), brief, catalogue)
    params_b = float(brief.value("parameters_b") or 70)
    return (_of_size(params_b, catalogue),)


def _with_sized(named: tuple[ModelUse, ...], brief: Brief, catalogue: Catalogue) -> tuple[ModelUse, ...]:
    """The models named, and one more where a size was stated that none of them has ("Whisper and an 8B model")."""
    size = brief.value("parameters_b")
    if size is None or not brief.stated("parameters_b"):
        return named
    if any(abs(model.params_b - float(size)) <= 0.25 * model.params_b for model in named):
        return named
    if any(model.architecture is not None and model.architecture.kind in ("llm", "vlm") for model in named):
        return named
    return (*named, _of_size(float(size), catalogue))


def _named(name: str, catalogue: Catalogue) -> ModelUse:
    found = catalogue.resolve("models", name)
    entry = catalogue.model(name)
    try:
        architecture = architecture_of(entry)
    except BadInput:
        architecture = None
    params_b = (entry.total_params or (architecture.params.total if architecture else 0)) / 1e9
    return ModelUse(
        name=entry.name,
        id=entry.id,
        kind=entry.kind,
        params_b=params_b,
        architecture=architecture,
        note=found.note,
    )


def _of_size(params_b: float, catalogue: Catalogue) -> ModelUse:
    from knowledge.architecture import unnamed_dense

    architecture = unnamed_dense(params_b, catalogue.entries("models"))
    note = f"no model was named: the shape is assumed from {architecture.assumed_from}"
    return ModelUse(name=f"some {params_b:g}B model", id=None, params_b=params_b, architecture=architecture, note=note)


def _serving(brief: Brief, model: ModelUse, workload: str, models: int) -> ServingDemand:
    share, notes = 1.0, []
    if models > 1:
        share = 1.0 / models if workload != "speech" else 1.0
        notes.append(
            f"{models} models were named: the load is taken to be divided evenly between them"
            if share < 1
            else "each request is taken to pass through all models named"
        )
    in_flight, rate = _load(brief, share)
    low, likely, high, note = _inputs(brief)
    return ServingDemand(
        kind=KIND_OF_MODEL.get(model.kind, workload),
        model=model,
        weight_dtype=brief.value("weight_dtype"),
        kv_dtype=str(brief.value("kv_dtype") or "auto"),
        context=int(brief.value("context_tokens")) if brief.value("context_tokens") else None,
        input_tokens=likely,
        input_tokens_low=low,
        input_tokens_high=high,
        output_tokens=Lengths.of(brief.value("output_tokens") or 300, "output_tokens"),
        in_flight=in_flight,
        requests_per_s=rate,
        ttft_ms=_number(brief.value("ttft_ms")),
        tpot_ms=_number(brief.value("tpot_ms")),
        users_total=_number(brief.value("users_total")),
        stated_targets=tuple(field for field in ("ttft_ms", "tpot_ms") if brief.stated(field)),
        notes=(*notes, *note, *_too_long(brief, model)),
    )


KIND_OF_MODEL = {"diffusion": "image_generation", "asr": "speech", "embedding": "embeddings", "reranker": "reranking"}
"""What a model can only be used for, whatever the workload is called."""


def _too_long(brief: Brief, model: ModelUse) -> tuple[str, ...]:
    most, asked = model.architecture.max_context if model.architecture else None, brief.value("context_tokens")
    if most is None or asked is None or int(asked) <= most:
        return ()
    return (f"{model.name} was made for {most:,} tokens of context, {int(asked):,} are asked for",)


def _inputs(brief: Brief) -> tuple[Lengths, Lengths, Lengths, tuple[str, ...]]:
    """Prompt lengths low, likely and high. A stated context without lengths means that people want to use it."""
    likely = Lengths.of(brief.value("input_tokens") or 1000, "input_tokens")
    context = brief.value("context_tokens")
    if context is None or not brief.stated("context_tokens") or brief.stated("input_tokens"):
        return likely, likely, likely, ()
    room = max(1.0, float(context) - float((brief.value("output_tokens") or {"mean": 300}).get("mean", 300)))
    wider = max(likely.mean, room * CONTEXT_SHARE)
    filled = Lengths(mean=wider, p95=max(wider, 0.75 * room), max=max(wider, room))
    note = (
        f"a context of {context:,} tokens was stated and no lengths: prompts are assumed to fill a quarter of it, "
        "and all of it at the high end"
    )
    return likely, filled, Lengths(mean=room, p95=room, max=room), (note,)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _load(brief: Brief, share: float) -> tuple[Band | None, Band | None]:
    """Requests in flight and a second. A number stated in either form wins over users times a ratio."""
    concurrent, rate = brief.get("users_concurrent"), brief.get("requests_per_s")
    if concurrent.value is not None:
        return _times(band(concurrent), share), None
    if rate.value is not None:
        return None, _times(band(rate), share)
    users, active = brief.get("users_total"), brief.get("active_share")
    if users.value is None:
        return Band(low=1, likely=1, high=1), None
    people, part = band(users), band(active) if active.value is not None else Band(low=1, likely=1, high=1)
    high = max(people.high * part.high, min(people.high, FEW_USERS))
    product = Band(low=people.low * part.low, likely=people.likely * part.likely, high=high)
    return _times(product, share), None


def band(answer: Answer) -> Band:
    """An answer as low, likely and high; a value stated as one number is all three."""
    likely = float(answer.value)
    return Band(
        low=min(likely, answer.low if answer.low is not None else likely),
        likely=likely,
        high=max(likely, answer.high if answer.high is not None else likely),
    )


def _times(load: Band, share: float) -> Band:
    """A share of a load; at least one request in flight remains where the load is a count of requests."""
    return Band(low=load.low * share, likely=load.likely * share, high=load.high * share)


def _training(brief: Brief, model: ModelUse, workload: str) -> TrainingDemand:
    method = str(brief.value("training_method") or {"pretraining": "pretraining", "rl": "rl"}.get(workload, "full"))
    tokens, days = brief.get("training_tokens"), brief.get("deadline_days")
    return TrainingDemand(
        method=method,
        model=model,
        tokens=band(tokens) if tokens.value is not None else Band(low=1e8, likely=1e8, high=1e8),
        days=band(days) if days.value is not None else Band(low=30, likely=30, high=30),
        weight_dtype=brief.value("weight_dtype"),
        deadline_stated=days.status is Status.STATED,
    )
