"""Architectures from public config.json files, and hostile ones."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.architecture import ModelArchitecture, Reach, StateType, from_config, from_config_file
from knowledge.errors import BadInput

CONFIGS = Path(__file__).parents[1] / "data" / "configs"


def read(name: str) -> ModelArchitecture:
    return from_config_file(CONFIGS / f"{name}.json", name)


# Billions of parameters as published (card, paper or checkpoint index), and KV values per token by hand:
# 2 x cached layers x kv_heads x head_dim, or layers x (kv_lora_rank + qk_rope_head_dim) for latent attention.
@pytest.mark.parametrize(
    ("name", "billions", "kv_values"),
    [
        ("llama-3.1-405b", 405.853, 2 * 126 * 8 * 128),
        ("llama-3.2-1b", 1.2358, 2 * 16 * 8 * 64),
        ("llama-3.2-11b-vision", 10.67, 2 * 32 * 8 * 128),
        ("llama-4-scout", 108.64, 2 * 48 * 8 * 128),
        ("qwen2-vl-7b", 8.291, 2 * 28 * 4 * 128),
        ("qwen3-30b-a3b", 30.532, 2 * 48 * 4 * 128),
        ("qwen3-235b-a22b-fp8", 235.094, 2 * 94 * 4 * 128),
        ("qwen3-next-80b-a3b", 79.674, 2 * 12 * 2 * 256),
        ("qwen3.5-35b-a3b", 35.107, 2 * 10 * 2 * 256),
        ("qwen3-vl-8b", 8.767, 2 * 36 * 8 * 128),
        ("mixtral-8x7b", 46.703, 2 * 32 * 8 * 128),
        ("gemma-2-9b", 9.242, 2 * 42 * 8 * 256),
        ("gemma-3-4b", 4.300, 2 * 34 * 4 * 256),
        ("gemma-3-27b", 27.432, 2 * 62 * 16 * 128),
        ("gemma-4-31b-nvfp4", 31.273, 50 * 2 * 16 * 256 + 10 * 2 * 4 * 512),
        ("gemma-4-26b-a4b", 25.806, 25 * 2 * 8 * 256 + 5 * 2 * 2 * 512),
        ("gpt-oss-20b", 20.915, 2 * 24 * 8 * 64),
        ("gpt-oss-120b", 116.829, 2 * 36 * 8 * 64),
        ("deepseek-v2-lite", 15.706, 27 * 576),
        ("deepseek-v3", 671.026, 61 * 576),
        ("deepseek-v3.2", 671.878, 61 * 576),
        ("deepseek-v4-flash", 284.332, 43 * 512),
        ("kimi-k2", 1026.41, 61 * 576),
        ("glm-4-9b", 9.400, 2 * 40 * 2 * 128),
        ("glm-5.2", 743.377, 78 * 576),
        ("minimax-m2.5", 228.69, 2 * 62 * 8 * 128),
        ("minimax-m3", 425.95, 2 * 60 * 4 * 128),
        ("nemotron-super-49b", 49.867, 2 * 49 * 8 * 128),
        ("mimo-v2-flash", 308.779, 9 * 4 * 320 + 39 * 8 * 320),
        ("nemotron-h-56b", 56.324, 2 * 10 * 8 * 128),
        ("nemotron-3-super-nvfp4", 120.669, 2 * 8 * 2 * 128),
        ("jamba-mini-1.5", 51.570, 2 * 4 * 8 * 128),
        ("falcon-mamba-7b", 7.273, 0),
        ("step-3.7-flash", 195.833, 2 * 45 * 8 * 128),
        ("phi-3.5-moe", 41.873, 2 * 32 * 8 * 128),
        ("command-r-35b", 34.981, 2 * 40 * 64 * 128),
        ("internlm2-7b", 7.738, 2 * 32 * 8 * 128),
        ("chatglm3-6b", 6.244, 2 * 28 * 2 * 128),
        ("llava-1.5-7b", 7.063, 2 * 32 * 32 * 128),
        ("bge-large", 0.3351, 0),
        ("opt-6.7b", 6.658, 2 * 32 * 32 * 128),
        ("bloom-7b1", 7.069, 2 * 30 * 32 * 128),
        ("gpt-neox-20b", 20.555, 2 * 44 * 64 * 96),
        ("gpt2-xl", 1.5576, 2 * 48 * 25 * 64),
        ("gpt-j-6b", 6.051, 2 * 28 * 16 * 256),
        ("falcon-7b", 6.922, 2 * 32 * 1 * 64),
        ("falcon-40b", 41.303, 2 * 60 * 8 * 64),
        ("mpt-7b", 6.649, 2 * 32 * 32 * 128),
        ("whisper-large-v3", 1.5435, 2 * 32 * 20 * 64),
    ],
)
def test_a_public_config_gives_the_published_total_and_cache(name: str, billions: float, kv_values: int) -> None:
    shape = read(name)
    # Vision towers are counted as plain transformers, to a few percent of the tower.
    assert shape.total_params / 1e9 == pytest.approx(billions, rel=0.008 if shape.vision_params else 0.005)
    assert shape.kv_values_per_token == kv_values
    assert shape.params.total == shape.total_params


def test_layer_patterns_are_read() -> None:
    scout, gemma, oss = read("llama-4-scout"), read("gemma-3-27b"), read("gpt-oss-20b")
    chunked = next(g for g in scout.groups if g.attention and g.attention.reach is Reach.CHUNKED)
    assert (chunked.count, chunked.attention and chunked.attention.window) == (36, 8192)
    sliding = next(g for g in gemma.groups if g.attention and g.attention.reach is Reach.SLIDING)
    assert (sliding.count, sliding.attention and sliding.attention.window) == (52, 1024)
    assert [g.positions[:3] for g in oss.groups] == [(0, 2, 4), (1, 3, 5)]


def test_mixtures_know_their_layers() -> None:
    assert read("deepseek-v3").moe_layers == 58
    assert read("llama-4-maverick").moe_layers == 24
    assert read("jamba-mini-1.5").moe_layers == 16
    assert read("nemotron-3-super-nvfp4").moe_layers == 40


def test_states_are_read() -> None:
    kinds = {"jamba-mini-1.5": StateType.MAMBA1, "nemotron-h-56b": StateType.MAMBA2}
    kinds |= {"qwen3-next-80b-a3b": StateType.GATED_DELTA_NET, "kimi-k3": StateType.KIMI_DELTA_ATTENTION}
    for name, kind in kinds.items():
        assert {g.state.type for g in read(name).groups if g.state} == {kind}


def test_declared_quantisation() -> None:
    deepseek = read("deepseek-v3").quantisation
    assert deepseek is not None
    assert (deepseek.weight_dtype, deepseek.scheme, deepseek.block) == ("fp8", "block", (128, 128))
    oss = read("gpt-oss-20b").quantisation
    assert oss is not None
    assert (oss.weight_dtype, oss.experts_only, oss.group_size) == ("mxfp4", True, 32)
    gemma = read("gemma-4-31b-nvfp4").quantisation
    assert gemma is not None
    assert (gemma.weight_dtype, gemma.group_size, gemma.kv_cache_dtype) == ("nvfp4", 16, "fp8")
    assert "lm_head" in gemma.excluded


LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}


@pytest.mark.parametrize(
    ("quantisation", "dtype", "bits", "group"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4", 4, 128),
        ({"quant_method": "gptq", "bits": 8, "group_size": -1}, "int8", 8, None),
        ({"quant_method": "fbgemm_fp8", "modules_to_not_convert": ["lm_head"]}, "fp8", 8, None),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "nf4", 4, None),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", 4, 16),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}},
            },
            "fp8",
            8,
            None,
        ),
    ],
)
def test_ways_to_declare_quantisation(quantisation: dict[str, Any], dtype: str, bits: int, group: int | None) -> None:
    found = from_config(LLAMA | {"quantization_config": quantisation}, "x").quantisation
    assert found is not None
    assert (found.weight_dtype, found.bits, found.group_size) == (dtype, bits, group)


@pytest.mark.parametrize("field", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(BadInput, match=field):
        from_config({key: value for key, value in LLAMA.items() if key != field}, "x")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "rwkv"}, "rwkv"),
        ({"model_type": "t5", "is_encoder_decoder": True}, "encoder-decoder"),
        ({"model_type": "mistral", "num_key_value_heads": None}, "num_key_value_heads"),
        ({"model_type": "new", "sliding_window": 512}, "layer_types"),
        ({"layer_types": ["conv"] * 32}, "conv"),
        ({"layer_types": ["full_attention"] * 31}, "31"),
        ({"layer_types": ["linear_attention"] * 32}, "linear_num_value_heads"),
        ({"num_experts": 64, "num_experts_per_tok": 8}, "moe_intermediate_size"),
        ({"num_experts": 64, "moe_intermediate_size": 512}, "num_experts_per_tok"),
        ({"num_experts": 4, "num_experts_per_tok": 8, "moe_intermediate_size": 64}, "exceeds"),
        ({"kv_lora_rank": 512}, "qk_nope_head_dim"),
        ({"num_attention_heads": 33}, "head_dim"),
        ({"model_type": "deci", "block_configs": [{"attention": {"no_op": True}, "ffn": {}}]}, "ffn_mult"),
        ({"ngram_table_size": 1000}, "ngram_table_size"),
        ({"quantization_config": {"quant_method": "wizardry"}}, "wizardry"),
        ({"hidden_size": -1}, "hidden_size"),
        ({"hidden_size": 1e308}, "hidden_size"),
        ({"hidden_size": 10**5000}, "hidden_size"),
        ({"hidden_size": float("nan")}, "hidden_size"),
        ({"hidden_size": float("inf")}, "hidden_size"),
        ({"hidden_size": "4096"}, "hidden_size"),
        ({"hidden_size": True}, "hidden_size"),
        ({"hidden_size": [4096, 2048]}, "hidden_size"),
        ({"num_hidden_layers": 10**8}, "num_hidden_layers"),
        ({"layer_types": "full_attention"}, "layer_types"),
        ({"text_config": 7}, "text_config"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        from_config(LLAMA | changes, "x")


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[1, 2]", b"null", b'"text"', b"\xff\xfe\x00", b'{"hidden_size": NaN}', b"{" * 100_000],
    ids=["empty", "text", "list", "null", "string", "binary", "nan", "braces"],
)
def test_hostile_files_end_in_bad_input(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(BadInput):
        from_config_file(path)


def test_a_deeply_nested_file_ends_in_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"a":' * 500 + "1" + "}" * 500)
    with pytest.raises(BadInput, match="nested"):
        from_config_file(path)


def test_a_huge_file_ends_in_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA | {"padding": "x" * 5_000_000}))
    with pytest.raises(BadInput, match="bytes"):
        from_config_file(path)


def test_a_missing_file_ends_in_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can be read"):
        from_config_file(tmp_path / "nowhere.json")


def test_layers_that_share_keys_and_values_are_cached_once() -> None:
    """Hunyuan-Large's pairs (cla_share_factor) and Gemma's last layers (num_kv_shared_layers)."""
    layers = LLAMA["num_hidden_layers"]
    whole = from_config(LLAMA, "x").kv_values_per_token
    assert from_config(LLAMA | {"use_cla": True, "cla_share_factor": 2}, "x").kv_values_per_token == whole / 2
    assert from_config(LLAMA | {"use_cla": False, "cla_share_factor": 2}, "x").kv_values_per_token == whole
    shared = from_config(LLAMA | {"num_kv_shared_layers": 1}, "x").kv_values_per_token
    assert shared == whole * (layers - 1) / layers


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
_FIELDS = [
    *LLAMA,
    *("text_config", "vision_config", "layer_types", "sliding_window", "num_experts", "quantization_config"),
    *("hybrid_override_pattern", "attn_layer_period", "full_attention_interval", "compress_ratios", "moe_layer_freq"),
    *("no_rope_layers", "attention_chunk_size", "linear_attn_config", "indexer_types", "cross_attention_layers"),
    *(
        "kv_lora_rank",
        "head_dim",
        "num_kv_shared_layers",
        "use_cla",
        "cla_share_factor",
        "tie_word_embeddings",
        "architectures",
        "torch_dtype",
    ),
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=4))
def test_any_change_gives_a_shape_or_bad_input(changes: dict[str, Any]) -> None:
    try:
        shape = from_config(LLAMA | changes, "x")
    except BadInput:
        return
    assert shape.total_params > 0
    assert shape.kv_values_per_token >= 0
