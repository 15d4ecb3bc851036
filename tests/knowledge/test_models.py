"""The catalogue's models: totals against published ones, names as people write them."""

from pathlib import Path

import pytest

from knowledge.architecture import architecture_of
from knowledge.model_names import resolve_model_name, weight_dtype_in
from knowledge.names import NameIndex, build_index
from knowledge.schema import Model
from knowledge.yaml_files import read_yaml

DATA = Path(__file__).parents[2] / "knowledge" / "data"

OTHER_PARTS = {
    # Published totals that hold parts which the shape does not describe, with the reason.
    "gemma-3n-e4b-it": "vision and audio towers",
    "gemma-3n-e2b-it": "vision and audio towers",
    "gemma-4-e2b-it": "doubled MLPs of the layers that share a cache, vision and audio towers",
    "gemma-4-e4b-it": "vision and audio towers",
    "whisper-large-v3": "convolutions in front of the encoder",
    "whisper-large-v3-turbo": "convolutions in front of the encoder",
    "whisper-small": "convolutions in front of the encoder",
}


def _entries(kind: str) -> list[dict[str, object]]:
    return [raw for file in sorted((DATA / kind).glob("*.yaml")) for raw in read_yaml(file)]


MODELS = {model.id: model for model in (Model.model_validate(raw) for raw in _entries("models"))}
SHAPED = [m for m in MODELS.values() if m.layers]


@pytest.fixture(scope="module")
def index() -> NameIndex:
    refused = [raw for raw in _entries("refused") if raw["of_kind"] == "models"]
    return build_index({str(raw["id"]): raw for raw in _entries("models")}, refused)


COUNTED = [m for m in SHAPED if m.total_params and not m.vision_params and m.dense_mlp_params is None]
"""Entries whose total is not itself the source of a part (a tower, or MLPs of differing widths)."""


@pytest.mark.parametrize("model", [m for m in COUNTED if m.id not in OTHER_PARTS], ids=lambda m: m.id)
def test_the_counted_parts_are_within_half_a_percent_of_the_total(model: Model) -> None:
    assert architecture_of(model).counted.total == pytest.approx(model.total_params, rel=0.005)


@pytest.mark.parametrize("ident", sorted(OTHER_PARTS))
def test_parts_without_a_shape_are_kept_as_other(ident: str) -> None:
    shape = architecture_of(MODELS[ident])
    assert shape.params.other > 0.005 * shape.total_params
    assert shape.params.total == MODELS[ident].total_params


@pytest.mark.parametrize("model", [m for m in COUNTED if m.moe and m.active_params], ids=lambda m: m.id)
def test_active_parameters_are_those_counted_from_the_published_class(model: Model) -> None:
    # gpt-oss keeps biases in its experts (0.7 % of what is active), which are not counted.
    assert architecture_of(model).active_params == pytest.approx(model.active_params, rel=0.008)


# Totals as publishers state them in a card, paper or checkpoint index, in billions.
@pytest.mark.parametrize(
    ("ident", "billions"),
    [
        ("llama-2-70b-hf", 68.977),
        ("llama-3.1-405b-instruct", 405.853),
        ("qwen2.5-72b-instruct", 72.706),
        ("qwen3-32b", 32.762),
        ("mixtral-8x7b-instruct-v0.1", 46.703),
        ("mixtral-8x22b-instruct-v0.1", 140.63),
        ("gpt-oss-120b", 116.829),
        ("gpt-oss-20b", 20.915),
        ("gemma-2-27b-it", 27.227),
        ("phi-4", 14.660),
        ("deepseek-v2-lite-chat", 15.706),
        ("opt-175b", 174.6),
        ("gpt-neox-20b", 20.555),
        ("dbrx-instruct", 131.6),
        ("stablelm-base-alpha-3b", 3.64),
        ("mpt-30b", 29.96),
        ("megatron-gpt-529.6b", 529.6),
        ("megatron-gpt-1008b", 1008.0),
        ("megatron-gpt-76.1b", 76.1),
    ],
)
def test_totals_as_published(ident: str, billions: float) -> None:
    assert architecture_of(MODELS[ident]).counted.total / 1e9 == pytest.approx(billions, rel=0.003)


def test_vision_language_models_count_a_tower_or_say_that_it_is_unknown() -> None:
    # Gemma 3n, Gemma 4 E and 4 12B mix towers with other parts in one published total.
    mixed = {"gemma-3n-e4b-it", "gemma-3n-e2b-it", "gemma-4-e2b-it", "gemma-4-e4b-it", "gemma-4-12b-it"}
    silent = {m.id for m in SHAPED if m.kind == "vlm" and not m.vision_params and not m.unknown_parts}
    assert silent <= mixed


def test_what_was_not_read_says_so() -> None:
    recalled = {m.id for m in MODELS.values() if set(m.sources) == {"model_recalled"}}
    assert recalled
    assert not any(MODELS[ident].verified for ident in recalled)
    assert all(m.sources for m in MODELS.values())


