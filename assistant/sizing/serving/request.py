"""Request and result of a serving estimate, as the command line and other callers see them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeAlias, TypedDict

from pydantic import Field, ValidationError, ValidationInfo, WithJsonSchema, field_validator, model_validator

from assistant.sizing.load import MOST_TOKENS, Lengths
from assistant.sizing.possible import Possible
from knowledge.architecture import ModelArchitecture
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Message

MOST_GPUS = 1_000_000
"""More GPUs are taken for a slip."""
NAMED_CHOICES = ("engine", "engine_version", "weight_dtype", "kv_dtype")
LEFT_OUT = frozenset({"auto", "default", "none", "null", "nan", "n/a", "-", "unknown"})
"""How tables and engines write that a choice is left to the engine."""
_VERSION = re.compile(r"(?:^|[\s:@=/_-])v?(\d+\.\d[\w.+-]*)\s*$", re.IGNORECASE)
"""A version at the end of a name, a tag or a container's: "vllm/vllm-openai:v0.11.0"."""


_TOKENS = {"type": "number", "exclusiveMinimum": 0}
AcceptedLengths = Annotated[
    Lengths,
    WithJsonSchema(
        {
            "description": "tokens: a number, or mean with p95 and max",
            "anyOf": [
                _TOKENS,
                {"type": "object", "properties": dict.fromkeys(("mean", "p95", "max"), _TOKENS), "required": ["mean"]},
            ],
        }
    ),
]


