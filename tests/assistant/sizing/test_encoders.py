"""Embedding rates against what was published, and that they say how little is known."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.sizing.encoders import EncoderRequest, estimate_encoder
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


def test_published_rate_lies_in_the_band() -> None:
    """spheron.network on text-embeddings-inference: BGE-M3 sustains 60,000 tokens/s on one A100 80GB PCIe."""
    found = estimate_encoder(EncoderRequest(model="bge-m3", gpu="a100 pcie 80gb", tokens_per_text=512), catalogue())
    assert found.tokens_per_s_p10 < 60_000 < found.tokens_per_s_p90
    assert found.basis == "extrapolated"


def test_arithmetic_by_hand() -> None:
    """bge-large: 24 layers of 12 x 1,024^2 parameters = 302e6; with attention at 512 tokens 0.65 GFLOP a token; 70
    TFLOP/s dense of an A10G: 107 thousand tokens a second at peak.
    """
    found = estimate_encoder(EncoderRequest(model="bge-large-en-v1.5", gpu="a10g", tokens_per_text=512), catalogue())
    assert found.tokens_per_s / 0.35 == pytest.approx(107_000, rel=0.05)
    assert found.texts_per_s == pytest.approx(found.tokens_per_s / 512)


def test_unknown_card() -> None:
    with pytest.raises(BadInput):
        estimate_encoder(EncoderRequest(model="bge-m3", gpu="no such card", tokens_per_text=100), catalogue())
