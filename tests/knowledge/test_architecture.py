"""Cache and parameter counts against published figures and hand calculations."""

from pathlib import Path

import pytest

from knowledge.architecture import (
    Attention,
    LayerGroup,
    ModelArchitecture,
    Reach,
    architecture_of,
    from_config_file,
    unnamed_dense,
)
from knowledge.errors import BadInput
from knowledge.schema import Model
from knowledge.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "tests" / "data" / "configs"


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    files = sorted((ROOT / "knowledge" / "data" / "models").glob("*.yaml"))
    entries = [Model.model_validate(raw) for file in files for raw in read_yaml(file)]
    return {model.id: model for model in entries}


# 2 x layers x kv_heads x head_dim x 2 bytes: 2 x 80 x 8 x 128 x 2 = 320 KiB; 2 x 126 x 8 x 128 x 2 = 504 KiB.
# DeepSeek-V3: 61 x (512 + 64) x 2 = 70,272 bytes (DeepSeek-V3 report, MLA). Mistral 7B: 2 x 32 x 8 x 128 x 2.
# Command R: 64 KV heads, 2 x 40 x 64 x 128 x 2 = 1,280 KiB. Falcon 7B: one KV head of 64, 2 x 32 x 64 x 2 = 8 KiB.
# MiMo-V2-Flash: 9 full layers x 4 heads x (192 + 128) + 39 sliding x 8 x (192 + 128) = 111,360 values.
# Gemma 4 31B: 50 x 2 x 16 x 256 + 10 x 2 x 4 x 512 = 450,560 values. Jamba: 4 of 32 layers, 4 x 2 x 8 x 128 x 2.
@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        ("meta-llama-3-70b", 320 * 1024),
        ("llama-3.1-405b-instruct", 504 * 1024),
        ("deepseek-v3", 70_272),
        ("mistral-7b-instruct-v0.3", 128 * 1024),
        ("c4ai-command-r-v01", 1280 * 1024),
        ("falcon-7b", 8 * 1024),
        ("mimo-v2-flash", 222_720),
        ("gemma-4-31b-it", 901_120),
        ("ai21-jamba-mini-1.5", 16 * 1024),
        ("bge-m3", 0),
    ],
)
def test_kv_bytes_per_token_in_16_bit(models: dict[str, Model], name: str, bytes_per_token: int) -> None:
    assert architecture_of(models[name]).kv_bytes_per_token(2) == bytes_per_token


def test_a_sliding_window_caps_its_layers_only(models: dict[str, Model]) -> None:
    # gpt-oss 20b: 12 full layers grow, 12 sliding ones stop at 128 tokens; 2 x 8 x 64 = 1,024 values a layer and token.
    shape = architecture_of(models["gpt-oss-20b"])
    assert shape.kv_values(100) == 24 * 100 * 1024
    assert shape.kv_values(10_000) == (12 * 10_000 + 12 * 128) * 1024


def test_chunked_layers_of_llama_4_stop_at_8192(models: dict[str, Model]) -> None:
    shape = architecture_of(models["llama-4-scout-17b-16e-instruct"])
    assert shape.kv_values(100_000) == (12 * 100_000 + 36 * 8192) * 2 * 8 * 128


def test_layers_that_share_a_cache_are_counted_once(models: dict[str, Model]) -> None:
    # Gemma 4 E2B: the first 15 of 35 layers own their cache; 3 of them (4, 9, 14) are full and 512 wide, 12 sliding.
    shape = architecture_of(models["gemma-4-e2b-it"])
    assert shape.kv_cache_layers == 15
    assert shape.kv_values_per_token == 3 * 2 * 512 + 12 * 2 * 256


def test_sparse_attention_keeps_an_index_key_beside_the_latent(models: dict[str, Model]) -> None:
    # DeepSeek-V3.2: 128 more values on each of 61 layers. GLM-5.2: 21 of 78 layers own an indexer.
    assert architecture_of(models["deepseek-v3.2"]).index_values(1000) == 61 * 128 * 1000
    assert architecture_of(models["glm-5.2"]).index_values(1000) == 21 * 128 * 1000


def test_compressed_layers_of_deepseek_v4(models: dict[str, Model]) -> None:
    # V4 Flash at 12,800 tokens, 512 values an entry: 43 windows of 128, 21 layers x 3,200, 20 layers x 100 entries.
    shape = architecture_of(models["deepseek-v4-flash"])
    assert shape.kv_values(12_800) == 512 * (43 * 128 + 21 * 3200 + 20 * 100)
    assert shape.index_values(12_800) == 21 * 3200 * 128


def test_states_do_not_grow_with_the_sequence(models: dict[str, Model]) -> None:
    # Qwen3-Next: 36 layers x 32 value heads x 128 x 128; convolution 3 x (2 x 16 x 128 + 32 x 128) = 3 x 8,192.
    qwen = architecture_of(models["qwen3-next-80b-a3b-instruct"])
    assert qwen.recurrent_values_per_sequence == 36 * 32 * 128 * 128
    assert qwen.conv_values_per_sequence == 36 * 3 * 8192
    # Nemotron-H 56B: 54 Mamba-2 layers x 256 heads x 64 x 256.
    assert architecture_of(models["nemotron-h-56b-base-8k"]).recurrent_values_per_sequence == 54 * 256 * 64 * 256


