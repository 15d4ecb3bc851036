"""Which layout serves a load best: the one left out is chosen, a poor one that was stated gets a better one proposed.

Without lengths and a load nothing tells layouts apart but what fits, and the smallest that does is taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.serving.setup import Setup, resolve
from assistant.sizing.serving.under_load import UnderLoad, under_load
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say

WORTH_SAYING = 1.2
"""How much more a layout must yield to be proposed in place of a stated one: less is within the published error."""


class Tried(NamedTuple):
    """A layout under the load: by how much it misses the targets (0: not at all) and its output tokens a second."""

    setup: Setup
    load: UnderLoad | None
    missed: float
    tokens_per_s: float

    @property
    def merit(self) -> tuple[bool, float, float]:
        """Ordered by: it starts, it comes closer to the targets, it yields more."""
        return self.setup.fits, -self.missed, self.tokens_per_s


def chosen(request: ServeRequest, catalogue: Catalogue) -> tuple[Setup, tuple[Message, ...]]:
    """The layout of ``request``, and what is said of it first: what was chosen, and what the runner-up would give.

    GPUs stated: of all layouts that fill them, the one that yields most within the targets. Not stated: the fewest
    that hold the model and, where targets are stated, meet them.
    """
    setup = resolve(request, catalogue)
    if not _open(request) or not _is_timed(request):
        return setup, ()
    options = list(_distinct([setup, *_layouts(request, setup, catalogue)]))
    if len(options) == 1:
        return setup, ()
    tried = [_tried(request, option, catalogue) for option in options]
    best = _fewest(tried) if request.gpus is None else max(tried, key=lambda one: one.merit)
    if best.load is None:
        return setup, ()
    others = [one for one in tried if one is not best and one.load is not None]
    key = "fewest" if request.gpus is None else "chosen"
    said = say(f"serving.note.{key}", layout=_named(best.setup), tokens=best.tokens_per_s)
    if not others:
        return best.setup, (said,)
    second = max(others, key=lambda one: one.merit)
    other = say("serving.note.runner_up", chosen=said, layout=_named(second.setup), tokens=second.tokens_per_s)
    return best.setup, (other,)


def better(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Message | None:
    """A layout of the same GPUs that yields clearly more than the stated one; None where none does, or nothing was
    stated.
    """
    if _open(request) or not _is_timed(request) or not setup.fits or setup.basis.gpu.slice:
        return None
    gpus = setup.layout.gpus * setup.replicas
    free = request.model_copy(
        update={"gpus": gpus, "tensor_parallel": None, "pipeline_parallel": None, "data_parallel": None}
    )
    now = _tried(request, setup, catalogue)
    if now.load is None:
        return None
    tried = [_tried(request, one, catalogue) for one in _layouts(free, setup, catalogue) if one.fits]
    best = max((one for one in tried if one.load), key=lambda one: one.merit, default=None)
    if best is None or best.missed > now.missed or best.tokens_per_s < WORTH_SAYING * now.tokens_per_s:
        return None
    first_ms = best.load.loop.timed.ttft * 1e3 if best.load else 0.0
    return say("serving.note.better", layout=_named(best.setup), tokens=best.tokens_per_s, first=first_ms)


def targets_met(request: ServeRequest, load: UnderLoad) -> bool | None:
    """Whether the likely times keep the targets; None where none is stated."""
    if request.ttft_target_ms is None and request.tpot_target_ms is None:
        return None
    return _missed(request, load) == 0.0


def _open(request: ServeRequest) -> bool:
    return request.tensor_parallel is None and request.mig_profile is None


def _is_timed(request: ServeRequest) -> bool:
    return bool(request.input_tokens and request.output_tokens and (request.concurrency or request.requests_per_s))


def _layouts(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Iterator[Setup]:
    """Powers of two of tensor ranks within a node, replicas on the rest; attention ranks of their own for experts
    behind a single key-value head, whose cache tensor ranks would only copy.
    """
    node, data = setup.basis.gpu.node_gpus, request.attention_data_parallel
    single = setup.basis.shape.is_moe and setup.basis.shape.kv_heads <= 1 and data == 1
    stages = request.pipeline_parallel or 1
    tensor = 1
    while tensor * data <= node:
        for attention in _powers(node // tensor) if single else (data,):
            yield from _filled(request, tensor, stages, attention, catalogue)
        tensor *= 2


def _powers(most: int) -> Iterator[int]:
    ranks = 1
    while ranks <= most:
        yield ranks
        ranks *= 2


def _filled(request: ServeRequest, tensor: int, stages: int, attention: int, catalogue: Catalogue) -> Iterator[Setup]:
    """The layout with as many replicas as fill the GPUs; nothing where they do not come out even."""
    replica = tensor * stages * attention
    if request.gpus is not None and request.gpus % (replica * (request.data_parallel or 1)):
        return
    replicas = request.data_parallel or (request.gpus // replica if request.gpus else 1)
    if request.gpus is not None and replicas * replica != request.gpus:
        return
    changed = {
        "gpus": None, "tensor_parallel": tensor, "pipeline_parallel": stages,
        "attention_data_parallel": attention, "data_parallel": replicas,
    }  # fmt: skip
    found = resolve(request.model_copy(update=changed), catalogue)
    if found.misfit is None:
        yield found


def _distinct(setups: list[Setup]) -> Iterator[Setup]:
    seen: set[object] = set()
    for setup in setups:
        key = setup.layout, setup.replicas
        if key not in seen and (setup.fits or not seen):
            seen.add(key)
            yield setup


def _tried(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> Tried:
    load = under_load(request, setup, catalogue) if setup.fits else None
    if load is None:
        return Tried(setup, None, math.inf, 0.0)
    return Tried(setup, load, _missed(request, load), load.tokens_per_s(request, setup.replicas))


def _missed(request: ServeRequest, load: UnderLoad) -> float:
    """The largest share by which a target is passed; 0 where all are kept."""
    if load.loop.overloaded and request.requests_per_s:
        return math.inf
    timed = load.loop.timed
    pairs = ((timed.ttft * 1e3, request.ttft_target_ms), (timed.tpot * 1e3, request.tpot_target_ms))
    return max((got / wanted - 1 for got, wanted in pairs if wanted and got > wanted), default=0.0)


def _fewest(tried: list[Tried]) -> Tried:
    """The fewest GPUs that meet the targets; the closest to them where none does."""
    closest = max(tried, key=lambda one: (one.setup.fits, -one.missed))
    within = [one for one in tried if one.load is not None and one.missed == closest.missed]
    return min(within, key=lambda one: one.setup.layout.gpus * one.setup.replicas, default=closest)


def _named(setup: Setup) -> Message:
    layout = setup.layout
    parts = [say("serving.tensor", ways=layout.tensor)]
    if layout.attention_data > 1:
        parts.append(say("serving.attention_data", ways=layout.attention_data))
    if layout.pipeline > 1:
        parts.append(say("serving.stages", stages=layout.pipeline))
    if setup.replicas > 1:
        parts.append(say("serving.replicas", replicas=setup.replicas))
    return say("serving.layout", parts=parts)


def switched_on(request: ServeRequest, setup: Setup) -> Iterator[Message]:
    """What was switched on although nobody asked: pipeline stages and attention ranks of a layout that was left out."""
    if setup.basis.tuned:
        batch = setup.basis.engine.max_batched_tokens
        yield say("serving.note.tuned", share=setup.basis.share, tokens=batch)
    if request.pipeline_parallel is None and setup.layout.pipeline > 1:
        yield say("serving.note.stages_on", stages=setup.layout.pipeline)
    if request.attention_data_parallel == 1 < setup.layout.attention_data:
        yield say("serving.note.attention_data_on", ways=setup.layout.attention_data)
