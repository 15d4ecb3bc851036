"""Weight and KV formats: names people use, and bytes that the checkpoints take."""

from __future__ import annotations

import pytest

from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.memory.weights import format_for
from assistant.sizing.serving.parts.dtypes import format_in_name, kv_bytes, weight_format
from knowledge.architecture import from_config
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

ACCEPTED = [
    "bf16",
    "bfloat16",
    "fp16",
    "float16",
    "f16",
    "fp32",
    "float32",
    "fp8",
    "fp8_e4m3",
    "fp8_e5m2",
    "fbgemm_fp8",
    "int8",
    "int4",
    "nvfp4",
    "mxfp4",
    "awq",
    "gptq",
    "gptq_marlin",
    "bitsandbytes",
    "compressed-tensors",
    "w8a8",
    "w4a16",
    "fp8-dynamic",
    "Q4_K_M",
    "Q8_0",
    "IQ4_XS",
]


@pytest.mark.parametrize("name", [*ACCEPTED, "fp8 block", "bnb 4-bit", "compressed-tensors (w4a16)", "UD-Q4_K_XL"])
def test_every_name_of_the_contract_is_known(name: str) -> None:
    assert 1.5 < weight_format(name).bits <= 32


@pytest.mark.parametrize(
    ("name", "part", "bytes_per_value"),
    [
        ("bfloat16", "attention", 2.0),
        ("fp8", "mlp", 1.0),
        ("fp8", "embedding", 2.0),  # quantised checkpoints keep embeddings and head in 16 bits
        ("fbgemm_fp8", "attention", 2.0),  # Llama 3.1 405B FP8 quantises the MLPs only (its model card)
        ("mxfp4", "experts", 4.25 / 8),  # OCP MX: 32 values of 4 bits share an 8-bit scale
        ("mxfp4", "attention", 2.0),
        ("nvfp4", "mlp", 4.5 / 8),  # 16 values of 4 bits share an 8-bit scale
        ("awq", "mlp", (4 + 20 / 128) / 8),  # 128 values share a 16-bit scale and a 4-bit zero
        ("compressed-tensors (w4a16)", "mlp", (4 + 16 / 128) / 8),
        ("Q8_0", "embedding", 8.5 / 8),  # GGML: 32 values of 8 bits share a 16-bit scale
        ("mxfp4 experts + bf16 (Triton)", "experts", 4.25 / 8),
    ],
)
def test_bytes_by_part(name: str, part: str, bytes_per_value: float) -> None:
    assert weight_format(name).bytes_of(part) == pytest.approx(bytes_per_value, rel=1e-9)


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("gptq 4-bit", "gptq"),
        ("GPTQ 8-bit", "w8a16"),
        ("awq 4-bit (marlin)", "awq"),
        ("fp8 per-tensor", "fp8"),
        ("int8 w8a8", "int8"),
        ("GGUF Q4_K_M", "q4_k_m"),
        ("amd-quark fp8", "fp8"),
        ("quark mxfp4", "mxfp4"),
        ("FP8 (compressed-tensors)", "fp8"),
        ("bf16 (merged from fp8)", "bf16"),
        ("fp8_per_channel", "fp8"),
        ("bitsandbytes 8bit", "bnb_8bit"),
        ("torch.bfloat16", "bf16"),
        ("q4_k_m.gguf", "q4_k_m"),
    ],
)
def test_a_phrase_that_names_one_format(phrase: str, name: str) -> None:
    assert weight_format(phrase).name == name


@pytest.mark.parametrize("phrase", ["bf16 fp8", "awq gptq", "int4 fp8", "hqq 4-bit", "fp8 nonsense", "", "4", "mixed"])
def test_a_phrase_that_names_none_or_two_is_refused(phrase: str) -> None:
    with pytest.raises(BadInput):
        weight_format(phrase)


def test_unknown_weight_format_names_the_field_and_candidates() -> None:
    with pytest.raises(BadInput) as caught:
        weight_format("fp9")
    assert caught.value.field == "weight_dtype"
    assert "fp8" in caught.value.nearest


@pytest.mark.parametrize(
    ("name", "size"), [("bfloat16", 2.0), ("fp8_e5m2", 1.0), ("int8", 1.0), ("q8_0", 8.5 / 8), ("fp32", 4.0)]
)
def test_kv_formats(name: str, size: float) -> None:
    assert kv_bytes(name) == size


def test_unknown_kv_format() -> None:
    with pytest.raises(BadInput, match="kv_dtype"):
        kv_bytes("tiny")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Qwen/Qwen3-8B-FP8", "fp8"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "int4"),
        ("unsloth/phi-4-bnb-4bit", "bnb_4bit"),
        ("nvidia/Llama-3.3-70B-Instruct-NVFP4", "nvfp4"),
        ("Llama-3.1-8B-Q4_K_M.gguf", "q4_k_m"),
        ("meta-llama/Meta-Llama-3-70B", None),
    ],
)
def test_format_stated_in_a_checkpoint_name(model: str, expected: str | None) -> None:
    assert format_in_name(model) == expected


LLAMA_8B = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
    "max_position_embeddings": 131072, "torch_dtype": "bfloat16",
}  # fmt: skip


@pytest.mark.parametrize(
    ("declared", "name", "bits", "attention_quantised"),
    [
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "int4", 4.125, True),
        ({"quant_method": "gptq", "bits": 3, "group_size": 128}, "int3", 3.125, True),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq", 4 + 20 / 128, True),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8", 8 + 32 / 16384, True),
        ({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}, "mxfp4", 4.25, False),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bnb_4bit", 4.127, True),
    ],
)
def test_format_of_a_configuration(
    declared: dict[str, object], name: str, bits: float, attention_quantised: bool
) -> None:
    """What is quantised follows the checkpoint's own quantization_config."""
    fmt = format_for(from_config({**LLAMA_8B, "quantization_config": declared}, "a checkpoint"), None)
    assert (fmt.name, "attention" in fmt.parts) == (name, attention_quantised)
    assert fmt.bits == pytest.approx(bits)


def test_mxfp4_of_a_model_without_experts() -> None:
    """AMD's Quark writes dense models in MXFP4 too: 4 bits and an 8-bit scale for 32 values in all linear layers, 4.25
    of 16 bits. Llama 3.1 8B: 6.98e9 such parameters and 1.05e9 of embedding and head in 16 bits make 5.40 GiB.
    """
    asked = {"model": "llama 3.1 8b", "gpu": "h100", "weight_dtype": "mxfp4"}
    assert estimate_serve(asked, load_catalogue()).weights_gib_per_gpu == pytest.approx(5.40, rel=0.02)


@pytest.mark.parametrize(
    ("asked", "engine", "version"),
    [
        ({"engine": "vLLM 0.11.0"}, "vllm", "0.11.0"),
        ({"engine": "vllm/vllm-openai:v0.11.0"}, "vllm", "0.11.0"),
        ({"engine": "TensorRT-LLM", "engine_version": "v1.2.0rc6.post3"}, "trtllm", "1.2.0rc6.post3"),
        ({"engine": "llama.cpp"}, "llama.cpp", None),
        ({"engine_version": "n/a", "weight_dtype": "None", "kv_dtype": "default"}, "vllm", None),
        ({"engine_version": "nightly-20260402"}, "vllm", "nightly-20260402"),
    ],
)
def test_engine_and_version_as_tables_write_them(asked: dict[str, str], engine: str, version: str | None) -> None:
    result = estimate_serve({"model": "llama 3.1 8b", "gpu": "h100"} | asked, load_catalogue())
    assert (result.engine, result.engine_version) == (engine, version)
