"""From a brief to what a model must serve: lengths, requests in flight or a second, audio, batches, other terms."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from assistant.interview.brief import Status, Value
from assistant.planning.demands.models import ModelUse
from assistant.planning.view import Answers, Known
from assistant.sizing.load import Band, Lengths, patient_ttft_ms
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Text, say

CONTEXT_SHARE = 0.25
"""Share of a stated context that prompts are assumed to fill on average; our judgement, replaceable by lengths."""

FEW_USERS = 10
"""So few people may all ask at once: the high end takes them to."""

BY_DOCUMENT = frozenset({"batch", "ocr", "embeddings", "summarising"})
"""Workloads in which a document (a page, a passage) is one request, so that a stock of them is a batch."""

READ_ONCE = frozenset({"ocr", "batch", "summarising"})
"""Workloads that work a document off and never look it up again, so that no vector index is kept."""

BATCH_DAYS = 7.0
"""A stock of documents without a date, as the question assumes."""

PASSAGES = frozenset({"embeddings", "reranking"})
"""Work on passages, whose lengths are their own whatever the prompts of the system around it are."""

KIND_OF_MODEL = {"diffusion": "image_generation", "asr": "speech", "embedding": "embeddings", "reranker": "reranking"}
"""What a model can only be used for, whatever the workload is called."""

AudioTask = Literal["asr_batch", "asr_live", "tts_live"]


class Batch(Frozen):
    """Requests without anybody waiting, to be done within ``hours``."""

    requests: Band
    hours: float


class ServingDemand(Frozen):
    """A model that must serve: lengths in tokens, requests in flight (or a second) at the peak, targets in ms.

    ``batch`` takes the place of a load at the peak; ``audio`` is what a speech model does, its requests in flight being
    streams or seconds of audio a second. ``slices``: on MIG instances, at least one for each of ``tenants``. ``group``:
    the group of the brief that it serves, where there are several. ``ttft_ms`` is the target of prompts of
    ``usual_tokens``; see ``patience``.
    """

    kind: str
    model: ModelUse
    weight_dtype: str | None
    kv_dtype: str
    context: int | None
    input_tokens: Lengths
    input_tokens_low: Lengths
    input_tokens_high: Lengths
    output_tokens: Lengths
    in_flight: Band | None
    requests_per_s: Band | None
    ttft_ms: float | None
    tpot_ms: float | None
    users_total: float | None
    usual_tokens: float = 0.0
    stated_targets: tuple[str, ...] = ()
    notes: tuple[Text, ...] = ()
    prefix_cached_share: float = 0.0
    draft_tokens: int | None = None
    acceptance: float | None = None
    lora_adapters: int | None = None
    lora_rank: int = 16
    calls_per_request: float = 1.0
    engine_share: float = 1.0
    batch: Batch | None = None
    audio: AudioTask | None = None
    slices: bool = False
    tenants: int = 1
    group: str | None = None

    def prompts(self, at: Literal["low", "likely", "high"]) -> Lengths:
        """Prompt lengths at the low, likely or high end."""
        return {"low": self.input_tokens_low, "high": self.input_tokens_high}.get(at, self.input_tokens)

    def patience(self, prompt: Lengths) -> float | None:
        """The TTFT wanted of such prompts: as stated, else longer for prompts beyond those it is usual for."""
        if self.ttft_ms is None or "ttft_ms" in self.stated_targets:
            return self.ttft_ms
        return patient_ttft_ms(self.ttft_ms, prompt.mean, self.usual_tokens)


def serving_demands(
    brief: Answers, models: tuple[ModelUse, ...], workload: str, catalogue: Catalogue
) -> tuple[ServingDemand, ...]:
    """The demand of each model of a completed brief."""
    return tuple(_with_patience(_serving(brief, model, models, workload, catalogue)) for model in models)


def drafted(brief: Answers) -> bool:
    """Whether speculative decoding is told with a measured acceptance; without one no gain is counted."""
    return bool(brief.value("draft_tokens") and brief.value("draft_acceptance"))


def _serving(
    brief: Answers, model: ModelUse, models: tuple[ModelUse, ...], workload: str, catalogue: Catalogue
) -> ServingDemand:
    kind = _kind(model, models, workload)
    share, divided = _share(model, models, workload)
    in_flight, rate = _load(brief, share)
    audio, audio_load, heard = _audio(brief, kind)
    low, likely, high, filled = _own_inputs(brief, kind, workload, catalogue) or _inputs(brief)
    return ServingDemand(
        kind=kind,
        model=model,
        weight_dtype=brief.value("weight_dtype"),
        kv_dtype=str(brief.value("kv_dtype") or "auto"),
        context=int(brief.value("context_tokens")) if brief.value("context_tokens") else None,
        input_tokens=likely,
        input_tokens_low=low,
        input_tokens_high=high,
        output_tokens=Lengths.of(brief.value("output_tokens") or 300, "output_tokens"),
        in_flight=audio_load or in_flight,
        requests_per_s=None if audio_load else rate,
        ttft_ms=_number(brief.value("ttft_ms")),
        tpot_ms=_number(brief.value("tpot_ms")),
        users_total=_number(brief.value("users_total")),
        usual_tokens=_usual_tokens(kind, catalogue),
        stated_targets=tuple(field for field in ("ttft_ms", "tpot_ms") if brief.stated(field)),
        notes=(*divided, *filled, *heard, *_too_long(brief, model)),
        batch=_batch(brief, kind, share),
        audio=audio,
        calls_per_request=_calls(kind, catalogue),
        engine_share=_engine_share(kind, catalogue),
        slices=brief.stated("isolation") and brief.value("isolation") == "mig",
        tenants=int(brief.value("tenants") or 1),
        prefix_cached_share=float(brief.value("prefix_cached_share") or 0.0),
        draft_tokens=int(brief.value("draft_tokens")) if drafted(brief) else None,
        acceptance=float(brief.value("draft_acceptance")) if drafted(brief) else None,
        lora_adapters=int(brief.value("lora_adapters")) if brief.value("lora_adapters") else None,
        lora_rank=int(brief.value("lora_rank") or 16),
    )


def _with_patience(demand: ServingDemand) -> ServingDemand:
    """The demand with a note where prompts are so long that more than the usual wait is assumed."""
    wanted = demand.patience(demand.input_tokens)
    if wanted == demand.ttft_ms or wanted is None or demand.batch is not None or demand.audio is not None:
        return demand
    note = say("planning.patient", wanted=wanted / 1000, tokens=demand.input_tokens.mean)
    return demand.model_copy(update={"notes": (*demand.notes, note)})


def _usual_tokens(kind: str, catalogue: Catalogue) -> float:
    """The prompt that the targets of a kind of use were made for."""
    preset = catalogue.entries("workloads").get(kind)
    return float(preset.input_tokens.value.mean) if preset is not None else 0.0


def _kind(model: ModelUse, models: tuple[ModelUse, ...], workload: str) -> str:
    """What a model does: of a speech system named with its parts, the language model converses."""
    own = KIND_OF_MODEL.get(model.kind)
    if own is None and workload == "speech" and any(KIND_OF_MODEL.get(one.kind) == "speech" for one in models):
        return "chat"
    return own or workload


def _share(model: ModelUse, models: tuple[ModelUse, ...], workload: str) -> tuple[float, tuple[str, ...]]:
    """A model's share of the requests: models of one role divide them, those of several roles each see them all."""
    if len(models) == 1:
        return 1.0, ()
    role = _kind(model, models, workload)
    peers = [one for one in models if _kind(one, models, workload) == role]
    if len(peers) == 1:
        return 1.0, ("each request is taken to pass through all models named",)
    return 1.0 / len(peers), (
        f"{len(peers)} models were named for the same work: the load is taken to be divided evenly between them",
    )


