"""Measure the error of the fitted training constants on the test halves, and note it beside them.

python -m tests.calibration.measure_training            # prints the errors
python -m tests.calibration.measure_training --write    # and replaces ``errors`` in knowledge/calibration/training.yaml
"""

from __future__ import annotations

import sys
from typing import Any

import yaml

from assistant.sizing.training.job import Job
from assistant.sizing.training.rl.estimate import estimate_rl
from assistant.validation.training_points import (
    error_summary,
    finetune_points,
    finetune_ratio,
    ratio,
    rl_points,
    training_points,
)
from knowledge.calibration import calibration
from knowledge.catalogue import load_catalogue
from tests.calibration.fit_training import FILE, HEADER, rounded

EXTRAPOLATED = {"p10": 0.6, "p90": 1.4, "note": "no measured run of the GPU, precision or shape: judgement"}


def summary(ratios: list[float]) -> dict[str, Any]:
    """Count, median error, share within 25 %, and the factors from predicted to the published p10 and p90."""
    middle, within = error_summary(ratios)
    factors = sorted(1.0 / r for r in ratios)
    low, high = factors[len(factors) // 10], factors[(9 * len(factors)) // 10]
    found = {"points": len(ratios), "median_error": middle, "within_25_percent": within, "p10": low, "p90": high}
    return dict(rounded(found))


def measure() -> dict[str, Any]:
    """Errors on the test halves by class."""
    catalogue = load_catalogue()
    found: dict[str, list[float]] = {"dense": [], "moe": [], "memory": []}
    for point in training_points("test"):
        kind = "memory" if point.is_memory else "moe" if Job(point.request, catalogue).shape.moe_layers else "dense"
        found[kind].append(ratio(point, catalogue))
    found["finetune_memory"] = [finetune_ratio(r, gib, catalogue) for r, gib in finetune_points("test")]
    # Runs of reinforcement learning are few: the band is of both halves, as rates (step times the other way round).
    runs = [point for half in ("fit", "test") for point in rl_points(half)]
    found["rl"] = [seconds / estimate_rl(run, catalogue).step_time_s for _, run, seconds in runs]
    return {**{kind: summary(ratios) for kind, ratios in found.items()}, "extrapolated": EXTRAPOLATED}


def main(argv: list[str]) -> int:
    """Measure, print, and write where asked."""
    document = {**calibration("training"), "errors": measure()}
    print(yaml.safe_dump(document["errors"], sort_keys=False))
    if "--write" in argv:
        text = HEADER + yaml.safe_dump(document, sort_keys=False, width=120, default_flow_style=None)
        FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
