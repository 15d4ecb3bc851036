"""Choice of a training layout: every sensible split of the GPUs, memory first, then speed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.sizing.training.memory import Recipe, TrainMemory, train_memory
from assistant.sizing.training.plan import Plan, Recompute, Schedule, Sharding
from assistant.sizing.training.shape import Shape
from assistant.sizing.training.speed import Machine, StepTime, step_time
from assistant.sizing.training.stages import stage_layers

LOCAL_SEQUENCE = 8192
"""Context parallelism is tried where a rank would otherwise hold more tokens of one sequence than this."""
BUBBLE_SHARE = 0.05
"""Stages are interleaved until the pipeline bubble is at most this share of the step."""
MAX_MICRO_BATCH = 16
REFINED = 12
"""Splits, best first, for which larger micro-batches are tried."""
SPARE_PLACES = 3
"""Places for layers that may stay empty: embedding, loss, and what predicts further tokens."""
FSDP_RANKS = 512
"""ZeRO-3 is chosen up to as many ranks as the largest published run that the speeds are fitted on."""


@dataclass(frozen=True)
class Wanted:
    """What the user stated of a layout; None is free."""

    gpus: int
    sequence: int
    tensor: int | None = None
    pipeline: int | None = None
    virtual: int | None = None
    schedule: Schedule | None = None
    context: int | None = None
    expert: int | None = None
    micro_batch: int | None = None
    global_batch: int | None = None
    sequence_parallel: bool | None = None
    sharding: Sharding | None = None
    recompute: Recompute | None = None
    chunked_loss: bool | None = None


@dataclass(frozen=True)
class Candidate:
    """One layout with what it needs and what it gives."""

    plan: Plan
    memory: TrainMemory
    time: StepTime

    @property
    def tokens_per_s(self) -> float:
        """Tokens a second over all GPUs."""
        return self.plan.global_batch * self.plan.sequence / self.time.total


@dataclass(frozen=True)
class Search:
    """All that a search needs: model, machine, recipe, bytes available, base plan and constants."""

    shape: Shape
    machine: Machine
    recipes: Mapping[Sharding, Recipe]
    available: float
    base: Plan
    constants: dict[str, Any]
    partial_recompute: bool = True

    def memory(self, plan: Plan) -> TrainMemory:
        """Memory of a plan."""
        return train_memory(self.shape, plan, self.recipes[plan.sharding], self.constants["memory"])

    def candidate(self, plan: Plan, memory: TrainMemory | None = None) -> Candidate:
        """Memory and time of a plan."""
        time = step_time(self.shape, plan, self.machine, self.constants["speed"])
        return Candidate(plan, memory or self.memory(plan), time)


def divisors(number: int) -> list[int]:
    """All divisors in order."""
    small = [i for i in range(1, int(number**0.5) + 1) if number % i == 0]
    return sorted({*small, *(number // i for i in small)})


def _tensor_ways(search: Search, wanted: Wanted) -> list[int]:
    if wanted.tensor:
        return [wanted.tensor]
    limit = min(search.machine.domain, search.shape.heads, wanted.gpus, 16)
    heads, gpus = search.shape.heads, wanted.gpus
    return [t for t in (1, 2, 4, 8, 16) if t <= limit and gpus % t == 0 and heads % t == 0]


def _pipeline_ways(search: Search, wanted: Wanted, rest: int) -> list[int]:
    if wanted.pipeline:
        return [wanted.pipeline] if rest % wanted.pipeline == 0 else []
    layers = search.shape.layers
    return [p for p in divisors(rest) if p <= layers and (p <= 2 or -(-layers // p) * p <= layers * 1.07) and p <= 64]


def _context_ways(wanted: Wanted, rest: int) -> list[int]:
    if wanted.context:
        return [wanted.context] if rest % wanted.context == 0 else []
    most = max(1, wanted.sequence // LOCAL_SEQUENCE) * 2
    return [c for c in (1, 2, 4, 8, 16, 32, 64) if c <= most and rest % c == 0 and (c == 1 or wanted.sequence > 4096)]


def _expert_ways(search: Search, wanted: Wanted, ranks: int) -> list[int]:
    if wanted.expert:
        return [wanted.expert] if ranks % wanted.expert == 0 else []
    experts = search.shape.experts
    if not experts:
        return [1]
    ways = [e for e in divisors(experts) if ranks % e == 0 and (e & (e - 1) == 0 or e == experts)]
    return [e for e in ways if e <= 64][-4:]


def _shardings(wanted: Wanted, pipeline: int, data: int) -> list[Sharding]:
    if wanted.sharding:
        return [wanted.sharding]
    if data == 1:
        return [Sharding.NONE]
    return [Sharding.ZERO1, Sharding.ZERO3] if pipeline == 1 and data <= FSDP_RANKS else [Sharding.ZERO1]


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


def _splits(search: Search, wanted: Wanted) -> Iterator[Plan]:
    """Plans without micro-batch and recomputation settled."""
    for tensor in _tensor_ways(search, wanted):
        rest = wanted.gpus // tensor
        if wanted.gpus % tensor:
            continue
        for pipeline in _pipeline_ways(search, wanted, rest):
            for context in _context_ways(wanted, rest // pipeline):
                data = rest // pipeline // context
                for expert in _expert_ways(search, wanted, data * context * tensor):
                    for sharding in _shardings(wanted, pipeline, data * context):
                        parallel = tensor > 1 if wanted.sequence_parallel is None else wanted.sequence_parallel
                        yield search.base._replace(
                            tensor=tensor,
                            pipeline=pipeline,
                            context=context,
                            expert=expert,
                            data=data,
                            sharding=sharding,
                            sequence_parallel=parallel,
                        )


def _micro_batches(wanted: Wanted, data: int) -> list[int]:
    if wanted.micro_batch:
        return [wanted.micro_batch]
    if wanted.global_batch is None:
        return [1, 2, 4, 8]
    return [m for m in (1, 2, 4, 8, MAX_MICRO_BATCH) if wanted.global_batch % (m * data) == 0]


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


def _least_recompute(search: Search, wanted: Wanted, plan: Plan) -> tuple[Plan, TrainMemory]:
    """The plan with as little recomputation as fits, or the most there is; a chunked loss is tried before more."""
    modes = [wanted.recompute] if wanted.recompute else [Recompute.NONE, Recompute.SELECTIVE, Recompute.FULL]
    losses = [False, True] if wanted.chunked_loss is None else [wanted.chunked_loss]
    memory: TrainMemory | None = None
    for mode, chunked in itertools.product(modes, losses):
        if chunked and len(losses) > 1 and memory is not None and not _chunking_helps(search, memory):
            continue
        plan = plan._replace(recompute=mode, chunked_loss=chunked)
        memory = search.memory(plan)
        if memory.device <= search.available:
            break
        if mode is not modes[-1] and memory.fullest.state > search.available:
            plan = plan._replace(recompute=modes[-1], chunked_loss=losses[-1])
            return plan, search.memory(plan)
    assert memory is not None
    if (
        search.partial_recompute
        and wanted.recompute is None
        and plan.recompute is Recompute.FULL
        and memory.device <= search.available
    ):
        return _fewest_redone(search, plan)
    return plan, memory


def _fewest_redone(search: Search, plan: Plan) -> tuple[Plan, TrainMemory]:
    """The plan with as few layers of a stage recomputed as fit; that all of them fit is known."""
    layers = stage_layers(search.shape, plan)
    low, high = 0, layers
    while high - low > 1:
        middle = (low + high) // 2
        tried = plan._replace(recomputed=middle / layers)
        low, high = (low, middle) if search.memory(tried).device <= search.available else (middle, high)
    plan = plan._replace(recomputed=high / layers)
    return plan, search.memory(plan)


def _chunking_helps(search: Search, memory: TrainMemory) -> bool:
    """Whether a plan that does not fit would without its logits."""
    return memory.device - memory.fullest.logits * (1.0 + memory.fragmentation) <= search.available


def smallest(search: Search, wanted: Wanted, default_batch: int) -> Iterator[tuple[Plan, TrainMemory]]:
    """Every split at its smallest micro-batch, with its memory; a split that does not divide the batch is left out.

    A layout that was stated may spread its gradients too where the distributed optimizer alone does not fit, as Llama
    3's runs did.
    """
    for split in _splits(search, wanted):
        sizes = _micro_batches(wanted, split.data)
        if sizes:
            settled = settle(search, wanted, split, sizes[0], default_batch)
            plan, memory = _least_recompute(search, wanted, settled)
            stated = wanted.tensor and wanted.pipeline and not wanted.sharding
            if memory.device > search.available and stated and plan.sharding is Sharding.ZERO1:
                plan, memory = _least_recompute(search, wanted, settled._replace(sharding=Sharding.ZERO2))
            yield plan, memory


def any_fits(search: Search, wanted: Wanted, default_batch: int) -> bool:
    """Whether some layout fits."""
    return any(memory.device <= search.available for _, memory in smallest(search, wanted, default_batch))


def _larger(search: Search, wanted: Wanted, found: Candidate, default_batch: int) -> Iterator[Candidate]:
    """The same split with larger micro-batches, while they fit."""
    for size in _micro_batches(wanted, found.plan.data)[1:]:
        plan, memory = _least_recompute(search, wanted, settle(search, wanted, found.plan, size, default_batch))
        if memory.device > search.available:
            return
        yield search.candidate(plan, memory)


def best(search: Search, wanted: Wanted, default_batch: int, keep: int = 4) -> tuple[list[Candidate], Candidate | None]:
    """The fastest layouts that fit, and where none does the one that comes closest (None: no split exists at all)."""
    fitting: list[Candidate] = []
    closest: tuple[Plan, TrainMemory] | None = None
    for plan, memory in smallest(search, wanted, default_batch):
        if memory.device <= search.available:
            fitting.append(search.candidate(plan, memory))
        elif closest is None or memory.device < closest[1].device:
            closest = (plan, memory)
    if not fitting:
        return [], search.candidate(*closest) if closest else None
    fitting.sort(key=_rank)
    more = [larger for found in fitting[:REFINED] for larger in _larger(search, wanted, found, default_batch)]
    return _distinct(sorted(fitting + more, key=_rank), keep), None


def _rank(found: Candidate) -> tuple[float, int]:
    """Fastest first; of equals the one that cuts the model least."""
    return -found.tokens_per_s, found.plan.tensor * found.plan.pipeline


def _distinct(ranked: list[Candidate], keep: int) -> list[Candidate]:
    """The first of each split, so that runners-up differ in more than their micro-batch."""
    seen: set[tuple[int, int, int, int]] = set()
    out = []
    for found in ranked:
        p = found.plan
        split = (p.tensor, p.pipeline, p.context, p.expert)
        if split not in seen:
            seen.add(split)
            out.append(found)
        if len(out) == keep:
            break
    return out
