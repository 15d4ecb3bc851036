"""The models of a brief: catalogue names, sizes without a name, and configurations that came with the brief."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from assistant.interview.given.configurations import architecture_given
from assistant.planning.view import Answers
from knowledge.architecture import ModelArchitecture, architecture_of
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen


class ModelUse(Frozen):
    """A model of the brief: its shape where it is known, and what was taken for granted in reading the name."""

    name: str
    id: str | None
    kind: str = "llm"
    family: str | None = None
    params_b: float
    architecture: ModelArchitecture | None
    note: str | None = None


def models_of(brief: Answers, catalogue: Catalogue) -> tuple[ModelUse, ...]:
    """The models named, or one of the size asked for, its shape assumed from the nearest known dense model."""
    named = brief.value("models") or ()
    if isinstance(named, str | Mapping):
        named = (named,)
    if named:
        return _with_sized(tuple(_named(name, catalogue) for name in named), brief, catalogue)
    params_b = float(brief.value("parameters_b") or 70)
    return (_of_size(params_b, catalogue),)


def _with_sized(named: tuple[ModelUse, ...], brief: Answers, catalogue: Catalogue) -> tuple[ModelUse, ...]:
    """The models named, and one more where a size was stated that none of them has ("Whisper and an 8B model")."""
    size = brief.value("parameters_b")
    if size is None or not brief.stated("parameters_b"):
        return named
    if any(abs(model.params_b - float(size)) <= 0.25 * model.params_b for model in named):
        return named
    if any(model.architecture is not None and model.architecture.kind in ("llm", "vlm") for model in named):
        return named
    return (*named, _of_size(float(size), catalogue))


def _named(name: str | Mapping[str, object], catalogue: Catalogue) -> ModelUse:
    if isinstance(name, Mapping):
        return _configured(name)
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
        family=entry.family,
        params_b=params_b,
        architecture=architecture,
        note=found.note,
    )


@lru_cache(maxsize=64)
def _of_size(params_b: float, catalogue: Catalogue) -> ModelUse:
    """The model of a size, made once: what-ifs ask for the same one a hundred times."""
    from knowledge.architecture import unnamed_dense

    architecture = unnamed_dense(params_b, catalogue.entries("models"))
    note = f"no model was named: the shape is assumed from {architecture.assumed_from}"
    return ModelUse(name=f"some {params_b:g}B model", id=None, params_b=params_b, architecture=architecture, note=note)


def _configured(given: Mapping[str, object]) -> ModelUse:
    architecture = architecture_given(given)
    return ModelUse(
        name=architecture.name,
        id=None,
        kind=architecture.kind,
        params_b=architecture.params.total / 1e9,
        architecture=architecture,
        note="sized from the configuration given, which is kept with the answers",
    )
