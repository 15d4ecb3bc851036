"""Weights of one GPU: every part by its own format and its own division over the ranks.

Tensor parallel divides projections, MLPs, embeddings, head and most vision towers; it replicates norms, routers, the
down-projections of latent attention, and key-value heads once there are fewer of them than ranks. Experts spread
over tensor x attention-data ranks. Pipeline stages are uneven: the first holds the embeddings, the last the head,
and the fullest decides.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from assistant.sizing.serving.parts.dtypes import EXPERTS, LINEAR, MLP, WeightFormat, format_in_name, weight_format
from assistant.sizing.serving.parts.shape import ServingShape, shape_of
from knowledge.architecture import ModelArchitecture
from knowledge.architecture.shape import Quantisation
from knowledge.message import say

VOCABULARY_PADDING = 64
"""vLLM's DEFAULT_VOCAB_PADDING_SIZE: the vocabulary is padded to a multiple of it for each rank."""
TORCH_ENGINES = frozenset({"vllm", "sglang"})
"""Engines that keep a second copy of latent attention's up-projections, and tabulate rotations, in 16 bits."""

HOST_EMBEDDING_ENGINES = frozenset({"llama.cpp"})


@dataclass(frozen=True)
class Layout:
    """How one replica is spread: ranks of each kind of parallelism.

    ``decode_context`` ranks are among the tensor ranks: they divide a sequence's cached tokens.
    """

    tensor: int = 1
    pipeline: int = 1
    attention_data: int = 1
    expert: int = 1
    decode_context: int = 1

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tensor * self.pipeline * self.attention_data


def _from_quantisation(q: Quantisation) -> WeightFormat:
    """The checkpoint's own format: bits with the scales of its groups, and which parts it leaves alone."""
    method = q.method.lower()
    if "bitsandbytes" in method or "fbgemm" in method or method in ("mxfp4", "awq"):
        return weight_format("bnb_8bit" if "bitsandbytes" in method and q.bits == 8 else method)
    odd = re.fullmatch(r"int[2-7]", q.weight_dtype) and q.weight_dtype != "int4"
    base = WeightFormat(q.weight_dtype, q.bits) if odd else weight_format(q.weight_dtype)
    bits = q.bits + 16 / q.group_size if q.group_size and q.bits <= 8 and base.name.startswith("int") else base.bits
    if q.block:
        bits = q.bits + 32 / (q.block[0] * q.block[1])
    skips_attention = q.experts_only or any("attn" in name or "attention" in name for name in q.excluded)
    parts = frozenset({"experts"}) if q.experts_only else MLP if skips_attention else LINEAR
    return WeightFormat(base.name, bits, parts, compute=base.compute, note=base.note)


def _released_in(model: ModelArchitecture) -> WeightFormat:
    return weight_format(model.released_in or format_in_name(model.name) or model.dtype or "bf16")


@lru_cache(maxsize=4096)
def format_for(model: ModelArchitecture, weight_dtype: str | None) -> WeightFormat:
    """The format that ``model`` is served in.

    Left out: the checkpoint's own, bf16 where its configuration names none. A checkpoint released in MXFP4 stays so
    whatever 4- or 8-bit precision is asked for. NVFP4 checkpoints leave latent attention in 16 bits.
    Raises ``BadInput`` for a name that no format has.
    """
    own = model.quantisation
    if not weight_dtype:
        return _from_quantisation(own) if own else _released_in(model)
    asked = weight_format(weight_dtype)
    released = format_for(model, None)
    if released.name == "mxfp4" and asked.name in ("fp8", "nvfp4", "mxfp4", "mxfp8", "fp8_block"):
        return released
    if asked.name == "nvfp4" and model.moe and shape_of(model).is_mla:
        return weight_format("nvfp4_experts")
    if asked.name == "mxfp4" and not model.moe:
        return replace(asked, parts=LINEAR, note=say("serving.format.all_linear"))
    if released.parts == EXPERTS and asked.name == "int4":
        return released
    return asked


