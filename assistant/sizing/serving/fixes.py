"""The nearest change that makes a misfit fit, found by trying cheap changes with the same arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from assistant.sizing.serving.memory.engine_budget import MODEL_ERROR_SHARE, assumed_version, versions_after
from assistant.sizing.serving.memory.weights import Layout, format_for
from assistant.sizing.serving.parts.dtypes import weight_format
from assistant.sizing.serving.parts.hardware import Gpu, gpu_of
from assistant.sizing.serving.parts.mig import sliced_gpu, slices_of
from assistant.sizing.serving.request import NearestFix, ServeRequest, Setting, TriedFix
from assistant.sizing.serving.setup import HIGH_SHARE, SMALL_BATCH, Setup, on_layout, resolve, with_basis
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say
from knowledge.shortlists import offered_as_larger

NARROWER = ("fp8", "int4")
"""Weight formats that are tried, widest first: those that checkpoints of most models are published in."""
LEAST_CONTEXT = 1024
"""Step, in tokens, of the contexts that are tried."""
MOST_REPLICA_GPUS = 64
"""The widest replica that is proposed: eight servers of eight."""
LARGER = 1.05
"""A card with less than 5 % more memory is no larger one; our judgement."""

Change = tuple[Message, dict[str, Setting], Setup]


def _newer(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Iterator[Change]:
    """A version from which on the engine starts it, where none is stated and only some do."""
    engine = setup.basis.engine
    if engine.version_known or engine.era.since == assumed_version(catalogue, engine.engine):
        return
    for version in versions_after(catalogue, engine.engine, ""):
        newer = resolve(request.model_copy(update={"engine_version": version}), catalogue)
        if newer.fits:
            yield say("serving.fix.newer", engine=engine.engine, version=version), {"engine_version": version}, newer


def _engines(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Iterator[Change]:
    """vLLM where the engine asked for does not run on the card at all."""
    if setup.basis.engine.vendors and setup.basis.gpu.vendor not in setup.basis.engine.vendors:
        fields: dict[str, Setting] = {"engine": "vllm", "engine_version": None}
        yield say("serving.fix.engine"), fields, resolve(request.model_copy(update=fields), catalogue)


def _shorter(setup: Setup, needed: float) -> Iterator[Change]:
    """The longest context in whole KiB tokens that the cache holds, where it covers the lengths asked for."""
    if setup.misfit or setup.memory.cache <= 0 or not setup.context:
        return
    low, high = 0, int(setup.context // LEAST_CONTEXT)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if setup.memory.sequences(middle * LEAST_CONTEXT) >= 1 else (low, middle - 1)
    tokens = low * LEAST_CONTEXT
    if tokens >= max(needed, LEAST_CONTEXT):
        yield say("serving.fix.context", tokens=tokens), {"context": tokens}, replace(setup, context=float(tokens))


class Knob(NamedTuple):
    """A setting of the engine that makes room: in words, and as the request's field."""

    words: Message
    fields: dict[str, Setting]


def _knobs(setup: Setup) -> tuple[Knob, ...]:
    """What can still be turned, the least felt first."""
    basis, found = setup.basis, []
    if basis.engine.era.share_of == "total" and (basis.share or 0.9) < HIGH_SHARE:
        found.append(Knob(say("serving.fix.share", share=HIGH_SHARE), {"memory_share": HIGH_SHARE}))
    if basis.engine.engine == "vllm" and basis.engine.max_batched_tokens > SMALL_BATCH:
        fields: dict[str, Setting] = {"max_batched_tokens": SMALL_BATCH}
        found.append(Knob(say("serving.fix.batch", tokens=SMALL_BATCH), fields))
    if basis.kv_dtype in ("bf16", "fp16"):
        found.append(Knob(say("serving.fix.kv_cache"), {"kv_dtype": "fp8"}))
    return tuple(found)


def _turned(request: ServeRequest, knobs: Iterable[Knob], catalogue: Catalogue) -> Change:
    """``request`` with ``knobs`` turned."""
    turned = tuple(knobs)
    fields = {name: value for knob in turned for name, value in knob.fields.items()}
    words = turned[0].words if len(turned) == 1 else say("serving.fix.together", changes=[k.words for k in turned])
    return words, fields, resolve(request.model_copy(update=fields), catalogue)


