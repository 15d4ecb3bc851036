"""Predictions of the shipped training and fine-tuning measurements."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.finetuning.estimate import FinetuneRequest, TuningJob, estimate_finetune
from assistant.sizing.training.job import Job, fits_on
from assistant.sizing.training.parts.request import TrainRequest
from assistant.sizing.training.rl.estimate import estimate_rl
from assistant.validation.points import Compared, Part, Verdict
from assistant.validation.training_points import finetune_points, out_of_memory_points, read, rl_points, training_points
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


def training_verdicts(catalogue: Catalogue) -> list[Verdict]:
    """Published runs, which fitted as they ran, and configurations that ran out of memory: what we call each."""
    runs: list[tuple[str, TrainRequest, bool]] = []
    for part in PARTS:
        runs += [(point.id, point.request, True) for point in training_points(part)]
        runs += [(f"finetune-{part}-{i}", request, True) for i, (request, _) in enumerate(finetune_points(part))]
    runs += [(ident, request, False) for ident, request in out_of_memory_points()]
    return [Verdict(id=ident, ran=ran, fits=_fits(request, catalogue)) for ident, request, ran in runs]


def _fits(request: TrainRequest, catalogue: Catalogue) -> bool:
    job = TuningJob(request, catalogue) if isinstance(request, FinetuneRequest) else Job(request, catalogue)
    return fits_on(job, request.gpus or 1)


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
