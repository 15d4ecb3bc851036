"""From people to load: registered users, active share, requests, requests in flight.

Two ways lead to requests in flight. The ratio: registered users x share of them with a request in flight.
Little's law: requests in flight = request rate x time a request takes. Both are shown, so that a user can replace
either; the ratio is the largest silent factor of any sizing (published rules differ fiftyfold).
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal

from pydantic import Field

from assistant.sizing.possible import Possible
from assistant.sizing.trace import Trace
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

SECONDS_PER_HOUR = 3600.0
"""Of one hour."""
MOST_TOKENS = 100_000_000
"""Longer requests and contexts are taken for a slip: the longest published context is a tenth of it."""


class Lengths(Frozen):
    """Token lengths of a request: mean for throughput and cache, p95 for the latency band, max for the fit."""

    mean: float = Field(gt=0)
    p95: float = Field(gt=0)
    max: float = Field(gt=0)

    @classmethod
    def of(cls, value: object, field: str) -> Lengths:
        """``value`` as lengths: a number means all three; of a mapping, missing ends repeat the nearest known.

        Raises ``BadInput`` naming ``field`` where a length is not positive or mean exceeds p95 exceeds max.
        """
        if isinstance(value, Lengths):
            return value
        if isinstance(value, str):
            value = _typed(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return cls._ordered(field, float(value), float(value), float(value), value)
        if not isinstance(value, dict) or not set(value) <= {"mean", "p95", "max"} or "mean" not in value:
            raise BadInput(field, value, "a number of tokens, or an object of mean, p95 and max")
        try:
            mean = float(value["mean"])
            p95 = float(value.get("p95") or value.get("max") or mean)
            return cls._ordered(field, mean, p95, float(value.get("max") or p95), value)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(field, value, "mean, p95 and max as numbers of tokens") from None

    @classmethod
    def _ordered(cls, field: str, mean: float, p95: float, top: float, given: object) -> Lengths:
        if not (0 < mean <= p95 <= top <= MOST_TOKENS):
            raise BadInput(field, given, f"positive token counts with mean <= p95 <= max, at most {MOST_TOKENS:,}")
        return cls(mean=mean, p95=p95, max=top)


def _typed(text: str) -> float | str:
    """A number as typed on a command line, or the text itself for the error to show."""
    try:
        return float(text)
    except ValueError:
        return text


class Band(Frozen):
    """A quantity known as low, likely and high."""

    low: float = Field(ge=0)
    likely: float = Field(ge=0)
    high: float = Field(ge=0)


class LoadRequest(Frozen):
    """What is known of the demand. ``requests_in_flight`` or ``requests_per_s`` given wins over the derivation."""

    users_total: float | None = Field(default=None, gt=0)
    users_active: float | None = Field(default=None, gt=0)
    requests_in_flight: float | None = Field(default=None, gt=0)
    requests_per_s: float | None = Field(default=None, gt=0)
    active_share: float | None = Field(default=None, gt=0, le=1)
    requests_per_active_user_per_h: float | None = Field(default=None, gt=0)
    model_calls_per_request: float = Field(default=1.0, gt=0)
    peak_factor: float = Field(default=1.0, ge=1)
    in_flight_share: float | None = Field(default=None, gt=0, le=1)


class LoadResult(Possible):
    """Demand at the peak. ``ratio_in_flight_to_users`` is None where the number of users is not known."""

    users_total: float | None
    users_active: float | None
    requests_per_s: float | None
    requests_in_flight: float | None
    ratio_in_flight_to_users: float | None
    way: Literal["stated", "ratio", "little", "rate_only"]


def _active_users(request: LoadRequest) -> float | None:
    if request.users_active is not None:
        return request.users_active
    if request.users_total is None or request.active_share is None:
        return None
    return request.users_total * request.active_share


def request_rate_per_s(request: LoadRequest) -> float | None:
    """Peak model calls a second: active users x requests an hour x model calls a request x peak factor / 3600."""
    if request.requests_per_s is not None:
        return request.requests_per_s
    active = _active_users(request)
    if active is None or request.requests_per_active_user_per_h is None:
        return None
    hourly = active * request.requests_per_active_user_per_h * request.model_calls_per_request
    return hourly * request.peak_factor / SECONDS_PER_HOUR


def _in_flight(
    request: LoadRequest, rate_per_s: float | None, latency_s: float | None
) -> tuple[float | None, Literal["stated", "ratio", "little", "rate_only"]]:
    if request.requests_in_flight is not None:
        return request.requests_in_flight, "stated"
    if request.in_flight_share is not None and request.users_total is not None:
        return request.users_total * request.in_flight_share, "ratio"
    if rate_per_s is not None and latency_s is not None:
        return rate_per_s * latency_s, "little"
    return None, "rate_only"


def estimate_load(request: LoadRequest, latency_s: float | None = None, trace: Trace | None = None) -> LoadResult:
    """Requests in flight and a second at the peak.

    ``latency_s`` is the time one request takes in the engine (from the speed model); with it Little's law applies.
    """
    active = _active_users(request)
    rate = request_rate_per_s(request)
    in_flight, way = _in_flight(request, rate, latency_s)
    if rate is None and in_flight is not None and latency_s:
        rate = in_flight / latency_s
    ratio = in_flight / request.users_total if in_flight is not None and request.users_total else None
    if trace is not None:
        with trace.call("load", request.users_total, latency_s):
            trace.note(
                "requests_per_s", rate, "load.request_rate", users_active=active, peak_factor=request.peak_factor,
                requests_per_active_user_per_h=request.requests_per_active_user_per_h,
            )  # fmt: skip
            trace.note(
                "requests_in_flight", in_flight, "load.little" if way == "little" else "load.ratio",
                requests_per_s=rate, latency_s=latency_s, ratio=ratio,
            )  # fmt: skip
    return LoadResult(
        users_total=request.users_total,
        users_active=active,
        requests_per_s=rate,
        requests_in_flight=in_flight,
        ratio_in_flight_to_users=ratio,
        way=way,
    )


def peak_requests_in_flight(mean: float, percentile_z: float = 1.645) -> float:
    """Requests in flight not exceeded 95 % of the time when arrivals are Poisson: mean + z sqrt(mean), whole.

    The number in an M/G/infinity system is Poisson with the mean that Little's law gives.
    """
    return math.ceil(mean + percentile_z * math.sqrt(mean)) if mean > 0 else 0


def population_factor(people: float, anchors: tuple[tuple[float, float], ...]) -> float:
    """By how much the share of people with a request in flight is below that of a small group.

    ``anchors`` are (people, factor) in order; between two the factor lies on a line in logarithms of both, outside it
    is that of the nearest. The load itself never falls as people are added while the line is less steep than minus one.
    """
    first, last = anchors[0], anchors[-1]
    if people <= first[0]:
        return first[1]
    for (low, high_factor), (high, low_factor) in pairwise(anchors):
        if people <= high:
            slope = math.log(low_factor / high_factor) / math.log(high / low)
            return float(high_factor * (people / low) ** slope)
    return last[1]


READ_AT_ONCE_TOKENS = 4_000.0
"""Prompts up to so many tokens are waited for as the preset of their kind of use says."""

MOST_PATIENT_MS = 60_000.0
"""Nobody is assumed to wait longer for the first word of whole files: guides give 10 to 60 s for long documents."""


def patient_ttft_ms(preset_ms: float, prompt_tokens: float, usual_tokens: float = READ_AT_ONCE_TOKENS) -> float:
    """The TTFT that is assumed for a prompt where none was stated: the preset up to 4,000 tokens, or up to the
    ``usual_tokens`` that it was made for where these are more; then in proportion to the prompt, up to a minute.

    A longer prompt is a longer thing to have read, and people know it: 10,000 tokens at a preset of 3 s wait 7.5 s.
    """
    longer = max(1.0, prompt_tokens / max(READ_AT_ONCE_TOKENS, usual_tokens))
    return max(preset_ms, min(MOST_PATIENT_MS, preset_ms * longer))
