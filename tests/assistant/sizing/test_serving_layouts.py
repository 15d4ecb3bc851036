"""Decode context ranks, drafts, batch limits, hybrids' pages, host memory, and what is allowed but not validated."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.messages import render
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeResult
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput

MLA = {"model": "deepseek-v3", "gpu": "h200", "engine_version": "0.19.0", "context": 8192, "tensor_parallel": 8}
GQA = {"model": "qwen3-32b", "gpu": "h100", "engine_version": "0.19.0", "context": 8192, "tensor_parallel": 2}


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _estimate(**request: Any) -> ServeResult:
    return estimate_serve(request, _catalogue())


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_decode_context_ranks_divide_the_tokens_of_a_latent_cache(ranks: int) -> None:
    """Tensor ranks all hold MLA's latent vector (576 values x 61 layers x 2 bytes); these ranks each hold a part."""
    plain, divided = _estimate(**MLA), _estimate(**MLA, decode_context_parallel=ranks)
    assert plain.kv_bytes_per_token_per_gpu == 576 * 61 * 2
    assert divided.kv_bytes_per_token_per_gpu == 576 * 61 * 2 / ranks
    assert divided.kv_cache_tokens == pytest.approx(plain.kv_cache_tokens * ranks, rel=1e-4)
    assert divided.weights_gib_per_gpu == plain.weights_gib_per_gpu
    assert divided.fits
    assert not divided.validated


@pytest.mark.parametrize(
    ("model", "tensor", "ranks", "allowed"),
    [
        ("deepseek-v3", 8, 16, False),
        ("deepseek-v3", 8, 3, False),
        # Four KV heads on eight ranks: two ranks hold the same head.
        ("qwen3-235b-a22b", 8, 2, True),
        ("qwen3-235b-a22b", 8, 4, False),
        ("qwen3-32b", 8, 2, False),
    ],
)
def test_decode_context_ranks_are_those_that_hold_the_same_heads(
    model: str, tensor: int, ranks: int, allowed: bool
) -> None:
    result = _estimate(model=model, gpu="h200", context=8192, tensor_parallel=tensor, decode_context_parallel=ranks)
    assert result.fits is allowed
    assert allowed or "decode context" in render(result.why_not or "")


def test_decode_context_ranks_are_among_stated_tensor_ranks() -> None:
    with pytest.raises(BadInput, match="tensor_parallel"):
        _estimate(model="deepseek-v3", gpu="h200", gpus=8, decode_context_parallel=8)


def test_own_layers_as_draft_take_weights_and_cache() -> None:
    """One more layer of 61, its latent vector, and for the weights the mean layer."""
    plain, drafted = _estimate(**MLA), _estimate(**MLA, draft_model="MTP")
    assert drafted.kv_bytes_per_token_per_gpu == 576 * 62 * 2
    more = drafted.overhead_gib_per_gpu - plain.overhead_gib_per_gpu
    assert more == pytest.approx(plain.weights_gib_per_gpu / 61, rel=0.1)


def test_another_model_as_draft_takes_its_weights_and_cache() -> None:
    """Qwen3 0.6B: 28 layers x 8 heads x 128 x (K and V) x 2 bytes on two ranks, and 1.1 GiB of weights."""
    plain, drafted = _estimate(**GQA), _estimate(**GQA, draft_model="Qwen/Qwen3-0.6B")
    assert drafted.kv_bytes_per_token_per_gpu - plain.kv_bytes_per_token_per_gpu == 28 * 4 * 128 * 2 * 2
    assert drafted.overhead_gib_per_gpu - plain.overhead_gib_per_gpu == pytest.approx(1.11 / 2, rel=0.05)
    assert drafted.kv_cache_gib_per_gpu < plain.kv_cache_gib_per_gpu


@pytest.mark.parametrize("name", ["llama-3.1-8b", "no such model"])
def test_draft_of_another_vocabulary_or_unknown_is_refused(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        _estimate(**GQA, draft_model=name)
    assert caught.value.field == "draft_model"


def test_fewer_sequences_leave_more_cache() -> None:
    """The sampler sorts a row of the vocabulary for each."""
    caches = [_estimate(**GQA, max_sequences=count).kv_cache_gib_per_gpu for count in (8, 256, 1024)]
    assert caches == sorted(caches, reverse=True)
    with pytest.raises(BadInput):
        _estimate(**GQA, max_sequences=0)


def test_llama_cpp_keeps_embeddings_in_host_memory() -> None:
    """151,936 x 4,096 values of Q4_K_M (4.5 to 5 bits) are not on the card."""
    request = {"model": "qwen3-8b", "gpu": "rtx 4090", "context": 8192, "gpus": 1, "weight_dtype": "q4_k_m"}
    on_card = _estimate(**request, engine="llama.cpp").weights_gib_per_gpu
    whole = _estimate(**request).weights_gib_per_gpu
    assert whole - on_card == pytest.approx(151_936 * 4096 * 4.85 / 8 / 2**30, rel=0.1)


@pytest.mark.parametrize(
    ("name", "dtype", "gib"),
    [
        # Sizes of the files in their repositories less the embeddings, which stay in host memory.
        ("Qwen3-8B-Q4_K_M.gguf", "q4_k_m", 4.3),
        ("unsloth/Qwen3-8B-GGUF:Q5_K_M", "q5_k_m", 5.0),
        ("qwen3:8b-q4_K_M", "q4_k_m", 4.3),
        ("Qwen3-235B-A22B-Q3_K_M-00001-of-00003.gguf", "q3_k_m", 109),
        ("gpt-oss:20b", "mxfp4", 11.5),
    ],
)
def test_gguf_by_name(name: str, dtype: str, gib: float) -> None:
    result = _estimate(model=name, gpu="h200", engine="llama.cpp", context=8192, gpus=1)
    assert result.weight_dtype == dtype
    assert result.weights_gib_per_gpu == pytest.approx(gib, rel=0.1)


def test_an_engine_that_does_not_run_on_the_card() -> None:
    result = _estimate(model="qwen3-32b", gpu="mi300x", engine="trtllm", gpus=1, context=8192)
    assert not result.fits
    assert "NVIDIA" in render(result.why_not or "")
    assert result.nearest_fix
    assert result.nearest_fix.set["engine"] == "vllm"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"model": "qwen3-32b", "gpu": "h100", "tensor_parallel": 16}, "node border"),
        ({"model": "qwen2.5-0.5b", "gpu": "h100", "tensor_parallel": 14}, "power of two"),
        ({"model": "qwen3-32b", "gpu": "mi300x", "weight_dtype": "nvfp4"}, "NVFP4"),
        ({"model": "qwen3-32b", "gpu": "gaudi 3", "gpus": 1}, "Intel"),
    ],
)
def test_allowed_but_not_validated(request_: dict[str, Any], reason: str) -> None:
    result = _estimate(**request_, context=8192)
    assert not result.validated
    assert any(note.startswith("not validated") and reason in note for note in map(render, result.notes))


