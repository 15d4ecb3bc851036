"""``estimate_serve``: the contract's fields, what is refused, what fits, and the known mistakes of calculators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.messages import render
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeRequest, ServeResult
from assistant.sizing.trace import Trace
from knowledge.architecture import architecture_of
from knowledge.catalogue import load_catalogue
from knowledge.errors import AmbiguousName, BadInput, UnknownName
from tests.shared import catalogue

LOAD = {"input_tokens": 1024, "output_tokens": 512, "concurrency": 32}
CONTRACT_FIELDS = [
    "fits",
    "weights_fit",
    "why_not",
    "nearest_fix",
    "weights_gib_per_gpu",
    "activation_gib_per_gpu",
    "overhead_gib_per_gpu",
    "kv_cache_gib_per_gpu",
    "kv_bytes_per_token_per_gpu",
    "kv_cache_tokens",
    "max_concurrency",
    "ttft_ms",
    "tpot_ms",
    "request_latency_s",
    "output_tokens_per_s",
    "output_tokens_per_s_per_gpu",
    "bound",
    "basis",
]


def estimate(model: Any, gpu: str, **rest: Any) -> ServeResult:
    return estimate_serve({"model": model, "gpu": gpu, **rest}, catalogue())


def test_result_has_every_field_of_the_contract() -> None:
    result = estimate("llama 3.1 70b", "h100", gpus=4, **LOAD)
    document = json.loads(result.model_dump_json())
    assert [name for name in CONTRACT_FIELDS if name not in document] == []
    for name in ("ttft_ms", "tpot_ms", "request_latency_s", "output_tokens_per_s", "output_tokens_per_s_per_gpu"):
        assert document[f"{name}_p10"] < document[name] < document[f"{name}_p90"]


def test_without_load_there_is_no_speed() -> None:
    result = estimate("llama 3.1 70b", "h100", gpus=4, context=8192)
    assert result.fits
    assert result.tpot_ms is None
    assert result.bound is None


def test_empty_and_null_fields_are_left_out() -> None:
    given = estimate("llama 3.1 70b", "h100", gpus=4, weight_dtype="", engine_version=None, context="", **LOAD)
    assert given == estimate("llama 3.1 70b", "h100", gpus=4, **LOAD)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("gpus", 0), ("gpus", -8), ("memory_share", 1.5), ("context", 0), ("concurrency", -1), ("weight_dtype", "fp9"),
        ("kv_dtype", "tiny"), ("engine", "warp"), ("input_tokens", -5), ("input_tokens", {"mean": 5, "p95": 2}),
        ("output_tokens", {"average": 3}), ("tensor_paralel", 2), ("concurrency", float("nan")), ("gpus", "many"),
    ],
)  # fmt: skip
def test_bad_input_names_its_field(field: str, value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        estimate("llama 3.1 70b", "h100", **{field: value})
    assert caught.value.field == field


def test_unknown_and_ambiguous_names() -> None:
    with pytest.raises(UnknownName):
        estimate("no such model 7b", "h100")
    with pytest.raises(AmbiguousName):
        estimate("llama 3.1 70b", "a100")


def test_schema_takes_lengths_as_number_or_object() -> None:
    properties = ServeRequest.model_json_schema()["properties"]
    accepted = properties["input_tokens"]["anyOf"][0]["anyOf"]
    assert [option["type"] for option in accepted] == ["number", "object"]


def test_misspelt_field_gets_its_neighbour() -> None:
    with pytest.raises(BadInput) as caught:
        estimate("llama 3.1 70b", "h100", tensor_paralel=2)
    assert caught.value.nearest[0] == "tensor_parallel"


def test_gpus_that_disagree_with_the_layout() -> None:
    with pytest.raises(BadInput) as caught:
        estimate("llama 3.1 70b", "h100", gpus=8, tensor_parallel=4)
    assert (caught.value.field, caught.value.nearest) == ("gpus", ("4",))


def test_gpus_count_each_rank_once() -> None:
    """Rule 7 of the wrong calculators: tensor x pipeline x attention data x data parallel."""
    layout = {"tensor_parallel": 2, "pipeline_parallel": 2, "attention_data_parallel": 2, "data_parallel": 3}
    assert estimate("deepseek v3", "h200", **layout).gpus == 24


def test_model_as_file_and_as_architecture(tmp_path: Path) -> None:
    """The shape of Llama 3.1 8B as its config.json states it."""
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
        "max_position_embeddings": 131072, "torch_dtype": "bfloat16", "tie_word_embeddings": False,
    }  # fmt: skip
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    from_file = estimate(str(path), "h100", context=8192)
    shape = architecture_of(catalogue().model("llama 3.1 8b"))
    from_shape = estimate(shape, "h100", context=8192)
    assert from_file.kv_cache_tokens == from_shape.kv_cache_tokens
    # vLLM 0.19 log of the 8-bit copy: 131,072 bytes a token (2 x 8 heads x 128 x 32 layers x 2 bytes).
    assert from_file.kv_bytes_per_token_per_gpu == 131072


def test_missing_config_file() -> None:
    with pytest.raises(BadInput, match="config"):
        estimate("nowhere/config.json", "h100")


# ---------------------------------------------------------------------------------------------- founding figures


def test_405b_in_fp8_on_one_h100_node() -> None:
    """8 x 81,559 MiB (nvidia-smi) = 684.2 GB, less 405.9 GB (one byte a parameter) leaves 278 GB, 259 GiB."""
    shape = architecture_of(catalogue().model("llama 3.1 405b"))
    card = catalogue().accelerator("h100").memory_bytes.value
    assert card is not None
    left = 8 * card - shape.total_params
    assert left / 1e9 == pytest.approx(278, abs=0.5)
    assert left / 2**30 == pytest.approx(259, abs=0.5)
    result = estimate("llama 3.1 405b", "h100", gpus=8, weight_dtype="fp8", context=8192)
    assert result.fits
    assert result.tensor_parallel == 8


def test_deepseek_v3_in_fp8_on_one_h100_node() -> None:
    """625 GiB of weights (671 GB) below the 634 GiB that eight H100 show engines, and no room for a KV cache."""
    card = catalogue().accelerator("h100").engine_visible_bytes.value
    assert card is not None
    assert 8 * card / 2**30 == pytest.approx(634, abs=1)
    assert architecture_of(catalogue().model("deepseek v3")).total_params / 2**30 == pytest.approx(625, abs=1)
    one = estimate("deepseek v3", "h100", gpus=8, context=8192)
    assert (one.weight_dtype, one.fits) == ("fp8_block", False)
    fix = one.nearest_fix
    assert fix is not None
    tried = {render(t.change): t.fits for t in fix.tried}
    assert tried["16 GPUs (tensor parallel 8, pipeline parallel 2)"]
    assert tried["NVIDIA H200 141GB SXM5 instead of NVIDIA H100 80GB SXM5"]
    assert estimate("deepseek v3", "h100", gpus=16, context=8192).fits
    assert estimate("deepseek v3", "h200", gpus=8, context=8192).fits


def test_405b_in_bf16_on_sixteen_h100_is_found() -> None:
    result = estimate("llama 3.1 405b", "h100", gpus=16, weight_dtype="bf16")
    assert (result.fits, result.tensor_parallel, result.pipeline_parallel) == (True, 8, 2)


@pytest.mark.parametrize("dtype", ["int4", "awq", "nvfp4", "mxfp4", "Q4_K_M", "fp8", "bf16", None])
def test_a_trillion_parameters_never_fit_one_h200(dtype: str | None) -> None:
    """1.03e12 parameters x 4 bits = 513 GB on a card of 151 GB."""
    result = estimate("kimi k2", "h200", gpus=1, weight_dtype=dtype, context=16)
    assert (result.fits, result.weights_fit) == (False, False)


# ------------------------------------------------------------------------- what other calculators got wrong, and why


def test_total_parameters_for_memory_active_for_speed() -> None:
    """llmfit 230: memory of an expert model from its active parameters. 30.5e9 x 2 bytes = 56.9 GiB (log: 56.88)."""
    alone = LOAD | {"concurrency": 1}
    result = estimate("qwen3 30b a3b", "h100", gpus=1, context=8192, engine_version="0.19.0", **alone)
    dense = estimate("qwen3 32b", "h100", gpus=1, context=8192, engine_version="0.19.0", **alone)
    assert result.weights_gib_per_gpu == pytest.approx(56.88, rel=0.01)
    assert result.tpot_ms is not None
    assert dense.tpot_ms is not None
    assert result.tpot_ms < 0.5 * dense.tpot_ms


@pytest.mark.parametrize(
    ("model", "tensor", "bytes_per_token"),
    [
        ("llama 3.1 70b", 1, 327680),  # 2 x 8 heads x 128 x 80 layers x 2 bytes = 320 KiB
        ("llama 3.1 70b", 8, 40960),
        ("llama 3.1 70b", 16, 40960),  # eight KV heads on sixteen ranks: each held twice
        ("llama 3.1 405b", 1, 516096),  # 504 KiB
        ("deepseek v3", 1, 70272),  # (512 + 64) x 61 layers x 2 bytes
        ("deepseek v3", 8, 70272),  # latent attention: not divided
        ("qwen3 30b a3b", 4, 24576),  # vLLM 0.19 log
        ("gemma 3 27b", 1, 573440),  # vLLM 0.19 log: 62 layers padded to 70 (groups of ten)
        ("gpt-oss-20b", 1, 49152),  # vLLM 0.19 log: sliding layers priced in full
    ],
)
def test_kv_by_layer_kind_never_by_parameter_count(model: str, tensor: int, bytes_per_token: int) -> None:
    result = estimate(model, "b300", tensor_parallel=tensor, kv_dtype="bf16", context=8192, engine_version="0.19.0")
    assert result.kv_bytes_per_token_per_gpu == bytes_per_token


def test_engine_share_activation_and_graphs_are_in_the_sum() -> None:
    """Log of vLLM 0.19, Qwen3-8B on H100 at 0.95: weights 15.27, activation 2.21, KV 57.50 GiB, 418,688 tokens."""
    result = estimate("Qwen/Qwen3-8B", "h100", gpus=1, context=8192, memory_share=0.95, engine_version="0.19.0")
    assert result.activation_gib_per_gpu == pytest.approx(2.21, rel=0.05)
    assert result.kv_cache_gib_per_gpu == pytest.approx(57.5, rel=0.01)
    assert result.kv_cache_tokens == pytest.approx(418_688, rel=0.01)
    assert result.max_concurrency == pytest.approx(51.11, rel=0.01)


def test_newer_engine_takes_more_and_counts_its_graphs() -> None:
    """vLLM 0.21 and later: share 0.92 by default, graph memory inside it."""
    older = estimate("Qwen/Qwen3-8B", "h100", gpus=1, context=8192, engine_version="0.19.0")
    newer = estimate("Qwen/Qwen3-8B", "h100", gpus=1, context=8192, engine_version="0.25.1")
    assert (older.memory_share, newer.memory_share) == (0.9, 0.92)
    assert newer.overhead_gib_per_gpu > older.overhead_gib_per_gpu


def test_unknown_version_widens_the_range_and_says_so() -> None:
    known = estimate("Qwen/Qwen3-8B", "h100", gpus=1, context=8192, engine_version="0.19.0")
    unknown = estimate("Qwen/Qwen3-8B", "h100", gpus=1, context=8192)
    assert _width(unknown) > _width(known)
    assert any("version" in render(note) for note in unknown.notes)


def _width(result: ServeResult) -> float:
    return result.kv_cache_gib_per_gpu_high - result.kv_cache_gib_per_gpu_low


def test_weights_that_fit_are_not_a_service() -> None:
    """Llama 70B in FP8 (69.6 GiB) on one H100: weights fit, 131,072 tokens of KV (40 GiB) do not."""
    result = estimate("llama 3.1 70b", "h100", gpus=1, weight_dtype="fp8")
    assert (result.weights_fit, result.fits) == (True, False)
    assert result.why_not is not None
    assert result.nearest_fix is not None
    assert result.nearest_fix.change is not None


def test_every_fix_named_really_fits() -> None:
    cases: list[tuple[str, str, dict[str, Any]]] = [
        ("llama 3.1 70b", "h100", {"gpus": 1, "weight_dtype": "fp8"}),
        ("llama 3.1 405b", "h100", {"gpus": 8, "context": 8192}),
        ("llama 3.1 8b", "rtx 4090", {"gpus": 1, "context": 131072}),
        ("llama 3.1 70b", "h100", {"tensor_parallel": 3}),
    ]
    for model, gpu, rest in cases:
        first = estimate(model, gpu, **rest)
        assert not first.fits
        assert first.nearest_fix is not None
        changed = {"gpu": gpu, **rest, **first.nearest_fix.set}
        assert estimate(model, **changed).fits, first.nearest_fix


def test_one_stream_is_not_the_total() -> None:
    """Rule 5: a stream's rate is 1 / TPOT, the total is many times that."""
    result = estimate("llama 3.1 8b", "h100", gpus=1, input_tokens=512, output_tokens=512, concurrency=64)
    assert result.tpot_ms is not None
    assert result.output_tokens_per_s is not None
    assert result.output_tokens_per_s > 20 * 1000 / result.tpot_ms


