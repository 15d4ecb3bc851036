"""Parameters of each part of a transformer, counted from its widths.

Matrices, norms and convolutions are counted; biases of linear layers (under 0.1 % of any model here) are not.
Formulas follow the published model classes of the transformers library; the tests compare the sums with totals that
publishers state.
"""

from __future__ import annotations

from knowledge.architecture.shape import Attention, LatentKv, Mla, Moe, SparseIndex, State, StateType
from knowledge.evidence import Frozen


class ParamCounts(Frozen):
    """Parameters (elements) by part. ``other`` is what a published total holds beyond the counted parts."""

    embedding: int = 0
    per_layer_embedding: int = 0
    lm_head: int = 0
    attention: int = 0
    mixers: int = 0
    dense_mlp: int = 0
    routed_experts: int = 0
    shared_experts: int = 0
    router: int = 0
    norms: int = 0
    vision: int = 0
    audio: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """Sum of all parts."""
        return self.language + self.vision + self.audio + self.other

    @property
    def language(self) -> int:
        """Sum of the language model's counted parts."""
        blocks = self.attention + self.mixers + self.dense_mlp + self.norms
        tables = self.embedding + self.per_layer_embedding + self.lm_head
        return tables + blocks + self.routed_experts + self.shared_experts + self.router


def attention_params(a: Attention, hidden: int) -> int:
    """Parameters of one attention layer: query, key, value and output projections, gate and indexer."""
    index = _index_params(a.sparse_index, a, hidden)
    if a.mla:
        return _mla_params(a.mla, a.heads, hidden) + index
    if a.latent_kv:
        return _latent_kv_params(a.latent_kv, a, hidden)
    queries = hidden * a.heads * a.head_dim * (2 if a.output_gate else 1)
    keys = hidden * a.kv_heads * a.head_dim
    values = 0 if a.keys_as_values else hidden * a.kv_heads * a.v_head_dim
    return queries + keys + values + a.heads * a.v_head_dim * hidden + index


def _mla_params(m: Mla, heads: int, hidden: int) -> int:
    query_width = heads * (m.qk_nope_head_dim + m.qk_rope_head_dim)
    queries = (hidden + query_width) * m.q_lora_rank if m.q_lora_rank else hidden * query_width
    down = hidden * (m.kv_lora_rank + m.qk_rope_head_dim)
    up = m.kv_lora_rank * heads * (m.qk_nope_head_dim + m.v_head_dim)
    return queries + down + up + heads * m.v_head_dim * hidden


def _index_params(s: SparseIndex | None, a: Attention, hidden: int) -> int:
    if s is None:
        return 0
    query_input = (a.mla.q_lora_rank if a.mla else None) or hidden
    return query_input * s.heads * s.head_dim + hidden * s.head_dim + hidden * s.heads


def _latent_kv_params(v: LatentKv, a: Attention, hidden: int) -> int:
    """DeepSeek-V4: low-rank queries, one key-value vector, grouped low-rank output, compressor, indexer.

    A compressor projects hidden to content and gate; where compressed groups overlap (ratio 4) both are twice as wide.
    """
    width = a.heads * a.head_dim
    base = (hidden + width) * v.q_lora_rank + hidden * v.kv_width
    output = width * v.o_lora_rank + v.o_groups * v.o_lora_rank * hidden
    if a.compression == 1:
        return base + output
    overlap = 2 if a.sparse_index else 1
    compressor = 2 * overlap * hidden * v.kv_width
    if not a.sparse_index:
        return base + output + compressor
    index_queries = v.q_lora_rank * v.index_heads * v.index_head_dim + hidden * v.index_heads
    return base + output + compressor + index_queries + 2 * overlap * hidden * v.index_head_dim


def state_params(s: State, hidden: int) -> int:
    """Parameters of one mixer with a fixed state (Mamba 1 and 2, gated delta net, Kimi delta, lightning)."""
    conv = s.conv_channels * (s.conv_kernel + 1)
    output = s.inner * hidden
    if s.type is StateType.MAMBA1:
        step = s.inner * (s.dt_rank + 2 * s.key_dim) + s.dt_rank * s.inner
        return 2 * hidden * s.inner + conv + step + s.inner * s.key_dim + output
    if s.type is StateType.MAMBA2:
        return hidden * (2 * s.inner + 2 * s.groups * s.key_dim + s.heads) + conv + output
    queries_keys = 2 * hidden * s.key_heads * s.key_dim
    if s.type is StateType.KIMI_DELTA_ATTENTION:
        gates = s.key_dim * (2 * hidden + s.heads * s.key_dim + s.inner) + hidden * s.heads
        return queries_keys + hidden * s.inner + conv + gates + output
    beta_and_decay = 2 * hidden * s.heads if s.type is StateType.GATED_DELTA_NET else 0
    return queries_keys + 2 * hidden * s.inner + beta_and_decay + conv + output


def mlp_params(hidden: int, intermediate: int, gated: bool) -> int:
    """Parameters of one MLP: gate, up and down matrices, or up and down where it is not gated."""
    return (3 if gated else 2) * hidden * intermediate


def moe_params(moe: Moe | None, hidden: int, gated: bool) -> tuple[int, int, int]:
    """Parameters of all layers' routed experts, shared experts, and routers (with latent projections)."""
    if moe is None:
        return 0, 0, 0
    width = moe.latent_width or hidden
    routed = moe.experts * mlp_params(width, moe.moe_intermediate, gated)
    shared = mlp_params(hidden, moe.shared_intermediate, gated)
    router = hidden * moe.experts + (2 * hidden * moe.latent_width if moe.latent_width else 0)
    return moe.layers * routed, moe.layers * shared, moe.layers * router


def norm_params(hidden: int, layers: int) -> int:
    """Two norms a layer and a final one."""
    return (2 * layers + 1) * hidden