@pytest.mark.parametrize(
    ("text", "ident"),
    [
        ("70b llama", "llama-3.3-70b-instruct"),
        ("llama 70b", "llama-3.3-70b-instruct"),
        ("Llama-3.3-70B", "llama-3.3-70b-instruct"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama-3.1-70b-instruct"),
        ("LLaMA3.1 8B", "llama-3.1-8b-instruct"),
        ("llama3.1:70b", "llama-3.1-70b-instruct"),
        ("deepseek r1", "deepseek-r1"),
        ("R1", "deepseek-r1"),
        ("DeepSeek-R1-Distill-Llama-70B", "deepseek-r1-distill-llama-70b"),
        ("DeepSeek V3", "deepseek-v3"),
        ("qwen3 32b", "qwen3-32b"),
        ("Qwen2.5 72B", "qwen2.5-72b-instruct"),
        ("qwen 72b", "qwen2.5-72b-instruct"),
        ("mixtral 8x7b", "mixtral-8x7b-instruct-v0.1"),
        ("gpt-oss 120b", "gpt-oss-120b"),
        ("llama2-70b-99", "llama-2-70b-hf"),
        ("opt 1.3b", "opt-1.3b"),
        ("opt-13b", "opt-13b"),
        ("GPT-3 175B", "gpt-3-175b"),
        ("command-r+", "c4ai-command-r-plus"),
        ("zhipuai/GLM-5", "glm-5"),
        ("whisper large v3", "whisper-large-v3"),
        ("Llama-3.1-405B-FP8", "llama-3.1-405b-instruct"),
        ("nvidia/Llama-3.3-70B-Instruct-FP4", "llama-3.3-70b-instruct"),
        ("RedHatAI/Meta-Llama-3.1-405B-Instruct-FP8-dynamic", "llama-3.1-405b-instruct"),
        ("unsloth/gemma-3-27b-it-bnb-4bit", "gemma-3-27b-it"),
        ("deepseek-ai/DeepSeek-V4-Flash-0731", "deepseek-v4-flash"),
        ("Qwen/Qwen3-4B-Instruct-2507", "qwen3-4b"),
        ("gemma-4-31B-it-AWQ-4bit", "gemma-4-31b-it"),
        ("OPEA/Mistral-Small-3.1-24B-Instruct-2503-int4-AutoRound-awq-sym", "mistral-small-3.1-24b-instruct-2503"),
    ],
)
def test_names_as_people_write_them(index: NameIndex, text: str, ident: str) -> None:
    assert resolve_model_name(index, text).id == ident


def test_a_vague_name_says_what_it_was_taken_for(index: NameIndex) -> None:
    assert "3.1 70B" in str(resolve_model_name(index, "70b llama").note)
    assert "Qwen1.5" in str(resolve_model_name(index, "qwen 72b").note)
    assert "shape of Llama-3.1-405B" in str(resolve_model_name(index, "Llama-3.1-405B-FP8").note)


@pytest.mark.parametrize("text", ["LLama-3", "llama3.1", "qwen2.5", "DeepSeek", "gpt oss", "gemma 3"])
def test_a_family_name_lists_its_members(index: NameIndex, text: str) -> None:
    found = resolve_model_name(index, text)
    assert found.id is None
    assert len(found.candidates) >= 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("deepseek-ai/DeepSeek-V4.1-Flash", "n-gram"),
        ("bigscience/T0_3B", "encoder-decoder"),
        ("yolov4-tiny", "object detector"),
        ("LiquidAI/LFM2-8B-A1B", "convolution"),
    ],
)
def test_a_model_that_is_not_sized_is_refused_with_its_reason(index: NameIndex, text: str, reason: str) -> None:
    found = resolve_model_name(index, text)
    assert found.id is None
    assert reason in str(found.note)


@pytest.mark.parametrize("text", ["", "/", "-", "BLOOM candidate 178B", "DeepSeek-V3 proxy (14L of 61)", "x" * 5000])
def test_an_unknown_name_stays_unknown(index: NameIndex, text: str) -> None:
    found = resolve_model_name(index, text)
    assert found.id is None
    assert not found.candidates


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("Qwen/Qwen3-235B-A22B-FP8", "fp8"),
        ("nvidia/DeepSeek-R1-FP4", "nvfp4"),
        ("Kimi-K2.5-NVFP4", "nvfp4"),
        ("Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "int4"),
        ("Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "int8"),
        ("gemma-4-31B-it-AWQ-4bit", "int4"),
        ("Llama-3-70B-GPTQ", "int4"),
        ("llama3.1:70b-instruct-q4_K_M", "q4_k_m"),
        ("NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "bfloat16"),
        ("Llama-3.3-70B-Instruct", None),
        ("gpt-oss-120b", None),
    ],
)
def test_the_precision_that_a_name_states(name: str, dtype: str | None) -> None:
    assert weight_dtype_in(name) == dtype