def test_cache_range_over_the_versions_it_may_be() -> None:
    """Without a version the range holds the cache of each version that came after model and card."""
    request = {key: value for key, value in GQA.items() if key != "engine_version"}
    unknown = _estimate(**request)
    for version in ("0.8.5", "0.12.0", "0.19.0", "0.21.0"):
        known = _estimate(**request, engine_version=version).kv_cache_gib_per_gpu
        assert unknown.kv_cache_gib_per_gpu_low < known < unknown.kv_cache_gib_per_gpu_high


@pytest.mark.parametrize(
    ("request_", "sequences"),
    [
        # "Maximum concurrency" of vLLM 0.25 on eight B200 (vllm-project/recipes pull request 762).
        ({"tensor_parallel": 8}, 20.43),
        ({"tensor_parallel": 1, "attention_data_parallel": 8, "expert_parallel": 8}, 156.9),
    ],
)
def test_compressing_attention_holds_windows_and_states_of_a_whole_step(
    request_: dict[str, int], sequences: float
) -> None:
    fixed = {"model": "deepseek-v4-flash", "gpu": "b200", "engine_version": "0.25.0", "kv_dtype": "fp8"}
    result = _estimate(**fixed, **request_, context=1_048_576, memory_share=0.95)
    assert result.max_concurrency == pytest.approx(sequences, rel=0.02)


@pytest.mark.parametrize(("context", "gib"), [(13_528, 5.44), (30_000, 6.66)])
def test_compressing_attention_as_an_error_message_has_it(context: int, gib: float) -> None:
    """vLLM issue 44376: 6.66 GiB for 30,000 tokens, and 5.44 GiB are enough for 13,528; steps of 16,384 tokens."""
    request = {"model": "deepseek-v4-flash", "gpu": "gh200-96gb", "tensor_parallel": 2, "engine_version": "0.22.0"}
    result = _estimate(**request, context=context, max_batched_tokens=16_384)
    assert result.kv_bytes_per_token_per_gpu * context / 2**30 == pytest.approx(gib, rel=0.01)


def test_graphs_of_old_versions_warn_and_do_not_forbid() -> None:
    """vLLM issue 28228: Kimi Linear in AWQ ran on two RTX 3090 at a share of 0.95, where our estimate of the graphs
    finds no room.
    """
    request = {
        "model": "kimi-linear-48b-a3b", "gpu": "rtx-3090", "tensor_parallel": 2, "memory_share": 0.95,
        "context": 120_000, "max_batched_tokens": 64_000, "max_sequences": 8, "weight_dtype": "awq",
        "engine_version": "0.11.0",
    }  # fmt: skip
    found = estimate_serve(request, load_catalogue())
    assert found.fits
    assert any("CUDA graphs" in render(note) for note in found.notes)


def test_a_draft_is_counted_without_an_acceptance() -> None:
    """The layer for two more tokens of DeepSeek-V3 is 14B of 685B parameters on disk (its repository)."""
    asked = {"model": "deepseek v3", "gpu": "h200", "tensor_parallel": 8, "draft_model": "mtp", "draft_tokens": 1}
    load = {"input_tokens": 1000, "output_tokens": 200, "concurrency": 8}
    plain = estimate_serve({**asked, "draft_model": None, "draft_tokens": None, **load}, load_catalogue())
    drafted = estimate_serve({**asked, **load}, load_catalogue())
    # 11.5e9 parameters beside embedding and head, which are the model's own, at one byte over eight ranks: 1.34 GiB.
    assert plain.kv_cache_gib_per_gpu - drafted.kv_cache_gib_per_gpu == pytest.approx(1.34, rel=0.1)
    assert drafted.tpot_ms == pytest.approx(plain.tpot_ms, rel=0.02)
    assert any("acceptance" in render(note) for note in drafted.notes)
