"""``estimate_serve``: does it fit, and how fast will it be.

Memory decides whether the engine starts; the same KV capacity decides how many requests run at once, and with them
the time per token, the queue, and the time to the first token.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from assistant.sizing.serving.choice import better, chosen, switched_on, targets_met
from assistant.sizing.serving.fixes import nearest_fix
from assistant.sizing.serving.memory.engine_budget import GIB, MODEL_ERROR_SHARE, sglang_reserve_bytes
from assistant.sizing.serving.request import (
    MemoryFields,
    NearestFix,
    ServeRequest,
    ServeResult,
    TimeFields,
    check_together,
    serve_request,
)
from assistant.sizing.serving.setup import Setup, caches_by_version, resolve
from assistant.sizing.serving.speed.cells import Cell
from assistant.sizing.serving.speed.queueing import OpenLoop
from assistant.sizing.serving.speed.roofline import Timing
from assistant.sizing.serving.under_load import under_load
from assistant.sizing.serving.untested import untested
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say

UNKNOWN_VERSION_GIB = 3.0
"""Either way where the version is not known: vLLM's eras keep 38.5 or 14 bytes a sequence and vocabulary entry, which
at
1,024 sequences of Llama 3's 128,256 entries is 3.0 GiB apart."""
LEAST_RANGE_GIB = 0.5
"""Versions that differ by less are not told apart in a note; our judgement."""


def estimate_serve(
    request: ServeRequest | Mapping[str, object], catalogue: Catalogue, trace: Trace | None = None
) -> ServeResult:
    """Whether ``request`` fits and, with lengths and concurrency, its latency and throughput.

    GiB are 2^30 bytes of one GPU, milliseconds and seconds per request, tokens/s of output over all replicas. Raises
    ``BadInput`` (UnknownName, AmbiguousName) for input that cannot be used; a misfit is a result, with the nearest
    fix.
    """
    if not isinstance(request, ServeRequest):
        request = serve_request(request)
    check_together(request)
    setup, said = chosen(request, catalogue)
    memory = _memory_fields(request, setup, None if setup.fits else nearest_fix(request, setup, catalogue))
    memory["notes"] = (*said, *switched_on(request, setup), *memory["notes"])
    if not setup.basis.engine.version_known:
        _widen(memory, {} if request.input_tokens else caches_by_version(request, setup, catalogue))
    timed = under_load(request, setup, catalogue)
    times: TimeFields = {}
    if timed:
        times = _time_fields(request, setup, timed.loop, timed.cell, timed.later_s)
        times["targets_met"] = targets_met(request, timed)
        memory["notes"] += _load_notes(request, setup, timed.loop)
    result = ServeResult(**memory, **times)
    if trace is not None:
        _explain(trace, request, setup, timed.loop.timed if timed else None, result)
    return result


def advise_serve(request: ServeRequest, catalogue: Catalogue, trace: Trace | None = None) -> ServeResult:
    """``estimate_serve``, with a better layout proposed first where the stated one is poor."""
    result = estimate_serve(request, catalogue, trace)
    proposal = better(request, resolve(request, catalogue), catalogue)
    return result.model_copy(update={"notes": (proposal, *result.notes)}) if proposal else result


def _explain(trace: Trace, request: ServeRequest, setup: Setup, timed: Timing | None, result: ServeResult) -> None:
    from assistant.sizing.serving.why import note_all  # only where somebody asks

    lengths = (f"{r.mean:g}" if (r := given) else None for given in (request.input_tokens, request.output_tokens))
    load = request.concurrency or request.requests_per_s
    with trace.call("serve", result.model, result.gpu, result.gpus, *lengths, load):
        note_all(trace, setup, timed, result)


class _Times(NamedTuple):
    """What one user sees and what all get, at one edge of the band."""

    ttft_ms: float
    tpot_ms: float | None
    latency_s: float
    tokens_per_s: float


def _why_not(setup: Setup) -> Message | None:
    if setup.fits:
        return None
    if setup.misfit:
        return setup.misfit
    if setup.memory.cache <= 0:
        return say("serving.missing", missing=-setup.memory.cache / GIB)
    need = setup.memory.sequence_bytes(setup.context or 0.0)
    tokens = round(setup.context or 0.0)
    return say("serving.no_sequence", have=setup.memory.cache / GIB, tokens=tokens, need=need / GIB)


def _reserved_share(setup: Setup) -> float:
    """The share that an engine with a reserve of its own comes to (SGLang)."""
    engine, memory = setup.basis.engine, setup.basis.gpu.memory
    return round(1 - sglang_reserve_bytes(engine, memory, setup.layout) / memory, 3)