@pytest.mark.parametrize("model", ["llama 3.1 70b", "llama 3.1 8b", "qwen3 32b"])
def test_no_stream_beats_weights_over_bandwidth(model: str) -> None:
    """Rule 11: at batch 1 TPOT is at least weight bytes / bandwidth (16-bit 70B on 4 H100: 141 GB / 13.4 TB/s)."""
    shape = architecture_of(catalogue().model(model))
    result = estimate(
        model, "h100", tensor_parallel=4, weight_dtype="bf16", input_tokens=128, output_tokens=128, concurrency=1
    )
    assert result.tpot_ms is not None
    assert result.tpot_ms > 2 * shape.active_params * 0.9 / (4 * 3.35e12) * 1e3


def test_dense_peaks_only() -> None:
    """Rule 6: H100's BF16 rate is 989 TFLOP/s; 1,979 is the sparse one. A prompt cannot be read faster."""
    shape = architecture_of(catalogue().model("llama 3.1 70b"))
    result = estimate("llama 3.1 70b", "h100", tensor_parallel=4, input_tokens=8000, output_tokens=2, concurrency=1)
    assert result.ttft_ms is not None
    assert result.ttft_ms > 2 * (shape.active_params - 2 * 128256 * 8192) * 8000 / (4 * 989.4e12) * 1e3


