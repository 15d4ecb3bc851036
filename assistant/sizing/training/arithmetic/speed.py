"""Time of one training step: compute at a calibrated efficiency, communication that is not hidden, pipeline bubble.

Model FLOP are those of the matrix products without recomputation, attention counted causally; the hardware runs a third
more with full recomputation. Communication volumes: tensor parallel, Korthikanti section 4.2.2; ZeRO, arXiv 1910.02054
section 7; ring attention, arXiv 2310.01889; expert dispatch, arXiv 2412.19437 section 3.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assistant.sizing.training.parts.plan import Plan, Recompute, Sharding
from assistant.sizing.training.parts.schedule import hides_experts, idle_micro_batches
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.parts.stages import stage_layers, stage_parameters
from knowledge.calibration.training import SpeedConstants

SERVER_DOMAIN = 8
"""GPUs that NVLink joins within a server; larger domains are racks."""
MATRIX_ALIGNMENT = 8
"""Tensor cores want dimensions that are multiples of 16 bytes (8 values of 16 bits); other head sizes run slower."""


@dataclass(frozen=True)
class Machine:
    """Rates of one GPU and of its links. ``matrix_flops`` is the dense peak of the precision of the matrix products.

    ``cell`` names the calibration cell; ``scale_up`` is one direction within a domain of ``domain`` GPUs.
    """

    cell: str
    matrix_flops: float
    attention_flops: float
    memory_bytes_per_s: float
    scale_up: float
    domain: int
    scale_out: float


@dataclass(frozen=True)
class StepTime:
    """Seconds of one step and where they go, on the critical path."""

    compute: float
    tensor: float
    context: float
    expert: float
    data: float
    pipeline: float
    bubble: float
    optimizer: float

    @property
    def total(self) -> float:
        """The step."""
        exchange = self.tensor + self.context + self.expert + self.data + self.pipeline
        return self.compute + exchange + self.bubble + self.optimizer


def _spread_link(machine: Machine, k: SpeedConstants, ranks: int, stride: int) -> float:
    """Bytes a second and rank in a ring of ``ranks`` that lie ``stride`` GPUs apart.

    A ring that leaves the domain enters and leaves it through the network ports of all its members in the domain.
    """
    inside = machine.scale_up * k.link_share
    if ranks * stride <= machine.domain:
        return inside
    local = max(1, min(ranks, machine.domain // stride))
    return min(inside, machine.scale_out * local * k.net_share)


def _link(machine: Machine, ranks: int) -> float:
    """Bytes a second and GPU between ``ranks`` neighbours that lie next to each other."""
    return machine.scale_up if ranks <= machine.domain else machine.scale_out


def compute_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants) -> float:
    """Forward and backward of one micro-batch on the fullest stage without communication."""
    cell = k.cells[machine.cell]
    fsdp = plan.sharding is Sharding.ZERO3
    layers = stage_layers(shape, plan)
    share = layers / shape.layers
    passes = (2.0 / 3.0 if plan.frozen else 1.0) + plan.redone / 3.0
    if plan.recompute is Recompute.SELECTIVE and plan.flash:
        passes += (k.selective_recompute_fsdp if fsdp else k.selective_recompute) / 3.0
    head = shape.embedding_parameters
    body = float(max(0, shape.matrix_parameters - head))
    # The last stage has the head beside its layers; moving layers to the others can at best even it out.
    ends = 6.0 * head * max(k.head_on_path, 1.0 / plan.pipeline)
    routed = shape.moe_layers * shape.top_k * shape.one_expert_parameters
    body += routed * (k.grouped_matrix - 1.0)
    matrix = plan.tokens * (6.0 * body * share * passes + ends) / plan.tensor
    causal = 3.0 * shape.attention_flop_per_token(plan.sequence) * plan.tokens * share * passes / plan.tensor
    penalty = 1.0 if shape.head_dim % MATRIX_ALIGNMENT == 0 else k.misaligned_head
    touched = _streamed_bytes(shape, plan) * k.streamed + _routed_bytes(shape, plan) * k.routed
    streamed = layers * passes * touched / machine.memory_bytes_per_s
    streamed *= k.fsdp_streamed if fsdp else 1.0
    slower = penalty / (1.0 if plan.flash else k.no_flash)
    attention = cell.attention
    if fsdp and not shape.moe_layers:
        # Dense FSDP stacks attend by PyTorch's own kernel; its context parallelism does not balance the causal mask.
        attention = (cell.attention_fsdp or attention) * (plan.context + 1) / (2.0 * plan.context)
    sparse = shape.moe_layers * share
    moe = k.moe_layer_seconds_rack if machine.domain > SERVER_DOMAIN else k.moe_layer_seconds
    fixed = (layers - sparse) * k.layer_seconds + sparse * moe
    busy = (
        matrix / (machine.matrix_flops * cell.matrix)
        + causal * slower / (machine.attention_flops * attention)
        + streamed
    )
    # The host launches kernels while the GPU works: whichever is slower sets the pace.
    return _smooth_max(float(busy), fixed * passes, k.host_overlap_power)


def _streamed_bytes(shape: Shape, plan: Plan) -> float:
    """Bytes that norms, activations and residuals of one layer touch once."""
    share = shape.moe_layers / shape.layers
    width = (1.0 - share) * shape.intermediate + share * shape.shared_intermediate + shape.query_width
    spread = plan.tensor if plan.sequence_parallel else 1
    return plan.tokens * (12.0 * shape.hidden / spread + 4.0 * width / plan.tensor)


def _routed_bytes(shape: Shape, plan: Plan) -> float:
    """Bytes that sorting tokens to experts, their activations and the weighted sum touch, mean of all layers."""
    copies = shape.moe_layers / shape.layers * shape.top_k
    return plan.tokens / plan.tensor * copies * 4.0 * (shape.hidden + shape.expert_intermediate)


def tensor_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants) -> float:
    """All-reduces (or gather and scatter pairs) of one micro-batch on one stage that compute does not hide."""
    t = plan.tensor
    if t == 1:
        return 0.0
    rounds = 4.0 + 2.0 * plan.redone
    volume = rounds * 2.0 * (t - 1) / t * 2.0 * plan.tokens * shape.hidden * stage_layers(shape, plan)
    return volume / (_link(machine, t) * k.link_share) * k.tensor_exposed


def context_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants) -> float:
    """Keys and values passed around the ring, forward once and backward twice, less what attention hides."""
    c = plan.context
    if c == 1:
        return 0.0
    values = plan.tokens * shape.key_value_width / plan.tensor * (c - 1)
    volume = 3.0 * 2.0 * values * stage_layers(shape, plan)
    return volume / (_link(machine, c * plan.tensor) * k.link_share) * k.context_exposed


def expert_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants) -> float:
    """Dispatch and combine, forward and backward; across domains a token travels once to each domain that
    one of its experts is in (the number expected for experts chosen evenly). Interleaved stages hide more of it: one
    micro-batch's exchange runs beside another's compute.
    """
    e = plan.expert
    if e == 1 or not shape.moe_layers:
        return 0.0
    layers = shape.moe_layers * stage_layers(shape, plan) / shape.layers
    token_bytes = 4.0 * 2.0 * plan.tokens / plan.tensor * (shape.expert_hidden or shape.hidden) * layers
    inside = token_bytes * shape.top_k * (e - 1) / e / (machine.scale_up * k.link_share)
    groups = math.ceil(e / machine.domain)
    reached = groups * (1.0 - (1.0 - 1.0 / groups) ** shape.top_k) * (groups - 1) / groups
    across = token_bytes * reached / (machine.scale_out * k.net_share)
    return max(inside, across) * (k.expert_exposed_interleaved if hides_experts(plan) else k.expert_exposed)


def data_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants, micro: float) -> float:
    """Gradient and weight exchange of one step beyond what compute hides; ``micro`` is one micro-batch's compute."""
    ranks = plan.data * plan.context
    if ranks == 1:
        return 0.0
    dense, experts = stage_parameters(shape, plan)
    if plan.gathers:
        rounds, volume = plan.micro_batches, (2.0 if plan.frozen else 3.0) * 2.0
    elif plan.sharding is Sharding.ZERO2:
        # Gradients that are spread are sent with each micro-batch, in 16 bits; the weights once a step.
        rounds, volume = plan.micro_batches, 2.0 + 2.0 / plan.micro_batches
    else:
        rounds, volume = 1, k.gradient_bytes + 2.0
    if plan.frozen and plan.sharding is not Sharding.ZERO3:
        return 0.0
    copies = plan.expert_data
    seconds = volume * dense * (ranks - 1) / ranks / _spread_link(machine, k, ranks, plan.tensor)
    if experts and copies > 1:
        stride = max(1, plan.data * plan.context * plan.tensor // copies)
        seconds += volume * experts * (copies - 1) / copies / _spread_link(machine, k, copies, stride)
    hidden = _smooth_max(seconds, micro * k.data_overlap, k.overlap_power)
    return rounds * (hidden - micro * k.data_overlap)


def pipeline_seconds(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants, busy: float) -> float:
    """Activations of one micro-batch to the next stage and their gradients back, beyond the work that hides them.

    Each chunk sends 16 bits a value; the tensor ranks send a part each (Narayanan section 4.1).
    """
    if plan.pipeline == 1:
        return 0.0
    volume = 2.0 * 2.0 * plan.virtual * plan.tokens * shape.hidden / plan.tensor
    crosses = plan.gpus > machine.domain
    link = machine.scale_out * k.net_share if crosses else machine.scale_up * k.link_share
    return max(0.0, volume / link - busy)


def _smooth_max(a: float, b: float, power: float) -> float:
    """A maximum with a soft corner: two things that overlap never do so perfectly."""
    top = max(a, b)
    if top <= 0.0:
        return 0.0
    return float(top * ((a / top) ** power + (b / top) ** power) ** (1.0 / power))


def step_time(shape: Shape, plan: Plan, machine: Machine, k: SpeedConstants) -> StepTime:
    """One step. ``k`` is the ``speed`` part of the training calibration. Raises KeyError for an unknown cell."""
    m = plan.micro_batches
    scale = 1.0 + k.scale_loss * math.log2(max(1.0, plan.gpus / 8.0))
    compute = compute_seconds(shape, plan, machine, k) * scale
    tensor = tensor_seconds(shape, plan, machine, k)
    context = context_seconds(shape, plan, machine, k)
    expert = expert_seconds(shape, plan, machine, k)
    busy = compute + tensor + context + expert
    dense, experts = stage_parameters(shape, plan)
    updated = dense / plan.data / plan.context + experts / plan.expert_data
    if plan.sharding is Sharding.NONE:
        updated = dense + experts
    return StepTime(
        compute=compute * m,
        tensor=tensor * m,
        context=context * m,
        expert=expert * m,
        data=data_seconds(shape, plan, machine, k, busy),
        pipeline=pipeline_seconds(shape, plan, machine, k, busy) * m,
        bubble=busy * idle_micro_batches(plan),
        optimizer=(0.0 if plan.frozen else updated) * 30.0 / machine.memory_bytes_per_s + k.step_seconds,
    )
