"""How a pipeline divides the layers: which stages can be the fullest, and what they hold."""

from __future__ import annotations

from typing import NamedTuple

from assistant.sizing.training.parts.plan import Plan
from assistant.sizing.training.parts.shape import Shape


class Stage(NamedTuple):
    """One pipeline stage: its place, layers, and vocabulary matrices (input embedding, output head)."""

    place: int
    layers: int
    vocabularies: int


def stage_layers(shape: Shape, plan: Plan) -> int:
    """Layers of the fullest stage."""
    return -(-shape.layers // plan.pipeline)


def end_stages(shape: Shape, plan: Plan) -> tuple[Stage, ...]:
    """The stages that can hold the most: the first, the second where it has a layer more, and the last.

    Where layers do not divide, the ends get one less, as in BLOOM (70 layers as 5, 6, ... 6, 5) and Llama 3 405B:
    embedding and loss stand in for it.
    """
    p, whole = plan.pipeline, shape.layers // plan.pipeline
    rest = shape.layers - whole * p
    if p == 1:
        return (Stage(0, shape.layers, 1 if shape.tied else 2),)
    first = Stage(0, whole + 1 if rest > p - 2 else whole, 1)
    last = Stage(p - 1, whole, 1)
    if rest and first.layers == whole and p > 2:
        return first, Stage(1, whole + 1, 0), last
    return first, last


def stage_parameters(shape: Shape, plan: Plan, stage: Stage | None = None) -> tuple[float, float]:
    """Parameters on one GPU of a stage: (all but routed experts, routed experts); left out: the fullest, at an end."""
    if stage is None:
        stage = Stage(0, stage_layers(shape, plan), 2 if plan.pipeline == 1 and not shape.tied else 1)
    moe = stage.layers * shape.moe_layers / shape.layers
    dense = (stage.layers - moe) * shape.dense_layer_parameters + moe * shape.moe_layer_parameters
    dense += shape.other_parameters / plan.pipeline + stage.vocabularies * shape.embedding_parameters
    return dense / plan.tensor, moe * shape.expert_parameters / plan.expert_shards
