"""What serving arithmetic needs of a model, reduced once per model to plain numbers.

``shape_of`` is cached, and a ``ServingShape`` is compared by identity, so that everything derived from it can be
cached too: a sweep of a hundred thousand estimates touches each model once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from knowledge.architecture import ModelArchitecture, Reach
from knowledge.architecture.count import attention_params
from knowledge.architecture.shape import CACHED_REACHES, Attention, State, StateType
from knowledge.catalogue import Catalogue
from knowledge.schema import VisionTower


@dataclass(frozen=True, eq=False)
class CacheKind:
    """``layers`` layers that cache alike. ``heads`` None: one latent vector, not divided by tensor parallel.

    ``values`` cached a token (a head, where there are heads); ``window`` tokens at most, None for all;
    ``compression`` tokens share one entry beyond the window; ``index_values`` more a token for a sparse indexer.
    """

    layers: int
    heads: int | None
    values: int
    window: int | None = None
    chunked: bool = False
    compression: int = 1
    index_values: int = 0


@dataclass(frozen=True, eq=False)
class ServingShape:
    """Parameters by part (elements), cache kinds, and the widths that speed and memory depend on.

    ``rope``: values of the table of rotations, no parameters; ``vision_whole``: tensor ranks do not divide the tower;
    ``any_resolution``: it takes images of up to 16,384 tokens.
    """

    name: str
    layers: int
    hidden: int
    vocab: int
    heads: int
    kv_heads: int
    max_context: int | None
    embedding: int
    head: int
    tied: bool
    attention_split: int
    attention_kv: int
    attention_whole: int
    attention_absorbed: int
    dense_mlp: int
    experts: int
    shared: int
    router: int
    norms: int
    vision: int
    vision_whole: bool
    any_resolution: bool
    rope: int
    other: int
    expert_count: int
    experts_per_token: int
    expert_width: int
    expert_hidden: int
    moe_layers: int
    dense_width: int
    caches: tuple[CacheKind, ...]
    attention_widths: tuple[tuple[int, int, int | None, int], ...]
    recurrent_values: int
    conv_values: int
    state_layers: int
    delta_heads: int
    state_dtype: str | None
    kind: str

    @property
    def is_moe(self) -> bool:
        """Whether tokens choose among experts."""
        return self.expert_count > 0

    @property
    def is_mla(self) -> bool:
        """Whether any layer caches one latent vector that tensor parallel does not divide."""
        return any(cache.heads is None for cache in self.caches)

    @property
    def total(self) -> int:
        """All parameters, embedding once when tied."""
        attention = self.attention_split + self.attention_kv + self.attention_whole
        mlps = self.dense_mlp + self.experts + self.shared + self.router
        return self.embedding + self.head + attention + mlps + self.norms + self.vision + self.other

    @property
    def layer_active(self) -> int:
        """Parameters of all layers that one token multiplies with: chosen experts, everything else once."""
        attention = self.attention_split + self.attention_kv + self.attention_whole
        chosen = self.experts * self.experts_per_token // self.expert_count if self.expert_count else 0
        return attention + self.dense_mlp + self.shared + self.router + chosen + self.norms


def _replicated(a: Attention, hidden: int) -> tuple[int, int]:
    """Parameters of one layer's attention as (key and value projections, parts each tensor rank holds whole)."""
    if a.mla:
        query_down = hidden * (a.mla.q_lora_rank or 0)
        index = attention_params(a, hidden) - attention_params(a.model_copy(update={"sparse_index": None}), hidden)
        return 0, query_down + hidden * (a.mla.kv_lora_rank + a.mla.qk_rope_head_dim) + index
    if a.latent_kv:
        return 0, hidden * (a.latent_kv.q_lora_rank + a.latent_kv.kv_width)
    values = 0 if a.keys_as_values else a.v_head_dim
    return hidden * a.kv_heads * (a.head_dim + values), 0


