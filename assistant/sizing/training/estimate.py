"""``estimate_train``: memory, layout, speed and time of a training job."""

from __future__ import annotations

from assistant.sizing.reliability import of_run
from assistant.sizing.trace import Trace
from assistant.sizing.training.arithmetic.memory import GIB, StageMemory
from assistant.sizing.training.arithmetic.peaks import WORKING_BYTES, peaks
from assistant.sizing.training.explain import explain
from assistant.sizing.training.fixes import nearest_fix, why_not
from assistant.sizing.training.job import MAX_GPUS, SECONDS_PER_DAY, Job, fits_on
from assistant.sizing.training.parts.duties import compute_limits
from assistant.sizing.training.parts.plan import Plan, Recompute
from assistant.sizing.training.parts.request import StageGib, StepSeconds, TrainRequest, TrainResult
from assistant.sizing.training.reasons import alternative, assumptions, layout_of
from assistant.sizing.training.search.layout import best
from assistant.sizing.training.search.wishes import Candidate
from assistant.sizing.training.variants import scaling, without_rack_domain
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say


def estimate_train(request: TrainRequest, catalogue: Catalogue, trace: Trace | None = None) -> TrainResult:
    """Memory of the fullest GPU, the layout, step time, days and checkpoint size of a training job.

    Raises BadInput for a model or GPU that is not known, a precision that the GPU lacks, and a layout that is not
    possible (heads, layers or experts that do not divide; a batch that does not come out even).
    """
    return estimate_job(Job(request, catalogue), trace)


