"""Memory of one GPU in training: state, activations, logits, buffers, for the pipeline stages that can be the fullest.

Activations follow Korthikanti et al. (arXiv 2205.05198, equation 2 and table 2), written in widths so that grouped
queries, gated feed-forward and experts fit in; with flash attention the quadratic term is gone. The first stage holds
the most micro-batches, the last holds logits and loss: all are computed, the fullest is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.sizing.training.parts.plan import Plan, Precision, Recompute, Sharding
from assistant.sizing.training.parts.schedule import held_micro_batches, weight_copies
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.parts.stages import Stage, end_stages, stage_parameters
from knowledge.calibration.training import FinetuneConstants, MemoryConstants

GIB = float(2**30)
"""Bytes of a GiB."""


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
    """Bytes on one GPU of one pipeline stage.

    ``step``: what the optimizer's step takes beside the state, once activations and logits are gone.
    """

    stage: int
    state: float
    activations: float
    logits: float
    buffers: float
    step: float = 0.0

    @property
    def allocated(self) -> float:
        """What the allocator hands out at the peak."""
        return self.state + max(self.activations + self.logits, self.step) + self.buffers


@dataclass(frozen=True)
class TrainMemory:
    """The stages that can be the fullest, first to last. ``context`` is outside the allocator."""

    stages: tuple[StageMemory, ...]
    fragmentation: float
    context: float

    @property
    def fullest(self) -> StageMemory:
        """The stage that holds the most."""
        return max(self.stages, key=lambda stage: stage.allocated)

    @property
    def peak(self) -> float:
        """Bytes the framework reserves on the fullest rank."""
        return self.fullest.allocated * (1.0 + self.fragmentation)

    @property
    def device(self) -> float:
        """Bytes in use on the device: with CUDA and communication contexts."""
        return self.peak + self.context


def state_bytes(shape: Shape, plan: Plan, recipe: Recipe, stage: Stage | None = None) -> float:
    """Weights, gradients and optimizer state of one GPU by sharding; experts shard over their own replicas."""
    dense, experts = stage_parameters(shape, plan, stage)
    copies = weight_copies(plan)
    if copies != 1:
        recipe = replace(recipe, weights=recipe.weights * copies)
    sharding = plan.sharding
    if sharding is Sharding.ZERO3 and not plan.gathers:
        sharding, recipe = Sharding.ZERO1, replace(recipe, gradients=max(recipe.gradients, 4.0))
    return _sharded(dense, plan.data * plan.context, sharding, recipe) + _sharded(
        experts, plan.expert_data, sharding, recipe
    )


def _sharded(parameters: float, ranks: int, sharding: Sharding, recipe: Recipe) -> float:
    weights = recipe.weights / (ranks if sharding is Sharding.ZERO3 else 1)
    gradients = recipe.gradients / (ranks if sharding in (Sharding.ZERO2, Sharding.ZERO3) else 1)
    optimizer = recipe.optimizer / (1 if sharding is Sharding.NONE else ranks)
    return parameters * (weights + gradients + optimizer)


def layer_activation_bytes(shape: Shape, plan: Plan, moe: bool) -> float:
    """Bytes that one layer keeps of one micro-batch on one GPU without recomputation.

    In units of Korthikanti: 34 s b h / t for GPT with sequence parallelism, 10 + 24 / t without. With 8-bit matrix
    products the inputs of the matrices are kept as quantised (the attention's output in both forms).
    """
    spread = plan.tensor if plan.sequence_parallel else 1
    kept = _input_bytes(plan)
    outside = (4 + 2 * kept + (2 if plan.dropout else 0)) * shape.hidden / spread
    attended = shape.heads * shape.value_dim
    inside = 2 * (shape.query_width + shape.key_value_width + attended) + (attended if kept == 1 else 0)
    if not moe:
        inside += _feed_forward_bytes(shape, shape.intermediate, kept)
        return plan.tokens * (outside + inside / plan.tensor) + _score_bytes(shape, plan)
    inside += _feed_forward_bytes(shape, shape.shared_intermediate, kept)
    dispatched = (2 + kept) * shape.hidden
    routed = shape.top_k * (dispatched + _feed_forward_bytes(shape, shape.expert_intermediate, kept))
    return plan.tokens * (outside + (inside + routed) / plan.tensor) + _score_bytes(shape, plan)


def _input_bytes(plan: Plan) -> int:
    """Bytes a value of what a matrix keeps of its input: FSDP stacks quantise anew in the backward pass."""
    eight_bit = plan.precision in (Precision.FP8, Precision.MXFP8, Precision.NVFP4)
    return 1 if eight_bit and plan.sharding is not Sharding.ZERO3 else 2


def _feed_forward_bytes(shape: Shape, width: int, kept: int) -> int:
    """Gate and up (4 bytes a channel) where gated, input of the activation (2) where not; and the last input."""
    return ((4 if shape.gated else 2) + kept) * width


def _score_bytes(shape: Shape, plan: Plan) -> float:
    """Scores, softmax and dropout mask, kept only without flash attention and without selective recomputation."""
    if plan.flash or plan.recompute is not Recompute.NONE:
        return 0.0
    return 5.0 * shape.heads * plan.sequence * plan.tokens / plan.tensor


def kept_bytes_per_layer(shape: Shape, plan: Plan, constants: MemoryConstants) -> float:
    """Bytes kept per layer (mean over dense and expert layers) and micro-batch under the recomputation chosen."""
    share = shape.moe_layers / shape.layers
    redone = plan.redone * 2.0 * plan.tokens * shape.hidden / (plan.tensor if plan.sequence_parallel else 1)
    if plan.redone == 1.0:
        return redone
    full = (1.0 - share) * layer_activation_bytes(shape, plan, False)
    if share:
        full += share * layer_activation_bytes(shape, plan, True)
    if plan.redone:
        return redone + (1.0 - plan.redone) * full
    if plan.recompute is Recompute.SELECTIVE and plan.flash:
        return full * _selective(shape, plan, constants)
    return full


def _selective(shape: Shape, plan: Plan, constants: MemoryConstants) -> float:
    """Which selective recomputation a stack does: every second product in FSDP, norms and activations in Megatron,
    with experts also their permuted inputs.
    """
    if plan.sharding is Sharding.ZERO3:
        return constants.selective_keeps_fsdp
    return constants.selective_keeps_moe if shape.moe_layers else constants.selective_keeps


def activation_bytes(shape: Shape, plan: Plan, stage: Stage, constants: MemoryConstants) -> float:
    """Activations of one GPU at the peak: what is kept, and with full recomputation one layer being redone."""
    return _held_bytes(shape, plan, stage, kept_bytes_per_layer(shape, plan, constants))


def _held_bytes(shape: Shape, plan: Plan, stage: Stage, kept_per_layer: float) -> float:
    kept = kept_per_layer * stage.layers * held_micro_batches(plan, stage.place)
    if plan.recompute is Recompute.FULL:
        kept += layer_activation_bytes(shape, plan, shape.moe_layers > 0)
    if plan.dropout and plan.pipeline > 1:
        # Pipelines of 2022 kept what a stage received and sent for each micro-batch in flight, in 16 bits each.
        kept += 4.0 * plan.tokens * shape.hidden * held_micro_batches(plan, stage.place)
    return kept


def logits_bytes(shape: Shape, plan: Plan, constants: MemoryConstants | FinetuneConstants) -> float:
    """Logits, their FP32 copy and gradient on the stage with the loss; a chunked loss keeps an eighth."""
    per_value = constants.logits_bytes_per_value * (0.125 if plan.chunked_loss else 1.0)
    return per_value * plan.tokens * shape.vocabulary / plan.tensor


def buffer_bytes(shape: Shape, plan: Plan) -> float:
    """Gathered weights of two layers in flight and the largest gradient under ZeRO-3; nothing otherwise."""
    if not plan.gathers:
        return 0.0
    dense = shape.dense_layer_parameters if shape.moe_layers < shape.layers else shape.moe_layer_parameters
    experts = shape.expert_parameters / plan.expert_shards if shape.moe_layers else 0.0
    largest = max(dense / plan.tensor + experts, shape.embedding_parameters / plan.tensor)
    return 6.0 * largest


def train_memory(
    shape: Shape, plan: Plan, recipe: Recipe, constants: MemoryConstants, like: TrainMemory | None = None
) -> TrainMemory:
    """Memory of the stages that can be the fullest; ``constants`` is the ``memory`` part of the calibration.

    ``like``: that of the same split with another batch, recomputation or loss, whose state and buffers are the same.
    """
    stages, kept = end_stages(shape, plan), kept_bytes_per_layer(shape, plan, constants)
    buffers = like.stages[0].buffers if like else buffer_bytes(shape, plan)
    states = (known.state for known in like.stages) if like else (state_bytes(shape, plan, recipe, s) for s in stages)
    worked_out = tuple(
        StageMemory(
            stage=stage.place,
            state=state,
            activations=_held_bytes(shape, plan, stage, kept),
            logits=logits_bytes(shape, plan, constants) if stage.place == plan.pipeline - 1 else 0.0,
            buffers=buffers,
        )
        for stage, state in zip(stages, states, strict=True)
    )
    return TrainMemory(worked_out, constants.fragmentation, constants.context_gib * GIB)
