"""Configs whose blocks differ one by one (Nemotron-NAS: Llama Nemotron Super and Ultra)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from knowledge.architecture.reading import Fields, missing
from knowledge.architecture.shape import Attention, LayerGroup
from knowledge.errors import BadInput

_ROUND_TO = 256
"""MLP widths are rounded up to a multiple of it (``modeling_decilm.py`` of the published checkpoints)."""


@dataclass(frozen=True)
class Blocks:
    """What the blocks add up to: their groups, and the parameters of their MLPs and of linear layers in their place."""

    layers: int
    groups: tuple[LayerGroup, ...]
    mlp_params: int


def blocks_of(f: Fields, hidden: int, heads: int) -> Blocks | None:
    """The blocks of ``block_configs``, None where there are none. Raises BadInput for a block that is half stated."""
    listed = f.items("block_configs")
    if listed is None:
        return None
    if not listed or not all(isinstance(block, dict) for block in listed):
        raise BadInput("config: block_configs", str(listed)[:80], "a list of blocks")
    blocks = [Fields(block, f) for block in listed]
    kv_heads = Counter(_kv_heads(block, heads) for block in blocks)
    linear = sum(block.flag("attention.replace_with_linear") is True for block in blocks)
    mlp = sum(_mlp_params(block, hidden) for block in blocks)
    groups = tuple(_group(count, heads, kv, hidden) for kv, count in kv_heads.items())
    return Blocks(layers=len(blocks), groups=groups, mlp_params=mlp + linear * hidden * hidden)


def _group(count: int, heads: int, kv_heads: int, hidden: int) -> LayerGroup:
    if kv_heads == 0:
        return LayerGroup(count=count, cached_layers=0)
    width = max(hidden // heads, 1)
    attention = Attention(heads=heads, kv_heads=kv_heads, head_dim=width, v_head_dim=width)
    return LayerGroup(count=count, attention=attention, cached_layers=count)


def _kv_heads(block: Fields, heads: int) -> int:
    """KV heads of a block, 0 where it has no attention."""
    if block.flag("attention.no_op") or block.flag("attention.replace_with_linear"):
        return 0
    return max(heads // block.need("attention.n_heads_in_group"), 1)


def _mlp_params(block: Fields, hidden: int) -> int:
    if block.flag("ffn.no_op"):
        return 0
    if block.flag("ffn.replace_with_linear"):
        return hidden * hidden
    factor = block.number("ffn.ffn_mult")
    if factor is None:
        raise missing(("block_configs.ffn.ffn_mult",))
    width = int(2 * factor * hidden / 3)
    return 3 * hidden * (-(-width // _ROUND_TO) * _ROUND_TO)