def test_kv_quantisation_counts() -> None:
    """ollama 10128: a quantised KV cache halves the bytes."""
    wide, narrow = (estimate("llama 3.1 8b", "h100", gpus=1, kv_dtype=d) for d in ("bf16", "fp8"))
    assert narrow.kv_bytes_per_token_per_gpu == wide.kv_bytes_per_token_per_gpu / 2


def test_sliding_layers_stop_growing() -> None:
    """gpustack 2101: gemma 3 keeps 1,024 tokens in 52 of 62 layers, so the tenth sequence costs far less than full.

    The 52 are padded to six groups of ten, as vLLM 0.19 prints on H100: 4.46 sequences of 8,192 tokens.
    """
    per_token = 2 * 16 * 128 * 2
    result = estimate("gemma 3 27b", "h200", gpus=1, context=85_000, engine_version="0.25.0", max_batched_tokens=2048)
    expected = per_token * (10 * 85_008 + 60 * (1024 - 1 + 2048)) / 2**30
    assert result.max_concurrency == pytest.approx(result.kv_cache_gib_per_gpu / expected, rel=0.01)


def test_divisibility_and_node_borders() -> None:
    """Rule 8."""
    odd = estimate("llama 3.1 70b", "h100", tensor_parallel=6, context=8192)
    assert not odd.fits
    assert odd.why_not is not None
    assert "heads" in render(odd.why_not)
    across = estimate("llama 3.1 70b", "h100", tensor_parallel=16, context=8192)
    assert not across.validated
    assert any("node border" in render(note) for note in across.notes)


