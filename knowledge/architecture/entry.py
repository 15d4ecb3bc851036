"""A catalogue model's flat fields to a ``ModelArchitecture``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from knowledge.architecture.config_types import ROTARY_SHARE
from knowledge.architecture.model import ModelArchitecture
from knowledge.architecture.shape import (
    CACHED_REACHES,
    Attention,
    LatentKv,
    LayerGroup,
    Mla,
    Moe,
    Reach,
    SparseIndex,
    State,
    StateType,
)
from knowledge.errors import BadInput
from knowledge.schema.model import Model

_REACH_OF = {
    "full": Reach.FULL,
    "full_without_index": Reach.FULL,
    "sliding": Reach.SLIDING,
    "chunked": Reach.CHUNKED,
    "sparse_block": Reach.SPARSE_BLOCK,
    "cross": Reach.CROSS,
    "full_bidirectional": Reach.BIDIRECTIONAL,
    "encoder_full": Reach.BIDIRECTIONAL,
    "decoder_self": Reach.FULL,
    "decoder_cross": Reach.CROSS,
    "window_only": Reach.COMPRESSED,
    "compressed_4x_indexed": Reach.COMPRESSED,
    "compressed_128x": Reach.COMPRESSED,
    "full_and_ssm_in_parallel": Reach.FULL,
}
_WINDOWED = frozenset({Reach.SLIDING, Reach.CHUNKED, Reach.COMPRESSED})
_WITHOUT_MLP = frozenset({"decoder_cross"})
_NEEDED = ("layers", "hidden", "vocab", "attention")


def architecture_of(model: Model) -> ModelArchitecture:
    """The shape of a catalogue model.

    Raises BadInput when the entry does not hold what arithmetic needs (diffusion models hold only a parameter count).
    """
    missing = [name for name in _NEEDED if getattr(model, name) is None]
    if missing:
        expected = f"a model whose shape is known; {model.name} has no {', '.join(missing)} in the catalogue"
        raise BadInput("model", model.id, expected)
    try:
        return _architecture(model)
    except (ValidationError, KeyError, TypeError) as error:
        raise BadInput("model", model.id, f"a consistent catalogue entry: {error}") from None


def _architecture(m: Model) -> ModelArchitecture:
    attention = dict(m.attention or {})
    attention.pop("positions", None)
    moe = _moe(m)
    return ModelArchitecture(
        name=m.name,
        kind=m.kind,
        model_type=m.model_type,
        hidden=m.hidden or 0,
        vocab=m.vocab or 0,
        layers=m.layers or 0,
        groups=_groups(m, attention),
        intermediate=m.intermediate,
        dense_mlp_layers=_dense_mlp_layers(m, attention, moe),
        dense_mlp_params=m.dense_mlp_params,
        gated_mlp=m.gated_mlp,
        moe=moe,
        tied_embeddings=bool(m.tied_embeddings),
        lm_head=m.lm_head,
        learned_positions=m.learned_positions,
        per_layer_embedding=m.per_layer_embedding,
        max_context=m.max_context,
        rope_positions=m.rope_positions,
        rotary_share=ROTARY_SHARE.get(m.model_type or "", 1.0),
        dtype=m.dtype,
        released_in=m.released_in.value,
        vision_params=m.vision_params,
        audio_params=m.audio_params,
        stated_params=m.total_params,
        unknown_parts=m.unknown_parts,
    )


def _moe(m: Model) -> Moe | None:
    if m.moe is None:
        return None
    known = {k: v for k, v in m.moe.items() if k not in ("moe_layers", "first_dense_layers")}
    return Moe(layers=m.moe["moe_layers"], **known)


def _dense_mlp_layers(m: Model, attention: Mapping[str, int], moe: Moe | None) -> int:
    """Layers with a dense MLP: stated, or all mixers' layers that have one less those with experts."""
    if m.dense_mlp_layers is not None:
        return m.dense_mlp_layers
    if m.intermediate is None:
        return 0
    if "no_mixer_mlp" in attention:
        return attention["no_mixer_mlp"]
    if "no_mixer_moe" in attention:
        return 0
    layers = sum(count for kind, count in attention.items() if kind not in _WITHOUT_MLP)
    return max(layers - (moe.layers if moe else 0), 0)


