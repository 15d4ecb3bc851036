"""Embedding and reranking: encoders read a text once, so their rate is that of a prefill.

Rate = dense 16-bit peak x share / FLOP a token. The shares are those of published rates (``throughputs`` of the
catalogue): servers that feed the card well come to a third of the peak, others to a tenth. The band spans them.
"""

from __future__ import annotations

import statistics
from functools import lru_cache

from pydantic import Field

from assistant.sizing.serving.basis import model_of
from assistant.sizing.serving.parts.dtypes import weight_format
from assistant.sizing.serving.parts.mig import sliced_gpu
from assistant.sizing.serving.parts.shape import ServingShape, shape_of
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen


class EncoderRate(Frozen):
    """Of one GPU: tokens and texts a second, likely with P10 and P90, and how it is known."""

    tokens_per_s: float
    tokens_per_s_p10: float
    tokens_per_s_p90: float
    texts_per_s: float
    texts_per_s_p10: float
    texts_per_s_p90: float
    weights_gib: float
    points: tuple[str, ...]
    sources: tuple[str, ...]
    basis: str = "extrapolated"


class EncoderRequest(Frozen):
    """Texts of ``tokens_per_text`` tokens through ``model`` on ``gpu`` (or on an instance of ``mig_profile``)."""

    model: str | ModelArchitecture
    gpu: str
    tokens_per_text: float = Field(gt=0, le=1_000_000)
    weight_dtype: str = "fp16"
    mig_profile: str | None = None


def estimate_encoder(request: EncoderRequest, catalogue: Catalogue) -> EncoderRate:
    """The rate of one GPU: peak x share / FLOP a token (formula ``serving.encoder``).

    Raises ``BadInput`` for a GPU without a 16-bit rate, and for unknown names.
    """
    gpu = sliced_gpu(catalogue, request.gpu, request.mig_profile)
    if not gpu.bf16:
        raise BadInput("gpu", request.gpu, "an accelerator whose 16-bit rate is known")
    model = model_of(catalogue, request.model)
    shape, fmt = shape_of(model), weight_format(request.weight_dtype)
    peak = gpu.rate(fmt.compute) / _flop_a_token(shape, request.tokens_per_text)
    shares = _shares(catalogue)
    likely = statistics.median(share for share, _, _ in shares)
    edges = {"_p10": shares[0][0] * peak, "": likely * peak, "_p90": shares[-1][0] * peak}
    fields = {f"tokens_per_s{edge}": rate for edge, rate in edges.items()}
    fields |= {f"texts_per_s{edge}": rate / request.tokens_per_text for edge, rate in edges.items()}
    return EncoderRate(
        **fields,
        weights_gib=shape.total * fmt.bits / 8 / 2**30,
        points=tuple(ident for _, ident, _ in shares),
        sources=tuple(dict.fromkeys(source for _, _, sources in shares for source in sources)),
    )


def _flop_a_token(shape: ServingShape, tokens: float) -> float:
    """2 x parameters beside the embedding + 2 x layers x tokens x (key + value widths of all heads)."""
    attention = sum(2 * count * width * tokens for count, width, _, _ in shape.attention_widths)
    return 2 * shape.layer_active + attention


@lru_cache(maxsize=16)
def _shares(catalogue: Catalogue) -> tuple[tuple[float, str, tuple[str, ...]], ...]:
    """Share of the dense 16-bit peak that each published rate comes to, least first, with its id and sources."""
    found = []
    for point in catalogue.entries("throughputs").values():
        peak = catalogue.accelerator(point.gpu).bf16_tflops.value
        if point.task != "embedding" or peak is None:
            continue
        flop = _flop_a_token(shape_of(model_of(catalogue, point.model)), point.tokens_per_text)
        found.append((point.rate.value * flop / (peak * 1e12), point.id, point.rate.sources))
    return tuple(sorted(found))