def test_an_engine_at_its_limit_queues() -> None:
    """64 prompts of 8,192 tokens of Llama 70B FP8 on one H200: measured TTFT 40 s, because the cache is full."""
    result = estimate(
        "llama 3.1 70b", "h200", gpus=1, weight_dtype="fp8", input_tokens=8192, output_tokens=1024, concurrency=64
    )
    assert result.fits
    assert result.bound == "queue"
    assert result.ttft_ms is not None
    assert result.ttft_ms > 10_000


def test_lengths_have_a_distribution() -> None:
    """The fit goes by the maximum, the speed by the mean."""
    spread = {"mean": 1024, "p95": 4000, "max": 16000}
    wide = estimate("llama 3.1 70b", "h100", tensor_parallel=4, **(LOAD | {"input_tokens": spread}))
    flat = estimate("llama 3.1 70b", "h100", tensor_parallel=4, **LOAD)
    assert (wide.context, flat.context) == (16512, 1536)
    assert wide.tpot_ms == flat.tpot_ms


def test_own_dtype_of_checkpoints_released_quantised() -> None:
    """DeepSeek-V3 is published in FP8 blocks, gpt-oss in MXFP4 experts (their model cards)."""
    assert estimate("deepseek v3", "h200", gpus=8).weight_dtype == "fp8_block"
    assert estimate("gpt-oss-120b", "h100", gpus=1, context=4096).weight_dtype == "mxfp4"
    assert estimate("llama 3.1 70b", "h100", gpus=4).weight_dtype == "bf16"


