"""Embedding and reranking: encoders read a text once, so their rate is that of a prefill.

A roofline without a calibration of its own: nothing measured was fitted, the band is wide and the basis says
extrapolated. Short texts and Python in front of the GPU cost more than arithmetic; long ones come near it.
"""

from __future__ import annotations

from pydantic import Field

from assistant.sizing.dtypes import weight_format
from assistant.sizing.hardware import gpu_of
from assistant.sizing.setup import model_of
from assistant.sizing.shape import shape_of
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

LIKELY_SHARE, LOW_SHARE, HIGH_SHARE = 0.35, 0.12, 0.65
"""Share of the dense peak that encoders reach: our judgement, between a server fed in small pieces and long batches."""


class EncoderRate(Frozen):
    """Of one GPU: tokens and texts a second, likely with P10 and P90, and how it is known."""

    tokens_per_s: float
    tokens_per_s_p10: float
    tokens_per_s_p90: float
    texts_per_s: float
    texts_per_s_p10: float
    texts_per_s_p90: float
    weights_gib: float
    basis: str = "extrapolated"


class EncoderRequest(Frozen):
    """Texts (for reranking: query and passage together) of ``tokens_per_text`` tokens through ``model`` on ``gpu``."""

    model: str | ModelArchitecture
    gpu: str
    tokens_per_text: float = Field(gt=0, le=1_000_000)
    weight_dtype: str = "fp16"


def estimate_encoder(request: EncoderRequest, catalogue: Catalogue) -> EncoderRate:
    """The rate of one GPU: peak x share / FLOP a token (formula ``serving.encoder``).

    FLOP a token = 2 x parameters beside the embedding + 2 x layers x tokens x (key + value widths of all heads).
    Raises ``BadInput`` for a GPU without a 16-bit rate, and for unknown names.
    """
    gpu = gpu_of(catalogue, request.gpu)
    if not gpu.bf16:
        raise BadInput("gpu", request.gpu, "an accelerator whose 16-bit rate is known")
    shape = shape_of(model_of(catalogue, request.model))
    fmt = weight_format(request.weight_dtype)
    attention = sum(2 * count * width * request.tokens_per_text for count, width, _, _ in shape.attention_widths)
    peak = gpu.rate(fmt.compute) / (2 * shape.layer_active + attention)
    rates = {"_p10": LOW_SHARE * peak, "": LIKELY_SHARE * peak, "_p90": HIGH_SHARE * peak}
    fields = {f"tokens_per_s{edge}": rate for edge, rate in rates.items()}
    fields |= {f"texts_per_s{edge}": rate / request.tokens_per_text for edge, rate in rates.items()}
    return EncoderRate(**fields, weights_gib=shape.total * fmt.bits / 8 / 2**30)
