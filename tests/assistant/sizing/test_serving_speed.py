"""Speed against the measured points that the constants were not fitted on, and that no measured point is refused."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import pytest

from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeResult
from assistant.validation.serving import speed_request
from knowledge.architecture import architecture_of
from knowledge.catalogue import load_catalogue
from knowledge.measured import ROOT

DATA = ROOT / "serving"


class Point(NamedTuple):
    """A measured point, our estimate, and whether its cell has rows in the fit half."""

    row: dict[str, str]
    result: ServeResult
    part: str
    cell: str
    moe: bool

    def off(self, metric: str) -> float:
        return abs(float(getattr(self.result, f"{metric}_ms")) / float(self.row[f"measured_{metric}_ms"]) - 1)

    def within(self, metric: str) -> bool:
        low, high = (getattr(self.result, f"{metric}_ms_{edge}") for edge in ("p10", "p90"))
        return bool(low <= float(self.row[f"measured_{metric}_ms"]) <= high)


@lru_cache(maxsize=1)
def points() -> tuple[Point, ...]:
    catalogue = load_catalogue()
    with (DATA / "speed_split.csv").open() as handle:
        split = {row["id"]: row for row in csv.DictReader(handle)}
    found = []
    for name in ("speed_fit.csv", "speed_test.csv"):
        with (DATA / name).open() as handle:
            for row in csv.DictReader(handle):
                part, cell = split[row["id"]]["part"], split[row["id"]]["cell"]
                moe = "Llama" not in row["model"] and row["model"] != "Qwen/Qwen3-32B"
                found.append(Point(row, estimate_serve(speed_request(row), catalogue), part, cell, moe))
    return tuple(found)


def held_out(cell: str | None = None, moe: bool | None = None) -> list[Point]:
    return [p for p in points() if p.part == "test" and cell in (None, p.cell) and moe in (None, p.moe)]


def median_error(found: Sequence[Point], metric: str) -> float:
    return statistics.median(p.off(metric) for p in found)


def test_no_measured_configuration_is_called_unfit() -> None:
    """Each of the 1,527 ran on real hardware."""
    assert len(points()) == 1527
    assert [p.row["id"] for p in points() if not p.result.fits or p.result.tpot_ms is None] == []


@pytest.mark.parametrize(
    ("cell", "moe", "tpot_bar", "ttft_bar"),
    [
        ("seen", False, 0.09, 0.25),
        ("seen", True, 0.12, 0.35),
        ("unseen", False, 0.12, 0.25),
        ("unseen", True, 0.15, 0.35),
    ],
)
def test_median_errors_on_points_not_fitted(cell: str, moe: bool, tpot_bar: float, ttft_bar: float) -> None:
    found = held_out(cell, moe)
    assert len(found) >= 30
    assert median_error(found, "tpot") <= tpot_bar
    assert median_error(found, "ttft") <= ttft_bar


@pytest.mark.parametrize("metric", ["tpot", "ttft"])
def test_bands_cover_the_held_out_points(metric: str) -> None:
    """P10 to P90 should hold four of five; 75 to 90 % is accepted here."""
    found = held_out()
    share = sum(p.within(metric) for p in found) / len(found)
    assert 0.75 <= share <= 0.9


def test_seen_cells_say_calibrated_and_held_out_cells_do_not() -> None:
    assert {p.result.basis for p in held_out("seen")} == {"calibrated"}
    assert {p.result.basis for p in held_out("unseen")} == {"extrapolated"}


def test_distinct_experts_expected() -> None:
    """One token of gpt-oss touches 4 of 128 experts: E(1 - (1 - k/E)^1) = 4; 128 tokens 126: the formula by hand."""
    from assistant.sizing.serving.memory.kv import cache_plan
    from assistant.sizing.serving.memory.weights import Layout, format_for
    from assistant.sizing.serving.parts.hardware import gpu_of
    from assistant.sizing.serving.parts.shape import shape_of
    from assistant.sizing.serving.speed.roofline import decode_terms, speed_plan
    from assistant.sizing.serving.speed.terms import TERMS

    catalogue = load_catalogue()
    model = architecture_of(catalogue.model("gpt-oss-120b"))
    shape, fmt, gpu = shape_of(model), format_for(model, None), gpu_of(catalogue, "h100-sxm-80gb")
    plan = speed_plan(shape, fmt, Layout(), gpu, "vllm", cache_plan(shape, "vllm", True, 1, 1, "bf16"))
    at = TERMS.index("experts_mx")
    # 36 layers x 128 experts x 3 x 4.25 bits, widths of 2,880 padded to 2,944 and 3,072: 66.42e9 bytes.
    everything_s = 36 * 128 * 3 * 2944 * 3072 * 4.25 / 8 / 3.35e12
    assert decode_terms(plan, 1, 1000)[at] == pytest.approx(everything_s * 4 / 128, rel=1e-6)
    assert decode_terms(plan, 128, 1000)[at] == pytest.approx(everything_s * (1 - (124 / 128) ** 128), rel=1e-6)


def test_a_pipeline_stage_reads_the_experts_of_a_whole_sequence() -> None:
    """One stream of Grok-1 in 16 bits (86e9 active of 314e9 parameters) over any number of stages reads the weights
    that a token touches once: 2 of 8 experts. On 8 L4 (300 GB/s each) that is 172 GB / 2.4 TB/s = 72 ms at the least.
    """
    result = estimate_serve(
        {"model": "grok-1", "gpu": "l4", "tensor_parallel": 8, "pipeline_parallel": 4, "weight_dtype": "bf16",
         "input_tokens": 512, "output_tokens": 256, "concurrency": 1},
        load_catalogue(),
    )  # fmt: skip
    assert result.tpot_ms is not None
    assert result.tpot_ms > 70
