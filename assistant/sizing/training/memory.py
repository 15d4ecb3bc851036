"""Memory of one GPU in training: state, activations, logits, buffers, for the first and the last pipeline stage.

Activations follow Korthikanti et al. (arXiv 2205.05198, equation 2 and table 2), written in widths so that grouped
queries, gated feed-forward and experts fit in; with flash attention the quadratic term is gone. The first stage holds
the most micro-batches, the last holds logits and loss: both are computed, the fuller one is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.sizing.training.plan import Plan, Recompute, Sharding
from assistant.sizing.training.shape import Shape

GIB = float(2**30)


@dataclass(frozen=True)
class Recipe:
    """Bytes a parameter: working weights, gradients, and optimizer state with master weights. ``id`` names it."""

    id: str
    weights: float
    gradients: float
    optimizer: float

    @property
    def state(self) -> float:
        """All of them."""
        return self.weights + self.gradients + self.optimizer

    @property
    def checkpoint(self) -> float:
        """What a resumable checkpoint holds: everything but the gradients."""
        return self.weights + self.optimizer


@dataclass(frozen=True)
class StageMemory:
    """Bytes on one GPU of one pipeline stage."""

    stage: int
    state: float
    activations: float
    logits: float
    buffers: float

    @property
    def allocated(self) -> float:
        """What the allocator hands out at the peak."""
        return self.state + self.activations + self.logits + self.buffers


@dataclass(frozen=True)
class TrainMemory:
    """Peak of the fullest rank, and both ends of the pipeline. ``context`` is outside the allocator."""

    first: StageMemory
    last: StageMemory
    fragmentation: float
    context: float

    @property
    def fullest(self) -> StageMemory:
        """The stage that holds the most."""
        return max(self.first, self.last, key=lambda stage: stage.allocated)

    @property
    def peak(self) -> float:
        """Bytes the framework reserves on the fullest rank."""
        return self.fullest.allocated * (1.0 + self.fragmentation)

    @property
    def device(self) -> float:
        """Bytes in use on the device: with CUDA and communication contexts."""
        return self.peak + self.context


def stage_layers(shape: Shape, plan: Plan) -> float:
    """Layers of the fullest stage; an uneven split puts one more on some stages."""
    whole, rest = divmod(shape.layers, plan.pipeline)
    return whole + 1 if rest else whole


def stage_parameters(shape: Shape, plan: Plan) -> tuple[float, float]:
    """Parameters on one GPU of an end stage: (all but routed experts, routed experts). Both ends hold a vocabulary."""
    layers = stage_layers(shape, plan)
    moe = min(layers, layers * shape.moe_layers / shape.layers)
    dense = (layers - moe) * shape.dense_layer_parameters + moe * shape.moe_layer_parameters
    dense += shape.other_parameters / plan.pipeline
    ends = shape.embedding_parameters if plan.pipeline > 1 or shape.tied else 2 * shape.embedding_parameters
    return (dense + ends) / plan.tensor, moe * shape.expert_parameters / plan.expert_shards


def state_bytes(shape: Shape, plan: Plan, recipe: Recipe) -> float:
    """Weights, gradients and optimizer state of one GPU by sharding; experts shard over their own replicas."""
    dense, experts = stage_parameters(shape, plan)
    return _sharded(dense, plan.data * plan.context, plan.sharding, recipe) + _sharded(
        experts, plan.expert_data, plan.sharding, recipe
    )


def _sharded(parameters: float, ranks: int, sharding: Sharding, recipe: Recipe) -> float:
    weights = recipe.weights / (ranks if sharding is Sharding.ZERO3 else 1)
    gradients = recipe.gradients / (ranks if sharding in (Sharding.ZERO2, Sharding.ZERO3) else 1)
    optimizer = recipe.optimizer / (1 if sharding is Sharding.NONE else ranks)
    return parameters * (weights + gradients + optimizer)


def layer_activation_bytes(shape: Shape, plan: Plan, moe: bool) -> float:
    """Bytes that one layer keeps of one micro-batch on one GPU without recomputation.

    In units of Korthikanti: 34 s b h / t for GPT with sequence parallelism, 10 + 24 / t without.
    """
    spread = plan.tensor if plan.sequence_parallel else 1
    dropout = 2 if plan.dropout else 0
    outside = (8 + dropout) * shape.hidden / spread
    inside = 2 * (shape.query_width + shape.key_value_width + shape.heads * shape.value_dim)
    if not moe:
        inside += _feed_forward_bytes(shape, shape.intermediate)
        return plan.tokens * (outside + inside / plan.tensor) + _score_bytes(shape, plan)
    inside += _feed_forward_bytes(shape, shape.shared_intermediate)
    routed = shape.top_k * (4 * shape.hidden + _feed_forward_bytes(shape, shape.expert_intermediate))
    return plan.tokens * (outside + (inside + routed) / plan.tensor) + _score_bytes(shape, plan)


def _feed_forward_bytes(shape: Shape, width: int) -> int:
    """Gate, up and product (6 bytes a channel) where gated; input and output of the activation (4) where not."""
    return (6 if shape.gated else 4) * width


def _score_bytes(shape: Shape, plan: Plan) -> float:
    """Scores, softmax and dropout mask, kept only without flash attention and without selective recomputation."""
    if plan.flash or plan.recompute is not Recompute.NONE:
        return 0.0
    return 5.0 * shape.heads * plan.sequence * plan.tokens / plan.tensor


def kept_bytes_per_layer(shape: Shape, plan: Plan, constants: dict[str, Any]) -> float:
    """Bytes kept per layer (mean over dense and expert layers) and micro-batch under the recomputation chosen."""
    share = shape.moe_layers / shape.layers
    if plan.recompute is Recompute.FULL:
        return 2.0 * plan.tokens * shape.hidden / (plan.tensor if plan.sequence_parallel else 1)
    full = (1.0 - share) * layer_activation_bytes(shape, plan, False)
    if share:
        full += share * layer_activation_bytes(shape, plan, True)
    if plan.recompute is Recompute.SELECTIVE and plan.flash:
        return full * float(constants[_selective(shape, plan)])
    return full


def _selective(shape: Shape, plan: Plan) -> str:
    """Which selective recomputation a stack does: every second product in FSDP, norms and activations in Megatron,
    with experts also their permuted inputs.
    """
    if plan.sharding is Sharding.ZERO3:
        return "selective_keeps_fsdp"
    return "selective_keeps_moe" if shape.moe_layers else "selective_keeps"


def in_flight(plan: Plan, first: bool) -> float:
    """Stages' worth of micro-batches that a stage holds at its peak under one-forward-one-backward.

    The first stage holds as many as the pipeline is deep; interleaving adds ``(p - 1) / (p v)`` (Korthikanti,
    section 4.2.3). The last holds one, with interleaving ``(p (v - 1) + 1) / v``.
    """
    p, v = plan.pipeline, plan.virtual
    if p == 1:
        return 1.0
    if first:
        return min(plan.micro_batches * 1.0, p * (1.0 + (p - 1) / (p * v) if v > 1 else 1.0))
    return min(plan.micro_batches * 1.0, (p * (v - 1) + 1) / v)


def activation_bytes(shape: Shape, plan: Plan, first: bool, constants: dict[str, Any]) -> float:
    """Activations of one GPU at the peak: what is kept, and with full recomputation one layer being redone."""
    kept = kept_bytes_per_layer(shape, plan, constants) * stage_layers(shape, plan) * in_flight(plan, first)
    if plan.recompute is Recompute.FULL:
        kept += layer_activation_bytes(shape, plan, shape.moe_layers > 0)
    return kept


def logits_bytes(shape: Shape, plan: Plan, constants: dict[str, Any]) -> float:
    """Logits, their FP32 copy and gradient on the stage with the loss; a chunked loss keeps an eighth."""
    per_value = float(constants["logits_bytes_per_value"]) * (0.125 if plan.chunked_loss else 1.0)
    return per_value * plan.tokens * shape.vocabulary / plan.tensor


def buffer_bytes(shape: Shape, plan: Plan) -> float:
    """Gathered weights of two layers in flight and the largest gradient under ZeRO-3; nothing otherwise."""
    if plan.sharding is not Sharding.ZERO3:
        return 0.0
    dense = shape.dense_layer_parameters if shape.moe_layers < shape.layers else shape.moe_layer_parameters
    experts = shape.expert_parameters / plan.expert_shards if shape.moe_layers else 0.0
    largest = max(dense / plan.tensor + experts, shape.embedding_parameters / plan.tensor)
    return 6.0 * largest


def stage_memory(shape: Shape, plan: Plan, recipe: Recipe, first: bool, constants: dict[str, Any]) -> StageMemory:
    """Memory of the first or the last stage."""
    has_loss = not first or plan.pipeline == 1
    return StageMemory(
        stage=0 if first else plan.pipeline - 1,
        state=state_bytes(shape, plan, recipe),
        activations=activation_bytes(shape, plan, first, constants),
        logits=logits_bytes(shape, plan, constants) if has_loss else 0.0,
        buffers=buffer_bytes(shape, plan),
    )


def train_memory(shape: Shape, plan: Plan, recipe: Recipe, constants: dict[str, Any]) -> TrainMemory:
    """Memory of both ends of the pipeline; ``constants`` is the ``memory`` part of the training calibration."""
    first = stage_memory(shape, plan, recipe, True, constants)
    last = first if plan.pipeline == 1 else stage_memory(shape, plan, recipe, False, constants)
    return TrainMemory(
        first=first,
        last=last,
        fragmentation=float(constants["fragmentation"]),
        context=float(constants["context_gib"]) * GIB,
    )
