"""The record of a serving engine: how each range of its versions divides a GPU's memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Count, Finite, Named, Positive, Share


class EngineEra(Frozen):
    """Versions from ``since`` on (the first entry from the beginning) until the next entry's ``since``.

    ``memory_share`` None: the engine computes it (see ``share_of``). ``share_of``: what the share is a share of:
    the card's total; the total with the reserve left outside (``total_before_load``); or what is free after
    loading. ``sampler_bytes`` of the profiling peak per sequence and vocabulary entry.
    ``sampler_bytes_small_cards`` where the limit of sequences is the lower one. ``vision_gib``: the peak of a tower
    that takes images of any resolution, at the longest. ``graph_gib_per_layer`` by tensor-parallel ranks.
    ``mxfp4_pads`` by generation of the card: what expert and hidden width are padded to a multiple of, where not as
    by Marlin. ``delta_net_gib_per_head``: workspace of gated delta nets a value head. ``non_torch_gib`` by
    tensor-parallel ranks (CUDA context, NCCL), ``non_torch_pcie_gib`` where no link carries custom all-reduces.
    ``tokens_by_group``: a token in the log is one of every cache group. ``whole_prompts``: without chunked prefill
    the largest batch is one prompt of the maximum length (to 32,768 tokens), and the MLP's intermediate products
    count in full. ``sampler_apart``: the sampler's peak comes after that of the forward pass, not on top.
    ``until``: the month (YYYY-MM) in which the next era began; ``max_sequences`` where cards of every size had one
    limit.
    """

    since: str
    until: str | None = None
    max_sequences: Count | None = None
    memory_share: Cited[Share] = UNKNOWN
    share_of: Literal["total", "total_before_load", "free_after_load"] = "total"
    graphs_in_budget: bool
    tokens_by_group: bool = False
    sampler_bytes: Cited[Finite] = UNKNOWN
    sampler_bytes_small_cards: Cited[Finite] = UNKNOWN
    vision_gib: Cited[Finite] = UNKNOWN
    graph_gib_per_layer: Mapping[int, Cited[Positive]] = {}
    mxfp4_pads: Mapping[str, tuple[Count, Count]] = {}
    delta_net_gib_per_head: Cited[Positive] = UNKNOWN
    whole_prompts: bool = False
    sampler_apart: bool = False
    non_torch_gib: Mapping[int, Cited[Positive]]
    non_torch_pcie_gib: Mapping[int, Cited[Positive]] = {}
    note: str | None = None


class Engine(Named):
    """A serving engine with its eras, oldest first; ``assumed_since`` names the era taken where no version is known.

    ``vendors`` of the accelerators that it runs on; empty where it is not tied to some.
    """

    eras: tuple[EngineEra, ...]
    assumed_since: str
    block_tokens: Count = 16
    vendors: tuple[str, ...] = ()
    calibrated_as: str | None = None
    note: str | None = None
