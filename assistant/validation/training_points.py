"""Published training and fine-tuning measurements as requests: the fit half and the half held back from it.

The halves are split by configuration, so that repeats of one run never stand on both sides.
"""

from __future__ import annotations

from typing import NamedTuple

from assistant.sizing.training.estimate import estimate_train
from assistant.sizing.training.finetuning.estimate import FinetuneRequest, FinetuneResult, estimate_finetune
from assistant.sizing.training.parts.request import TrainRequest, TrainResult
from assistant.sizing.training.rl.request import RLRequest
from knowledge.catalogue import Catalogue
from knowledge.measured import ROOT, read_rows

DATA = ROOT / "training"
NOT_REQUEST = frozenset(
    {"id", "half", "config", "address", "method", "stage", "metric", "value", "memory_gib", "expert_tensor_parallel"}
)


class Point(NamedTuple):
    """One published figure: the request that describes its run, the metric and the value."""

    id: str
    config: str
    request: TrainRequest
    metric: str
    value: float
    last_stage: bool

    @property
    def is_memory(self) -> bool:
        """Whether the figure is memory."""
        return self.metric.startswith("mem")


def training_points(half: str) -> list[Point]:
    """Pre-training points of ``fit`` or ``test``; adapters and runs with experts cut by tensor are left out."""
    points = []
    for row in read_rows(f"training/points_{half}"):
        if row["method"] or row["expert_tensor_parallel"]:
            continue
        fields = {name: value for name, value in row.items() if value and name not in NOT_REQUEST}
        request = TrainRequest.model_validate(fields)
        points.append(
            Point(row["id"], row["config"], request, row["metric"], float(row["value"]), row["stage"] == "last")
        )
    return points


def finetune_points(half: str) -> list[tuple[FinetuneRequest, float]]:
    """Fine-tuning requests with the published GiB per GPU."""
    found = []
    for row in read_rows(f"training/finetune_{half}"):
        fields = {k: v for k, v in row.items() if v and k not in NOT_REQUEST - {"method"}}
        found.append((FinetuneRequest.model_validate(fields), float(row["memory_gib"])))
    return found


def out_of_memory_points() -> list[tuple[str, TrainRequest]]:
    """Configurations that people report to have run out of memory while training."""
    found: list[tuple[str, TrainRequest]] = []
    for row in read_rows("training/out_of_memory"):
        fields = {k: v for k, v in row.items() if v and k not in NOT_REQUEST - {"method"}}
        kind = FinetuneRequest if row["method"] else TrainRequest
        found.append((row["id"], kind.model_validate(fields)))
    return found


def rl_points(half: str) -> list[tuple[str, RLRequest, float]]:
    """Reinforcement learning runs: id, request, and the published seconds of a step."""
    found = []
    for row in read_rows("training/rl"):
        fields = {k: v for k, v in row.items() if v and k not in NOT_REQUEST | {"step_time_s"}}
        if row["half"] == half:
            found.append((row["id"], RLRequest.model_validate(fields), float(row["step_time_s"])))
    return found


def read(result: TrainResult, metric: str, last_stage: bool) -> float:
    """The figure of a result that a published metric names."""
    if metric == "mem_state_gib_per_gpu":
        return result.stages[-1].state
    if metric == "mem_gib_per_gpu" and last_stage:
        last = result.stages[-1]
        return last.state + last.activations + last.logits + last.buffers
    name = {"mem_gib_per_gpu": "memory_gib_per_gpu"}.get(metric, metric)
    return float(getattr(result, name))


def ratio(point: Point, catalogue: Catalogue) -> float:
    """Predicted over published, for times the other way round: above one is too fast, or too much memory."""
    predicted = read(estimate_train(point.request, catalogue), point.metric, point.last_stage)
    return point.value / predicted if point.metric == "step_time_s" else predicted / point.value


def finetune_ratio(request: FinetuneRequest, gib: float, catalogue: Catalogue) -> float:
    """Predicted over published GiB."""
    result: FinetuneResult = estimate_finetune(request, catalogue)
    return result.memory_gib_per_gpu / gib


def error_summary(ratios: list[float]) -> tuple[float, float]:
    """Median error and the share within 25 %."""
    errors = sorted(abs(r - 1.0) for r in ratios)
    return errors[len(errors) // 2], sum(e <= 0.25 for e in errors) / len(errors)
