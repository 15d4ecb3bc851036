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

GPUS_PER_NODE = 8
"""GPUs whose processes share the memory of one host, as in servers of eight."""
WORKING_BYTES = 2.0


def peaks(shape: Shape, plan: Plan, recipe: Recipe, memory: TrainMemory, available: float) -> tuple[Peak, ...]:
    """Peaks of a job beside its steady state, GPU by GPU and host by host; ``available`` bytes of one GPU.

    ``recipe`` gives the bytes a parameter that a resumable checkpoint holds.
    """
    found = [_load(shape, plan), _save(shape, recipe), _asynchronous(shape, plan, recipe)]
    if plan.sharding is Sharding.ZERO3:
        found.insert(1, _gather(shape, plan, memory, available))
    return tuple(found)


def _ranks_per_node(plan: Plan) -> int:
    return min(plan.gpus, GPUS_PER_NODE)


def _load(shape: Shape, plan: Plan) -> Peak:
    ranks, copy = _ranks_per_node(plan), WORKING_BYTES * shape.parameters
    return Peak(
        when="load",
        where="host memory of a node",
        gib=ranks * copy / GIB,
        fits=None,
        text=f"where each of the node's {ranks} processes reads all weights; {copy / GIB:.3g} GiB where one reads and "
        "sends on, next to nothing from a sharded checkpoint or on the meta device",
    )


def _gather(shape: Shape, plan: Plan, memory: TrainMemory, available: float) -> Peak:
    dense, experts = stage_parameters(shape, plan)
    whole = WORKING_BYTES * (dense + experts * plan.expert)
    need = memory.fullest.state + whole + memory.context
    return Peak(
        when="gather to save",
        where="GPU",
        gib=need / GIB,
        fits=need <= available,
        text="where a full state dict is collected on each GPU; save shards, or gather with CPU offload on rank 0, to "
        "stay at the steady state",
    )


def _save(shape: Shape, recipe: Recipe) -> Peak:
    weights, everything = WORKING_BYTES * shape.parameters, recipe.checkpoint * shape.parameters
    return Peak(
        when="save in one file",
        where="host memory of the node that writes",
        gib=everything / GIB,
        fits=None,
        text=f"with optimizer state on rank 0; {weights / GIB:.3g} GiB for the weights alone, a shard each where every "
        "rank writes its own",
    )


def _asynchronous(shape: Shape, plan: Plan, recipe: Recipe) -> Peak:
    nodes = math.ceil(plan.gpus / GPUS_PER_NODE)
    return Peak(
        when="asynchronous checkpoint",
        where="host memory of a node",
        gib=recipe.checkpoint * shape.parameters / nodes / GIB,
        fits=None,
        text="the copy that training goes on beside; twice as much where it is pinned and double-buffered",
    )
