"""Memory peaks outside the steady state: loading, gathering to save, copying for an asynchronous checkpoint, offload.

Runs that fit while training still end here: a full state dict gathered on every GPU, or one whole copy of the weights
for each process of a server.
"""

from __future__ import annotations

import math

from assistant.sizing.training.arithmetic.memory import GIB, Recipe, TrainMemory
from assistant.sizing.training.parts.plan import Plan, Sharding
from assistant.sizing.training.parts.request import Peak
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.parts.stages import stage_parameters
from knowledge.message import say

GPUS_PER_NODE = 8
"""GPUs whose processes share the memory of one host, as in servers of eight."""
WORKING_BYTES = 2.0


def peaks(shape: Shape, plan: Plan, recipe: Recipe, memory: TrainMemory, available: float) -> tuple[Peak, ...]:
    """Peaks of a job beside its steady state, GPU by GPU and host by host; ``available`` bytes of one GPU.

    ``recipe`` gives the bytes a parameter that a resumable checkpoint holds.
    """
    found = [_load(shape, plan), _save(shape, recipe), _asynchronous(shape, plan, recipe)]
    if memory.fullest.step:
        found.insert(1, _step(memory, available))
    if plan.sharding is Sharding.ZERO3:
        found.insert(1, _gather(shape, plan, memory, available))
    return tuple(found)


def _ranks_per_node(plan: Plan) -> int:
    return min(plan.gpus, GPUS_PER_NODE)


def _load(shape: Shape, plan: Plan) -> Peak:
    ranks, copy = _ranks_per_node(plan), WORKING_BYTES * shape.parameters
    return Peak(
        when=say("training.peak.load"),
        where=say("training.where.host"),
        gib=ranks * copy / GIB,
        fits=None,
        text=say("training.avoid.load", ranks=ranks, copy=copy / GIB),
    )


def _gather(shape: Shape, plan: Plan, memory: TrainMemory, available: float) -> Peak:
    dense, experts = stage_parameters(shape, plan)
    whole = WORKING_BYTES * (dense + experts * plan.expert)
    need = memory.fullest.state + whole + memory.context
    return Peak(
        when=say("training.peak.gather"),
        where=say("training.where.gpu"),
        gib=need / GIB,
        fits=need <= available,
        text=say("training.avoid.gather"),
    )


def _step(memory: TrainMemory, available: float) -> Peak:
    fullest = memory.fullest
    need = (fullest.state + fullest.step + fullest.buffers) * (1.0 + memory.fragmentation) + memory.context
    return Peak(
        when=say("training.peak.step"),
        where=say("training.where.gpu"),
        gib=need / GIB,
        fits=need <= available,
        text=say("training.avoid.step"),
    )


def _save(shape: Shape, recipe: Recipe) -> Peak:
    weights, everything = WORKING_BYTES * shape.parameters, recipe.checkpoint * shape.parameters
    return Peak(
        when=say("training.peak.save"),
        where=say("training.where.writer"),
        gib=everything / GIB,
        fits=None,
        text=say("training.avoid.save", weights=weights / GIB),
    )


def _asynchronous(shape: Shape, plan: Plan, recipe: Recipe) -> Peak:
    nodes = math.ceil(plan.gpus / GPUS_PER_NODE)
    return Peak(
        when=say("training.peak.asynchronous"),
        where=say("training.where.host"),
        gib=recipe.checkpoint * shape.parameters / nodes / GIB,
        fits=None,
        text=say("training.avoid.asynchronous"),
    )
