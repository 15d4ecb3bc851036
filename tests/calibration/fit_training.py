"""Fit the training constants on the fit half of the published runs; the test half is never read here.

    python -m tests.calibration.fit_training            # prints the constants
    python -m tests.calibration.fit_training --write    # and replaces them in knowledge/calibration/training.yaml

Coordinate descent on the logarithm of each constant. The loss is Huber's on log errors (0.15), a configuration that was
published several times counts as the square root of its repeats, large runs count more, and each constant is drawn
weakly to a physical guess (``PRIOR``), which is what it keeps where few runs speak of it.
"""

from __future__ import annotations

import argparse
import copy
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import yaml

import knowledge.calibration
from assistant.sizing.training.arithmetic.speed import Machine, step_time
from assistant.sizing.training.job import Job
from assistant.sizing.training.parts.plan import Plan, Sharding
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.search.layout import best
from assistant.validation.training_points import Point, training_points
from knowledge.calibration import calibration
from knowledge.calibration.training import SpeedConstants
from knowledge.catalogue import load_catalogue

FILE = Path(knowledge.calibration.__file__).with_name("training.yaml")
HEADER = """# Constants of the training and fine-tuning arithmetic.
# speed: fitted by tests/calibration/fit_training.py on knowledge/measured/training/points_fit.csv.
# memory, finetune and rl: set on the fit halves by hand.
# errors: measured on the test halves by tests/calibration/measure_training.py, which no fit reads.
"""
PRIOR: dict[str, float] = {
    "selective_recompute_fsdp": 0.5,
    "head_on_path": 0.3,
    "misaligned_head": 4.0,
    "no_flash": 0.35,
    "streamed": 4.0,
    "fsdp_streamed": 1.3,
    "routed": 2.5,
    "grouped_matrix": 1.2,
    "layer_seconds": 0.0002,
    "moe_layer_seconds": 0.008,
    "moe_layer_seconds_rack": 0.005,
    "link_share": 0.75,
    "net_share": 0.8,
    "tensor_exposed": 0.7,
    "context_exposed": 0.3,
    "expert_exposed": 0.7,
    "expert_exposed_interleaved": 0.4,
    "data_overlap": 0.7,
    "scale_loss": 0.005,
    "step_seconds": 0.01,
}
MATRIX_PRIOR = {"bf16": 0.6, "fp8": 0.55, "mxfp8": 0.5, "nvfp4": 0.38}
ATTENTION_PRIOR = {"attention": 0.45, "attention_fsdp": 0.25}
SPREAD = {"link_share": 0.15, "net_share": 0.15, "data_overlap": 0.2}
CAP = {
    "matrix": 0.9,
    "attention": 0.75,
    "attention_fsdp": 0.7,
    "link_share": 0.95,
    "net_share": 0.95,
    "tensor_exposed": 1,
    "expert_exposed": 1,
}
HUBER = 0.15
PULL = 0.02
ROUNDS = 24

Key = tuple[str, ...]


class Run(NamedTuple):
    """A published speed with what its time is computed from."""

    shape: Shape
    plan: Plan
    machine: Machine
    metric: str
    value: float
    weight: float


def _run(point: Point, weight: float, catalogue: Any) -> Run:
    job, gpus = Job(point.request, catalogue), point.request.gpus or 1
    ranked, closest = best(job.search(), job.wanted(gpus), job.default_batch(gpus))
    found = ranked[0] if ranked else closest
    assert found is not None
    return Run(job.shape, found.plan, job.device.machine, point.metric, point.value, weight)


def _usable(point: Point) -> bool:
    """Speeds only; the ZeRO-3 baseline of 2021 (arXiv 2104.04473, table 2) is not what FSDP does today."""
    r = point.request
    old = r.sharding is Sharding.ZERO3 and r.precision.value == "fp16"
    return not point.is_memory and not old


def _scale_weight(point: Point) -> float:
    """Runs on many GPUs are few and wrong plans for them dear: double weight from a thousand GPUs, more beyond."""
    return 1.0 + math.log2(max(1.0, (point.request.gpus or 1) / 64)) / 4


