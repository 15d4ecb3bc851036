"""Weights of one GPU against start-up logs that hold what parameters alone do not: tables, towers, padding."""

from __future__ import annotations

from functools import lru_cache

import pytest

from assistant.sizing.serving.memory.engine_budget import GIB
from assistant.sizing.serving.memory.weights import Layout, format_for, weight_bytes_per_gpu
from assistant.sizing.serving.parts.shape import served_shape
from knowledge.architecture import architecture_of, from_config
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _weights_gib(model: str, dtype: str | None, tensor: int, engine: str = "vllm") -> float:
    architecture = architecture_of(_catalogue().model(model))
    shape = served_shape(architecture, _catalogue())
    return weight_bytes_per_gpu(shape, format_for(architecture, dtype), Layout(tensor), engine) / GIB


@pytest.mark.parametrize(
    ("model", "dtype", "tensor", "printed_gib"),
    [
        # "Model loading took" of vLLM 0.19 on H100 (llm-d-planner pull request 205), to within 1 %.
        # Rotations are tabulated for 10,485,760 positions x 128 in 16 bits = 2.5 GiB, and the tower is divided.
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "bf16", 4, 53.12),
        # Linear scaling by 8: 1,048,576 positions x 256 in 16 bits = 0.5 GiB.
        ("google/gemma-3-12b-it", "bf16", 1, 23.31),
        # Pixtral's tower stays whole: 11.4 GiB without it and 0.41 GiB more a rank.
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "bf16", 4, 11.86),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", "bf16", 2, 22.80),
        ("ibm-granite/granite-3.1-2b-instruct", "bf16", 1, 4.74),
        # Marlin's padding of 2,880: hidden to 3,072, width to 2,944 (one rank) or 1,536 (half). vLLM issue 23278.
        ("openai/gpt-oss-120b", "mxfp4", 1, 65.97),
        ("openai/gpt-oss-20b", "mxfp4", 2, 7.01),
    ],
)
def test_weights_as_printed(model: str, dtype: str, tensor: int, printed_gib: float) -> None:
    assert _weights_gib(model, dtype, tensor) == pytest.approx(printed_gib, rel=0.01)


def test_linear_scaling_in_a_config_stretches_the_table_of_rotations() -> None:
    """1,000 positions x 8 x head width 64."""
    config = {
        "model_type": "llama",
        "hidden_size": 512,
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
        "num_key_value_heads": 8,
        "intermediate_size": 1024,
        "vocab_size": 1000,
        "max_position_embeddings": 1000,
    }
    assert from_config(config, "plain").rope_values == 1000 * 64
    assert from_config(config | {"rope_scaling": {"type": "linear", "factor": 8.0}}, "x").rope_values == 8000 * 64
    assert from_config(config | {"partial_rotary_factor": 0.25}, "quarter").rope_values == 1000 * 16
    assert from_config(config | {"rope_scaling": {"type": "linear", "factor": "8"}}, "x").rope_values == 1000 * 64
