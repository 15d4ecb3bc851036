"""From load to replicas: the smallest layout that fits, the most requests it carries within the targets, how many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.loads.replica_models import Binding, ReplicaPlan, ServeDemand, TriedLayout
from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.serving.setup import Setup, resolve
from assistant.sizing.serving.speed.roofline import Timing
from assistant.sizing.serving.timer import capacity_sequences, timer
from assistant.sizing.trace import Trace
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say
from knowledge.schema import Accelerator

MOST_REPLICA_GPUS = 64
"""The widest replica that is tried: eight servers of eight."""
MOST_CONCURRENCY = 65_536
"""More requests in flight in one replica than any engine schedules."""


@dataclass(frozen=True)
class _Option:
    """A layout with its room and, where targets cannot be met even alone, which one it misses."""

    setup: Setup
    request: ServeRequest
    carries: int
    limit: Binding
    misses: Binding | None
    best: Timing | None
    replicas: int


def plan_replicas(
    model: ModelArchitecture,
    accelerator: Accelerator | str,
    demand: ServeDemand,
    catalogue: Catalogue,
    *,
    weight_dtype: str | None = None,
    kv_dtype: str = "auto",
    engine: str = "vllm",
    gpus_per_node: int = 8,
    mig_profile: str | None = None,
    trace: Trace | None = None,
) -> ReplicaPlan:
    """The fewest GPUs that carry ``demand`` within its targets (formula ``serving.replicas``).

    Layouts: tensor parallel by powers of two within a node, pipeline stages over nodes only where no node holds the
    model; with ``mig_profile`` a replica is one instance of it, and GPUs are instances. A replica carries the most
    requests in flight at which TPOT and TTFT keep their targets. Raises ``BadInput`` where neither requests in flight
    nor a rate is given; a misfit is a plan with ``fits`` false.
    """
    if demand.requests_in_flight is None and demand.requests_per_s is None:
        raise BadInput("requests_in_flight", None, "requests in flight or requests a second at the peak")
    gpu = accelerator if isinstance(accelerator, str) else accelerator.id
    options: list[_Option] = []
    tried: list[TriedLayout] = []
    last: ServeRequest | None = None
    for tensor, stages in _layouts(gpus_per_node) if mig_profile is None else [(1, 1)]:
        if stages > 1 and options:
            break
        last = _request(model, gpu, demand, weight_dtype, kv_dtype, engine, tensor, stages, mig_profile)
        setup = resolve(last, catalogue)
        if not setup.fits:
            tried.append(TriedLayout(tensor_parallel=tensor, pipeline_parallel=stages, why_not=_unfit(setup)))
            continue
        option = _option(setup, last, demand, catalogue)
        options.append(option)
        tried.append(_as_tried(option))
        if stages > 1:
            break
    if not options:
        assert last is not None
        return _nothing_fits(_smallest(tried, last), catalogue, tried)
    return _plan(options, demand, catalogue, tried, trace)


def _layouts(gpus_per_node: int) -> Iterator[tuple[int, int]]:
    tensor = 1
    while tensor <= gpus_per_node:
        yield tensor, 1
        tensor *= 2
    widest, stages = tensor // 2, 2
    while widest * stages <= MOST_REPLICA_GPUS:
        yield widest, stages
        stages += 1


def _request(
    model: ModelArchitecture, gpu: str, demand: ServeDemand, weight_dtype: str | None, kv_dtype: str, engine: str,
    tensor: int, stages: int, mig_profile: str | None,
) -> ServeRequest:  # fmt: skip
    longest = demand.input_tokens.max + demand.output_tokens.max
    left_out = {name: field.default for name, field in ServeRequest.model_fields.items()}
    stated = {
        "model": model, "gpu": gpu, "tensor_parallel": tensor, "pipeline_parallel": stages, "engine": engine,
        "kv_dtype": kv_dtype, "weight_dtype": weight_dtype, "context": int(max(demand.context or 0, longest)),
        "input_tokens": demand.input_tokens, "output_tokens": demand.output_tokens, "data_parallel": 1,
        "concurrency": 1.0, "prefix_cached_share": demand.prefix_cached_share, "mig_profile": mig_profile,
        "draft_tokens": demand.draft_tokens, "acceptance": demand.acceptance, "lora_adapters": demand.lora_adapters,
        "lora_rank": demand.lora_rank,
    }  # fmt: skip
    return ServeRequest.model_construct(**(left_out | stated))


def _unfit(setup: Setup) -> Message:
    return setup.misfit or say("serving.unfit")


def _option(setup: Setup, request: ServeRequest, demand: ServeDemand, catalogue: Catalogue) -> _Option:
    """The most requests one replica carries, by doubling and bisection, and what stops it there."""
    capacity = capacity_sequences(setup, demand.input_tokens.mean, demand.output_tokens.mean)
    room = max(1, min(int(capacity), MOST_CONCURRENCY))
    time = timer(request, setup, catalogue)
    if time is None:
        return _Option(setup, request, room, "memory", None, None, _needed(demand, room, None))
    missed = _missed(time(1.0), demand)
    if missed:
        return _Option(setup, request, room, missed, missed, time(1.0), _needed(demand, room, time(float(room))))
    low, high = 1, room
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _missed(time(float(middle)), demand) is None else (low, middle - 1)
    limit = _missed(time(float(low + 1)), demand) if low < room else _room_limit(setup, room)
    return _Option(
        setup, request, low, limit or "throughput", None, time(float(low)), _needed(demand, low, time(float(low)))
    )


def _room_limit(setup: Setup, room: int) -> Binding:
    """Whether the cache or the engine's own limit of sequences stopped it."""
    return "throughput" if room >= setup.basis.engine.max_sequences * setup.layout.attention_data else "memory"


