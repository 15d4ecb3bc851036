"""Memory of LoRA slots: engines set aside room for the largest rank in every slot before the cache is sized."""

from __future__ import annotations

from assistant.sizing.serving.parts.shape import ServingShape

BYTES = 2.0


def adapter_values(shape: ServingShape, tensor: int) -> float:
    """Values of rank one on one GPU: inputs + outputs of query, key, value, output, gate, up and down of all layers.

    Tensor parallel divides the side that the base matrix is divided on and replicates the other (the first factor of
    column-parallel matrices, the second of row-parallel ones). Of experts' matrices none are counted.
    """
    attended = sum(count for count, _, _, _ in shape.attention_widths)
    heads = sum(count * width / 2 for count, width, _, _ in shape.attention_widths)
    keys = heads * shape.kv_heads / shape.heads if shape.heads else 0.0
    dense = shape.layers - shape.moe_layers if shape.dense_width else 0
    replicated = shape.hidden * (4 * attended + 3 * dense)
    divided = 2 * heads + 2 * keys + 3 * shape.dense_width * dense
    return replicated + divided / tensor


def adapter_bytes(shape: ServingShape, tensor: int, stages: int, slots: int, rank: int) -> float:
    """Bytes of ``slots`` adapters of ``rank`` in 16 bits on one GPU (formula ``serving.adapters``)."""
    return BYTES * slots * rank * adapter_values(shape, tensor) / stages
