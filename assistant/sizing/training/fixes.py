"""What is said of a job that does not fit: what fills the GPU, and the nearest change that fits, tried."""

from __future__ import annotations

from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.job import MAX_GPUS, Job, fits_on
from assistant.sizing.training.parts.plan import Recompute, Sharding
from assistant.sizing.training.search.wishes import Candidate
from knowledge.message import Message, say


def why_not(job: Job, found: Candidate) -> Message:
    """How much is missing on the fullest GPU, and what fills most of it."""
    need, have = found.memory.device / GIB, job.device.available / GIB
    fullest = found.memory.fullest
    parts = {
        "state": fullest.state,
        "activations": fullest.activations,
        "logits": fullest.logits,
        "buffers": fullest.buffers,
    }
    if fullest.step > fullest.activations + fullest.logits:
        parts["optimizer_step"] = fullest.step
    largest = max(parts, key=lambda name: parts[name])
    return say("training.short", need=need, have=have, part=largest, size=parts[largest] / GIB)


def nearest_fix(job: Job, gpus: int) -> Message | None:
    """The cheapest change that fits, of those tried: recomputation, micro-batch, chunked loss, layout, more GPUs."""
    r = job.request
    tries: list[tuple[Message, dict[str, object]]] = []
    if r.recompute not in (None, Recompute.FULL):
        tries.append((say("training.fix.recompute"), {"recompute": Recompute.FULL}))
    if r.micro_batch and r.micro_batch > 1:
        tries.append((say("training.fix.micro_batch"), {"micro_batch": 1}))
    if r.loss_chunking is False:
        tries.append((say("training.fix.loss_chunking"), {"loss_chunking": True}))
    tries.append((say("training.fix.zero3"), {"sharding": Sharding.ZERO3, "pipeline_parallel": 1}))
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
    tries.append((say("training.fix.layout"), free))
    tries.append((say("training.fix.optimizer"), {**free, "optimizer": "adamw_8bit"}))
    for text, change in tries:
        if fits_on(job.changed(r.model_copy(update=change)), gpus):
            return text
    count = gpus
    while count < MAX_GPUS:
        count *= 2
        if fits_on(job.changed(r.model_copy(update={**free, "global_batch": None})), count):
            return say("training.fix.gpus", gpus=count)
    return say("training.fix.none_up_to", tried=[text for text, _ in tries], gpus=MAX_GPUS)
