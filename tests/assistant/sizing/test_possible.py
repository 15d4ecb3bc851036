"""No estimate hands out what no machine can show."""

from __future__ import annotations

import math

import pytest

from assistant.sizing.possible import ImpossibleResult, Possible
from assistant.sizing.serving.estimate import estimate_serve
from tests.shared import catalogue

LENGTHS = {"input_tokens": 2000, "output_tokens": 500, "concurrency": 1}


@pytest.mark.parametrize(
    ("request_of", "least_ms"),
    [
        # 28e9 active weights of one byte over 8 tensor ranks at 300 GB/s each: 11.7 ms of reading alone.
        ({"model": "internvl3-5-241b-a28b", "gpu": "l4", "tensor_parallel": 8, "pipeline_parallel": 2}, 11.7),
        # 38e9 less a tower of 5.5e9 in two bytes over 8 ranks at 900 GB/s: 9 ms.
        ({"model": "internvl3-38b", "gpu": "v100-sxm2-16gb", "tensor_parallel": 8, "weight_dtype": "fp16"}, 9.0),
    ],
)
def test_a_divided_tower_is_not_taken_off_whole(request_of: dict[str, object], least_ms: float) -> None:
    weights = {"weight_dtype": "fp8"} | request_of
    found = estimate_serve({**LENGTHS, "context": 3000, **weights}, catalogue())
    assert found.tpot_ms is not None
    assert found.tpot_ms > least_ms


def test_every_model_reads_weights_in_every_step() -> None:
    """Reading the active weights once, over all ranks, is the least that a token takes."""
    for name, model in catalogue().entries("models").items():
        if model.layers is None or model.vocab is None:
            continue  # image models, which are not served by tokens
        found = estimate_serve({"model": name, "gpu": "b200", "gpus": 64, "context": 3000, **LENGTHS}, catalogue())
        assert found.tpot_ms is None or found.tpot_ms > 0, name


class _Rate(Possible):
    ABOVE_ZERO = True
    SIGNED = frozenset({"missing_gib"})
    tpot_ms: float | None = 1.0
    queued_share: float = 0.0
    racks: int = 0
    missing_gib: float = -3.0


@pytest.mark.parametrize(
    "figure",
    [
        {"tpot_ms": -12.4},
        {"tpot_ms": 0.0},
        {"tpot_ms": math.inf},
        {"tpot_ms": math.nan},
        {"queued_share": 1.01},
        {"racks": -1},
    ],
)
def test_what_cannot_be_is_refused_by_name(figure: dict[str, float]) -> None:
    with pytest.raises(ImpossibleResult, match=next(iter(figure))):
        _Rate(**figure)


def test_what_is_unknown_or_has_a_sign_stands() -> None:
    assert _Rate(tpot_ms=None).missing_gib == -3.0
