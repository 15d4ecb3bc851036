"""What is said of a job that does not fit: what fills the GPU, and the nearest change that fits, tried."""

from __future__ import annotations

from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.job import MAX_GPUS, Job, fits_on
from assistant.sizing.training.parts.plan import Recompute, Sharding
from assistant.sizing.training.search.wishes import Candidate


def why_not(job: Job, found: Candidate) -> str:
    """How much is missing on the fullest GPU, and what fills most of it."""
    need, have = found.memory.device / GIB, job.device.available / GIB
    fullest = found.memory.fullest
    parts = {
        "state": fullest.state,
        "activations": fullest.activations,
        "logits and loss": fullest.logits,
        "buffers": fullest.buffers,
    }
    largest = max(parts, key=lambda name: parts[name])
    return (
        f"{need:.1f} GiB needed of {have:.1f} on the fullest GPU; most of it {largest} ({parts[largest] / GIB:.1f} GiB)"
    )


def nearest_fix(job: Job, gpus: int) -> str | None:
    """The cheapest change that fits, of those tried: recomputation, micro-batch, chunked loss, layout, more GPUs."""
    r = job.request
    tries: list[tuple[str, dict[str, object]]] = []
    if r.recompute not in (None, Recompute.FULL):
        tries.append(("recompute full", {"recompute": Recompute.FULL}))
    if r.micro_batch and r.micro_batch > 1:
        tries.append(("micro_batch 1", {"micro_batch": 1}))
    if r.loss_chunking is False:
        tries.append(("loss_chunking", {"loss_chunking": True}))
    tries.append(("sharding zero3", {"sharding": Sharding.ZERO3, "pipeline_parallel": 1}))
    free = dict.fromkeys(
        (
            "tensor_parallel",
            "pipeline_parallel",
            "virtual_pipeline",
            "context_parallel",
            "expert_parallel",
            "data_parallel",
            "sharding",
            "recompute",
            "micro_batch",
            "sequence_parallel",
        )
    )
    tries.append(("another layout: leave the parallel sizes, sharding, recompute and micro_batch out", free))
    tries.append(("optimizer adamw_8bit", {**free, "optimizer": "adamw_8bit"}))
    for text, change in tries:
        if fits_on(job.changed(r.model_copy(update=change)), gpus):
            return text
    count = gpus
    while count < MAX_GPUS:
        count *= 2
        if fits_on(job.changed(r.model_copy(update={**free, "global_batch": None})), count):
            return f"{count} GPUs"
    return f"nothing tried fits: {', '.join(text for text, _ in tries)}, and up to {MAX_GPUS:,} GPUs"
