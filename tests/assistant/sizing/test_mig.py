"""MIG instances: memory and shares as NVIDIA's tools print them, and processes that cannot span them."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.sizing.load import Lengths
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.loads.replica_models import ServeDemand
from assistant.sizing.serving.loads.replicas import plan_replicas
from assistant.sizing.serving.parts.mig import sliced_gpu, slices_of
from knowledge.architecture import architecture_of
from knowledge.errors import BadInput
from tests.shared import catalogue

GIB = 2**30


def test_an_instance_as_cuda_sees_it() -> None:
    """A100 80GB, 1g.10gb: 9,856 MiB by nvidia-smi, 9.5 GiB visible to CUDA; seven on a GPU, 14 of 108 processors."""
    part = slices_of(catalogue().accelerator("a100-sxm-80gb"))[0]
    assert (part.profile, part.per_gpu) == ("1g.10gb", 7)
    assert part.memory == 9856 * 2**20
    assert sliced_gpu(catalogue(), "a100-sxm-80gb", "1g.10gb").memory / GIB == pytest.approx(9.5, abs=0.1)
    assert part.compute_share == pytest.approx(14 / 108, rel=0.05)


def test_three_compute_parts_take_half_of_the_memory() -> None:
    """H100 80GB, 3g.40gb: 39.50 GiB of 79.25, half the bandwidth, 3 of 8 parts of the arithmetic."""
    whole, part = (sliced_gpu(catalogue(), "h100-sxm-80gb", name) for name in (None, "MIG 3g.40gb"))
    assert part.total / GIB == pytest.approx(39.5, rel=0.01)
    assert part.bandwidth / whole.bandwidth == 0.5
    assert part.fp8 / whole.fp8 == 0.375


def test_a_model_served_on_one_instance() -> None:
    """A public script serves Qwen2.5-7B in AWQ on an A100's 1g.10gb: about 2.4 GB of cache, 43 thousand tokens."""
    result = estimate_serve(
        {"model": "qwen2.5-7b-instruct", "gpu": "a100-sxm-80gb", "mig_profile": "1g.10gb", "weight_dtype": "awq",
         "context": 8192},
        catalogue(),
    )  # fmt: skip
    assert result.fits
    assert result.mig_profile == "1g.10gb"
    assert result.kv_cache_tokens == pytest.approx(43_000, rel=0.15)


def test_a_process_cannot_span_instances() -> None:
    """Issue of a user with four slices of which only one was used: 70B in 16 bits goes into no instance of an H100."""
    asked = {"model": "llama 3.1 70b", "gpu": "h100", "mig_profile": "3g.40gb", "context": 4096}
    alone = estimate_serve(asked, catalogue())
    assert not alone.fits
    together = estimate_serve({**asked, "tensor_parallel": 4}, catalogue())
    assert not together.fits
    assert "one MIG instance" in render(together.why_not or "")


def test_the_nearest_fix_is_a_larger_profile() -> None:
    """8B in 16 bits are 15 GiB: not into 9.5, but into 19.6."""
    result = estimate_serve(
        {"model": "llama 3.1 8b", "gpu": "h100", "mig_profile": "1g.10gb", "context": 4096, "weight_dtype": "bf16",
         "kv_dtype": "fp8", "memory_share": 0.95, "engine_version": "0.19.0"},
        catalogue(),
    )  # fmt: skip
    assert not result.fits
    assert result.nearest_fix is not None
    larger = [tried for tried in result.nearest_fix.tried if render(tried.change).startswith("MIG profile")]
    assert (render(larger[0].change), larger[0].fits) == ("MIG profile 1g.20gb", True)


@pytest.mark.parametrize("gpu", ["l40s", "mi300x"])
def test_a_card_without_mig(gpu: str) -> None:
    with pytest.raises(BadInput, match="cannot be divided"):
        sliced_gpu(catalogue(), gpu, "1g.10gb")


def test_replicas_are_instances() -> None:
    plan = plan_replicas(
        architecture_of(catalogue().model("llama 3.1 8b")),
        "h100",
        ServeDemand(input_tokens=Lengths.of(1000, "i"), output_tokens=Lengths.of(250, "o"), requests_in_flight=60),
        catalogue(),
        weight_dtype="fp8",
        mig_profile="1g.20gb",
    )
    assert plan.fits
    assert plan.gpus_per_replica == 1
    assert plan.replicas * plan.requests_per_replica >= 60
