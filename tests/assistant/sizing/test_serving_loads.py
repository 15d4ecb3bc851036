"""Open loops, drafts, adapters and batch work: each against a figure from outside."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.messages import render
from assistant.sizing.load import Lengths
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.loads.batch import BatchJob, peak_rate, plan_batch
from assistant.sizing.serving.memory.adapters import adapter_values
from assistant.sizing.serving.parts.shape import shape_of
from assistant.sizing.serving.request import ServeResult, serve_request
from assistant.sizing.serving.speed.queueing import erlang_b, erlang_c, open_loop
from assistant.sizing.serving.speed.roofline import Draft, Timing
from knowledge.architecture import architecture_of
from knowledge.errors import BadInput
from tests.shared import catalogue

LENGTHS = {"input_tokens": 1000, "output_tokens": 300}


def estimate(model: str, gpu: str, **rest: Any) -> ServeResult:
    return estimate_serve({"model": model, "gpu": gpu, **rest}, catalogue())


def known(value: float | None) -> float:
    assert value is not None
    return value


@pytest.mark.parametrize(
    ("places", "offered", "lost", "waits"),
    [
        # Erlang tables: 1 trunk at 0.5 E loses 0.3333; 10 at 8 E lose 0.1217, 5 at 2 E lose 0.0367; waiting is
        # B / (1 - rho (1 - B)): 0.5, 0.4092, 0.0597.
        (1, 0.5, 0.3333, 0.5),
        (10, 8.0, 0.1217, 0.4092),
        (5, 2.0, 0.0367, 0.0597),
    ],
)
def test_erlang_tables(places: int, offered: float, lost: float, waits: float) -> None:
    assert erlang_b(places, offered) == pytest.approx(lost, abs=1e-4)
    assert erlang_c(places, offered) == pytest.approx(waits, abs=1e-4)


def test_one_place_is_the_textbook_queue() -> None:
    """M/M/1 with a service of 1 s at 0.5 a second: one waits rho / (1 - rho) = 1 s, one request is in the system."""
    found = open_loop(lambda n: Timing(1.0, 0.0, n, lambda: {"queue": 0.0}), 1.0, 1.0, 0.5)
    assert found.utilisation == pytest.approx(0.5)
    assert found.timed.ttft == pytest.approx(1.0 + 1.0)
    assert found.in_flight == pytest.approx(1.0)


def test_more_than_is_served_has_no_first_token() -> None:
    """A thread offered 12 requests/s where 5.8 were served and waited 18.8 s: say that load exceeds capacity."""
    slow = estimate("llama 3.1 70b", "h100", tensor_parallel=4, weight_dtype="fp8", requests_per_s=500, **LENGTHS)
    assert slow.fits
    assert slow.ttft_ms is None
    assert slow.bound == "queue"
    assert any("load exceeds capacity" in render(note) for note in slow.notes)
    served = known(slow.served_requests_per_s)
    below = estimate(
        "llama 3.1 70b", "h100", tensor_parallel=4, weight_dtype="fp8", requests_per_s=served / 2, **LENGTHS
    )
    assert known(below.utilisation) == pytest.approx(0.5)
    assert known(below.output_tokens_per_s) == pytest.approx(served / 2 * 300)


def test_open_and_closed_loop_agree_below_the_knee() -> None:
    """Little's law: requests in flight are rate x time, so that concurrency gives that rate back."""
    opened = estimate("llama 3.1 70b", "h100", tensor_parallel=4, weight_dtype="fp8", requests_per_s=3, **LENGTHS)
    in_flight = known(opened.in_flight)
    assert in_flight == pytest.approx(3 * known(opened.request_latency_s), rel=1e-3)
    closed = estimate("llama 3.1 70b", "h100", tensor_parallel=4, weight_dtype="fp8", concurrency=in_flight, **LENGTHS)
    assert known(closed.output_tokens_per_s) == pytest.approx(3 * 300, rel=1e-3)


def test_rate_and_concurrency_exclude_each_other() -> None:
    with pytest.raises(BadInput):
        estimate("llama 3.1 70b", "h100", tensor_parallel=4, concurrency=3, requests_per_s=3, **LENGTHS)


@pytest.mark.parametrize(("tokens", "acceptance", "expected"), [(4, 0.8, 3.3616), (1, 0.85, 1.85), (3, 0.0, 1.0)])
def test_tokens_of_a_step_with_drafts(tokens: int, acceptance: float, expected: float) -> None:
    """Leviathan et al., equation 1: (1 - a^(k+1)) / (1 - a): (1 - 0.32768) / 0.2. DeepSeek-V3's report: the second
    token is accepted in 85 to 90 % of cases, 1.8 times the tokens a second.
    """
    assert Draft(tokens, acceptance).tokens_per_step == pytest.approx(expected)