def _missed(timed: Timing, demand: ServeDemand) -> Binding | None:
    if demand.tpot_ms is not None and timed.tpot * 1e3 > demand.tpot_ms:
        return "TPOT"
    if demand.ttft_ms is not None and timed.ttft * 1e3 > demand.ttft_ms:
        return "TTFT"
    return None


def _needed(demand: ServeDemand, carries: int, timed: Timing | None) -> int:
    """Replicas for the requests in flight, and for the rate where the time of a request is known."""
    wanted = [1]
    if demand.requests_in_flight is not None:
        wanted.append(math.ceil(demand.requests_in_flight / carries - 1e-9))
    elif demand.requests_per_s is not None and timed is not None:
        latency_s = timed.ttft + (demand.output_tokens.mean - 1) * timed.tpot
        wanted.append(math.ceil(demand.requests_per_s * latency_s / carries - 1e-9))
    return max(wanted)


def _as_tried(option: _Option) -> TriedLayout:
    layout = option.setup.layout
    return TriedLayout(
        tensor_parallel=layout.tensor,
        pipeline_parallel=layout.pipeline,
        why_not=say("serving.target.missed", target=option.misses) if option.misses else None,
        requests_per_replica=option.carries,
        replicas=option.replicas,
        gpus=option.replicas * layout.gpus,
    )


def _plan(
    options: list[_Option], demand: ServeDemand, catalogue: Catalogue, tried: list[TriedLayout], trace: Trace | None
) -> ReplicaPlan:
    meeting = [option for option in options if option.misses is None]
    if meeting:
        chosen = min(meeting, key=lambda o: (o.replicas * o.setup.layout.gpus, o.setup.layout.gpus))
    else:
        chosen = min(options, key=lambda o: o.best.tpot if o.best else math.inf)
    in_flight = demand.requests_in_flight or _in_flight(demand, chosen)
    request = chosen.request.model_copy(
        update={"data_parallel": chosen.replicas, "gpus": None, "concurrency": max(in_flight, 1.0)}
    )
    binding = _binding(chosen, options, tried)
    return ReplicaPlan(
        fits=bool(meeting),
        why_not=None if meeting else _missed_words(chosen, demand),
        nearest_fix=None,
        gpus_per_replica=chosen.setup.layout.gpus,
        tensor_parallel=chosen.setup.layout.tensor,
        pipeline_parallel=chosen.setup.layout.pipeline,
        replicas=chosen.replicas,
        requests_per_replica=chosen.carries,
        binding=binding,
        serve=estimate_serve(request, catalogue, trace),
        tried=tuple(tried),
        reasons=_reasons(chosen, binding),
    )


def _in_flight(demand: ServeDemand, option: _Option) -> float:
    if option.best is None or demand.requests_per_s is None:
        return 1.0
    return demand.requests_per_s * (option.best.ttft + (demand.output_tokens.mean - 1) * option.best.tpot)


def _binding(chosen: _Option, options: list[_Option], tried: list[TriedLayout]) -> Binding:
    """What demands the GPUs: for several replicas what limits one; for one, why a smaller layout would not do."""
    if chosen.misses:
        return chosen.misses
    if chosen.replicas > 1:
        return chosen.limit
    smaller = [o for o in options if o.setup.layout.gpus < chosen.setup.layout.gpus]
    if smaller:
        return smaller[-1].misses or smaller[-1].limit
    return "memory" if chosen.setup.layout.gpus > 1 and tried else "minimum unit"


def _missed_words(option: _Option, demand: ServeDemand) -> Message:
    if option.best is None:
        return say("serving.target.not_judged")
    got = option.best.tpot * 1e3 if option.misses == "TPOT" else option.best.ttft * 1e3
    target = demand.tpot_ms if option.misses == "TPOT" else demand.ttft_ms
    return say("serving.target.out_of_reach", target=option.misses, wanted=target, got=got)


def _reasons(option: _Option, binding: Binding) -> tuple[Message, ...]:
    layout, profile = option.setup.layout, option.setup.basis.gpu.slice
    if profile:
        return (say("serving.replica.instance", profile=profile, requests=option.carries, binding=binding),)
    spread = [say("serving.tensor", ways=layout.tensor)]
    if layout.pipeline > 1:
        spread.append(say("serving.stages", stages=layout.pipeline))
    carries, gpus = option.carries, layout.gpus
    return (say("serving.replica.carries", gpus=gpus, spread=spread, requests=carries, binding=binding),)


def _smallest(tried: list[TriedLayout], last: ServeRequest) -> ServeRequest:
    """The request on one node's widest layout, for which the nearest fix is sought."""
    within = [t for t in tried if t.pipeline_parallel == 1]
    return last.model_copy(update={"tensor_parallel": within[-1].tensor_parallel, "pipeline_parallel": 1})


def _nothing_fits(request: ServeRequest, catalogue: Catalogue, tried: list[TriedLayout]) -> ReplicaPlan:
    serve = estimate_serve(request, catalogue)
    return ReplicaPlan(
        fits=False,
        why_not=serve.why_not,
        nearest_fix=serve.nearest_fix,
        gpus_per_replica=serve.gpus,
        tensor_parallel=serve.tensor_parallel,
        pipeline_parallel=serve.pipeline_parallel,
        replicas=1,
        requests_per_replica=0,
        binding="memory",
        serve=serve,
        tried=tuple(tried),
        reasons=(say("serving.replica.too_many", gpus=MOST_REPLICA_GPUS),),
    )
