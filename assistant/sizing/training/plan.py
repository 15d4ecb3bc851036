"""A training job as arithmetic sees it: how the model is cut over the GPUs, and with what recipe."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple


class Sharding(StrEnum):
    """What data-parallel ranks divide among them; names of the ZeRO paper (arXiv 1910.02054). FSDP is zero3."""

    NONE = "none"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"


class Recompute(StrEnum):
    """Which activations are computed again in the backward pass."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"


class Schedule(StrEnum):
    """In which order a pipeline's stages work."""

    ONE_F_ONE_B = "1f1b"
    INTERLEAVED = "interleaved"
    ZERO_BUBBLE = "zero_bubble"
    DUALPIPE = "dualpipe"


class Precision(StrEnum):
    """Number format of the matrix products."""

    BF16 = "bf16"
    FP16 = "fp16"
    FP32 = "fp32"
    FP8 = "fp8"
    MXFP8 = "mxfp8"
    NVFP4 = "nvfp4"


class Plan(NamedTuple):
    """One layout. ``data`` ranks hold copies (or shards) of the model; experts spread over ``expert`` of the
    ``data * context * tensor`` ranks, each cut ``expert_tensor`` ways. ``virtual`` is the number of model chunks of
    each pipeline stage. ``frozen`` weights get no gradient (adapters alone are trained). Full
    recomputation takes in ``recomputed`` of each stage's layers: all, or as many as memory asks for (Megatron's block
    method, every n-th layer in FSDP stacks).
    """

    tensor: int
    pipeline: int
    context: int
    expert: int
    data: int
    virtual: int
    micro_batch: int
    global_batch: int
    sequence: int
    sequence_parallel: bool
    sharding: Sharding
    recompute: Recompute
    precision: Precision
    chunked_loss: bool = False
    flash: bool = True
    expert_tensor: int = 1
    frozen: bool = False
    dropout: bool = False
    recomputed: float = 1.0
    schedule: Schedule = Schedule.ONE_F_ONE_B

    @property
    def gpus(self) -> int:
        """GPUs in use."""
        return self.tensor * self.pipeline * self.context * self.data

    @property
    def gathers(self) -> bool:
        """Whether weights are gathered anew for each pass: FSDP does, but not in a pipeline, where each micro-batch
        would pay for it; there it keeps weights and gradients whole and shards the optimizer alone.
        """
        return self.sharding is Sharding.ZERO3 and self.pipeline == 1

    @property
    def redone(self) -> float:
        """Share of the layers whose forward pass runs twice."""
        return self.recomputed if self.recompute is Recompute.FULL else 0.0

    @property
    def micro_batches(self) -> int:
        """Micro-batches each pipeline runs in one step."""
        return max(1, math.ceil(self.global_batch / (self.data * self.micro_batch)))

    @property
    def tokens(self) -> float:
        """Tokens of one micro-batch on one context-parallel rank."""
        return self.micro_batch * self.sequence / self.context

    @property
    def expert_shards(self) -> int:
        """Pieces that one layer's experts are cut into."""
        return self.expert * self.expert_tensor

    @property
    def expert_data(self) -> int:
        """Ranks that hold the same experts."""
        return max(1, self.data * self.context * self.tensor // self.expert_shards)