def _absorbed(a: Attention) -> int:
    """MLA's up-projection, of which engines keep a second copy for decoding with the latent vector."""
    m = a.mla
    return m.kv_lora_rank * a.heads * (m.qk_nope_head_dim + m.v_head_dim) if m else 0


def _cache_kind(a: Attention, layers: int) -> CacheKind:
    latent = a.mla is not None or a.latent_kv is not None
    return CacheKind(
        layers=layers,
        heads=None if latent else a.kv_heads,
        values=a.kv_values_per_token if latent else a.head_dim + a.v_head_dim,
        window=a.window if a.reach in (Reach.SLIDING, Reach.CHUNKED, Reach.COMPRESSED) else None,
        chunked=a.reach is Reach.CHUNKED,
        compression=a.compression,
        index_values=a.index_values_per_token,
    )


def _delta_heads(state: State | None) -> int:
    return state.heads if state and state.type is StateType.GATED_DELTA_NET else 0


@lru_cache(maxsize=4096)
def shape_of(model: ModelArchitecture) -> ServingShape:
    """``model`` reduced to numbers; parts sum to its total parameters. Its vision tower is one that ranks divide."""
    p = model.params
    kv = whole = absorbed = 0
    for group in model.groups:
        if group.attention:
            of_kv, of_whole = _replicated(group.attention, model.hidden)
            kv += group.count * of_kv
            whole += group.count * of_whole
            absorbed += group.count * _absorbed(group.attention)
    attended = [g for g in model.groups if g.attention]
    moe = model.moe
    return ServingShape(
        name=model.name,
        layers=model.layers,
        hidden=model.hidden,
        vocab=model.vocab,
        heads=model.heads,
        kv_heads=model.kv_heads,
        max_context=model.max_context,
        embedding=p.embedding,
        head=p.lm_head,
        tied=model.tied_embeddings,
        attention_split=p.attention + p.mixers - kv - whole,
        attention_kv=kv,
        attention_whole=whole,
        attention_absorbed=absorbed,
        dense_mlp=p.dense_mlp,
        experts=p.routed_experts,
        shared=p.shared_experts,
        router=p.router,
        norms=p.norms,
        vision=p.vision + p.audio,
        vision_whole=False,
        any_resolution=False,
        rope=model.rope_values,
        other=p.other,
        expert_count=moe.experts if moe else 0,
        experts_per_token=moe.experts_per_token if moe else 0,
        expert_width=moe.moe_intermediate if moe else 0,
        expert_hidden=(moe.latent_width or model.hidden) if moe else 0,
        moe_layers=model.moe_layers,
        dense_width=model.intermediate or 0,
        caches=tuple(
            _cache_kind(g.attention, g.cached_layers)
            for g in attended
            if g.attention and g.attention.reach in CACHED_REACHES and g.cached_layers
        ),
        attention_widths=tuple(
            (
                g.count,
                g.attention.heads * (g.attention.head_dim + g.attention.v_head_dim),
                g.attention.window,
                g.attention.compression,
            )
            for g in attended
            if g.attention
        ),
        recurrent_values=model.recurrent_values_per_sequence,
        conv_values=model.conv_values_per_sequence,
        state_layers=sum(g.count for g in model.groups if g.state),
        delta_heads=max(_delta_heads(g.state) for g in model.groups),
        state_dtype=model.state_dtype,
        kind=model.kind,
    )


@lru_cache(maxsize=4096)
def served_shape(model: ModelArchitecture, catalogue: Catalogue) -> ServingShape:
    """``shape_of`` with the vision tower as engines load that of the model's type."""
    shape, towers = shape_of(model), catalogue.entries("vision_towers").values()
    tower: VisionTower | None = next((t for t in towers if (model.model_type or "").startswith(t.model_types)), None)
    if tower is None or not shape.vision:
        return shape
    return replace(
        shape,
        vision_whole=bool(tower.whole.value),
        any_resolution=bool(model.params.vision) and bool(tower.any_resolution.value),
    )