def test_cross_attention_keeps_image_tokens_not_text(models: dict[str, Model]) -> None:
    shape = architecture_of(models["llama-3.2-11b-vision-instruct"])
    assert shape.kv_values_per_token == 32 * 2 * 8 * 128
    assert shape.cross_values_per_token == 8 * 2 * 8 * 128


def test_the_parts_of_llama_3_70b(models: dict[str, Model]) -> None:
    # By hand: 128,256 x 8,192; a layer 8,192 x (8,192 + 1,024 + 1,024) + 8,192 x 8,192 and 3 x 8,192 x 28,672.
    parts = architecture_of(models["meta-llama-3-70b"]).params
    assert parts.embedding == parts.lm_head == 1_050_673_152
    assert parts.attention == 80 * 150_994_944
    assert parts.dense_mlp == 80 * 704_643_072
    assert parts.norms == 161 * 8192
    assert parts.total == 70_553_706_496
    assert parts.other == 0


def test_active_parameters_of_mixtures(models: dict[str, Model]) -> None:
    # Mixtral paper (arXiv 2401.04088): 13B active of 47B. DeepSeek-V3 report: 37B of 671B. Qwen3 cards: 22B and 3.3B.
    for name, billions in (
        ("mixtral-8x7b-instruct-v0.1", 12.9),
        ("deepseek-v3", 37.5),
        ("qwen3-235b-a22b", 22.2),
        ("qwen3-30b-a3b", 3.35),
    ):
        assert architecture_of(models[name]).active_params / 1e9 == pytest.approx(billions, rel=0.01)


def test_an_entry_without_a_shape_is_refused_by_name(models: dict[str, Model]) -> None:
    with pytest.raises(BadInput, match=r"FLUX\.1 dev has no layers, hidden, vocab, attention"):
        architecture_of(models["flux.1-dev"])


def test_more_chosen_experts_than_experts_is_refused(models: dict[str, Model]) -> None:
    entry = models["mixtral-8x7b-instruct-v0.1"]
    broken = entry.model_copy(update={"moe": {**(entry.moe or {}), "experts_per_token": 9}})
    with pytest.raises(BadInput, match="experts_per_token 9 exceeds experts 8"):
        architecture_of(broken)


@pytest.mark.parametrize(
    ("size", "reference", "kib"),
    [(8, "Llama 3.1 8B", 128), (70, "Llama 3.1 70B", 320), (72, "Qwen2.5 72B", 320), (405, "Llama 3.1 405B", 504)],
)
def test_an_unnamed_size_takes_the_shape_of_a_known_model(
    models: dict[str, Model], size: float, reference: str, kib: int
) -> None:
    shape = unnamed_dense(size, models)
    assert shape.assumed_from == reference
    assert shape.kv_bytes_per_token(2) == kib * 1024


@pytest.mark.parametrize("size", [0.1, 1, 11, 20, 50, 180, 1000, 2000])
def test_an_unnamed_size_is_met_by_the_scaled_shape(models: dict[str, Model], size: float) -> None:
    shape = unnamed_dense(size, models)
    # Small models are mostly embedding, which does not scale with the cube; 2 significant widths differ by rounding.
    assert shape.total_params / 1e9 == pytest.approx(size, rel=0.1 if size >= 1 else 0.6)
    assert shape.heads % shape.kv_heads == 0
    assert shape.params.total == shape.total_params


@pytest.mark.parametrize("size", [0, -7, 0.01, 1e9, float("nan"), float("inf")])
def test_an_unnamed_size_out_of_range_is_refused(models: dict[str, Model], size: float) -> None:
    with pytest.raises(BadInput, match="params_b"):
        unnamed_dense(size, models)


def test_the_farthest_reach_is_the_main_attention() -> None:
    near = Attention(reach=Reach.SLIDING, heads=4, kv_heads=2, head_dim=8, v_head_dim=8, window=16)
    far = Attention(heads=8, kv_heads=1, head_dim=16, v_head_dim=16)
    groups = tuple(LayerGroup(count=1, attention=a, cached_layers=1) for a in (near, far))
    shape = ModelArchitecture(name="two kinds", hidden=32, vocab=10, layers=2, groups=groups)
    assert (shape.heads, shape.kv_heads, shape.head_dim) == (8, 1, 16)


def test_a_config_and_the_catalogue_agree_on_gpt_oss(models: dict[str, Model]) -> None:
    stated = from_config_file(CONFIGS / "gpt-oss-120b.json")
    known = architecture_of(models["gpt-oss-120b"])
    assert stated.groups == known.groups
    assert stated.moe == known.moe
