"""``ModelArchitecture``: a model's shape with its parameter and cache counts as pure functions of named fields."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from knowledge.architecture.count import (
    ParamCounts,
    attention_params,
    mlp_params,
    moe_params,
    norm_params,
    state_params,
)
from knowledge.architecture.shape import (
    Attention,
    Count,
    CountOrNone,
    LayerGroup,
    Moe,
    Params,
    Quantisation,
    Reach,
)
from knowledge.evidence import Frozen


class ModelArchitecture(Frozen):
    """Everything that memory, speed and training arithmetic need of a model.

    ``per_layer_embedding`` is the width of the table each layer adds (Gemma 3n), which engines may keep off the GPU.
    ``rope_positions`` are those that engines tabulate rotations for, None for ``max_context``; ``rotary_share`` is the
    part of a head that is rotated.
    ``stated_params`` is a published or exactly counted total; what the shape does not explain of it is
    ``params.other``. ``unknown_parts`` names parts known to exist that no count includes. ``assumed_from`` names the
    reference where the shape itself is assumed. ``released_in`` is the format of the publisher's checkpoint.
    """

    name: str
    kind: str = "llm"
    model_type: str | None = None
    hidden: Count
    vocab: Count
    layers: Count
    groups: tuple[LayerGroup, ...]
    intermediate: CountOrNone | None = None
    dense_mlp_layers: CountOrNone = 0
    dense_mlp_params: Params | None = None
    gated_mlp: bool = True
    moe: Moe | None = None
    tied_embeddings: bool = False
    lm_head: bool = True
    learned_positions: CountOrNone = 0
    per_layer_embedding: CountOrNone = 0
    max_context: Count | None = None
    rope_positions: CountOrNone | None = None
    rotary_share: float = Field(default=1.0, ge=0, le=1)
    dtype: str | None = None
    released_in: str | None = None
    quantisation: Quantisation | None = None
    vision_params: Params | None = None
    audio_params: Params | None = None
    mtp_layers: CountOrNone = 0
    stated_params: Params | None = None
    assumed_from: str | None = None
    unknown_parts: tuple[str, ...] = Field(default=())

    @model_validator(mode="after")
    def _experts_within_reach(self) -> Self:
        if self.moe and self.moe.experts_per_token > self.moe.experts:
            raise ValueError(f"experts_per_token {self.moe.experts_per_token} exceeds experts {self.moe.experts}")
        return self

    @property
    def counted(self) -> ParamCounts:
        """Parameters by part, counted from the shape alone (biases of linear layers left out)."""
        embedding = self.vocab * self.hidden
        attention = sum(g.count * attention_params(g.attention, self.hidden) for g in self.groups if g.attention)
        routed, shared, router = moe_params(self.moe, self.hidden, self.gated_mlp)
        return ParamCounts(
            embedding=embedding + self.learned_positions * self.hidden,
            per_layer_embedding=self.vocab * self.per_layer_embedding * self.layers,
            lm_head=embedding if self.lm_head and not self.tied_embeddings else 0,
            attention=attention,
            mixers=sum(g.count * state_params(g.state, self.hidden) for g in self.groups if g.state),
            dense_mlp=self._dense_mlp,
            routed_experts=routed,
            shared_experts=shared,
            router=router,
            norms=norm_params(self.hidden, self.layers),
            vision=self.vision_params or 0,
            audio=self.audio_params or 0,
        )

    @property
    def _dense_mlp(self) -> int:
        if self.dense_mlp_params is not None:
            return self.dense_mlp_params
        return self.dense_mlp_layers * mlp_params(self.hidden, self.intermediate or 0, self.gated_mlp)

    @property
    def params(self) -> ParamCounts:
        """Parameters by part; the parts sum to ``total_params``."""
        counted = self.counted
        if self.stated_params is None:
            return counted
        return counted.model_copy(update={"other": self.stated_params - counted.total})

    @property
    def total_params(self) -> int:
        """All weights of the main model, embedding tables once when tied, MTP layers left out."""
        return self.counted.total if self.stated_params is None else self.stated_params

    @property
    def active_params(self) -> int:
        """Weights of the language model that one token uses: chosen experts, and everything else once."""
        p = self.counted
        if not self.moe:
            return p.language
        unused = self.moe.experts - self.moe.experts_per_token
        return p.language - p.routed_experts * unused // self.moe.experts

    @property
    def moe_layers(self) -> int:
        """Layers with routed experts."""
        return self.moe.layers if self.moe else 0

    @property
    def main_attention(self) -> Attention | None:
        """The attention of the farthest reach: what tensor parallelism and attention flops are judged by."""
        found = [g.attention for g in self.groups if g.attention]
        return next((a for a in found if a.reach is Reach.FULL), found[0] if found else None)

    @property
    def heads(self) -> int:
        """Query heads of the main attention, 0 without attention."""
        return self.main_attention.heads if self.main_attention else 0

    @property
    def kv_heads(self) -> int:
        """Key and value heads of the main attention (1 latent head for MLA), 0 without attention."""
        main = self.main_attention
        if not main:
            return 0
        return 1 if main.mla or main.latent_kv else main.kv_heads

    @property
    def head_dim(self) -> int:
        """Width of one query or key head of the main attention, 0 without attention."""
        return self.main_attention.head_dim if self.main_attention else 0

    @property
    def kv_cache_layers(self) -> int:
        """Layers that keep their own keys and values of text tokens."""
        return sum(g.cached_layers for g in self.groups if g.attention)

    @property
    def kv_values_per_token(self) -> int:
        """Cached values one more token costs while it is within every window: sum over layers, indexers left out."""
        return sum(g.cached_layers * g.attention.kv_values_per_token for g in self.groups if g.attention)

    def kv_bytes_per_token(self, bytes_per_value: float) -> float:
        """Cache bytes one more token costs while it is within every window."""
        return self.kv_values_per_token * bytes_per_value

    def kv_values(self, tokens: int) -> int:
        """Cached values of one sequence of ``tokens`` text tokens, windows and compression applied."""
        return sum(
            g.cached_layers * g.attention.cached_tokens(tokens) * g.attention.kv_values_per_token
            for g in self.groups
            if g.attention
        )

    def index_values(self, tokens: int) -> int:
        """Values that sparse-attention indexers keep of one sequence of ``tokens`` text tokens."""
        return sum(
            g.cached_layers * (tokens // g.attention.compression) * g.attention.index_values_per_token
            for g in self.groups
            if g.attention
        )

    @property
    def rope_values(self) -> int:
        """Values of the table of cosines and sines: positions x rotated width of the layers that attend furthest."""
        attention = self.main_attention
        if attention is None:
            return 0
        latent = attention.mla.qk_rope_head_dim if attention.mla else 0
        inside = attention.latent_kv.rope_dims_inside if attention.latent_kv else 0
        width = latent or inside or attention.head_dim * self.rotary_share
        return int((self.rope_positions or self.max_context or 0) * width)

    @property
    def cross_values_per_token(self) -> int:
        """Values that cross-attention layers keep for one image or audio token."""
        return sum(
            g.count * g.attention.kv_values_per_token
            for g in self.groups
            if g.attention and g.attention.reach is Reach.CROSS
        )

    @property
    def recurrent_values_per_sequence(self) -> int:
        """Values of all recurrent states of one sequence; kept in ``state_dtype``."""
        return sum(g.count * g.state.recurrent_values for g in self.groups if g.state)

    @property
    def conv_values_per_sequence(self) -> int:
        """Values of all convolution histories of one sequence; kept in the model's dtype."""
        return sum(g.count * g.state.conv_values for g in self.groups if g.state)

    @property
    def state_dtype(self) -> str | None:
        """Declared precision of the recurrent states, None where the config does not say."""
        return next((g.state.dtype for g in self.groups if g.state and g.state.dtype), None)
