"""What a training result says beside its figures: the layout with its reasons, runners-up, and what was assumed."""

from __future__ import annotations

from assistant.sizing.training.job import Job
from assistant.sizing.training.layout import Candidate
from assistant.sizing.training.memory import GIB
from assistant.sizing.training.plan import Plan, Sharding
from assistant.sizing.training.request import Alternative, Layout


def alternative(other: Candidate) -> Alternative:
    """A runner-up with what it would give."""
    p = other.plan
    parts = [f"TP{p.tensor}", f"PP{p.pipeline}", f"CP{p.context}", f"EP{p.expert}", f"DP{p.data}"]
    text = " ".join(part for part in parts if not part.endswith("P1") or part == "DP1")
    return Alternative(
        layout=f"{text or 'one GPU'}, micro-batch {p.micro_batch}, {p.sharding.value}, recompute {p.recompute.value}",
        tokens_per_s_per_gpu=other.tokens_per_s / p.gpus,
        memory_gib_per_gpu=other.memory.peak / GIB,
    )


def layout_of(job: Job, plan: Plan, found: int) -> Layout:
    """The layout as the result shows it."""
    return Layout(
        tensor_parallel=plan.tensor,
        pipeline_parallel=plan.pipeline,
        virtual_pipeline=plan.virtual,
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
        loss_chunking=plan.chunked_loss,
        precision=plan.precision,
        optimizer=job.recipe(plan.sharding).id,
        chosen=_reasons(job, plan, bool(found)),
    )


def _reasons(job: Job, plan: Plan, fits: bool) -> dict[str, str]:
    """For each field that was left out, why it has its value."""
    end = "fastest of the layouts that fit" if fits else "the layout that comes closest to fitting"
    domain = job.device.machine.domain
    texts = {
        "tensor_parallel": f"{end}; within the scale-up domain of {domain} GPUs",
        "pipeline_parallel": end,
        "virtual_pipeline": "fewest chunks that keep the pipeline bubble at 5 % or under"
        if plan.virtual > 1
        else "no interleaving: the bubble is small, or the layers do not divide",
        "context_parallel": "long sequences are split until a GPU holds 8,192 tokens or fewer, if that is faster",
        "expert_parallel": end if job.shape.experts else "the model has no experts",
        "data_parallel": "GPUs left over by the other splits",
        "sequence_parallel": _sequence_parallel_reason(job, plan),
        "sharding": _sharding_reason(plan),
        "micro_batch": end,
        "global_batch": f"{plan.global_batch * plan.sequence:,} tokens a step, in whole micro-batches",
        "sequence": "the model's maximum, or what is usual where that is longer",
        "recompute": "as little as fits" if fits else "as much as there is",
        "loss_chunking": "needed to fit" if plan.chunked_loss else "not needed to fit",
        "precision": f"{plan.precision.value.upper()}: the 16-bit format of this GPU",
        "optimizer": f"AdamW, {job.recipe(plan.sharding).state:g} bytes a parameter before sharding",
    }
    return {name: text for name, text in texts.items() if getattr(job.request, name) is None or _defaulted(job, name)}


def _defaulted(job: Job, name: str) -> bool:
    return name not in job.request.model_fields_set


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
    if not job.device.calibrated:
        notes.append(
            f"no measured training of {job.device.accelerator.name} at this precision: {job.device.machine.cell}"
        )
    if job.classic:
        notes.append("gradients accumulated in FP32 beside the working ones, as stacks of that time did")
    if job.request.tokens:
        notes.append("failures at Llama 3's rate of 3.79 per 1,000 node-days, nodes of eight GPUs")
    return tuple(notes)
