"""Twelve kinds of wrong answers that calculators gave people, each with the figure that was found right.

The threads are named where the right figure was public; else it is worked out by hand in the comment.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from assistant.interview.brief import Answer
from assistant.messages import render
from assistant.sizing.bill.cost import CostRequest, estimate_cost
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.loads.batch import peak_rate
from assistant.sizing.serving.parts.dtypes import weight_format
from assistant.sizing.serving.parts.hardware import gpu_of
from assistant.sizing.serving.request import ServeResult, serve_request
from knowledge.architecture import architecture_of
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput
from knowledge.schema import Price
from tests.shared import catalogue

GIB = 2**30


def estimate(model: str, gpu: str, **rest: Any) -> ServeResult:
    return estimate_serve({"model": model, "gpu": gpu, **rest}, catalogue())


def known(value: float | None) -> float:
    assert value is not None
    return value


def test_1_memory_of_experts_from_all_parameters_speed_from_the_active() -> None:
    """llmfit 230: "33 GB, perfect fit" where 70 to 75 were needed. gpt-oss-120b loads 64.38 GiB (vllm 33155), while its
    5.1e9 active parameters in 4.25 bits would be 2.5 GiB; one token touches only those.
    """
    result = estimate(
        "gpt-oss-120b", "h100", gpus=1, engine_version="0.14.1", context=8192, memory_share=0.95, input_tokens=512,
        output_tokens=512, concurrency=1,
    )  # fmt: skip
    assert result.weights_gib_per_gpu == pytest.approx(64.38, rel=0.01)
    everything_ms = 64.38 * GIB / 3.35e12 * 1e3
    assert known(result.tpot_ms) < everything_ms / 2


@pytest.mark.parametrize(
    ("model", "gib", "guess_gib"),
    [
        # "16.0 GiB KV cache is needed" for 131,072 tokens (vLLM's own message); 32 heads instead of 8 would be 64.
        ("llama 3.1 8b", 16.0, 64.0),
        # (512 + 64) x 61 layers x 2 bytes x 131,072; 128 heads of 192 + 128 would be 610 GiB.
        ("deepseek v3", 8.58, 610.0),
    ],
)
def test_2_cache_from_layers_and_heads(model: str, gib: float, guess_gib: float) -> None:
    """llama-toolchest PR 58 (58 GB for 24), ODS 3324 (guessed from the parameter count), gpustack 2101 (139 for 32)."""
    result = estimate(model, "b300", tensor_parallel=8 if model == "deepseek v3" else 1, kv_dtype="bf16")
    need = result.kv_bytes_per_token_per_gpu * 131_072 / GIB
    assert need == pytest.approx(gib, rel=0.01)
    assert need < guess_gib / 3


def test_2_sliding_layers_cache_their_window() -> None:
    """gpustack 2101: 139 GB asked for Gemma 3 27B at 85 thousand tokens, about 32 found, weights of 27 in 8 bits.

    Ten of 62 layers keep all tokens, the rest 1,024: 16 heads x 128 x 2 x 2 bytes x (10 x 85,000 + 52 x 1,024) =
    6.9 GiB in 16 bits, against 40 for all layers; with 25 GiB of weights in 8 bits the 32 found.
    """
    shape = architecture_of(catalogue().model("gemma 3 27b"))
    per_layer = 2 * 16 * 128 * 2
    by_hand = per_layer * (10 * 85_000 + 52 * 1024) / GIB
    assert by_hand == pytest.approx(6.9, abs=0.05)
    result = estimate("gemma 3 27b", "h200", gpus=1, engine="sglang", context=85_000)
    assert result.fits
    assert result.kv_cache_gib_per_gpu / known(result.max_concurrency) == pytest.approx(by_hand, rel=0.02)
    assert shape.layers == 62


def test_3_share_activation_graphs_and_buffers_are_in_the_sum() -> None:
    """aiconfigurator 1396: a share of 1.0 admitted a batch that the engine refuses. vLLM 0.19 prints for Qwen3-30B-A3B
    on one H100 at 0.95: 15.41 GiB of KV, where 79.19 less the weights of 56.88 would be 22.3.
    """
    result = estimate("Qwen/Qwen3-30B-A3B", "h100", gpus=1, context=8192, memory_share=0.95, engine_version="0.19.0")
    assert result.kv_cache_gib_per_gpu == pytest.approx(15.41, rel=0.02)
    parts = result.weights_gib_per_gpu + result.activation_gib_per_gpu + result.overhead_gib_per_gpu
    assert parts + result.kv_cache_gib_per_gpu == pytest.approx(0.95 * 79.19, rel=0.001)


def test_3_quantised_cache_counts() -> None:
    """ollama 10128: 52 GB and off to the CPU for 10, the quantised cache was ignored: q4_0 is 4.5 bits a value."""
    wide = estimate("llama 3.1 8b", "h100", gpus=1, engine="llama.cpp", weight_dtype="Q4_K_M", context=131_072)
    narrow = estimate(
        "llama 3.1 8b", "h100", gpus=1, engine="llama.cpp", weight_dtype="Q4_K_M", context=131_072, kv_dtype="q4_0"
    )
    assert wide.kv_bytes_per_token_per_gpu / narrow.kv_bytes_per_token_per_gpu == pytest.approx(16 / 4.5)


def test_4_weights_that_fit_are_not_a_service() -> None:
    """vLLM on an A10G with Llama 3.1 8B: weights load, 3.97 GiB of cache are left where 131,072 tokens need 16.0."""
    result = estimate("llama 3.1 8b", "a10g", gpus=1, context=131_072, engine_version="0.19.0")
    assert (result.weights_fit, result.fits) == (True, False)
    assert result.kv_cache_gib_per_gpu == pytest.approx(3.97, rel=0.1)
    assert result.kv_cache_tokens == pytest.approx(3.97 * GIB / 131_072, rel=0.1)
    assert known(result.max_concurrency) < 1


def test_5_one_stream_is_not_the_total() -> None:
    """DGX Spark: "5 to 6 tokens/s" and "695 tokens/s" are both true, for 1 and for 256 streams; airunway 139 showed
    bandwidth over size as throughput. TensorRT-LLM's table: Llama 3.1 8B in FP8 on one H100, 128 in and 128 out, over
    20 thousand tokens/s; one stream is bound by 8.0e9 bytes / 3.35 TB/s, 417 tokens/s.
    """
    asked = {"model": "llama 3.1 8b", "gpu": "h100", "gpus": 1, "weight_dtype": "fp8", "engine": "trtllm"}
    lengths = {"input_tokens": 128, "output_tokens": 128}
    alone = estimate_serve({**asked, **lengths, "concurrency": 1}, catalogue())
    peak = peak_rate(serve_request({**asked, **lengths}), catalogue())
    assert known(alone.output_tokens_per_s) < 3.35e12 / 7.5e9
    assert peak is not None
    assert peak.output_tokens_per_s > 15_000


def test_6_dense_peaks() -> None:
    """fms-fsdp 89: 24 % MFU by the sparse 1,979 TFLOP/s, 48 % by the dense 989."""
    assert gpu_of(catalogue(), "h100").bf16 == pytest.approx(989.4e12, rel=0.001)
    assert gpu_of(catalogue(), "h100").fp8 == pytest.approx(1978.9e12, rel=0.001)


def test_7_every_gpu_counts_once() -> None:
    """vllm-fit 2: the number of GPUs applied twice, an eighth of the memory; aiconfigurator 1476: ranks not counted,
    eight times too good. 405B in FP8 on eight H100: 405.85e9 bytes and 16-bit tables, about 48 GiB a GPU, not 6.
    """
    load = {"input_tokens": 1024, "output_tokens": 512, "concurrency": 32}
    result = estimate("llama 3.1 405b", "h100", gpus=8, weight_dtype="fp8", **load)
    assert (result.gpus, result.tensor_parallel) == (8, 8)
    assert result.weights_gib_per_gpu == pytest.approx(405.85e9 / 8 / GIB, rel=0.03)
    assert known(result.output_tokens_per_s) == pytest.approx(8 * known(result.output_tokens_per_s_per_gpu))
    spread = estimate(
        "deepseek v3", "h200", tensor_parallel=2, pipeline_parallel=2, attention_data_parallel=4, data_parallel=3
    )
    assert spread.gpus == 2 * 2 * 4 * 3


def test_8_what_cannot_be_divided_or_held_is_refused() -> None:
    """vllm recipes 934: eight cards of 192 GB offered for a model whose minimum is 1,680. 671e9 x 2 bytes = 1,342 GB do
    not go into eight H200 (1,128 GB); 64 heads cannot be divided by 6.
    """
    assert not estimate("deepseek v3", "h200", gpus=8, weight_dtype="bf16", context=4096).weights_fit
    odd = estimate("llama 3.1 70b", "h100", tensor_parallel=6, context=8192)
    assert not odd.fits
    assert "64 attention heads" in render(odd.why_not or "")


def test_9_a_misfit_is_a_result_with_its_nearest_fix() -> None:
    """configiq 28 ("service down"), aiconfigurator 437 ("relax SLA"): the model did not fit in memory."""
    result = estimate("llama 3.1 405b", "h100", gpus=8, weight_dtype="bf16", context=8192)
    assert not result.fits
    assert "missing" in render(result.why_not or "")
    fix = result.nearest_fix
    assert fix is not None
    assert fix.change is not None
    asked: dict[str, object] = {"model": "llama 3.1 405b", "gpu": "h100", "gpus": 8}
    again = asked | {"weight_dtype": "bf16", "context": 8192} | fix.set
    assert estimate_serve(again, catalogue()).fits


def test_10_cost_a_token_at_a_tenth_of_the_use_is_ten_times_higher() -> None:
    """Cost pages reckon with full use; a purchase costs the same used or idle."""
    prices = (
        Price(
            id="box", item="box", per="unit", amount=300_000, currency="EUR", price_source="a quote", date="2026-11-01"
        ),
        Price(id="kwh", item="energy", per="kwh", amount=0.2, currency="EUR", price_source="a bill", date="2026-11-01"),
    )
    bill = (BillLine(item="box", count=1, unit="server", of="GPU server"),)

    def a_million(utilisation: float) -> float:
        asked = CostRequest(bill=bill, gpus=8, annual_mwh=60, prices=prices, tokens_per_s=5000, utilisation=utilisation)
        result = estimate_cost(asked, catalogue())
        assert result is not None
        return known(result.per_million_tokens)

    assert a_million(0.1) == pytest.approx(10 * a_million(1.0))
    # (300,000 / 3 years + 60,000 kWh x 0.20) / (5,000 x 31,536,000 s) x 1e6.
    assert a_million(1.0) == pytest.approx(112_000 / (5000 * 31_536_000) * 1e6)


@pytest.mark.parametrize(("gpus", "most_per_s"), [(2, 48), (4, 95), (8, 190)])
def test_11_no_stream_is_faster_than_its_weights_are_read(gpus: int, most_per_s: float) -> None:
    """Guides print 85 to 110 tokens/s for 70B in FP16 at batch 1 "on an H100": 140 GB / 3.35 TB/s is 24 a card."""
    result = estimate(
        "llama 3.1 70b", "h100", gpus=gpus, tensor_parallel=gpus, weight_dtype="fp16", input_tokens=128,
        output_tokens=256, concurrency=1, memory_share=0.95,
    )  # fmt: skip
    assert known(result.output_tokens_per_s) < most_per_s


def test_11_four_bits_are_half_a_byte() -> None:
    """Guides reckon FP4 as a quarter of a byte; with its scales NVFP4 is 4.5 bits, MXFP4 4.25."""
    assert weight_format("fp4").bits / 8 == 0.5625
    assert weight_format("mxfp4").bits / 8 == 0.53125


def test_12_an_answer_depends_on_its_request_alone() -> None:
    """configiq 89: 88 GPUs for a model that ran on 8, since values of an earlier step were kept. Here other requests in
    between, in any order, and a fresh catalogue, change nothing.
    """
    asked: list[dict[str, Any]] = [
        {
            "model": "llama 3.1 70b",
            "gpu": "h100",
            "gpus": 4,
            "input_tokens": 900,
            "output_tokens": 300,
            "concurrency": 8,
        },
        {"model": "deepseek v3", "gpu": "h200", "gpus": 8, "context": 8192},
        {"model": "qwen3 32b", "gpu": "h100", "gpus": 1, "weight_dtype": "fp8", "context": 4096},
    ]
    fresh = load_catalogue()
    first = [estimate_serve(request, fresh) for request in asked]
    for order in itertools.permutations(range(3)):
        for i in order:
            assert estimate_serve(asked[i], catalogue()) == first[i]
    assert (first[0].gpus, first[1].gpus, first[2].gpus) == (4, 8, 1)


def test_12_parallel_sizes_that_disagree_are_refused() -> None:
    """A count left over from an earlier step is an error, not a silent second truth."""
    with pytest.raises(BadInput):
        estimate("llama 3.1 70b", "h100", gpus=88, tensor_parallel=4, pipeline_parallel=1, context=8192)


def test_8_a_layout_over_the_node_border_is_said() -> None:
    """Allowed and untested is a third state beside yes and no: tensor parallel 16 leaves a node of eight."""
    result = estimate("llama 3.1 405b", "h100", tensor_parallel=16, context=8192)
    assert not result.validated
    assert any("node border" in render(note) for note in result.notes)


def test_12_a_changed_answer_runs_what_depends_on_it_again_and_says_what_moved(tmp_path: Path) -> None:
    """configiq 89 once more, through a session: other users, other GPUs, and the change names the figure."""
    from assistant.service import Assistant
    from assistant.session import Session
    from assistant.store import Store

    assistant = Assistant()
    with Store(str(tmp_path / "sessions.db")) as store:
        session = Session.new(assistant, store)
        session.answer(assistant.understand("chat for 200 people with Llama 3.1 70B on H100"))
        before = session.sizing
        change = session.answer([Answer(field="users_total", value=20_000)])
        assert before is not None
        assert session.sizing is not None
        assert session.sizing.plan().gpus > before.plan().gpus
        assert any(str(session.sizing.plan().gpus) in render(one.after) for one in change.moved)
