"""All comparisons as one document, the same for the screen and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assistant.validation.healthy_logs import Healthy, healthy_logs
from assistant.validation.points import Compared, Spread, Verdict, by, worst
from assistant.validation.serving import memory_points, memory_verdicts, speed_points, throughput_points
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

KEYS = ("model", "gpu", "engine", "precision")


class Group(Frozen):
    """One row of a table: what the points have in common, and their errors."""

    keys: dict[str, str]
    spread: Spread


class Verdicts(Frozen):
    """Configurations that ran and that ran out of memory, with how many were called so, and those that were not."""

    ran: int
    ran_called_fit: int
    out_of_memory: int
    out_of_memory_called_unfit: int
    wrong: tuple[str, ...]


class Report(Frozen):
    """Errors by metric and part, by model, GPU, engine and precision, by calibration cell, and the worst points."""

    catalogue_version: str
    points: int
    metrics: tuple[Group, ...]
    by_model: tuple[Group, ...]
    by_gpu: tuple[Group, ...]
    by_engine: tuple[Group, ...]
    by_precision: tuple[Group, ...]
    cells: tuple[Group, ...]
    verdicts: Verdicts | None
    training_verdicts: Verdicts | None
    healthy_logs: tuple[Healthy, ...] = ()
    worst: tuple[Compared, ...]


def _training(catalogue: Catalogue) -> Iterator[Compared]:
    from assistant.validation.training import training_compared

    yield from training_compared(catalogue)


def _training_verdicts(catalogue: Catalogue) -> list[Verdict]:
    from assistant.validation.training import training_verdicts

    return training_verdicts(catalogue)


SERIES: dict[str, Callable[[Catalogue], Iterator[Compared]]] = {
    "memory": memory_points,
    "speed": speed_points,
    "throughput": throughput_points,
    "training": _training,
    "triage": lambda _: iter(()),
}
"""What can be asked for by name, besides single metrics."""


def _selected(catalogue: Catalogue, metric: str | None) -> list[Compared]:
    if metric in SERIES:
        return list(SERIES[metric](catalogue))
    found = [point for series in SERIES.values() for point in series(catalogue)]
    if metric is None:
        return found
    chosen = [point for point in found if point.metric in (metric, f"{metric}_ms")]
    if not chosen:
        known = [*SERIES, *sorted({point.metric for point in found})]
        raise BadInput("--metric", metric, f"one of {', '.join(known)}", known[:4])
    return chosen


def _groups(found: Iterable[Compared], *names: str) -> tuple[Group, ...]:
    return tuple(Group(keys=dict(zip(names, key, strict=True)), spread=s) for key, s in by(found, *names).items())


def _verdicts(found: list[Verdict]) -> Verdicts:
    ran, failed = [v for v in found if v.ran], [v for v in found if not v.ran]
    return Verdicts(
        ran=len(ran),
        ran_called_fit=sum(v.fits for v in ran),
        out_of_memory=len(failed),
        out_of_memory_called_unfit=sum(not v.fits for v in failed),
        wrong=tuple(v.id for v in found if v.ran != v.fits),
    )


def validate(catalogue: Catalogue, metric: str | None = None, worst_count: int = 20) -> Report:
    """Predict every shipped measurement (or those of ``metric``: a series or a metric's name) and measure the errors.

    Raises ``BadInput`` on ``--metric`` for a name that no point has.
    """
    found = _selected(catalogue, metric)
    tables: dict[str, Any] = {f"by_{key}": _groups(found, "metric", "part", key) for key in KEYS}
    return Report(
        catalogue_version=catalogue.version,
        points=len(found),
        metrics=_groups(found, "metric", "part", "cell") if metric == "speed" else _groups(found, "metric", "part"),
        cells=_groups([p for p in found if p.low is not None], "metric", "part", "cell", "model", "gpu", "engine"),
        verdicts=_verdicts(memory_verdicts(catalogue)) if metric in (None, "memory") else None,
        training_verdicts=_verdicts(_training_verdicts(catalogue)) if metric in (None, "training") else None,
        healthy_logs=healthy_logs(catalogue) if metric in (None, "triage") else (),
        worst=tuple(worst(found, worst_count)),
        **tables,
    )
