"""Predictions of the shipped training and fine-tuning measurements."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.training import estimate_train
from assistant.sizing.training.finetuning import estimate_finetune
from assistant.sizing.training.request import TrainRequest
from assistant.sizing.training.rl import estimate_rl
from assistant.validation.points import Compared, Part
from assistant.validation.training_points import finetune_points, read, rl_points, training_points
from knowledge.catalogue import Catalogue

PARTS: tuple[Part, ...] = ("fit", "test")


def training_compared(catalogue: Catalogue) -> Iterator[Compared]:
    """MFU, TFLOP/s, tokens/s, step time and memory of published runs; fine-tuning memory after them."""
    for part in PARTS:
        for point in training_points(part):
            result = estimate_train(point.request, catalogue)
            predicted = read(result, point.metric, point.last_stage)
            yield _compared(point.id, f"train_{point.metric}", part, point.request, point.value, predicted)
    for part in PARTS:
        for number, (request, gib) in enumerate(finetune_points(part)):
            found = estimate_finetune(request, catalogue).memory_gib_per_gpu
            yield _compared(f"finetune-{part}-{number}", "finetune_memory_gib_per_gpu", part, request, gib, found)
    for part in PARTS:
        for ident, run, seconds in rl_points(part):
            step = estimate_rl(run, catalogue)
            edges = (step.step_time_s_p10, step.step_time_s_p90)
            yield _compared(ident, "rl_step_time_s", part, run, seconds, step.step_time_s, edges)


def _compared(
    ident: str,
    metric: str,
    part: Part,
    request: TrainRequest,
    measured: float,
    predicted: float,
    edges: tuple[float | None, float | None] = (None, None),
) -> Compared:
    return Compared(
        id=ident,
        metric=metric,
        part=part,
        cell=getattr(request, "method", "pretraining"),
        model=str(request.model or request.parameters),
        gpu=str(request.gpu),
        engine="",
        precision=str(getattr(request, "precision", "")),
        measured=measured,
        predicted=predicted,
        low=edges[0],
        high=edges[1],
    )