def test_trace_names_known_formulas_for_every_figure() -> None:
    trace = Trace()
    estimate_serve({"model": "llama 3.1 70b", "gpu": "h100", "gpus": 4, **LOAD}, catalogue(), trace)
    formulas = catalogue().entries("formulas")
    assert {"weights_gib_per_gpu", "kv_cache_gib_per_gpu", "tpot_ms", "ttft_ms"} <= set(trace.steps)
    assert [step.formula for step in trace.steps.values() if step.formula not in formulas] == []
    sources = catalogue().entries("sources")
    assert [s for step in trace.steps.values() for s in step.sources if s not in sources] == []


def test_extrapolated_where_nothing_was_measured() -> None:
    measured = estimate("llama 3.1 8b", "h100", gpus=1, engine="trtllm", **LOAD)
    guessed = estimate("llama 3.1 8b", "l40s", gpus=1, engine="trtllm", **LOAD)
    assert (measured.basis, guessed.basis) == ("calibrated", "extrapolated")
    assert measured.tpot_ms_p90 is not None
    assert measured.tpot_ms is not None
    assert guessed.tpot_ms_p90 is not None
    assert guessed.tpot_ms is not None
    assert guessed.tpot_ms_p90 / guessed.tpot_ms > measured.tpot_ms_p90 / measured.tpot_ms


def test_cached_prefix_is_not_read_again() -> None:
    """Nine tenths of a prompt cached: products and exchange fall to a tenth, attention to 1 - 0.9^2 = 0.19."""
    from assistant.sizing.serving.memory.kv import cache_plan
    from assistant.sizing.serving.memory.weights import Layout, format_for
    from assistant.sizing.serving.parts.hardware import gpu_of
    from assistant.sizing.serving.parts.shape import shape_of
    from assistant.sizing.serving.speed.roofline import prefill_terms, speed_plan

    model = architecture_of(catalogue().model("llama 3.1 70b"))
    shape, layout = shape_of(model), Layout(4)
    cache = cache_plan(shape, "vllm", True, 4, 1, "bf16")
    plan = speed_plan(shape, format_for(model, None), layout, gpu_of(catalogue(), "h100"), "vllm", cache)
    whole, rest = prefill_terms(plan, 10_000), prefill_terms(plan, 10_000, 9_000)
    assert rest[0] == pytest.approx(0.1 * whole[0])
    assert rest[2] == pytest.approx(0.19 * whole[2])


def test_a_card_whose_16_bit_rate_is_not_published_is_timed_by_its_4_bit_one() -> None:
    """DGX Spark: 273 GB/s, so an 8B in 8 bits cannot be faster than 8.0e9 / 273e9 = 29 ms a token; a forum run of
    Qwen3-VL 32B in FP8 over four of them takes 52 ms where a quarter of its 33 GB is read in 30.
    """
    from assistant.sizing.serving.parts.hardware import gpu_of

    catalogue = load_catalogue()
    result = estimate_serve(
        {"model": "llama 3.1 8b", "gpu": "gb10", "weight_dtype": "fp8", "input_tokens": 512, "output_tokens": 128,
         "concurrency": 1},
        catalogue,
    )  # fmt: skip
    assert result.tpot_ms is not None
    assert 29 < result.tpot_ms < 60
    assert result.basis == "extrapolated"
    assert any("16-bit rate" in render(note) for note in gpu_of(catalogue, "gb10").assumed)
    assert any("16-bit rate" in render(note) for note in result.notes)


def test_a_model_whose_heads_no_rack_divides_is_spread_over_stages() -> None:
    """Kimi K3 has 96 heads: 64 ranks do not divide them, 32 do; so two stages of 32 and no refusal."""
    result = estimate_serve({"model": "kimi-k3", "gpu": "gb200", "context": 8192}, load_catalogue())
    assert result.fits
    assert 96 % result.tensor_parallel == 0


def test_one_output_token_has_no_time_between_tokens() -> None:
    """TPOT divides by output tokens less one; what answers with a single token has a TTFT alone."""
    asked = {"model": "llama 3.1 8b", "gpu": "h100", "input_tokens": 1000, "output_tokens": 1, "concurrency": 4}
    result = estimate_serve(asked, load_catalogue())
    assert result.tpot_ms is None
    assert result.ttft_ms is not None
    assert result.request_latency_s == pytest.approx(result.ttft_ms / 1000)


def test_what_is_missing_or_unreadable_is_said() -> None:
    asked = {"model": "llama 3.1 8b", "gpu": "h100", "input_tokens": 1000, "concurrency": 4, "engine_version": "latest"}
    notes = " ".join(map(render, estimate_serve(asked, load_catalogue()).notes))
    assert "output_tokens is not stated" in notes
    assert "'latest' names no release" in notes
