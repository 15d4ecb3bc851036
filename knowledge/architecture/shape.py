"""The shape of a model: what arithmetic needs of it, and nothing else.

Widths and counts are numbers of elements and layers; lengths are tokens. Names follow Hugging Face configs where they
have one. Everything that differs between layers is said per ``LayerGroup``; a model is a handful of groups.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from knowledge.evidence import Frozen

Count = Annotated[int, Field(gt=0, le=10**8)]
CountOrNone = Annotated[int, Field(ge=0, le=10**8)]
Params = Annotated[int, Field(ge=0, le=10**16)]


class Reach(StrEnum):
    """Which earlier tokens a layer attends to, hence how many it must keep."""

    FULL = "full"
    SLIDING = "sliding"
    CHUNKED = "chunked"
    SPARSE_BLOCK = "sparse_block"
    COMPRESSED = "compressed"
    CROSS = "cross"
    BIDIRECTIONAL = "bidirectional"


CACHED_REACHES = frozenset(Reach) - {Reach.CROSS, Reach.BIDIRECTIONAL}
"""Reaches that keep keys and values of text tokens. Cross layers keep those of image or audio tokens, encoders none."""


class Mla(Frozen):
    """Multi-head latent attention (DeepSeek-V2 paper, arXiv 2405.04434): one latent vector a token instead of heads."""

    kv_lora_rank: Count
    q_lora_rank: Count | None = None
    qk_nope_head_dim: CountOrNone
    qk_rope_head_dim: Count
    v_head_dim: Count


class LatentKv(Frozen):
    """Shared latent attention of DeepSeek-V4: one vector serves as key and value of all heads."""

    kv_width: Count
    rope_dims_inside: Count
    q_lora_rank: Count
    o_lora_rank: Count
    o_groups: Count
    index_heads: Count
    index_head_dim: Count
    index_top_k: Count
    shared_key_and_value: bool = True


class SparseIndex(Frozen):
    """Indexer that picks ``top_k`` tokens to attend to; keeps ``head_dim`` values a token (DeepSeek-V3.2)."""

    top_k: Count
    heads: Count
    head_dim: Count


class Attention(Frozen):
    """One kind of attention layer. ``window`` is the sliding window or chunk length in tokens."""

    reach: Reach = Reach.FULL
    heads: Count
    kv_heads: Count
    head_dim: Count
    v_head_dim: Count
    window: Count | None = None
    compression: Count = 1
    keys_as_values: bool = False
    output_gate: bool = False
    mla: Mla | None = None
    latent_kv: LatentKv | None = None
    sparse_index: SparseIndex | None = None

    @property
    def kv_values_per_token(self) -> int:
        """Values one layer keeps for one cached token (an indexer's key not included).

        GQA: kv_heads x (key width + value width). MLA: kv_lora_rank + qk_rope_head_dim. DeepSeek-V4: kv_width for
        each of the window's tokens and for each group of ``compression`` tokens. A layer that projects keys and
        values with one matrix (``keys_as_values``) still keeps both: only keys are rotated.
        """
        if self.mla:
            return self.mla.kv_lora_rank + self.mla.qk_rope_head_dim
        if self.latent_kv:
            return self.latent_kv.kv_width
        return self.kv_heads * (self.head_dim + self.v_head_dim)

    @property
    def index_values_per_token(self) -> int:
        """Values an indexer keeps for one token that it can pick."""
        if self.latent_kv and self.compression > 1 and self.sparse_index:
            return self.sparse_index.head_dim
        return self.sparse_index.head_dim if self.sparse_index else 0

    def cached_tokens(self, tokens: int) -> int:
        """Entries one layer keeps of a sequence of ``tokens`` text tokens."""
        if self.reach not in CACHED_REACHES:
            return 0
        if self.reach is Reach.COMPRESSED:
            recent = min(tokens, self.window or tokens)
            return recent + (tokens // self.compression if self.compression > 1 else 0)
        return min(tokens, self.window) if self.window else tokens


class StateType(StrEnum):
    """Mixers that keep a state of fixed size instead of a cache."""

    MAMBA1 = "mamba1"
    MAMBA2 = "mamba2"
    GATED_DELTA_NET = "gated_delta_net"
    KIMI_DELTA_ATTENTION = "kimi_delta_attention"
    LIGHTNING_ATTENTION = "lightning_attention"


class State(Frozen):
    """Fixed state of one sequence in one layer. ``heads`` are value heads; ``conv_kernel`` 0 means no convolution."""

    type: StateType
    heads: Count
    key_heads: Count
    key_dim: Count
    value_dim: Count
    groups: Count = 1
    conv_kernel: CountOrNone = 0
    dtype: str | None = None
    dt_rank: CountOrNone = 0

    @property
    def inner(self) -> int:
        """Width of the mixer's values over all heads."""
        return self.heads * self.value_dim

    @property
    def recurrent_values(self) -> int:
        """Values of the recurrent state per sequence and layer: heads x key width x value width."""
        return self.heads * self.key_dim * self.value_dim

    @property
    def conv_channels(self) -> int:
        """Channels that pass the short convolution."""
        if self.type is StateType.MAMBA1:
            return self.inner
        if self.type is StateType.MAMBA2:
            return self.inner + 2 * self.groups * self.key_dim
        if self.type is StateType.LIGHTNING_ATTENTION:
            return 0
        return 2 * self.key_heads * self.key_dim + self.inner

    @property
    def conv_values(self) -> int:
        """Values of the convolution's history per sequence and layer: (kernel - 1) x channels."""
        return max(self.conv_kernel - 1, 0) * self.conv_channels


class LayerGroup(Frozen):
    """Layers that mix tokens alike. ``cached_layers`` is smaller than ``count`` where layers share a cache.

    A group may hold attention, a state, both side by side (Falcon-H1), or neither (an MLP alone, Nemotron-H).
    """

    count: Count
    attention: Attention | None = None
    state: State | None = None
    cached_layers: CountOrNone
    positions: tuple[int, ...] = ()


class Moe(Frozen):
    """Mixture of experts on ``layers`` layers. ``shared_intermediate`` is the width of all shared experts together.

    ``latent_width`` is the width experts work in where it is narrower than hidden.
    """

    experts: Count
    experts_per_token: Count
    moe_intermediate: Count
    layers: Count
    shared_experts: CountOrNone = 0
    shared_intermediate: CountOrNone = 0
    latent_width: Count | None = None


class Quantisation(Frozen):
    """What a config or a name says about the weights' precision.

    ``weight_dtype`` is one of fp8, fp4, nvfp4, mxfp4, int8, int4 and the like; ``bits`` the bits of one weight
    without scales; ``group_size`` weights that share a scale (None: a channel or a tensor, see ``scheme``).
    """

    method: str
    weight_dtype: str
    bits: Annotated[float, Field(gt=0, le=32)]
    scheme: str | None = None
    group_size: Count | None = None
    block: tuple[int, int] | None = None
    activation_dtype: str | None = None
    kv_cache_dtype: str | None = None
    experts_only: bool = False
    excluded: tuple[str, ...] = ()
