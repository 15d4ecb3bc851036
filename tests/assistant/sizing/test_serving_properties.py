"""Properties of serving estimates over generated requests: never a crash, and more never means less."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.sizing.serving.estimate import estimate_serve
from knowledge.errors import BadInput
from tests.shared import catalogue

MODELS = ["llama 3.1 8b", "llama 3.1 70b", "deepseek v3", "gpt-oss-120b", "gemma 3 27b", "qwen3.6 27b", "qwen3 30b a3b"]
GPUS = ["h100", "h200", "b200", "l40s", "mi300x", "a100 80gb", "rtx 4090"]
QUIET = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

REQUESTS = st.fixed_dictionaries(
    {"model": st.sampled_from(MODELS), "gpu": st.sampled_from(GPUS)},
    optional={
        "gpus": st.integers(1, 64),
        "tensor_parallel": st.sampled_from([1, 2, 3, 4, 8, 16]),
        "pipeline_parallel": st.integers(1, 9),
        "attention_data_parallel": st.sampled_from([1, 2, 8]),
        "expert_parallel": st.sampled_from([1, 2, 8, 300]),
        "engine": st.sampled_from(["vllm", "sglang", "tensorrt-llm", "lmdeploy", "llama.cpp"]),
        "engine_version": st.sampled_from(["0.5.4", "0.19.0", "0.25.1", "nightly-abc"]),
        "weight_dtype": st.sampled_from(["bf16", "fp8", "awq", "Q4_K_M", "nvfp4", "mxfp4"]),
        "context": st.integers(1, 2_000_000),
        "memory_share": st.floats(0.01, 1.0),
        "max_batched_tokens": st.integers(1, 200_000),
        "input_tokens": st.integers(1, 200_000),
        "output_tokens": st.integers(1, 20_000),
        "concurrency": st.floats(0.1, 1e6),
        "prefix_cached_share": st.floats(0, 0.99),
    },
)


@QUIET
@given(REQUESTS)
def test_an_answer_or_bad_input_and_valid_json(request: dict[str, Any]) -> None:
    try:
        result = estimate_serve(request, catalogue())
    except BadInput:
        return
    document = json.loads(result.model_dump_json())
    assert result.fits is (document["why_not"] is None)
    assert (result.nearest_fix is None) is result.fits
    for name, value in document.items():
        if name.endswith(("_ms", "_s", "_per_gpu")) and value is not None and "kv_cache_gib" not in name:
            assert value >= 0, name


@QUIET
@given(st.sampled_from(MODELS), st.sampled_from(["h200", "b200"]), st.integers(1, 4), st.integers(1, 300))
def test_longer_contexts_hold_fewer_sequences(model: str, gpu: str, scale: int, step: int) -> None:
    shorter, longer = 512 * scale, 512 * scale + 16 * step
    first, second = (estimate_serve(_asked(model, gpu, context), catalogue()) for context in (shorter, longer))
    assert first.max_concurrency is not None
    assert second.max_concurrency is not None
    assert second.max_concurrency <= first.max_concurrency


def _asked(model: str, gpu: str, context: int) -> dict[str, Any]:
    return {"model": model, "gpu": gpu, "tensor_parallel": 8, "context": context}


@QUIET
@given(st.sampled_from(MODELS), st.integers(1, 200), st.integers(1, 200), st.sampled_from(["vllm", "sglang", "trtllm"]))
def test_more_requests_are_never_faster(model: str, few: int, more: int, engine: str) -> None:
    base = {
        "model": model,
        "gpu": "b200",
        "tensor_parallel": 8,
        "engine": engine,
        "input_tokens": 900,
        "output_tokens": 300,
    }
    first = estimate_serve({**base, "concurrency": few}, catalogue())
    second = estimate_serve({**base, "concurrency": few + more}, catalogue())
    assert first.tpot_ms is not None
    assert second.tpot_ms is not None
    assert second.tpot_ms >= first.tpot_ms * (1 - 1e-9)
    assert second.ttft_ms is not None
    assert first.ttft_ms is not None
    assert second.ttft_ms >= first.ttft_ms * (1 - 1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_more_ranks_never_hold_less(model: str) -> None:
    """KV room of all GPUs together, at fixed context, grows with tensor parallel."""
    rooms = []
    for tensor in (1, 2, 4, 8):
        found = estimate_serve({"model": model, "gpu": "b300", "tensor_parallel": tensor, "context": 4096}, catalogue())
        rooms.append(found.kv_cache_tokens)
    assert rooms == sorted(rooms)
