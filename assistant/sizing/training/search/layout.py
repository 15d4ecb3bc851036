"""Choice of a training layout: every sensible split of the GPUs, memory first, then speed."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.training.arithmetic.memory import TrainMemory
from assistant.sizing.training.parts.plan import Plan, Sharding
from assistant.sizing.training.search.settle import least_recompute, settle
from assistant.sizing.training.search.wishes import Candidate, Search, Wanted, divisors

LOCAL_SEQUENCE = 8192
"""Context parallelism is tried where a rank would otherwise hold more tokens of one sequence than this."""
MAX_MICRO_BATCH = 16
"""The largest micro-batch that is tried."""
ABOUT_AS_FAST = 0.015
"""Differences in speed that the model cannot tell: of such layouts the simplest is chosen."""
REFINED = 12
"""Splits, best first, for which larger micro-batches are tried."""
FSDP_RANKS = 512
"""ZeRO-3 is chosen up to as many ranks as the largest published run that the speeds are fitted on."""


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


def smallest(search: Search, wanted: Wanted, default_batch: int) -> Iterator[tuple[Plan, TrainMemory]]:
    """Every split at its smallest micro-batch, with its memory; a split that does not divide the batch is left out.

    A layout that was stated may spread its gradients too where the distributed optimizer alone does not fit, as Llama
    3's runs did.
    """
    for split in _splits(search, wanted):
        sizes = _micro_batches(wanted, split.data)
        if sizes:
            settled = settle(search, wanted, split, sizes[0], default_batch)
            plan, memory = least_recompute(search, wanted, settled)
            stated = wanted.tensor and wanted.pipeline and not wanted.sharding
            if memory.device > search.available and stated and plan.sharding is Sharding.ZERO1:
                plan, memory = least_recompute(search, wanted, settled._replace(sharding=Sharding.ZERO2))
            yield plan, memory


def any_fits(search: Search, wanted: Wanted, default_batch: int) -> bool:
    """Whether some layout fits."""
    return any(memory.device <= search.available for _, memory in smallest(search, wanted, default_batch))


def _larger(search: Search, wanted: Wanted, found: Candidate, default_batch: int) -> Iterator[Candidate]:
    """The same split with larger micro-batches, while they fit."""
    for size in _micro_batches(wanted, found.plan.data)[1:]:
        settled = settle(search, wanted, found.plan, size, default_batch)
        plan, memory = least_recompute(search, wanted, settled, found.memory)
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
    return _distinct(_simplest_first(sorted(fitting + more, key=_rank)), keep), None


def _rank(found: Candidate) -> tuple[float, int]:
    """Fastest first; of equals the one that cuts the model least."""
    return -found.tokens_per_s, _cuts(found.plan)


def _cuts(plan: Plan) -> int:
    return plan.tensor * plan.pipeline * plan.context


def _simplest_first(ranked: list[Candidate]) -> list[Candidate]:
    """The same candidates, led by the one that cuts the model least of those about as fast as the fastest."""
    near = [found for found in ranked if found.tokens_per_s >= ranked[0].tokens_per_s * (1.0 - ABOUT_AS_FAST)]
    first = min(near, key=lambda found: (_cuts(found.plan), -found.tokens_per_s))
    return [first, *(found for found in ranked if found is not first)]


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
