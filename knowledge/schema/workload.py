"""The record of a kind of use: the load that a first sizing assumes for it."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Count, Entry, Named, Positive


class TokenLengths(Frozen):
    """Tokens of a request: mean for throughput and cache, p95 for the latency band, max for the fit."""

    mean: Positive
    p95: Positive
    max: Positive

    @model_validator(mode="after")
    def _ordered(self) -> TokenLengths:
        if not self.mean <= self.p95 <= self.max:
            raise ValueError("mean <= p95 <= max is needed")
        return self


class Range(Frozen):
    """Low, likely and high of a quantity."""

    low: Positive
    likely: Positive
    high: Positive


class Workload(Named):
    """A kind of use. Shares are of registered users at the busiest time.

    ``active_share`` use it in the peak hour; ``in_flight_share`` have a request running at the same moment.
    ``calls_per_request`` model calls follow one action of a user (agents call tools in a loop). ``engine_share`` of the
    engine's own rate is left where work around it holds it up. A target that is unknown does not apply (batch work is
    sized by its deadline).
    """

    description: str
    input_tokens: Cited[TokenLengths]
    output_tokens: Cited[TokenLengths]
    ttft_ms: Cited[Positive] = UNKNOWN
    tpot_ms: Cited[Positive] = UNKNOWN
    active_share: Cited[Range] = UNKNOWN
    in_flight_share: Cited[Range] = UNKNOWN
    requests_per_active_user_per_h: Cited[Range] = UNKNOWN
    calls_per_request: Cited[Positive] = UNKNOWN
    peak_factor: Cited[Positive] = UNKNOWN
    prefix_cached_share: Cited[Positive] = UNKNOWN
    engine_share: Cited[Positive] = UNKNOWN
    context_tokens: Cited[Count] = UNKNOWN
    note: str | None = None


class Throughput(Entry):
    """A published rate of one GPU for work that is not counted in output tokens.

    ``rate`` is in seconds of audio a second (speech; one live stream is one), tokens a second (embedding, reranking) or
    pages a second (OCR). Models of one ``family`` stand for one another; ``live`` audio comes in real time,
    ``batch`` audio lies there already and many pieces of it are read at once, ``file`` is one file at a time.
    """

    task: Literal["asr_batch", "asr_file", "asr_live", "tts_live", "embedding", "ocr"]
    family: str
    model: str
    params_b: Positive
    gpu: str
    engine: str | None = None
    rate: Cited[Positive]
    tokens_per_text: Positive | None = None
    conditions: str
