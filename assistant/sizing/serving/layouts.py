"""Layouts of one replica: which can divide a model, which are tried, and how many replicas fill the GPUs stated."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.sizing.serving.memory.weights import Layout
from assistant.sizing.serving.parts.hardware import Gpu
from assistant.sizing.serving.parts.shape import ServingShape
from assistant.sizing.serving.request import ServeRequest
from knowledge.errors import BadInput
from knowledge.message import Message, say


def divisibility(shape: ServingShape, layout: Layout) -> Message | None:
    """Why ``layout`` cannot divide the model, or None."""
    tensor, kv = layout.tensor, shape.kv_heads
    if shape.heads and shape.heads % tensor:
        return say("serving.misfit.heads", heads=shape.heads, ways=tensor)
    if kv > 1 and kv % tensor and tensor % kv:
        return say("serving.misfit.kv_heads", heads=kv, ways=tensor)
    if layout.decode_context > 1:
        replicas = tensor if shape.is_mla else tensor // max(kv, 1)
        if tensor % layout.decode_context or layout.decode_context > replicas:
            return say("serving.misfit.decode_context", ways=layout.decode_context)
    if layout.pipeline > shape.layers:
        return say("serving.misfit.stages", layers=shape.layers, stages=layout.pipeline)
    if layout.expert > 1 and not shape.is_moe:
        return say("serving.misfit.no_experts")
    if layout.expert > max(shape.expert_count, 1):
        return say("serving.misfit.experts", experts=shape.expert_count, ways=layout.expert)
    if layout.expert > 1 and (layout.tensor * layout.attention_data) % layout.expert:
        ranks = layout.tensor * layout.attention_data
        return say("serving.misfit.expert_ranks", ways=layout.expert, ranks=ranks)
    return None


def check_gpus(request: ServeRequest, gpus: int, replica: int, replicas: int) -> None:
    if gpus != replica * replicas:
        expected = f"{replica} GPUs a replica x {replicas} replicas = {replica * replicas}, or other parallel sizes"
        raise BadInput("gpus", gpus, expected, [str(replica * replicas)])


def candidates(request: ServeRequest, shape: ServingShape, gpu: Gpu, data: int) -> Iterator[tuple[int, int]]:
    """(tensor, pipeline) to try where tensor parallel is left out, smallest first; nodes are crossed by pipeline stages
    of the widest tensor ranks that divide the model.
    """
    stages = request.pipeline_parallel
    if gpu.slice:
        yield 1, stages or 1
        return
    most = (request.gpus or 64 * gpu.node_gpus) // (data * (request.data_parallel or 1))
    tensor = widest = 1
    while tensor * data <= gpu.node_gpus and tensor * (stages or 1) <= most:
        yield tensor, stages or 1
        widest = tensor if divisibility(shape, Layout(tensor)) is None else widest
        tensor *= 2
    pipeline = 2
    while stages is None and widest * pipeline <= most and pipeline <= 64:
        yield widest, pipeline
        pipeline += 1


def replicas_of(request: ServeRequest, layout: Layout) -> int | None:
    """Replicas of ``layout`` that use all of ``gpus`` exactly, or None where they do not divide."""
    if request.data_parallel is not None or request.gpus is None:
        return request.data_parallel or 1
    return request.gpus // layout.gpus if request.gpus % layout.gpus == 0 else None