def test_drafts_speed_up_one_stream_as_the_paper_says() -> None:
    """Theorem 3.8: (1 - a^(k+1)) / ((1 - a)(k c + 1)) with c = 0.05: 3.3616 / 1.2 = 2.80, where memory binds."""
    plain = estimate("llama 3.1 70b", "h100", tensor_parallel=4, concurrency=1, **LENGTHS)
    drafted = estimate(
        "llama 3.1 70b", "h100", tensor_parallel=4, concurrency=1, draft_tokens=4, acceptance=0.8, **LENGTHS
    )
    assert known(plain.tpot_ms) / known(drafted.tpot_ms) == pytest.approx(2.80, rel=0.05)
    assert any("draft" in render(note) for note in drafted.notes)


def test_drafts_gain_less_where_arithmetic_binds() -> None:
    def gain(concurrency: int) -> float:
        load = {"concurrency": concurrency, "gpus": 8, "input_tokens": 100, "output_tokens": 1000}
        plain = estimate("llama 3.1 8b", "h100", tensor_parallel=1, data_parallel=8, **load)
        drafted = estimate(
            "llama 3.1 8b", "h100", tensor_parallel=1, data_parallel=8, draft_tokens=3, acceptance=0.6, **load
        )
        return known(plain.tpot_ms) / known(drafted.tpot_ms)

    assert gain(8) > 1.5
    assert gain(8000) < gain(8)


def test_an_acceptance_needs_the_tokens_that_it_is_of() -> None:
    with pytest.raises(BadInput) as caught:
        estimate("llama 3.1 70b", "h100", tensor_parallel=4, acceptance=0.7, **LENGTHS)
    assert caught.value.field == "draft_tokens"


def test_adapter_of_all_linear_layers() -> None:
    """PEFT prints 41,943,040 trainable parameters for Llama 3 8B at rank 16 on all linear layers."""
    shape = shape_of(architecture_of(catalogue().model("llama 3.1 8b")))
    assert 16 * adapter_values(shape, 1) == 41_943_040


def test_slots_take_from_the_cache() -> None:
    """32 slots of rank 64: 32 x 64 x 2,621,440 values x 2 bytes = 10.0 GiB before the cache is sized."""
    none = estimate("llama 3.1 8b", "h100", gpus=1, context=8192)
    slots = estimate("llama 3.1 8b", "h100", gpus=1, context=8192, lora_adapters=32, lora_rank=64)
    assert none.kv_cache_gib_per_gpu - slots.kv_cache_gib_per_gpu == pytest.approx(10.0)


def test_peak_of_a_published_maximum() -> None:
    """TensorRT-LLM 0.17: Llama 3.1 8B, FP16, one A100, 2,048 in and out: 2,424 tokens/s."""
    asked = {"model": "llama 3.1 8b", "gpu": "a100 80gb", "gpus": 1, "tensor_parallel": 1, "engine": "trtllm"}
    peak = peak_rate(
        serve_request({**asked, "weight_dtype": "fp16", "input_tokens": 2048, "output_tokens": 2048}), catalogue()
    )
    assert peak is not None
    assert peak.output_tokens_per_s_p10 < 2424 < peak.output_tokens_per_s_p90
    assert peak.output_tokens_per_s == pytest.approx(2424, rel=0.3)


def test_batch_by_its_deadline() -> None:
    """A million requests in ten hours with a fifth in hand need a million x 1.2 / 36,000 s = 33.3 a second."""
    job = BatchJob(
        requests=1e6, deadline_h=10, input_tokens=Lengths.of(1000, "in"), output_tokens=Lengths.of(200, "out")
    )
    plan = plan_batch("llama 3.1 8b", "h100", job, catalogue())
    assert plan is not None
    rate = plan.peak.requests_per_s
    assert plan.replicas * rate >= 1e6 * 1.2 / 36_000 > (plan.replicas - 1) * rate
    assert plan.hours * 3600 * plan.replicas * rate == pytest.approx(1e6)
    assert plan.hours < 10
    assert plan.hours_p90 > plan.hours


def test_batch_that_no_node_holds() -> None:
    """A trillion parameters in 16 bits, 2 TB, on a node of eight 24 GB cards."""
    job = BatchJob(requests=10, deadline_h=1, input_tokens=Lengths.of(10, "in"), output_tokens=Lengths.of(10, "out"))
    assert plan_batch("kimi k2", "rtx 4090", job, catalogue(), weight_dtype="bf16") is None


def test_the_slow_end_of_the_first_token_is_that_of_a_long_prompt() -> None:
    """Prompts of 1,000 tokens on average and 16,000 at p95: the mean figures stay, P90 carries the long prompt, whose
    15,000 tokens more take 2 x 70.6e9 x 15,000 FLOP / (2 GPUs x 1,979 TFLOP/s) = 0.54 s at the peak of two H100 in FP8.
    """
    asked: dict[str, Any] = {"gpus": 2, "weight_dtype": "fp8", "output_tokens": 200, "concurrency": 8}
    even = estimate("llama 3.1 70b", "h100", input_tokens=1000, context=20_000, **asked)
    spread = estimate(
        "llama 3.1 70b", "h100", input_tokens={"mean": 1000, "p95": 16_000, "max": 16_000}, context=20_000, **asked
    )
    assert spread.ttft_ms == even.ttft_ms
    assert spread.output_tokens_per_s_p10 == even.output_tokens_per_s_p10
    assert known(spread.ttft_ms_p90) > known(even.ttft_ms_p90) + 540