def _calls(kind: str, catalogue: Catalogue) -> float:
    """Model calls that one request makes of a reranker: it scores every passage that was found."""
    preset = catalogue.entries("workloads").get(kind)
    calls = preset.calls_per_request.value if preset is not None else None
    return float(calls) if kind == "reranking" and calls else 1.0


def _engine_share(kind: str, catalogue: Catalogue) -> float:
    """What is left of the engine's rate where rendering and the like hold it up; all of it where nothing is known."""
    preset = catalogue.entries("workloads").get(kind)
    return float(preset.engine_share.value or 1.0) if preset is not None else 1.0


def _audio(brief: Answers, kind: str) -> tuple[AudioTask | None, Band | None, tuple[str, ...]]:
    """What a speech model does; the load of recordings is their length over the hours in which they are worked off."""
    if kind != "speech":
        return None, None, ()
    if brief.value("speech_task") == "synthesis":
        return "tts_live", None, ()
    hours = brief.get("audio_hours_per_day")
    if hours.value is None:
        return "asr_live", None, ("no hours of recordings were named: people are taken to speak live",)
    return "asr_batch", _times(band(hours), 1 / 24), ()


def _batch(brief: Answers, kind: str, share: float) -> Batch | None:
    documents = brief.get("documents")
    if documents.value is None or kind not in BY_DOCUMENT:
        return None
    if any(brief.stated(field) for field in ("requests_per_s", "users_concurrent")):
        return None
    stated = not brief.stated("batch_days") and brief.stated("deadline_days")
    days = brief.value("deadline_days" if stated else "batch_days") or BATCH_DAYS
    return Batch(requests=_times(band(documents), share), hours=24 * float(days))


