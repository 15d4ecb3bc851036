"""From a brief to demands: which models must serve whom and how fast, and what must be trained by when."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.interview.brief import Status
from assistant.planning.demands.models import ModelUse, models_of
from assistant.planning.demands.serving import READ_ONCE, ServingDemand, band, serving_demands
from assistant.planning.view import Answers
from assistant.sizing.load import Band
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Text

__all__ = ["PURPOSE", "Demands", "ModelUse", "ServingDemand", "TrainingDemand", "demands_of", "demands_of_all"]

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


LOAD_FIELDS = ("users_total", "users_concurrent", "requests_per_s")
"""Fields that say how much is asked of what serves."""


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
    notes: tuple[Text, ...] = ()
    group: str | None = None


class Demands(Frozen):
    """All that a brief asks for, of all its groups.

    ``workloads`` are those of the groups, ``workload`` the one of all (``mixed`` where they differ). ``codes`` where
    simulation codes run that no model here predicts. ``documents`` are those of all groups, None where nobody said.
    ``purpose_stated``: whether anybody said what the cluster is for; ``load_stated``, ``tokens_stated``: how much is
    asked of what serves, and of what trains.
    """

    serving: tuple[ServingDemand, ...]
    training: tuple[TrainingDemand, ...]
    workload: str
    codes: bool = False
    documents: float | None = None
    workloads: tuple[str, ...] = ()
    purpose_stated: bool = True
    load_stated: bool = False
    tokens_stated: bool = False

    @property
    def searches(self) -> bool:
        """Whether a service looks documents up, rather than work each off once."""
        return any(demand.kind not in READ_ONCE for demand in self.serving)

    @property
    def models(self) -> tuple[ModelUse, ...]:
        """The models, each once, in the order in which they were named."""
        uses = [*(d.model for d in self.serving), *(d.model for d in self.training)]
        return tuple({use.name: use for use in uses}.values())


def demands_of(brief: Answers, catalogue: Catalogue) -> Demands:
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
        documents=float(brief.value("documents")) if brief.value("documents") else None,
        workloads=(workload,),
        purpose_stated=any(brief.stated(field) for field in PURPOSE),
        load_stated=any(brief.stated(field) for field in LOAD_FIELDS),
        tokens_stated=brief.stated("training_tokens"),
    )


def demands_of_all(groups: Iterable[tuple[str | None, Answers]], catalogue: Catalogue) -> Demands:
    """The demands of several groups together, each marked with its group's name. Raises BadInput as ``demands_of``."""
    found = [(name, demands_of(brief, catalogue)) for name, brief in groups]
    if len(found) == 1 and found[0][0] is None:
        return found[0][1]
    workloads = tuple(dict.fromkeys(demands.workload for _, demands in found))
    documents = [demands.documents for _, demands in found if demands.documents is not None]
    return Demands(
        serving=tuple(d.model_copy(update={"group": name}) for name, demands in found for d in demands.serving),
        training=tuple(d.model_copy(update={"group": name}) for name, demands in found for d in demands.training),
        workload=workloads[0] if len(workloads) == 1 else "mixed",
        codes=any(demands.codes for _, demands in found),
        documents=sum(documents) if documents else None,
        workloads=workloads,
        purpose_stated=any(demands.purpose_stated for _, demands in found),
        load_stated=any(demands.load_stated for _, demands in found),
        tokens_stated=any(demands.tokens_stated for _, demands in found),
    )


def _training_stated(brief: Answers) -> bool:
    return any(brief.stated(field) for field in ("training_method", "training_tokens"))


def trained_models(models: tuple[ModelUse, ...], workload: str) -> tuple[ModelUse, ...]:
    """The models that are trained: all language models named; beside serving, where nobody says which, the first."""
    language = tuple(model for model in models if model.kind in ("llm", "vlm")) or models
    return language if workload in TRAINING else language[:1]


def _training(brief: Answers, model: ModelUse, workload: str, jobs: int) -> TrainingDemand:
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