def estimate_job(job: Job, trace: Trace | None) -> TrainResult:
    """The estimate of a resolved job."""
    gpus, why_count = _gpu_count(job)
    ranked, closest = best(job.search(), job.wanted(gpus), job.default_batch(gpus))
    if not ranked and closest is None:
        if job.request.global_batch:
            near = [str(-(-job.request.global_batch // gpus) * gpus)]
            raise BadInput("global_batch", job.request.global_batch, f"a batch that {gpus} GPUs can share", near)
        raise BadInput("gpus", gpus, "a count that the stated layout divides", _near_counts(job, gpus))
    chosen = ranked[0] if ranked else closest
    assert chosen is not None
    result = _result(job, chosen, ranked, gpus, why_count)
    if trace is not None:
        with trace.call("train", job.subject.name, job.device.accelerator.id, gpus):
            explain(job, chosen, result, trace)
    return result


def _near_counts(job: Job, gpus: int) -> list[str]:
    r = job.request
    ways = (r.tensor_parallel or 1) * (r.pipeline_parallel or 1) * (r.context_parallel or 1)
    return [str(max(1, round(gpus / ways)) * ways)]


def _gpu_count(job: Job) -> tuple[int, Message | None]:
    """The stated count, or the fewest that hold the job: doubling, then halving in between."""
    r = job.request
    if r.gpus:
        return r.gpus, None
    unit = (r.tensor_parallel or 1) * (r.pipeline_parallel or 1) * (r.context_parallel or 1) * (r.data_parallel or 1)
    if r.data_parallel:
        return unit, say("training.count.follows")
    count = unit
    while count < MAX_GPUS and not fits_on(job, count):
        count *= 2
    return count, say("training.count.fewest")


def _result(job: Job, found: Candidate, ranked: list[Candidate], gpus: int, why_count: Message | None) -> TrainResult:
    plan, memory, shape = found.plan, found.memory, job.shape
    fits = bool(ranked)
    rate = found.tokens_per_s / plan.gpus
    flop = shape.flop_per_token(plan.sequence, frozen=plan.frozen)
    tflops, low, high = rate * flop / 1e12, *_band(job)
    days = job.request.tokens / (found.tokens_per_s * SECONDS_PER_DAY) if job.request.tokens else None
    fullest = memory.fullest
    problem, fix = (None, None) if fits else (why_not(job, found), nearest_fix(job, gpus))
    checkpoint_gb = job.recipe(plan.sharding).checkpoint * shape.parameters / 1e9
    with_failures, failures = of_run(job.request, gpus, checkpoint_gb, days) if days is not None else (None, None)
    training_flop = 6.0 * shape.active_parameters * job.request.tokens if job.request.tokens else None
    return TrainResult(
        fits=fits,
        why_not=problem,
        nearest_fix=fix,
        gpus=gpus,
        state_gib_per_gpu=fullest.state / GIB,
        activation_gib_per_gpu=fullest.activations / GIB,
        logits_gib_per_gpu=fullest.logits / GIB,
        buffer_gib_per_gpu=fullest.buffers / GIB,
        memory_gib_per_gpu=memory.peak / GIB,
        device_gib_per_gpu=memory.device / GIB,
        available_gib_per_gpu=job.device.available / GIB,
        stages=tuple(_stage(stage) for stage in memory.stages),
        fullest_stage=fullest.stage,
        logged_gib_per_gpu=memory.stages[-1].allocated / GIB,
        peaks=peaks(shape, plan, job.recipe(plan.sharding), memory, job.device.available),
        layout=layout_of(job, plan, len(ranked)),
        alternatives=tuple(alternative(other, found) for other in ranked[1:]),
        without_rack_domain=without_rack_domain(job, found) if fits else None,
        scaling=scaling(job, found) if fits and job.request.scaling else (),
        tflops_per_gpu=tflops,
        tflops_per_gpu_p10=tflops * low,
        tflops_per_gpu_p90=tflops * high,
        mfu=tflops * 1e12 / job.device.machine.matrix_flops,
        hfu=rate * _hardware_flop(job, plan) / job.device.machine.matrix_flops,
        mfu_full_attention=rate
        * shape.flop_per_token(plan.sequence, False, plan.frozen)
        / job.device.machine.matrix_flops,
        tokens_per_s_per_gpu=rate,
        tokens_per_s_per_gpu_p10=rate * low,
        tokens_per_s_per_gpu_p90=rate * high,
        step_time_s=found.time.total,
        step=_step(found),
        days=days,
        days_with_failures=with_failures,
        tokens_by_deadline=_tokens_by_deadline(job, found.tokens_per_s, gpus, checkpoint_gb),
        failures=failures,
        checkpoint_gb=checkpoint_gb,
        checkpoint_weights_gb=WORKING_BYTES * shape.parameters / 1e9,
        training_flop=training_flop,
        obligations=compute_limits(training_flop, job.catalogue, job.modifies),
        parameters=float(shape.parameters),
        active_parameters=float(shape.active_parameters),
        basis="calibrated" if job.device.calibrated and not shape.derived else "extrapolated",
        assumptions=assumptions(job, plan, why_count),
    )


def _tokens_by_deadline(job: Job, tokens_per_s: float, gpus: int, checkpoint_gb: float) -> float | None:
    """What the GPUs train on in ``deadline_days``, failures included: the share of the time that makes progress."""
    days = job.request.deadline_days
    if days is None:
        return None
    _, failures = of_run(job.request, gpus, checkpoint_gb, days)
    return tokens_per_s * SECONDS_PER_DAY * days * failures.goodput


def _band(job: Job) -> tuple[float, float]:
    """Factors from the likely speed to its tenth and ninetieth percentile."""
    errors = job.constants.errors
    known = job.device.calibrated and not job.shape.derived
    kind = errors.extrapolated if not known else errors.moe if job.shape.moe_layers else errors.dense
    return kind.p10, kind.p90


def _hardware_flop(job: Job, plan: Plan) -> float:
    """FLOP a token that the hardware runs: with the forward passes done again."""
    flop = job.shape.flop_per_token(plan.sequence, frozen=plan.frozen)
    if plan.recompute is Recompute.FULL:
        return flop + plan.redone * job.shape.flop_per_token(plan.sequence) / 3.0
    if plan.recompute is Recompute.SELECTIVE and not plan.flash:
        return flop + job.shape.attention_flop_per_token(plan.sequence)
    return flop


def _stage(stage: StageMemory) -> StageGib:
    return StageGib(
        stage=stage.stage,
        state=stage.state / GIB,
        activations=stage.activations / GIB,
        logits=stage.logits / GIB,
        buffers=stage.buffers / GIB,
    )


def _step(found: Candidate) -> StepSeconds:
    t = found.time
    return StepSeconds(
        compute=t.compute,
        tensor_parallel=t.tensor,
        context_parallel=t.context,
        expert_parallel=t.expert,
        data_parallel=t.data,
        pipeline_parallel=t.pipeline,
        bubble=t.bubble,
        optimizer=t.optimizer,
    )
