"""What a training result says beside its figures: the layout with its reasons, runners-up, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.reliability.rates import rates_of
from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.job import Job
from assistant.sizing.training.parts.plan import Plan, Recompute, Sharding
from assistant.sizing.training.parts.request import Alternative, Layout
from assistant.sizing.training.search.wishes import Candidate
from knowledge.message import Message, say

PARTS = ("compute", "tensor", "context", "expert", "data", "bubble", "optimizer")
"""Parts of a step that a layout may lose on, as messages name them (``training.time``)."""


LEAST_SLOWER = 0.0005
"""Differences in speed of a twentieth of a percent and less are none."""
LEAST_SPARE_GIB = 1.0
"""Differences in memory that are worth a word; our judgement."""


def alternative(other: Candidate, chosen: Candidate | None = None) -> Alternative:
    """Another layout with what it would give, and where its time goes that ``chosen`` saves."""
    p = other.plan
    parts = [f"TP{p.tensor}", f"PP{p.pipeline}", f"CP{p.context}", f"EP{p.expert}", f"DP{p.data}"]
    text = " ".join(part for part in parts if not part.endswith("P1") or part == "DP1")
    return Alternative(
        layout=f"{text or 'one GPU'}, micro-batch {p.micro_batch}, {p.sharding.value}, recompute {p.recompute.value}",
        tokens_per_s_per_gpu=other.tokens_per_s / p.gpus,
        memory_gib_per_gpu=other.memory.peak / GIB,
        why=_loses(other, chosen) if chosen else None,
    )


def _loses(other: Candidate, chosen: Candidate) -> Message:
    """By how much the other is slower, and the part of the step that grows most, in seconds a million tokens."""
    rates = [1e6 / (c.plan.global_batch * c.plan.sequence) for c in (other, chosen)]
    grown = {name: getattr(other.time, name) * rates[0] - getattr(chosen.time, name) * rates[1] for name in PARTS}
    worst = max(grown, key=lambda name: grown[name])
    slower = 1.0 - other.tokens_per_s / chosen.tokens_per_s
    if slower < -LEAST_SLOWER:
        loses = say("training.loses.faster", faster=-slower)
    elif slower < LEAST_SLOWER:
        loses = say("training.loses.as_fast")
    else:
        share = grown[worst] / sum(part for part in grown.values() if part > 0)
        loses = say("training.loses.slower", slower=slower, share=share, part=worst)
    spare = (chosen.memory.peak - other.memory.peak) / GIB
    if abs(spare) < LEAST_SPARE_GIB:
        return loses
    return say(f"training.loses.{'less' if spare > 0 else 'more'}_memory", loses=loses, size=abs(spare))


def layout_of(job: Job, plan: Plan, found: int) -> Layout:
    """The layout as the result shows it."""
    return Layout(
        tensor_parallel=plan.tensor,
        pipeline_parallel=plan.pipeline,
        virtual_pipeline=plan.virtual,
        schedule=plan.schedule,
        context_parallel=plan.context,
        expert_parallel=plan.expert,
        data_parallel=plan.data,
        sequence_parallel=plan.sequence_parallel,
        sharding=plan.sharding,
        micro_batch=plan.micro_batch,
        global_batch=plan.global_batch,
        micro_batches=plan.micro_batches,
        sequence=plan.sequence,
        recompute=plan.recompute,
        recomputed_share=plan.redone,
        loss_chunking=plan.chunked_loss,
        precision=plan.precision,
        optimizer=job.recipe(plan.sharding).id,
        chosen=_reasons(job, plan, bool(found)),
    )


def _reasons(job: Job, plan: Plan, fits: bool) -> dict[str, Message]:
    """For each field that was left out, why it has its value."""
    end = say(f"training.chosen.{'fastest' if fits else 'closest'}")
    tokens = plan.global_batch * plan.sequence
    reasons = {
        "tensor_parallel": say("training.chosen.within_domain", end=end, gpus=job.device.machine.domain),
        "pipeline_parallel": end,
        "virtual_pipeline": say(f"training.chosen.{'chunks' if plan.virtual > 1 else 'no_chunks'}"),
        "schedule": _schedule_reason(plan),
        "context_parallel": say("training.chosen.context"),
        "expert_parallel": end if job.shape.experts else say("training.chosen.no_experts"),
        "data_parallel": say("training.chosen.left_over"),
        "sequence_parallel": _sequence_parallel_reason(job, plan),
        "sharding": say(f"training.chosen.{'zero_none' if plan.sharding is Sharding.NONE else plan.sharding.value}"),
        "micro_batch": end,
        "global_batch": say("training.chosen.batch", tokens=tokens),
        "sequence": say("training.chosen.sequence"),
        "recompute": _recompute_reason(plan, fits),
        "loss_chunking": say(f"training.chosen.{'chunked' if plan.chunked_loss else 'not_chunked'}"),
        "precision": say("training.chosen.precision", format=plan.precision.value.upper()),
        "optimizer": say("training.chosen.optimizer", bytes=job.recipe(plan.sharding).state),
    }
    return {name: why for name, why in reasons.items() if getattr(job.request, name) is None or _defaulted(job, name)}


def _defaulted(job: Job, name: str) -> bool:
    return name not in job.request.model_fields_set


def _recompute_reason(plan: Plan, fits: bool) -> Message:
    if not fits:
        return say("training.chosen.recompute_most")
    if 0 < plan.redone < 1:
        return say("training.chosen.recompute_part", share=plan.redone)
    return say("training.chosen.recompute_least")


def _schedule_reason(plan: Plan) -> Message:
    if plan.pipeline == 1:
        return say("training.chosen.no_pipeline")
    if plan.virtual > 1:
        return say("training.chosen.interleaved", chunks=plan.virtual)
    return say("training.chosen.one_f_one_b")


def _sequence_parallel_reason(job: Job, plan: Plan) -> Message:
    if job.classic:
        return say("training.chosen.sequence_off_classic")
    return say(f"training.chosen.sequence_{'on' if plan.tensor > 1 else 'off'}")


def switched_on(job: Job, plan: Plan) -> Iterator[Message]:
    """Options that the search turned on although the request does not name them."""
    r = job.request
    if plan.chunked_loss and r.loss_chunking is None:
        yield say("training.on.loss_chunking")
    if plan.context > 1 and r.context_parallel is None:
        yield say("training.on.context_parallel", ways=plan.context)
    if plan.recompute is Recompute.SELECTIVE and r.recompute is None:
        yield say("training.on.selective")
    if plan.recompute is Recompute.FULL and r.recompute is None:
        yield say("training.on.full", share=plan.redone)
    if plan.sharding is Sharding.ZERO3 and r.sharding is None:
        yield say("training.on.zero3")


def assumptions(job: Job, plan: Plan, why_count: Message | None) -> tuple[Message, ...]:
    """What was taken where the request says nothing: first what was switched on."""
    notes = [*switched_on(job, plan), *job.device.assumptions]
    if job.subject.note:
        notes.append(job.subject.note)
    if why_count:
        notes.append(say("training.assumed.count", why=why_count))
    if job.subject.max_context and job.sequence > job.subject.max_context:
        notes.append(say("training.assumed.long", tokens=job.subject.max_context))
    domain = job.device.machine.domain
    if (job.request.tensor_parallel or 1) > domain:
        notes.append(say("training.assumed.across", gpus=domain))
    if not job.device.calibrated:
        name, cell = job.device.accelerator.name, job.device.machine.cell
        notes.append(say("training.assumed.unmeasured", gpu=name, cell=cell))
    if job.classic:
        notes.append(say("training.assumed.classic"))
    if job.request.tokens:
        rate, gpus = rates_of(job.request).says, job.request.gpus_per_node
        notes.append(say("training.assumed.failures", rate=rate, gpus=gpus))
    return tuple(notes)
