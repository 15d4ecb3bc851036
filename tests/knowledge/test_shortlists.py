"""Parts that are looked at where nobody names one, and what the catalogue says of checkpoints' formats."""

from __future__ import annotations

import pytest

from assistant.sizing.serving.estimate import estimate_serve
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.shortlists import compared_by_default, offered_as_larger


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_parts_compared_can_be_bought_and_sized(catalogue: Catalogue) -> None:
    """A part without a memory size or a 16-bit rate cannot be compared, one without a server not be bought."""
    servers = catalogue.entries("servers").values()
    housed = {part for server in servers for part in (server.accelerator, *server.accelerator_options)}
    for card in compared_by_default(catalogue):
        assert card.id in housed, card.id
        assert card.memory_bytes.value, card.id
        assert card.bf16_tflops.value, card.id
    assert {card.vendor for card in compared_by_default(catalogue)} == {"NVIDIA", "AMD"}


def test_larger_parts_are_larger_than_the_common_one(catalogue: Catalogue) -> None:
    common = catalogue.accelerator("h100-sxm-80gb").memory_bytes.value
    assert common
    assert all((card.memory_bytes.value or 0) > common for card in offered_as_larger(catalogue))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # Model cards: FP8 in blocks of 128; MXFP4 experts; INT4 experts; Meta's FP8 leaves attention in 16 bits.
        ("deepseek-ai/DeepSeek-R1", "fp8_block"),
        ("openai/gpt-oss-120b", "mxfp4"),
        ("moonshotai/Kimi-K2-Thinking", "int4_experts"),
        ("meta-llama/Meta-Llama-3.1-405B-Instruct-FP8", "fbgemm_fp8"),
        ("Qwen/Qwen3-8B-FP8", "fp8"),
    ],
)
def test_checkpoints_are_served_in_the_format_they_are_published_in(
    model: str, expected: str, catalogue: Catalogue
) -> None:
    assert estimate_serve({"model": model, "gpu": "b200", "gpus": 8}, catalogue).weight_dtype == expected
