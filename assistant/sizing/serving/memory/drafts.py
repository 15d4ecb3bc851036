"""Memory of speculative decoding: a draft model, or the model's own layers for multi-token prediction (MTP, EAGLE).

Engines load the draft on the target's tensor ranks, within the same share, and give it a cache of its own in the same
pool. Embeddings and head are the target's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.sizing.serving.memory.kv import CachePlan, cache_plan
from assistant.sizing.serving.memory.weights import Layout, layer_bytes, weight_bytes_per_gpu
from assistant.sizing.serving.parts.dtypes import WeightFormat
from assistant.sizing.serving.parts.shape import CacheKind, ServingShape

OWN_LAYERS = ("mtp", "eagle", "nextn")
"""Names of ``draft_model`` for layers that belong to the model itself."""


@dataclass(frozen=True)
class Draft:
    """A draft to load beside the model: its shape and format, or ``layers`` more of the model's own."""

    shape: ServingShape | None = None
    fmt: WeightFormat | None = None
    layers: int = 1


def draft_bytes(draft: Draft, shape: ServingShape, fmt: WeightFormat, layout: Layout, engine: str) -> float:
    """Bytes of the draft's weights on one GPU (formula ``serving.draft``).

    A layer of the model's own is the mean of its layers, with experts where it has any, and a 16-bit projection of
    two hidden states to one.
    """
    tensor = Layout(layout.tensor, expert=layout.expert, attention_data=layout.attention_data)
    if draft.shape and draft.fmt:
        return weight_bytes_per_gpu(draft.shape, draft.fmt, tensor, engine)
    each = layer_bytes(shape, fmt, tensor, engine) / shape.layers
    return draft.layers * (each + 2.0 * 2 * shape.hidden**2 / layout.tensor)


def with_draft(
    plan: CachePlan, draft: Draft, shape: ServingShape, engine: str, tensor: int, kv_dtype: str
) -> CachePlan:
    """``plan`` with the draft's cache: a token of it is as long as one of the model's."""
    if draft.shape:
        extra = cache_plan(draft.shape, engine, False, tensor, 1, kv_dtype).per_token_bytes
    else:
        full = [(size, kind) for size, kind in plan.kinds if kind.window is None] or list(plan.kinds)
        extra = max((size / kind.layers for size, kind in full), default=0.0) * draft.layers
    kind = CacheKind(layers=draft.layers, heads=None, values=0)
    return replace(plan, per_token_bytes=plan.per_token_bytes + extra, kinds=(*plan.kinds, (extra, kind)))