def _memory_fields(request: ServeRequest, setup: Setup, fix: NearestFix | None) -> MemoryFields:
    memory, layout, basis = setup.memory, setup.layout, setup.basis
    sequences = setup.sequences * layout.attention_data
    cache = memory.cache / GIB
    spread = MODEL_ERROR_SHARE * (memory.weights + memory.activation) / GIB
    return {
        "fits": setup.fits,
        "weights_fit": memory.weights < basis.gpu.total,
        "why_not": _why_not(setup),
        "nearest_fix": fix,
        "model": basis.model.name,
        "gpu": basis.gpu.id,
        "mig_profile": basis.gpu.slice,
        "gpus": layout.gpus * setup.replicas,
        "tensor_parallel": layout.tensor,
        "pipeline_parallel": layout.pipeline,
        "attention_data_parallel": layout.attention_data,
        "data_parallel": setup.replicas,
        "expert_parallel": layout.expert,
        "decode_context_parallel": layout.decode_context,
        "engine": basis.engine.engine,
        "engine_version": request.engine_version,
        "weight_dtype": basis.fmt.name,
        "kv_dtype": basis.kv_dtype,
        "context": int(setup.context) if setup.context else None,
        "memory_share": basis.share or basis.engine.era.memory_share.value or _reserved_share(setup),
        "weights_gib_per_gpu": memory.weights / GIB,
        "activation_gib_per_gpu": memory.activation / GIB,
        "overhead_gib_per_gpu": memory.overhead / GIB,
        "kv_cache_gib_per_gpu": cache,
        "kv_cache_gib_per_gpu_low": cache - spread,
        "kv_cache_gib_per_gpu_high": cache + spread,
        "kv_bytes_per_token_per_gpu": memory.token_bytes(setup.context or 0.0),
        "kv_cache_tokens": memory.tokens(setup.context or 0.0),
        "max_concurrency": sequences if sequences < float("inf") else None,
        "validated": next(untested(setup), None) is None,
        "notes": _notes(request, setup),
    }


def _widen(fields: MemoryFields, caches: Mapping[str, float]) -> None:
    """The range of the KV cache over the versions it may be: share, sampler peak, graphs inside the budget or not.

    A load (of a new deployment, whose version is chosen) and an engine whose versions the catalogue does not tell
    apart get 3 GiB either way.
    """
    cache = fields["kv_cache_gib_per_gpu"]
    edge = cache - fields["kv_cache_gib_per_gpu_low"] + (UNKNOWN_VERSION_GIB if len(caches) < 2 else 0.0)
    sizes = {since: size / GIB for since, size in caches.items()}
    low, high = min([cache, *sizes.values()]), max([cache, *sizes.values()])
    fields["kv_cache_gib_per_gpu_low"], fields["kv_cache_gib_per_gpu_high"] = low - edge, high + edge
    if high - low >= LEAST_RANGE_GIB:
        known = [say("serving.note.cache_of", version=s.removesuffix(".0"), size=size) for s, size in sizes.items()]
        fields["notes"] += (say("serving.note.caches", sizes=known),)


def _time_fields(request: ServeRequest, setup: Setup, load: OpenLoop, cell: Cell, later_s: float) -> TimeFields:
    """Figures with their bands; the slow end of what one user sees is that of a prompt of p95 length (``later_s``).

    Where no token follows the first there is no time between tokens.
    """
    if load.overloaded and request.requests_per_s:
        return _overloaded_fields(request, setup, load, cell)
    outputs = request.output_tokens.mean if request.output_tokens else 1.0

    def at(of_ttft: float, of_tpot: float, later: float) -> _Times:
        ttft, tpot = load.timed.ttft * of_ttft, load.timed.tpot * of_tpot
        latency = ttft + (outputs - 1) * tpot
        served = load.timed.running * setup.replicas / (latency - load.timed.wait * of_ttft)
        rate = (request.requests_per_s or served) * outputs
        return _Times((ttft + later) * 1e3, tpot * 1e3 if outputs > 1 else None, latency + later, rate)

    likely = at(1.0, 1.0, 0.0)
    fast = at(cell.ttft.low, cell.tpot.low, 0.0)
    slow = at(cell.ttft.high, cell.tpot.high, later_s * cell.ttft.high)
    gpus = setup.layout.gpus * setup.replicas
    fields: TimeFields = {
        "basis": cell.basis,
        "bound": _bound(load.timed),
        "in_flight": load.in_flight * setup.replicas,
        "queued_share": load.queued_share,
        "utilisation": load.utilisation,
        "ttft_ms": likely.ttft_ms,
        "ttft_ms_p10": fast.ttft_ms,
        "ttft_ms_p90": slow.ttft_ms,
        "tpot_ms": likely.tpot_ms,
        "tpot_ms_p10": fast.tpot_ms,
        "tpot_ms_p90": slow.tpot_ms,
        "request_latency_s": likely.latency_s,
        "request_latency_s_p10": fast.latency_s,
        "request_latency_s_p90": slow.latency_s,
        "output_tokens_per_s": likely.tokens_per_s,
        "output_tokens_per_s_p10": slow.tokens_per_s,
        "output_tokens_per_s_p90": fast.tokens_per_s,
        "output_tokens_per_s_per_gpu": likely.tokens_per_s / gpus,
        "output_tokens_per_s_per_gpu_p10": slow.tokens_per_s / gpus,
        "output_tokens_per_s_per_gpu_p90": fast.tokens_per_s / gpus,
    }
    if request.requests_per_s:
        fields["served_requests_per_s"] = load.served_per_s * setup.replicas
    return fields


