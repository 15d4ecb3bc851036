"""A split of the GPUs made a plan: batch, interleaving, and as little recomputation as fits."""

from __future__ import annotations

import itertools

from assistant.sizing.training.arithmetic.memory import TrainMemory
from assistant.sizing.training.parts.plan import Plan, Recompute, Schedule
from assistant.sizing.training.parts.stages import stage_layers
from assistant.sizing.training.search.wishes import Search, Wanted

BUBBLE_SHARE = 0.05
"""Stages are interleaved until the pipeline bubble is at most this share of the step."""
SPARE_PLACES = 3
"""Places for layers that may stay empty: embedding, loss, and what predicts further tokens."""


def virtual_stages(layers: int, pipeline: int, micro_batches: int, least: int = 1) -> int:
    """Fewest chunks a stage (``least`` or more) with a bubble of at most BUBBLE_SHARE, of those that cut evenly.

    Embedding and loss may stand in for a layer each, as in Llama 3's 126 layers on 128 places.
    """
    if pipeline == 1 or micro_batches % pipeline:
        return 1
    most = -(-layers // pipeline)
    ways = [v for v in range(least, most + 1) if -(-layers // (pipeline * v)) * pipeline * v - layers <= SPARE_PLACES]
    ways = ways or [1]
    enough = [v for v in ways if (pipeline - 1) / (micro_batches * v) <= BUBBLE_SHARE]
    return enough[0] if enough else ways[-1]


def settle(search: Search, wanted: Wanted, split: Plan, micro_batch: int, default_batch: int) -> Plan:
    """The split with batch and interleaving: a batch that was left out is rounded to whole micro-batches."""
    unit = split.data * micro_batch
    batch = wanted.global_batch or max(unit, round(default_batch / unit) * unit)
    plan = split._replace(micro_batch=micro_batch, global_batch=batch)
    if wanted.schedule not in (None, Schedule.INTERLEAVED):
        return plan._replace(schedule=wanted.schedule)
    least = 2 if wanted.schedule else 1
    virtual = wanted.virtual or virtual_stages(search.shape.layers, plan.pipeline, plan.micro_batches, least)
    return plan._replace(virtual=virtual, schedule=Schedule.INTERLEAVED if virtual > 1 else Schedule.ONE_F_ONE_B)


def least_recompute(
    search: Search, wanted: Wanted, plan: Plan, like: TrainMemory | None = None
) -> tuple[Plan, TrainMemory]:
    """The plan with as little recomputation as fits, or the most there is; a chunked loss is tried before more.

    ``like``: the memory of the same split with another batch.
    """
    modes = [wanted.recompute] if wanted.recompute else [Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL]
    losses = [False, True] if wanted.chunked_loss is None else [wanted.chunked_loss]
    memory: TrainMemory | None = None
    for mode, chunked in itertools.product(modes, losses):
        if chunked and len(losses) > 1 and memory is not None and not _chunking_helps(search, memory):
            continue
        plan = plan._replace(recompute=mode, chunked_loss=chunked)
        memory = search.memory(plan, memory or like)
        if memory.device <= search.available:
            break
        if mode is not modes[-1] and memory.fullest.state > search.available:
            plan = plan._replace(recompute=modes[-1], chunked_loss=losses[-1])
            return plan, search.memory(plan, memory)
    assert memory is not None
    if (
        search.partial_recompute
        and wanted.recompute is None
        and plan.recompute is Recompute.FULL
        and memory.device <= search.available
    ):
        return _fewest_redone(search, plan, memory)
    return plan, memory


def _fewest_redone(search: Search, plan: Plan, known: TrainMemory) -> tuple[Plan, TrainMemory]:
    """The plan with as few layers of a stage recomputed as fit; that all of them fit is known."""
    layers = stage_layers(search.shape, plan)
    low, high = 0, layers
    while high - low > 1:
        middle = (low + high) // 2
        tried = plan._replace(recomputed=middle / layers)
        low, high = (low, middle) if search.memory(tried, known).device <= search.available else (middle, high)
    plan = plan._replace(recomputed=high / layers)
    return plan, search.memory(plan, known)


def _chunking_helps(search: Search, memory: TrainMemory) -> bool:
    """Whether a plan that does not fit would without its logits."""
    return memory.device - memory.fullest.logits * (1.0 + memory.fragmentation) <= search.available