def _settings(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Iterator[Change]:
    """Every combination of settings, the smallest first."""
    knobs = _knobs(setup)
    for size in range(1, len(knobs) + 1):
        for turned in combinations(knobs, size):
            yield _turned(request, turned, catalogue)


def _also_turned(
    request: ServeRequest, setup: Setup, changes: Iterator[Change], catalogue: Catalogue
) -> Iterator[Change]:
    """Each change alone, and then with all settings that make room: hardware costs more than a setting."""
    knobs = _knobs(setup)
    for words, fields, changed in changes:
        yield words, fields, changed
        if knobs and not _roomy(changed):
            yield _turned(request, (Knob(words, fields), *knobs), catalogue)


def _narrower(setup: Setup) -> Iterator[Change]:
    for name in NARROWER:
        fmt = format_for(setup.basis.model, name)
        if weight_format(name).bits < setup.basis.fmt.bits - 0.5:
            yield (
                say("serving.fix.weights", format=name),
                {"weight_dtype": name},
                with_basis(setup, replace(setup.basis, fmt=fmt)),
            )


def _layouts(setup: Setup) -> Iterator[Layout]:
    """Wider layouts: twice the tensor ranks within a node, then more nodes by pipeline stages, to 64 GPUs."""
    at, node = setup.layout, setup.basis.gpu.node_gpus
    widest = 1
    while widest * 2 * at.attention_data <= node:
        widest *= 2
        if widest > at.tensor or setup.misfit:
            yield replace(at, tensor=widest, pipeline=1)
    stages = max(at.pipeline, 1) + (1 if at.tensor >= widest else 0)
    while stages * widest * at.attention_data <= MOST_REPLICA_GPUS:
        if stages > 1:
            yield replace(at, tensor=widest, pipeline=stages)
        stages += 1


def _wider(setup: Setup) -> Iterator[Change]:
    for layout in _layouts(setup):
        gpus = layout.gpus * setup.replicas
        words = say("serving.fix.layout", gpus=gpus, tensor=layout.tensor, pipeline=layout.pipeline)
        fields: dict[str, Setting] = {
            "gpus": gpus,
            "tensor_parallel": layout.tensor,
            "pipeline_parallel": layout.pipeline,
        }
        yield words, fields, on_layout(setup.basis, layout, setup.replicas, setup.context)


def _larger_slices(setup: Setup, catalogue: Catalogue) -> Iterator[Change]:
    """Larger MIG profiles of the same GPU, then the whole of it."""
    now = setup.basis.gpu
    for part in slices_of(catalogue.accelerator(now.id)):
        if part.memory > now.total:
            larger = sliced_gpu(catalogue, now.id, part.profile)
            yield (
                say("serving.fix.profile", profile=part.profile),
                {"mig_profile": part.profile},
                _on_card(setup, larger),
            )
    yield say("serving.fix.whole_gpu"), {"mig_profile": None}, _on_card(setup, gpu_of(catalogue, now.id))


def _on_card(setup: Setup, gpu: Gpu) -> Setup:
    return with_basis(setup, replace(setup.basis, gpu=gpu))


def _other_cards(setup: Setup, catalogue: Catalogue) -> Iterator[Change]:
    offered = [gpu_of(catalogue, card.id) for card in offered_as_larger(catalogue)]
    for gpu in sorted(offered, key=lambda gpu: gpu.memory):
        if gpu.memory > LARGER * setup.basis.gpu.memory:
            yield say("serving.fix.card", card=gpu.id, now=setup.basis.gpu.id), {"gpu": gpu.id}, _on_card(setup, gpu)


def _roomy(setup: Setup) -> bool:
    """Whether ``setup`` starts also where weights and activations are as much larger as measured ones have been."""
    memory = setup.memory
    spread = MODEL_ERROR_SHARE * (memory.weights + memory.activation)
    return setup.fits and replace(setup, memory=replace(memory, cache=memory.cache - spread)).fits


def nearest_fix(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> NearestFix:
    """The first change that fits with the margin of the measured error, cheapest kind first: shorter context,
    settings and their combinations, narrower weights, more GPUs, a larger card, each alone and with settings; where
    none has the margin, the first that fits at all. ``tried`` lists what was worked out: of each kind up to the first
    that fits.
    """
    needed = (
        request.input_tokens.max + request.output_tokens.max if request.input_tokens and request.output_tokens else 0.0
    )
    sliced = setup.basis.gpu.slice
    larger = [_larger_slices(setup, catalogue)] if sliced else [_wider(setup), _other_cards(setup, catalogue)]
    kinds = (
        _engines(request, setup, catalogue), _newer(request, setup, catalogue), _shorter(setup, needed),
        _settings(request, setup, catalogue), _also_turned(request, setup, _narrower(setup), catalogue),
        *(_also_turned(request, setup, changes, catalogue) for changes in larger),
    )  # fmt: skip
    tried: list[TriedFix] = []
    found: Change | None = None
    tight: Change | None = None
    for changes in kinds:
        for change in changes:
            fits = change[2].fits and _holds(request, change[1], catalogue)
            tried.append(TriedFix(change=change[0], fits=fits))
            tight = tight or (change if fits else None)
            if fits and _roomy(change[2]):
                found = found or change
                break
    found = found or tight
    if found is None:
        return NearestFix(change=None, set={}, tried=tuple(tried))
    return NearestFix(change=found[0], set=found[1], tried=tuple(tried))


def _holds(request: ServeRequest, fields: dict[str, Setting], catalogue: Catalogue) -> bool:
    """Whether the request with ``fields`` set fits on every version that is asked about: a fix named must be one."""
    if request.input_tokens or request.engine_version:
        return True
    return resolve(request.model_copy(update=fields), catalogue).fits