def _overloaded_fields(request: ServeRequest, setup: Setup, load: OpenLoop, cell: Cell) -> TimeFields:
    """More arrives than is served: the queue and with it TTFT grow without end, so neither has a figure."""
    outputs = request.output_tokens.mean if request.output_tokens else 1.0
    served, tpot_ms = load.served_per_s * setup.replicas, load.timed.tpot * 1e3
    rate, gpus = served * outputs, setup.layout.gpus * setup.replicas
    return {
        "basis": cell.basis,
        "bound": "queue",
        "utilisation": load.utilisation,
        "served_requests_per_s": served,
        "tpot_ms": tpot_ms,
        "tpot_ms_p10": tpot_ms * cell.tpot.low,
        "tpot_ms_p90": tpot_ms * cell.tpot.high,
        "output_tokens_per_s": rate,
        "output_tokens_per_s_p10": rate / cell.tpot.high,
        "output_tokens_per_s_p90": rate / cell.tpot.low,
        "output_tokens_per_s_per_gpu": rate / gpus,
        "output_tokens_per_s_per_gpu_p10": rate / cell.tpot.high / gpus,
        "output_tokens_per_s_per_gpu_p90": rate / cell.tpot.low / gpus,
    }


def _load_notes(request: ServeRequest, setup: Setup, load: OpenLoop) -> tuple[Message, ...]:
    notes = []
    if request.requests_per_s and load.overloaded:
        served = load.served_per_s * setup.replicas
        notes.append(say("serving.note.overload", arriving=request.requests_per_s, served=served))
    elif request.requests_per_s:
        notes.append(say("serving.note.open_loop"))
    if request.draft_tokens and request.draft_model is None:
        notes.append(say("serving.note.draft"))
    if request.draft_tokens and request.acceptance is None:
        notes.append(say("serving.note.acceptance"))
    return tuple(notes)


def _bound(timed: Timing) -> str:
    """What most of the time goes to: the queue where it is over half of TTFT, else the largest part of a step."""
    parts = timed.parts
    if parts["queue"] > 0.5:
        return "queue"
    return max(("compute", "memory", "network", "latency"), key=lambda part: parts[part])


@lru_cache(maxsize=4096)
def _version_note(engine: str, since: str, stated: str | None) -> Message:
    if stated:
        return say("serving.note.version_unreleased", engine=engine, since=since, version=stated)
    return say("serving.note.version_unstated", engine=engine, since=since)


def _notes(request: ServeRequest, setup: Setup) -> tuple[Message, ...]:
    notes, basis = list[Message](), setup.basis
    if not basis.engine.version_known and basis.engine.engine == "vllm":
        notes.append(_version_note("vLLM", basis.engine.era.since, request.engine_version))
    if basis.gpu.slice:
        notes.append(say("serving.note.instances", profile=basis.gpu.slice, gpu=basis.gpu.id))
    if basis.engine.engine == "llama.cpp" and request.weight_dtype is None:
        notes.append(say("serving.note.gguf", format=basis.fmt.name.upper()))
    if basis.fmt.note:
        notes.append(say("serving.note.format", format=basis.fmt.name, what=basis.fmt.note))
    if setup.context and basis.model.max_context and setup.context > basis.model.max_context:
        notes.append(say("serving.note.long_context", tokens=basis.model.max_context))
    loaded = request.concurrency or request.requests_per_s
    if loaded and not (request.input_tokens and request.output_tokens):
        missing = "output_tokens" if request.input_tokens else "input_tokens"
        notes.append(say("serving.note.no_times", field=missing))
    notes.extend(say("serving.note.not_validated", why=reason) for reason in untested(setup))
    if not setup.graphs_fit:
        notes.append(say("serving.note.graphs", graphs=setup.memory.outside / GIB))
    if not basis.gpu.bandwidth or not basis.gpu.bf16:
        notes.append(say("serving.note.no_speed", gpu=basis.gpu.id))
    notes.extend(basis.gpu.assumed)
    notes.extend(say("serving.note.not_counted", part=part) for part in basis.model.unknown_parts)
    return tuple(notes)