class ServeRequest(Frozen):
    """What is asked. Fields left out follow from the model, the engine and each other (see ``estimate_serve``)."""

    model: str | ModelArchitecture
    gpu: str
    gpus: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    tensor_parallel: int | None = Field(default=None, ge=1, le=1024)
    pipeline_parallel: int | None = Field(default=None, ge=1, le=1024)
    attention_data_parallel: int = Field(default=1, ge=1, le=1024)
    data_parallel: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    expert_parallel: int = Field(default=1, ge=1, le=4096)
    decode_context_parallel: int = Field(default=1, ge=1, le=1024)
    engine: str = "vllm"
    engine_version: str | None = None
    weight_dtype: str | None = None
    kv_dtype: str = "auto"
    context: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    memory_share: float | None = Field(default=None, gt=0, le=1)
    max_batched_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)
    max_sequences: int | None = Field(default=None, ge=1, le=1_000_000)
    cuda_graphs: bool = True
    input_tokens: AcceptedLengths | None = None
    output_tokens: AcceptedLengths | None = None
    concurrency: float | None = Field(default=None, gt=0, le=1e9, allow_inf_nan=False)
    requests_per_s: float | None = Field(default=None, gt=0, le=1e9, allow_inf_nan=False)
    ttft_target_ms: float | None = Field(default=None, gt=0, le=1e9)
    tpot_target_ms: float | None = Field(default=None, gt=0, le=1e9)
    prefix_cached_share: float = Field(default=0.0, ge=0, lt=1)
    draft_tokens: int | None = Field(default=None, ge=1, le=32)
    acceptance: float | None = Field(default=None, ge=0, lt=1)
    draft_model: str | None = None
    lora_adapters: int | None = Field(default=None, ge=1, le=10_000)
    lora_rank: int = Field(default=16, ge=1, le=1024)
    mig_profile: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _empty_is_left_out(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        kept = {key: value for key, value in given.items() if value is not None and value != ""}
        for key in NAMED_CHOICES:
            named = kept.get(key)
            if isinstance(named, str) and named.strip().lower() in LEFT_OUT:
                del kept[key]
        return _version_apart(kept)

    @field_validator("input_tokens", "output_tokens", mode="before")
    @classmethod
    def _lengths(cls, value: object, info: ValidationInfo) -> object:
        return None if value is None else Lengths.of(value, str(info.field_name))

    @field_validator("engine_version", mode="before")
    @classmethod
    def _version_text(cls, value: object) -> object:
        text = str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        tag = _VERSION.search(text) if isinstance(text, str) else None
        return tag[1] if tag else text


def _version_apart(given: dict[str, object]) -> dict[str, object]:
    """An engine named with its version, "vLLM 0.11.0" or a container's "vllm/vllm-openai:v0.11.0", as both."""
    name = given.get("engine")
    found = _VERSION.search(name) if isinstance(name, str) else None
    if not isinstance(name, str) or not found or not name[: found.start()].strip():
        return given
    return {"engine_version": found[1]} | given | {"engine": name[: found.start()].rsplit("/", 1)[-1].strip(" =")}


def check_together(request: ServeRequest) -> None:
    """Raises ``BadInput`` for fields that exclude or need each other."""
    if request.concurrency is not None and request.requests_per_s is not None:
        raise BadInput("requests_per_s", request.requests_per_s, "either concurrency (closed loop) or a rate (open)")
    if request.acceptance is not None and request.draft_tokens is None:
        raise BadInput("draft_tokens", None, "the tokens drafted a step, of which the acceptance is measured")
    if request.decode_context_parallel > 1 and request.tensor_parallel is None:
        expected = "a stated tensor_parallel: decode context ranks are among the tensor ranks"
        raise BadInput("tensor_parallel", None, expected)
    if request.context is not None and request.input_tokens is not None:
        mean = math.ceil(request.input_tokens.mean + (request.output_tokens.mean if request.output_tokens else 0))
        if mean > request.context:
            raise BadInput("context", request.context, f"at least {mean}, input and output tokens", [str(mean)])


def serve_request(values: Mapping[str, object]) -> ServeRequest:
    """``values`` as a request; raises ``BadInput`` naming the first field that cannot be used, or is unknown."""
    if not isinstance(values, Mapping):
        raise BadInput("request", values, "fields by name")
    try:
        return ServeRequest.model_validate(dict(values))
    except ValidationError as error:
        raise _bad_input(error) from None


def _bad_input(error: ValidationError) -> BadInput:
    first = error.errors()[0]
    field = str(first["loc"][0]) if first["loc"] else "request"
    if first["type"] == "extra_forbidden":
        known = list(ServeRequest.model_fields)
        from rapidfuzz import fuzz, process  # needed only once a name has missed

        near = [name for name, _, _ in process.extract(field, known, scorer=fuzz.ratio, limit=3)]
        return BadInput(field, first["input"], f"not a field; known are {', '.join(known)}", near)
    return BadInput(field, first.get("input"), str(first["msg"]).lower())


class TriedFix(Frozen):
    """One change that was tried by the same arithmetic."""

    change: Message
    fits: bool


Setting: TypeAlias = str | int | float | None
"""A value of a request's field that a fix sets; None leaves it out."""


class NearestFix(Frozen):
    """The cheapest change that fits: in words, and as request fields to set. None of them where nothing fitted."""

    change: Message | None
    set: dict[str, Setting]
    tried: tuple[TriedFix, ...]


class MemoryFields(TypedDict):
    """The part of a ``ServeResult`` that is known without a load."""

    fits: bool
    weights_fit: bool
    why_not: Message | None
    nearest_fix: NearestFix | None
    model: str
    gpu: str
    mig_profile: str | None
    gpus: int
    tensor_parallel: int
    pipeline_parallel: int
    attention_data_parallel: int
    data_parallel: int
    expert_parallel: int
    decode_context_parallel: int
    engine: str
    engine_version: str | None
    weight_dtype: str
    kv_dtype: str
    context: int | None
    memory_share: float | None
    weights_gib_per_gpu: float
    activation_gib_per_gpu: float
    overhead_gib_per_gpu: float
    kv_cache_gib_per_gpu: float
    kv_cache_gib_per_gpu_low: float
    kv_cache_gib_per_gpu_high: float
    kv_bytes_per_token_per_gpu: float
    kv_cache_tokens: int
    max_concurrency: float | None
    validated: bool
    notes: tuple[Message, ...]


class TimeFields(TypedDict, total=False):
    """The part of a ``ServeResult`` that a load adds."""

    ttft_ms: float | None
    ttft_ms_p10: float | None
    ttft_ms_p90: float | None
    tpot_ms: float | None
    tpot_ms_p10: float | None
    tpot_ms_p90: float | None
    request_latency_s: float | None
    request_latency_s_p10: float | None
    request_latency_s_p90: float | None
    output_tokens_per_s: float | None
    output_tokens_per_s_p10: float | None
    output_tokens_per_s_p90: float | None
    output_tokens_per_s_per_gpu: float | None
    output_tokens_per_s_per_gpu_p10: float | None
    output_tokens_per_s_per_gpu_p90: float | None
    queued_share: float | None
    in_flight: float | None
    utilisation: float | None
    served_requests_per_s: float | None
    bound: str | None
    basis: str | None
    targets_met: bool | None


class ServeResult(Possible):
    """The answer. A figure that cannot be known is None; those of memory are given also when it does not fit."""

    SIGNED: ClassVar = frozenset(
        {"kv_cache_gib_per_gpu", "kv_cache_gib_per_gpu_low", "kv_cache_gib_per_gpu_high"}  # below zero: what is missing
    )
    ABOVE_ZERO: ClassVar = True

    fits: bool
    weights_fit: bool
    why_not: Message | None = None
    nearest_fix: NearestFix | None = None
    model: str
    gpu: str
    mig_profile: str | None = None
    gpus: int
    tensor_parallel: int
    pipeline_parallel: int
    attention_data_parallel: int
    data_parallel: int
    expert_parallel: int
    decode_context_parallel: int
    engine: str
    engine_version: str | None
    weight_dtype: str
    kv_dtype: str
    context: int | None
    memory_share: float | None
    weights_gib_per_gpu: float
    activation_gib_per_gpu: float
    overhead_gib_per_gpu: float
    kv_cache_gib_per_gpu: float
    kv_cache_gib_per_gpu_low: float
    kv_cache_gib_per_gpu_high: float
    kv_bytes_per_token_per_gpu: float
    kv_cache_tokens: int
    max_concurrency: float | None
    ttft_ms: float | None = None
    ttft_ms_p10: float | None = None
    ttft_ms_p90: float | None = None
    tpot_ms: float | None = None
    tpot_ms_p10: float | None = None
    tpot_ms_p90: float | None = None
    request_latency_s: float | None = None
    request_latency_s_p10: float | None = None
    request_latency_s_p90: float | None = None
    output_tokens_per_s: float | None = None
    output_tokens_per_s_p10: float | None = None
    output_tokens_per_s_p90: float | None = None
    output_tokens_per_s_per_gpu: float | None = None
    output_tokens_per_s_per_gpu_p10: float | None = None
    output_tokens_per_s_per_gpu_p90: float | None = None
    queued_share: float | None = None
    in_flight: float | None = None
    utilisation: float | None = None
    served_requests_per_s: float | None = None
    bound: str | None = None
    basis: str | None = None
    targets_met: bool | None = None
    validated: bool = True
    notes: tuple[Message, ...] = ()