def _padded(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _expert_padding(shape: ServingShape, fmt: WeightFormat, ways: int) -> float:
    """What the MXFP4 kernels add to a rank's expert width and to the hidden width, as a factor."""
    if fmt.name != "mxfp4" or not shape.expert_width:
        return 1.0
    width, hidden = shape.expert_width / ways, shape.expert_hidden
    of_width, of_hidden = fmt.expert_pads
    return _padded(math.ceil(width), of_width) / width * _padded(hidden, of_hidden) / hidden


@lru_cache(maxsize=65536)
def weight_bytes_per_gpu(shape: ServingShape, fmt: WeightFormat, layout: Layout, engine: str) -> float:
    """Bytes of weights on the fullest GPU of a replica (formula ``serving.weights``)."""
    tensor, stages = layout.tensor, layout.pipeline
    layers = layer_bytes(shape, fmt, layout, engine)
    rotations = 2.0 * shape.rope if engine in TORCH_ENGINES else 0.0
    if stages == 1:
        return rotations + layers + _table_bytes(shape, fmt, tensor, engine, first=True, last=True)
    # Layers go evenly; the remainder to middle stages, which hold neither table, where there are any.
    least, extra = divmod(shape.layers, stages)
    per_layer = layers / shape.layers
    middle = (least + (1 if extra else 0)) * per_layer if stages > 2 or extra else 0.0
    first_layers = least + (1 if extra > max(stages - 2, 0) else 0)
    first = first_layers * per_layer + _table_bytes(shape, fmt, tensor, engine, first=True, last=False)
    last = least * per_layer + _table_bytes(shape, fmt, tensor, engine, first=False, last=True)
    return rotations + max(first, middle, last)


def _table_bytes(shape: ServingShape, fmt: WeightFormat, tensor: int, engine: str, *, first: bool, last: bool) -> float:
    """Embeddings and vision tower of the first stage, head of the last; vocabulary padded for the ranks.

    llama.cpp looks embeddings up in host memory; a tied head is then a copy of its own.
    """
    on_host = engine in HOST_EMBEDDING_ENGINES
    padding = _padded(shape.vocab, VOCABULARY_PADDING * tensor) / shape.vocab / tensor
    total = 0.0
    if first:
        total += tower_bytes(shape, fmt, tensor)
        total += 0.0 if on_host else shape.embedding * padding * fmt.bytes_of("embedding")
    if last and not (shape.tied and first and not on_host):
        head = shape.head or (shape.embedding if shape.tied else 0)
        total += head * padding * fmt.bytes_of("head")
    return total


def tower_bytes(shape: ServingShape, fmt: WeightFormat, tensor: int) -> float:
    """Bytes of the vision and audio towers on a GPU of the first stage: whole, or divided over the tensor ranks."""
    return (shape.vision if shape.vision_whole else shape.vision / tensor) * fmt.bytes_of("vision")


def read_bytes_per_gpu(shape: ServingShape, fmt: WeightFormat, layout: Layout, engine: str) -> float:
    """Bytes that every decode step reads on one GPU, all stages together: no routed experts, towers, or table that
    is only looked up (a tied one is read as the head).
    """
    whole = replace(layout, pipeline=1)
    looked_up = 0.0 if shape.tied or engine in HOST_EMBEDDING_ENGINES else shape.embedding * fmt.bytes_of("embedding")
    unread = (
        expert_bytes_per_gpu(shape, fmt, whole) + looked_up / layout.tensor + tower_bytes(shape, fmt, layout.tensor)
    )
    return weight_bytes_per_gpu(shape, fmt, whole, engine) - unread


def layer_bytes(shape: ServingShape, fmt: WeightFormat, layout: Layout, engine: str) -> float:
    """Bytes of all layers on one GPU, before pipeline stages divide them: no embeddings, head or tower."""
    tensor = layout.tensor
    attention, mlp = fmt.bytes_of("attention"), fmt.bytes_of("mlp")
    kv_share = max(1 / tensor, 1 / shape.kv_heads) if shape.kv_heads else 1 / tensor
    total = attention * (shape.attention_split / tensor + shape.attention_kv * kv_share + shape.attention_whole)
    if engine in TORCH_ENGINES:
        total += 2.0 * shape.attention_absorbed / tensor
    total += mlp * (shape.dense_mlp + shape.shared) / tensor
    total += expert_bytes_per_gpu(shape, fmt, layout)
    total += fmt.other_bits / 8 * (shape.router + shape.norms + shape.other / tensor)
    return total


def expert_bytes_per_gpu(shape: ServingShape, fmt: WeightFormat, layout: Layout) -> float:
    """Bytes of routed experts of all layers on one GPU: whole experts over ``expert`` ranks, the rest by width."""
    if not shape.experts:
        return 0.0
    ranks = layout.tensor * layout.attention_data
    by_width = max(ranks // layout.expert, 1)
    whole = -(-shape.expert_count // layout.expert) / shape.expert_count
    padding = _expert_padding(shape, fmt, by_width)
    return shape.experts * whole / by_width * padding * fmt.bytes_of("experts")
