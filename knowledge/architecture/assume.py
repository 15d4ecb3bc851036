"""A shape for "some 70B model": the nearest dense model of the catalogue, scaled, and marked as assumed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from knowledge.architecture.entry import architecture_of
from knowledge.architecture.model import ModelArchitecture
from knowledge.architecture.shape import LayerGroup
from knowledge.errors import BadInput
from knowledge.schema.model import Model

SAME_SHAPE = 0.06
"""Within this share of the reference's size its shape is kept as it is: names round (Qwen2.5 "72B" has 72.7B)."""
_DIMENSIONS = 3
"""Width, MLP width and depth grow together, each with the cube root of the size."""


def unnamed_dense(params_b: float, models: Mapping[str, Model]) -> ModelArchitecture:
    """The shape to assume of an unnamed dense model of ``params_b`` billion parameters.

    The nearest verified dense language model with a gated MLP and grouped-query full attention, by ratio of sizes.
    ``assumed_from`` names it. Raises BadInput outside 0.1 to 2,000 billion.
    """
    if not 0.1 <= params_b <= 2000:
        raise BadInput("params_b", params_b, "a size from 0.1 to 2000 billion parameters")
    wanted = params_b * 1e9
    candidates = [m for m in models.values() if _usable(m)]
    if not candidates:
        raise BadInput("params_b", params_b, "a catalogue with at least one dense model")
    nearest = min(candidates, key=lambda m: _distance(m, wanted))
    reference = architecture_of(nearest)
    ratio = wanted / reference.total_params
    shape = reference if abs(ratio - 1) <= SAME_SHAPE else _scaled(reference, ratio ** (1 / _DIMENSIONS))
    return shape.model_copy(update={"name": f"{params_b:g}B dense model", "assumed_from": nearest.name})


def _distance(m: Model, wanted: float) -> tuple[float, int, str]:
    """How far off in size, to a percent; among equals the longest context, then the first released."""
    return round(abs(math.log(wanted / (m.total_params or 1))), 2), -(m.max_context or 0), m.release_date or "9999"


def _usable(m: Model) -> bool:
    plain = m.attention is not None and set(m.attention) == {"full"}
    grouped = m.heads is not None and m.kv_heads is not None and m.kv_heads < m.heads
    return m.kind == "llm" and m.verified and m.gated_mlp and plain and grouped and m.moe is None and m.mla is None


def _scaled(reference: ModelArchitecture, factor: float) -> ModelArchitecture:
    """Layers, hidden and MLP width times ``factor``; head width and KV heads stay as they are."""
    attention = reference.main_attention
    assert attention is not None  # _usable chose a model with full attention
    layers = max(1, round(reference.layers * factor))
    heads = attention.kv_heads * max(1, round(attention.heads / attention.kv_heads * factor))
    hidden = max(1, round(reference.hidden * factor / attention.head_dim)) * attention.head_dim
    scaled = attention.model_copy(update={"heads": heads})
    return reference.model_copy(
        update={
            "hidden": hidden,
            "layers": layers,
            "groups": (LayerGroup(count=layers, attention=scaled, cached_layers=layers),),
            "intermediate": max(1, round((reference.intermediate or 0) * factor / 128)) * 128,
            "dense_mlp_layers": layers,
            "stated_params": None,
        }
    )
