"""The attention and states of each kind of layer in a config."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from knowledge.architecture import config_layers as kind_of
from knowledge.architecture import config_types as types
from knowledge.architecture.config_parts import index_of, linear_state_of, mla_of, ssm_state_of
from knowledge.architecture.reading import Fields, missing
from knowledge.architecture.shape import CACHED_REACHES, Attention, LatentKv, LayerGroup, Reach, SparseIndex, State

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "attn_config.kv_n_heads", "num_query_groups")
_OUTPUT_GATE = re.compile(r"qwen3_next|qwen3_5.*|muse_glimmer_text")


def layer_groups(f: Fields, model_type: str, hidden: int, kinds: Sequence[str]) -> tuple[LayerGroup, ...]:
    """The layers of each kind together, in the order in which the kinds first appear.

    Layers that read another's keys and values have no cache: the last ones (Gemma), or all but each n-th (Hunyuan).
    """
    own = len(kinds) - (f.whole("num_kv_shared_layers") or 0)
    every = (f.count("cla_share_factor") or 1) if f.flag("use_cla") else 1
    groups = []
    for kind, count in Counter(kinds).items():
        where = tuple(i for i, k in enumerate(kinds) if k == kind)
        attention = _attention(f, model_type, hidden, kind)
        caches = attention is not None and attention.reach in CACHED_REACHES
        groups.append(
            LayerGroup(
                count=count,
                attention=attention,
                state=_state(f, model_type, hidden, kind),
                cached_layers=sum(i < own and i % every == 0 for i in where) if caches else 0,
                positions=where,
            )
        )
    return tuple(groups)


def _state(f: Fields, model_type: str, hidden: int, kind: str) -> State | None:
    if kind in (kind_of.SSM, kind_of.BOTH):
        return ssm_state_of(f, hidden, model_type)
    if kind == kind_of.LINEAR:
        heads = f.need(*HEADS)
        return linear_state_of(f, heads, f.count("head_dim") or hidden // heads)
    return None


_REACHES = {
    kind_of.FULL: Reach.FULL,
    kind_of.UNINDEXED: Reach.FULL,
    kind_of.SPARSE_BLOCK: Reach.SPARSE_BLOCK,
    kind_of.BOTH: Reach.FULL,
    kind_of.SLIDING: Reach.SLIDING,
    kind_of.CHUNKED: Reach.CHUNKED,
    kind_of.CROSS: Reach.CROSS,
    kind_of.BIDIRECTIONAL: Reach.BIDIRECTIONAL,
}


def _attention(f: Fields, model_type: str, hidden: int, kind: str) -> Attention | None:
    if kind.startswith("compressed_"):
        return _compressed(f, int(kind.removeprefix("compressed_").removesuffix("x")))
    reach = _REACHES.get(kind)
    if reach is None:
        return None
    mla = mla_of(f)
    heads, kv_heads, head_dim, value_dim = _head_shape(f, model_type, hidden, kind)
    window = f.count("sliding_window", "sliding_window_size") if reach is Reach.SLIDING else None
    return Attention(
        reach=reach,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=mla.qk_nope_head_dim + mla.qk_rope_head_dim if mla else head_dim,
        v_head_dim=mla.v_head_dim if mla else value_dim,
        window=f.need("attention_chunk_size") if reach is Reach.CHUNKED else window,
        keys_as_values=bool(f.flag("attention_k_eq_v")) and reach is Reach.FULL,
        output_gate=bool(_OUTPUT_GATE.fullmatch(model_type)) and f.flag("attn_output_gate") is not False,
        mla=mla,
        sparse_index=index_of(f) if kind == kind_of.FULL else None,
    )


def _head_shape(f: Fields, model_type: str, hidden: int, kind: str) -> tuple[int, int, int, int]:
    """Heads, KV heads, key width and value width of a kind of layer, with the overrides of Gemma 4 and MiMo."""
    prefix = "swa_" if kind == kind_of.SLIDING else "global_" if kind == kind_of.FULL else ""
    heads = (f.count(f"{prefix}num_attention_heads") if prefix else None) or f.need(*HEADS)
    own_kv = f.count(f"{prefix}num_key_value_heads", f"num_{prefix}key_value_heads") if prefix else None
    own_dim = f.count(f"{prefix}head_dim") if prefix else None
    head_dim = own_dim or f.count("head_dim", "attention_head_dim", "kv_channels")
    if head_dim is None and hidden % heads and f.raw("kv_lora_rank") is None:
        raise missing(("head_dim",), f"hidden {hidden} is not a multiple of {heads} heads")
    head_dim = head_dim or max(hidden // heads, 1)
    value_dim = (f.count(f"{prefix}v_head_dim") if prefix else None) or f.whole("v_head_dim") or head_dim
    return heads, own_kv or _kv_heads(f, model_type, heads), head_dim, value_dim


def _kv_heads(f: Fields, model_type: str, heads: int) -> int:
    if f.flag("multi_query_attention"):
        return f.need("multi_query_group_num")
    if model_type in ("falcon", "refinedweb", "refinedwebmodel") and not f.flag("new_decoder_architecture"):
        return 1 if f.flag("multi_query") is not False else heads
    if f.flag("multi_query"):
        return 1
    stated = f.count(*_KV_HEADS)
    if stated is None and model_type in types.GROUPED_BY_DEFAULT and f.raw("kv_lora_rank") is None:
        raise missing(_KV_HEADS[:1], f"{model_type} has fewer of them than heads by default")
    return stated or heads


def _compressed(f: Fields, ratio: int) -> Attention:
    """DeepSeek-V4: ratio 0 keeps only the window; ratio 4 also has an indexer."""
    indexed = ratio == 4
    top_k, index_heads, index_dim = f.need("index_topk"), f.need("index_n_heads"), f.need("index_head_dim")
    width = f.need("head_dim")
    return Attention(
        reach=Reach.COMPRESSED,
        heads=f.need(*HEADS),
        kv_heads=1,
        head_dim=width,
        v_head_dim=width,
        window=f.need("sliding_window"),
        compression=max(ratio, 1),
        latent_kv=LatentKv(
            kv_width=width,
            rope_dims_inside=f.need("qk_rope_head_dim"),
            q_lora_rank=f.need("q_lora_rank"),
            o_lora_rank=f.need("o_lora_rank"),
            o_groups=f.need("o_groups"),
            index_heads=index_heads,
            index_head_dim=index_dim,
            index_top_k=top_k,
        ),
        sparse_index=SparseIndex(top_k=top_k, heads=index_heads, head_dim=index_dim) if indexed else None,
    )