def log_error(run: Run, speed: dict[str, Any]) -> float:
    """Natural logarithm of predicted over published speed."""
    seconds = step_time(run.shape, run.plan, run.machine, SpeedConstants.model_validate(speed)).total
    if run.metric == "step_time_s":
        return math.log(run.value / seconds)
    tokens = run.plan.global_batch * run.plan.sequence / seconds / run.plan.gpus
    flop = run.shape.flop_per_token(run.plan.sequence)
    predicted = {
        "tokens_per_s_per_gpu": tokens,
        "tflops_per_gpu": tokens * flop / 1e12,
        "mfu": tokens * flop / run.machine.matrix_flops,
    }[run.metric]
    return math.log(predicted / run.value)


def _huber(error: float) -> float:
    size = abs(error)
    return error * error / 2 if size < HUBER else HUBER * (size - HUBER / 2)


def _get(speed: dict[str, Any], key: Key) -> float:
    return float(speed[key[0]] if len(key) == 1 else speed["cells"][key[0]][key[1]])


def _set(speed: dict[str, Any], key: Key, value: float) -> None:
    if len(key) == 1:
        speed[key[0]] = value
    else:
        speed["cells"][key[0]][key[1]] = value


def _prior(key: Key) -> float:
    if len(key) == 1:
        return PRIOR[key[0]]
    return MATRIX_PRIOR[key[0].rsplit("-", 1)[1]] if key[1] == "matrix" else ATTENTION_PRIOR[key[1]]


def fit(runs: list[Run], start: dict[str, Any]) -> dict[str, Any]:
    """The constants with the least loss that coordinate descent finds from ``start``."""
    speed = copy.deepcopy(start)
    cells = sorted({run.machine.cell for run in runs})
    keys: list[Key] = [(name,) for name in PRIOR]
    keys += [(cell, name) for cell in cells for name in speed["cells"][cell]]
    for key in keys:
        _set(speed, key, _prior(key))
    step = dict.fromkeys(keys, 0.2)
    of_cell = {cell: [run for run in runs if run.machine.cell == cell] for cell in cells}
    for _ in range(ROUNDS):
        for key in keys:
            _improve(speed, key, step, runs if len(key) == 1 else of_cell[key[0]])
    return speed


def _improve(speed: dict[str, Any], key: Key, step: dict[Key, float], runs: list[Run]) -> None:
    """One step up or down for one constant, kept where it lowers the loss; the step grows or halves."""
    spread = SPREAD.get(key[-1], 0.5 if len(key) == 1 else 0.25)

    def loss() -> float:
        pull = PULL * (math.log(_get(speed, key) / _prior(key)) / spread) ** 2
        return pull + sum(run.weight * _huber(log_error(run, speed)) for run in runs)

    value, before = _get(speed, key), loss()
    for direction in (1, -1):
        _set(speed, key, min(CAP.get(key[-1], math.inf), value * math.exp(direction * step[key])))
        if loss() < before - 1e-9:
            step[key] *= 1.2
            return
    _set(speed, key, value)
    step[key] *= 0.5


def rounded(value: Any) -> Any:
    """Numbers to four significant digits, mappings and the rest as they are."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main(argv: list[str]) -> int:
    """Fit, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--date", default=None, help="the day to note in the file (ISO)")
    args = parser.parse_args(argv)
    catalogue = load_catalogue()
    points = [point for point in training_points("fit") if _usable(point)]
    repeats = Counter(point.config for point in points)
    document = dict(calibration("training"))
    runs = [_run(point, repeats[point.config] ** -0.5 * _scale_weight(point), catalogue) for point in points]
    document["speed"] = rounded(fit(runs, document["speed"]))
    errors = sorted(abs(math.expm1(log_error(run, document["speed"]))) for run in runs)
    document["fitted"] = {
        "date": args.date or document["fitted"]["date"],
        "runs": len(runs),
        "median_error_on_them": rounded(errors[len(errors) // 2]),
    }
    text = HEADER + yaml.safe_dump(document, sort_keys=False, width=120, default_flow_style=None)
    print(text)
    if args.write:
        FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
