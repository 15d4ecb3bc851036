"""What a training result says beside its figures: the layout with its reasons, runners-up, and what was assumed."""

from __future__ import annotations

from assistant.sizing.reliability.rates import rates_of
from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.job import Job
from assistant.sizing.training.parts.plan import Plan, Sharding
from assistant.sizing.training.parts.request import Alternative, Layout
from assistant.sizing.training.search.wishes import Candidate

PARTS = {
    "compute": "compute",
    "tensor": "tensor-parallel exchange",
    "context": "context-parallel exchange",
    "expert": "expert exchange",
    "data": "gradient exchange",
    "bubble": "the pipeline bubble",
    "optimizer": "the optimizer step",
}
"""Parts of a step as people say them."""


def alternative(other: Candidate, chosen: Candidate | None = None) -> Alternative:
    """Another layout with what it would give, and where its time goes that ``chosen`` saves."""
    p = other.plan
    parts = [f"TP{p.tensor}", f"PP{p.pipeline}", f"CP{p.context}", f"EP{p.expert}", f"DP{p.data}"]
    text = " ".join(part for part in parts if not part.endswith("P1") or part == "DP1")
    return Alternative(
        layout=f"{text or 'one GPU'}, micro-batch {p.micro_batch}, {p.sharding.value}, recompute {p.recompute.value}",
        tokens_per_s_per_gpu=other.tokens_per_s / p.gpus,
        memory_gib_per_gpu=other.memory.peak / GIB,
        why=_loses(other, chosen) if chosen else "",
    )


def _loses(other: Candidate, chosen: Candidate) -> str:
    """By how much the other is slower, and the part of the step that grows most, in seconds a million tokens."""
    rates = [1e6 / (c.plan.global_batch * c.plan.sequence) for c in (other, chosen)]
    grown = {name: getattr(other.time, name) * rates[0] - getattr(chosen.time, name) * rates[1] for name in PARTS}
    worst = max(grown, key=lambda name: grown[name])
    slower = 1.0 - other.tokens_per_s / chosen.tokens_per_s
    spare = (chosen.memory.peak - other.memory.peak) / GIB
    memory = f"; {abs(spare):.3g} GiB {'less' if spare > 0 else 'more'} memory" if abs(spare) >= 1.0 else ""
    if slower < 0.0005:
        faster = f"{-100 * slower:.2g} % faster" if slower < -0.0005 else "as fast"
        return f"{faster}; cuts the model into more pieces{memory}"
    share = grown[worst] / sum(part for part in grown.values() if part > 0)
    return f"{100 * slower:.2g} % slower, {100 * share:.0f} % of it {PARTS[worst]}{memory}"


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


def _reasons(job: Job, plan: Plan, fits: bool) -> dict[str, str]:
    """For each field that was left out, why it has its value."""
    end = "the simplest of the fastest layouts that fit" if fits else "the layout that comes closest to fitting"
    domain = job.device.machine.domain
    texts = {
        "tensor_parallel": f"{end}; within the scale-up domain of {domain} GPUs",
        "pipeline_parallel": end,
        "virtual_pipeline": "fewest chunks that keep the pipeline bubble at 5 % or under"
        if plan.virtual > 1
        else "no interleaving: the bubble is small, or the layers do not divide",
        "schedule": _schedule_reason(plan),
        "context_parallel": "long sequences are split until a GPU holds 8,192 tokens or fewer, if that is faster",
        "expert_parallel": end if job.shape.experts else "the model has no experts",
        "data_parallel": "GPUs left over by the other splits",
        "sequence_parallel": _sequence_parallel_reason(job, plan),
        "sharding": _sharding_reason(plan),
        "micro_batch": end,
        "global_batch": f"{plan.global_batch * plan.sequence:,} tokens a step, in whole micro-batches",
        "sequence": "the model's maximum, or what is usual where that is longer",
        "recompute": _recompute_reason(plan, fits),
        "loss_chunking": "needed to fit" if plan.chunked_loss else "not needed to fit",
        "precision": f"{plan.precision.value.upper()}: the 16-bit format of this GPU",
        "optimizer": f"AdamW, {job.recipe(plan.sharding).state:g} bytes a parameter before sharding",
    }
    return {name: text for name, text in texts.items() if getattr(job.request, name) is None or _defaulted(job, name)}


def _defaulted(job: Job, name: str) -> bool:
    return name not in job.request.model_fields_set


def _recompute_reason(plan: Plan, fits: bool) -> str:
    if not fits:
        return "as much as there is"
    part = f": {100 * plan.redone:.0f} % of the layers" if 0 < plan.redone < 1 else ""
    return f"as little as fits{part}"


def _schedule_reason(plan: Plan) -> str:
    if plan.pipeline == 1:
        return "no pipeline"
    text = "one forward, one backward" + (f", {plan.virtual} chunks a stage" if plan.virtual > 1 else "")
    return f"{text}; zero_bubble and dualpipe idle less, where the framework has them"


def _sequence_parallel_reason(job: Job, plan: Plan) -> str:
    if job.classic:
        return "off: runs with full recomputation on this generation did without it; say so if yours has it"
    return "on with tensor parallelism: it costs nothing" if plan.tensor > 1 else "off without tensor parallelism"


def _sharding_reason(plan: Plan) -> str:
    return {
        Sharding.NONE: "one data-parallel rank: nothing to shard over",
        Sharding.ZERO1: "distributed optimizer: the state is spread, weights and gradients are not sent more often",
        Sharding.ZERO2: "gradients are spread too",
        Sharding.ZERO3: "everything is spread (FSDP)",
    }[plan.sharding]


def assumptions(job: Job, why_count: str | None) -> tuple[str, ...]:
    """What was taken where the request says nothing."""
    notes = [*job.device.assumptions]
    if job.subject.note:
        notes.append(job.subject.note)
    if why_count:
        notes.append(f"GPU count: {why_count}")
    if job.subject.max_context and job.sequence > job.subject.max_context:
        notes.append(f"sequences are longer than the {job.subject.max_context:,} tokens the model was made for")
    domain = job.device.machine.domain
    if (job.request.tensor_parallel or 1) > domain:
        notes.append(
            f"tensor parallelism beyond the {domain} GPUs that NVLink joins crosses the network, layer by layer"
        )
    if not job.device.calibrated:
        notes.append(
            f"no measured training of {job.device.accelerator.name} at this precision: {job.device.machine.cell}"
        )
    if job.classic:
        notes.append("gradients accumulated in FP32 beside the working ones, as stacks of that time did")
    if job.request.tokens:
        notes.append(f"failures at the rate of {rates_of(job.request).says}; nodes of {job.request.gpus_per_node} GPUs")
    return tuple(notes)