def _groups(m: Model, attention: Mapping[str, int]) -> tuple[LayerGroup, ...]:
    positions = _positions(m)
    cached = _cached_layers(m, attention, positions)
    return tuple(_group(m, kind, count, cached[kind], positions.get(kind, ())) for kind, count in attention.items())


def _group(m: Model, kind: str, count: int, cached: int, positions: tuple[int, ...]) -> LayerGroup:
    has_state = kind in ("ssm", "linear", "full_and_ssm_in_parallel")
    attention = _attention(m, kind) if kind in _REACH_OF else None
    caches = attention is not None and attention.reach in CACHED_REACHES
    return LayerGroup(
        count=count,
        attention=attention,
        state=_state(m.state, m.hidden or 0) if has_state and m.state else None,
        cached_layers=cached if caches else 0,
        positions=positions,
    )


def _attention(m: Model, kind: str) -> Attention:
    reach = _REACH_OF[kind]
    given: dict[str, Any] = {"heads": m.heads, "kv_heads": m.kv_heads, "head_dim": m.head_dim}
    given["v_head_dim"] = m.v_head_dim
    override = m.sliding_layer_attention if reach is Reach.SLIDING else m.full_layer_attention
    if override and reach in (Reach.SLIDING, Reach.FULL):
        given |= override
    given["v_head_dim"] = given["v_head_dim"] or given["head_dim"]
    ratio = re.search(r"compressed_(\d+)x", kind)
    indexed = "indexed" in kind or (m.sparse_index is not None and kind == "full")
    return Attention(
        reach=reach,
        window=m.window if reach in _WINDOWED else None,
        compression=int(ratio[1]) if ratio else 1,
        output_gate=m.output_gate,
        mla=Mla(**m.mla) if m.mla else None,
        latent_kv=LatentKv(**m.latent_kv) if m.latent_kv else None,
        sparse_index=_index(m) if indexed else None,
        **given,
    )


def _index(m: Model) -> SparseIndex:
    if m.latent_kv:
        v = m.latent_kv
        return SparseIndex(top_k=v["index_top_k"], heads=v["index_heads"], head_dim=v["index_head_dim"])
    return SparseIndex(**(m.sparse_index or {}))


def _state(s: Mapping[str, Any], hidden: int) -> State:
    """The named fields of the five mixers brought to one form (heads x key width x value width)."""
    kind = StateType(s["type"])
    common: dict[str, Any] = {"type": kind, "conv_kernel": s.get("conv_kernel", 0), "dtype": s.get("state_dtype")}
    if kind is StateType.MAMBA1:
        rank = s.get("dt_rank") or -(-hidden // 16)
        return State(heads=s["inner"], key_heads=1, key_dim=s["state"], value_dim=1, dt_rank=rank, **common)
    if kind is StateType.MAMBA2:
        groups = s.get("groups", 1)
        return State(
            heads=s["heads"], key_heads=groups, key_dim=s["state"], value_dim=s["head_dim"], groups=groups, **common
        )
    heads = s.get("value_heads") or s["heads"]
    keys = s.get("key_heads") or heads
    return State(heads=heads, key_heads=keys, key_dim=s["key_head_dim"], value_dim=s["value_head_dim"], **common)


def _positions(m: Model) -> dict[str, tuple[int, ...]]:
    """Layer numbers per kind from text such as "full in layers 3,7,11"; the other kind has the rest."""
    text = str((m.attention or {}).get("positions", ""))
    match = re.fullmatch(r"full in layers ([\d,\s]+)", text)
    if not match:
        return {}
    full = tuple(int(n) for n in match[1].split(","))
    others = [k for k in m.attention or {} if k not in ("positions", "full")]
    rest = tuple(n for n in range(m.layers or 0) if n not in full)
    return {"full": full, others[0]: rest} if len(others) == 1 else {"full": full}


def _cached_layers(m: Model, attention: Mapping[str, int], where: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Layers of each kind that keep their own cache: all, or those among the first ``kv_cache_layers``."""
    if m.kv_cache_layers is None or not {"full", "sliding"} <= set(attention) or not where:
        return dict(attention)
    return {kind: sum(n < m.kv_cache_layers for n in where.get(kind, ())) for kind in attention}
