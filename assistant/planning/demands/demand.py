"""From a brief to demands: which models must serve whom and how fast, and what must be trained by when."""

from __future__ import annotations

from assistant.interview.brief import Brief, Status
from assistant.planning.demands.models import ModelUse, models_of
from assistant.planning.demands.serving import READ_ONCE, ServingDemand, band, serving_demands
from assistant.sizing.load import Band
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

__all__ = ["PURPOSE", "Demands", "ModelUse", "ServingDemand", "TrainingDemand", "demands_of", "pue_of", "site_limit_kw"]

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
ALGORITHMS = ("grpo", "ppo", "dpo")
"""Ways of reinforcement learning that are told apart; where nobody says which, GRPO is taken."""
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


class TrainingDemand(Frozen):
    """A model that must be trained: tokens, and the days it may take (low is the tightest)."""

    method: str
    model: ModelUse
    tokens: Band
    days: Band
    weight_dtype: str | None = None
    deadline_stated: bool = False
    spot: bool = False
    algorithm: str | None = None
    tuning: str = "full"
    sequence: int | None = None
    notes: tuple[str, ...] = ()


class Demands(Frozen):
    """All that a brief asks for. ``codes`` where simulation codes run that no model here predicts."""

    serving: tuple[ServingDemand, ...]
    training: tuple[TrainingDemand, ...]
    workload: str
    codes: bool = False

    @property
    def searches(self) -> bool:
        """Whether a service looks documents up, rather than work each off once."""
        return any(demand.kind not in READ_ONCE for demand in self.serving)

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
    learners = trained_models(models, workload) if trains else ()
    return Demands(
        serving=serving_demands(brief, models, workload, catalogue) if serves else (),
        training=tuple(_training(brief, model, workload, len(learners)) for model in learners),
        workload=workload,
        codes=workload == "hpc" and not trains,
    )


def _training_stated(brief: Brief) -> bool:
    return any(brief.stated(field) for field in ("training_method", "training_tokens"))


def trained_models(models: tuple[ModelUse, ...], workload: str) -> tuple[ModelUse, ...]:
    """The models that are trained: all language models named; beside serving, where nobody says which, the first."""
    language = tuple(model for model in models if model.kind in ("llm", "vlm")) or models
    return language if workload in TRAINING else language[:1]


def _training(brief: Brief, model: ModelUse, workload: str, jobs: int) -> TrainingDemand:
    method = str(brief.value("training_method") or {"pretraining": "pretraining", "rl": "rl"}.get(workload, "full"))
    tokens, days = brief.get("training_tokens"), brief.get("deadline_days")
    learns = workload == "rl" or method in ("rl", *ALGORITHMS)
    context = brief.value("context_tokens") if brief.stated("context_tokens") and not learns else None
    return TrainingDemand(
        method="rl" if learns else method,
        model=model,
        tokens=band(tokens) if tokens.value is not None else Band(low=1e8, likely=1e8, high=1e8),
        days=band(days) if days.value is not None else Band(low=30, likely=30, high=30),
        weight_dtype=brief.value("weight_dtype"),
        deadline_stated=days.status is Status.STATED,
        spot=bool(brief.value("spot")),
        algorithm=(method if method in ALGORITHMS else "grpo") if learns else None,
        tuning=method if method in ("lora", "qlora") else "full",
        sequence=int(context) if context else None,
        notes=(f"{jobs} models are trained, each on all the tokens stated, one after the other",) if jobs > 1 else (),
    )
