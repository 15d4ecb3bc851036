"""A training job as arithmetic sees it: how the model is cut over the GPUs, and with what recipe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from assistant.sizing.spelled import Spelled


class Sharding(Spelled):
    """What data-parallel ranks divide among them; names of the ZeRO paper (arXiv 1910.02054). FSDP is zero3."""

    NONE = "none"
    ZERO1 = "zero1"
    ZERO2 = "zero2"
    ZERO3 = "zero3"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {
            "0": "none", "zero0": "none", "zero_0": "none", "ddp": "none", "no_shard": "none",
            "1": "zero1", "zero_1": "zero1", "deepspeed_zero1": "zero1", "distributed_optimizer": "zero1",
            "2": "zero2", "zero_2": "zero2", "deepspeed_zero2": "zero2", "shard_grad_op": "zero2",
            "3": "zero3", "zero_3": "zero3", "deepspeed_zero3": "zero3", "full_shard": "zero3",
            "fsdp": "zero3", "fsdp2": "zero3", "fsdp_full_shard": "zero3",
        }  # fmt: skip


class Recompute(Spelled):
    """Which activations are computed again in the backward pass."""

    NONE = "none"
    SELECTIVE = "selective"
    FULL = "full"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        # A switch without more (gradient checkpointing in Transformers and FSDP) redoes all that lies within a layer.
        return {"true": "full", "yes": "full", "on": "full", "false": "none", "no": "none", "off": "none"}


class Schedule(Spelled):
    """In which order a pipeline's stages work."""

    ONE_F_ONE_B = "1f1b"
    INTERLEAVED = "interleaved"
    ZERO_BUBBLE = "zero_bubble"
    DUALPIPE = "dualpipe"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {"interleaved_1f1b": "interleaved", "zb": "zero_bubble", "zbv": "zero_bubble", "zb_h1": "zero_bubble"}


class Precision(Spelled):
    """Number format of the matrix products."""

    BF16 = "bf16"
    FP16 = "fp16"
    FP32 = "fp32"
    FP8 = "fp8"
    MXFP8 = "mxfp8"
    NVFP4 = "nvfp4"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        # Composer, Lightning and PyTorch name the format of autocast; Megatron-Bridge FP8's kinds of scaling; "hybrid"
        # is Transformer Engine's E4M3 forward, E5M2 backward.
        return {
            "bfloat16": "bf16", "amp_bf16": "bf16", "bf16_mixed": "bf16", "bf16_true": "bf16", "bf16_amp": "bf16",
            "float16": "fp16", "half": "fp16", "amp_fp16": "fp16", "fp16_mixed": "fp16", "16_mixed": "fp16",
            "float32": "fp32", "32_true": "fp32", "amp_fp8": "fp8", "fp8_linear": "fp8", "float8": "fp8",
            "fp8_cs": "fp8", "fp8_ds": "fp8", "fp8_sc": "fp8", "fp8_hybrid": "fp8", "hybrid": "fp8", "e4m3": "fp8",
            "fp8_delayed": "fp8", "fp8_mx": "mxfp8", "fp4": "nvfp4",
        }  # fmt: skip


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
