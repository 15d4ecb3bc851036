"""The figures that the founding guide prints, from nominal parameters and printed gigabytes, as it computes them.

The sizing itself uses counted parameters and the bytes that drivers and engines report; where the two differ, the
tests of the sizing hold the real figures, and the second half of this file says by how much and why.
"""

from __future__ import annotations

import pytest

from assistant.sizing.equipment.units import Counted
from assistant.sizing.facility.estimate import FacilityRequest, estimate_facility
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.parts.dtypes import kv_bytes, weight_format
from knowledge.architecture import architecture_of
from tests.shared import catalogue

KIB, GIB = 2**10, 2**30


@pytest.mark.parametrize(
    ("billions", "dtype", "printed_gb"),
    [(70, "bf16", 140), (405, "fp8", 405), (405, "bf16", 810), (671, "fp8", 671)],
)
def test_weights_are_parameters_times_bytes(billions: float, dtype: str, printed_gb: float) -> None:
    """Guide: 70B in BF16 140 GB, 405B in FP8 405 GB and in BF16 810, DeepSeek-V3 in FP8 671."""
    assert billions * weight_format(dtype).bits / 8 == pytest.approx(printed_gb)


@pytest.mark.parametrize(
    ("model", "kib_a_token", "gib_for_128k"), [("llama 3 70b", 320, 40), ("llama 3.1 405b", 504, 63)]
)
def test_kv_cache_a_token_and_a_long_sequence(model: str, kib_a_token: float, gib_for_128k: float) -> None:
    """Guide: 2 x 80 x 8 x 128 x 2 bytes = 320 KiB and 2 x 126 x 8 x 128 x 2 = 504 KiB; times 131,072 tokens."""
    shape = architecture_of(catalogue().model(model))
    a_token = shape.kv_bytes_per_token(kv_bytes("bf16"))
    assert a_token / KIB == kib_a_token
    assert a_token * 131_072 / GIB == pytest.approx(gib_for_128k)


def test_training_state_is_sixteen_bytes_a_parameter() -> None:
    """ZeRO paper: 2 (weights) + 2 (gradients) + 12 (FP32 weights, momentum, variance); 70B: 1,120 GB, not 420."""
    from assistant.sizing.training.inputs import recipe_of
    from assistant.sizing.training.parts.plan import Precision, Sharding
    from knowledge.calibration.training import training_constants

    recipe = recipe_of("adamw", Sharding.NONE, Precision.BF16, False, training_constants())
    a_parameter = recipe.state
    assert a_parameter == 16
    assert 70 * a_parameter == 1120


def test_llama_405b_training_days_at_the_papers_rate() -> None:
    """Guide: 3.8e25 FLOP / (16,384 GPUs x 400 TFLOP/s) = 5.8 million seconds, about 67 days."""
    seconds = 3.8e25 / (16_384 * 400e12)
    assert seconds == pytest.approx(5.8e6, rel=0.01)
    assert seconds / 86_400 == pytest.approx(67, abs=0.5)


@pytest.mark.parametrize(("systems", "printed_kw"), [(4, 40.8), (49, 499.8), (50, 510.0)])
def test_dgx_h100_power(systems: int, printed_kw: float) -> None:
    """DGX H100 user guide: 10.2 kW a system; four in a rack 40.8; 49 stay below the EU's 500 kW, 50 do not."""
    request = FacilityRequest(servers=(Counted(id="dgx-h100", count=systems),))
    result = estimate_facility(request, catalogue())
    assert result.nominal_it_kw == pytest.approx(printed_kw)
    reached = {duty.id: duty.reached for duty in result.obligations}
    assert reached["eu_eed_data_centre"] is (printed_kw >= 500)


def test_real_bytes_leave_more_for_405b_than_the_label_does() -> None:
    """Guide: 640 - 405 = 235 GB. Eight times 81,559 MiB are 684.2 GB; less 405.85 GB of weights 278 GB (259 GiB)."""
    card = catalogue().accelerator("h100-sxm-80gb")
    assert card.memory_label_gb == 80
    assert card.memory_bytes.value is not None
    shape = architecture_of(catalogue().model("llama 3.1 405b"))
    left = 8 * card.memory_bytes.value - shape.total_params
    assert left / 1e9 == pytest.approx(278, abs=1)
    assert left / GIB == pytest.approx(259, abs=1)


def test_deepseek_v3_fits_by_weight_and_not_as_a_service() -> None:
    """625 GiB of weights are below what eight H100 have, yet no KV cache is left; H200 and two nodes fit."""
    asked = {"model": "deepseek-v3", "weight_dtype": "fp8", "context": 4096}
    one = estimate_serve({**asked, "gpu": "h100", "gpus": 8}, catalogue())
    assert one.weights_gib_per_gpu * 8 == pytest.approx(625, rel=0.02)
    assert (one.weights_fit, one.fits) == (True, False)
    assert estimate_serve({**asked, "gpu": "h200", "gpus": 8}, catalogue()).fits
    assert estimate_serve({**asked, "gpu": "h100", "gpus": 16, "tensor_parallel": 8}, catalogue()).fits
