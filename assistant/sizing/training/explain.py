"""The trace of a training estimate: formula, inputs and sources of each figure."""

from __future__ import annotations

from assistant.sizing.trace import Trace
from assistant.sizing.training.job import Job
from assistant.sizing.training.parts.request import TrainResult
from assistant.sizing.training.search.wishes import Candidate


def explain(job: Job, found: Candidate, result: TrainResult, trace: Trace) -> None:
    """Note every figure of ``result`` with what it was computed from."""
    plan, shape = found.plan, job.shape
    recipe = job.recipe(plan.sharding)
    device = job.device
    trace.note(
        "state_gib_per_gpu",
        result.state_gib_per_gpu,
        "train_state",
        parameters=shape.parameters,
        bytes_per_parameter=recipe.state,
        sharding=plan.sharding.value,
        tensor=plan.tensor,
        pipeline=plan.pipeline,
        data=plan.data,
    )
    trace.note(
        "activation_gib_per_gpu",
        result.activation_gib_per_gpu,
        "train_activations",
        tokens=plan.tokens,
        hidden=shape.hidden,
        layers=shape.layers,
        recompute=plan.recompute.value,
        tensor=plan.tensor,
    )
    trace.note(
        "logits_gib_per_gpu",
        result.logits_gib_per_gpu,
        "train_logits",
        tokens=plan.tokens,
        vocabulary=shape.vocabulary,
        bytes_per_value=job.constants.memory.logits_bytes_per_value,
    )
    trace.note("memory_gib_per_gpu", result.memory_gib_per_gpu, "train_peak", available=result.available_gib_per_gpu)
    trace.note(
        "tflops_per_gpu",
        result.tflops_per_gpu,
        "train_model_flop",
        device.sources,
        flop_per_token=shape.flop_per_token(plan.sequence),
        tokens_per_s_per_gpu=result.tokens_per_s_per_gpu,
    )
    trace.note("mfu", result.mfu, "train_mfu", device.sources, peak_flops=device.machine.matrix_flops)
    trace.note(
        "bubble_s",
        result.step.bubble,
        "train_schedule",
        schedule=plan.schedule.value,
        pipeline=plan.pipeline,
        virtual=plan.virtual,
        micro_batches=plan.micro_batches,
    )
    trace.note("step_time_s", result.step_time_s, "train_step", cell=device.machine.cell, **result.step.model_dump())
    if result.days is not None:
        trace.note("days", result.days, "train_days", tokens=job.request.tokens, gpus=plan.gpus)
        trace.note("days_with_failures", result.days_with_failures, "train_days_with_failures", days=result.days)
        law = [source for limit in result.obligations for source in limit.sources]
        trace.note("training_flop", result.training_flop, "train_flop_total", law, active=shape.active_parameters)
    trace.note(
        "checkpoint_gb",
        result.checkpoint_gb,
        "train_checkpoint",
        bytes_per_parameter=recipe.checkpoint,
        parameters=shape.parameters,
    )