def _too_long(brief: Answers, model: ModelUse) -> tuple[str, ...]:
    most, asked = model.architecture.max_context if model.architecture else None, brief.value("context_tokens")
    if most is None or asked is None or int(asked) <= most:
        return ()
    return (f"{model.name} was made for {most:,} tokens of context, {int(asked):,} are asked for",)


Inputs = tuple[Lengths, Lengths, Lengths, tuple[str, ...]]
"""Prompt lengths low, likely and high, and what was taken for granted in them."""


def _own_inputs(brief: Answers, kind: str, workload: str, catalogue: Catalogue) -> Inputs | None:
    """Lengths of what reads passages, unless they were stated for it; None for everything else."""
    preset = catalogue.entries("workloads").get(kind) if kind in PASSAGES else None
    if preset is None or (kind == workload and brief.stated("input_tokens")):
        return None
    lengths = Lengths.of(preset.input_tokens.value.model_dump(), "input_tokens")
    return lengths, lengths, lengths, ()


def _inputs(brief: Answers) -> Inputs:
    """Prompt lengths low, likely and high. A stated context without lengths means that people want to use it."""
    likely = Lengths.of(brief.value("input_tokens") or 1000, "input_tokens")
    context = brief.value("context_tokens")
    if context is None or not brief.stated("context_tokens") or brief.stated("input_tokens"):
        return likely, likely, likely, ()
    room = max(1.0, float(context) - float((brief.value("output_tokens") or {"mean": 300}).get("mean", 300)))
    wider = max(likely.mean, room * CONTEXT_SHARE)
    filled = Lengths(mean=wider, p95=max(wider, 0.75 * room), max=max(wider, room))
    note = (
        f"a context of {context:,} tokens was stated and no lengths: prompts are assumed to fill a quarter of it, "
        "and half of it at the high end"
    )
    return likely, filled, Lengths(mean=max(wider, 2 * CONTEXT_SHARE * room), p95=max(wider, room), max=room), (note,)


def _number(value: Value) -> float | None:
    return None if value is None else float(value)


def _load(brief: Answers, share: float) -> tuple[Band | None, Band | None]:
    """Requests in flight and a second. A number stated in either form wins over users times a ratio."""
    concurrent, rate = brief.get("users_concurrent"), brief.get("requests_per_s")
    if concurrent.value is not None:
        return _times(band(concurrent), share), None
    if rate.value is not None:
        return None, _times(band(rate), share)
    users, active = brief.get("users_total"), brief.get("active_share")
    if users.value is None:
        return Band(low=1, likely=1, high=1), None
    people = band(users)
    part = Band(low=1, likely=1, high=1) if active.value is None else _nearer(active)
    high = max(people.high * part.high, min(people.high, FEW_USERS))
    product = Band(low=people.low * part.low, likely=people.likely * part.likely, high=high)
    return _times(product, share), None


def _nearer(share: Known) -> Band:
    """The share of people at once for three plans to choose from: half way to the ends of what is only assumed.

    Lean and roomy at the ends themselves would be a choice between 8 and 336 GPUs; the ends stand with the question.
    """
    told = band(share)
    if share.status is Status.STATED:
        return told
    return Band(low=sqrt(told.low * told.likely), likely=told.likely, high=sqrt(told.high * told.likely))


def band(answer: Known) -> Band:
    """An answer as low, likely and high; a value stated as one number is all three."""
    likely = float(answer.value)
    return Band(
        low=min(likely, answer.low if answer.low is not None else likely),
        likely=likely,
        high=max(likely, answer.high if answer.high is not None else likely),
    )


def _times(load: Band, share: float) -> Band:
    return Band(low=load.low * share, likely=load.likely * share, high=load.high * share)
