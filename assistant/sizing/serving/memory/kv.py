"""KV cache: bytes a token, bytes a sequence, and what the engine's log calls a token.

Engines with several kinds of layers share one pool of equal pages: vLLM puts layers into groups of equal size (padding
the last) and, before 0.21, priced every group per token; from 0.21 its token count is concurrency x maximum length.
There a state takes a page of each of its layers, and pages grow until they hold one. SGLang keeps two pools, the
window's at 0.8 of the tokens. Compressing attention (DeepSeek V4) keeps entries of many tokens, and in vLLM for every
running sequence the window and the states of the compressors of as many tokens as a step may take.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.serving.parts.dtypes import kv_bytes
from assistant.sizing.serving.parts.shape import CacheKind, ServingShape

SGLANG_WINDOW_POOL_SHARE = 0.8
"""SGLang's default of swa_full_tokens_ratio: tokens of the window's pool to those of the full one."""
STATE_BYTES = {"float32": 4.0, "fp32": 4.0, None: 2.0}
"""Bytes a value of recurrent states by the dtype that the configuration names; else 16 bits."""
PAGE_STEP_TOKENS = 16
"""vLLM's step of page lengths: the attention kernels' block of 16 tokens."""
LATENT_EXTRA_BYTES, INDEX_EXTRA_BYTES = 72.0, 4.0
"""Of an 8-bit entry: 64 rotated values in 16 bits and 8 bytes of scales; the scale of an index entry."""
ENTRIES_A_PAGE, STATES_A_PAGE, COARSE_STATES_A_PAGE = 64, 4, 8
"""Entries, or compressor states of tokens, that one of vLLM's pages holds for compressing attention (DeepSeek V4)."""
FINE_COMPRESSION = 4
"""Tokens that an entry of the fine caches stands for (DeepSeek V4 compresses 4 and 128 to one)."""


@dataclass(frozen=True, eq=False)
class CachePlan:
    """KV cache of one GPU. ``per_token`` bytes as the engine's log prices a token; kinds as (bytes, cache kind).

    ``state_bytes`` is what a step reads and writes of one sequence's states, ``state_page_bytes`` what they take of
    the pool; ``page_tokens`` the tokens of a page where states stretched it, else None. ``prefill_bytes`` are held for
    each token that a step may take (compressing attention). ``group_layers``: layers of a kind are padded to whole
    groups of so many.
    """

    per_token_bytes: float
    kinds: tuple[tuple[float, CacheKind], ...]
    state_bytes: float
    groups: int
    state_page_bytes: float = 0.0
    page_tokens: int | None = None
    prefill_bytes: float = 0.0
    group_layers: int | None = None

    def sequence_bytes(self, tokens: float) -> float:
        """Bytes that a sequence of ``tokens`` holds and that a step over it reads."""
        return self.state_bytes + sum(size * _kept(kind, tokens, 0) for size, kind in self.kinds)

    def allocated_bytes(self, tokens: float, block_tokens: int, lookahead: int = 0, state_copies: int = 1) -> float:
        """Bytes set aside for a sequence of at most ``tokens``: whole blocks, and pages for its states.

        Windows hold ``lookahead`` tokens of a running prefill more, and a block because they start anywhere in one.
        Prefix caching keeps a second copy of the states.
        """
        if self.prefill_bytes and lookahead:
            window = max(kind.window or 1 for _, kind in self.kinds)
            grown = sum(size * tokens / kind.compression for size, kind in self.kinds if kind.compression > 1)
            return self.prefill_bytes * min(tokens, window - 1 + lookahead) + grown
        block = self.page_tokens or block_tokens
        total = max(self.state_page_bytes, self.state_bytes) * state_copies
        for size, kind in self.kinds:
            kept = _kept(kind, tokens, lookahead)
            edge = block if lookahead and kind.window and kept < tokens else 0
            if self.group_layers:
                size *= -(-kind.layers // self.group_layers) * self.group_layers / kind.layers
            total += size * (math.ceil(kept / block) * block + edge)
        return total


def _kept(kind: CacheKind, tokens: float, lookahead: int) -> float:
    """Tokens of a sequence of ``tokens`` that a layer of ``kind`` keeps."""
    if kind.window is None:
        return tokens
    if kind.compression > 1:
        return min(tokens, kind.window) + tokens / kind.compression
    return min(tokens, kind.window - 1 + lookahead if lookahead else kind.window)


def _kind_bytes(kind: CacheKind, tensor: int, value_bytes: float, context_ranks: int) -> float:
    """Bytes that all layers of a kind cache for one token on one GPU; decode context parallel divides the tokens."""
    heads = 1 if kind.heads is None else max(1, math.ceil(kind.heads / tensor))
    return kind.layers * (heads * kind.values + kind.index_values) * value_bytes / context_ranks


def _group_size(kinds: tuple[CacheKind, ...], states: int) -> int:
    """Layers of a group when layers of unlike kinds share pages of one size.

    As many as the smallest kind has, or as the largest where they are within a quarter of each other.
    """
    counts = [kind.layers for kind in kinds] + ([states] if states else [])
    least, most = min(counts), max(counts)
    return most if most < 1.25 * least else least


def _state_page(shape: ServingShape, sizes: tuple[float, ...], state: float, size: int) -> tuple[float, int]:
    """(bytes that one sequence's states take of vLLM's pool, tokens of a page).

    A page of the attention layers is made long enough, in steps of 16 tokens, to hold the state of one layer.
    """
    a_token = max(total / kind.layers for total, kind in zip(sizes, shape.caches, strict=True))
    tokens = math.ceil(state / shape.state_layers / a_token / PAGE_STEP_TOKENS) * PAGE_STEP_TOKENS
    padded = -(-shape.state_layers // size) * size
    return padded * tokens * a_token, tokens


def _compressed_plan(shape: ServingShape, engine: str, share: float, value_bytes: float) -> CachePlan:
    """Caches that compress: entries of 4 or 128 tokens, and a window of single ones on every layer.

    vLLM's pages hold 64 entries with their index entries, or the compressor states of 4 tokens (8 of the coarse ones);
    layers of each kind are padded to the largest group. SGLang's window pool is 0.8 of the tokens.
    """
    exact = value_bytes > 1
    entries = [
        (
            kind,
            kind.values * value_bytes + (0.0 if exact else LATENT_EXTRA_BYTES),
            kind.index_values * value_bytes + (INDEX_EXTRA_BYTES if kind.index_values and not exact else 0.0),
        )
        for kind in shape.caches
    ]
    kinds = tuple((share * kind.layers * (latent + index), kind) for kind, latent, index in entries)
    grown = sum(size / kind.compression for size, kind in kinds if kind.compression > 1)
    windows = share * sum(kind.layers * latent for kind, latent, _ in entries)
    if engine != "vllm":
        return CachePlan(grown + SGLANG_WINDOW_POOL_SHARE * windows, kinds, 0.0, 1)
    page = ENTRIES_A_PAGE * (max(latent for _, latent, _ in entries) + max(index for _, _, index in entries))
    single = sum(kind.layers for kind in shape.caches if kind.compression == 1)
    group = max(kind.layers for kind in shape.caches if kind.compression > 1) + single
    fine = any(kind.compression <= FINE_COMPRESSION for kind in shape.caches if kind.compression > 1)
    coarse = any(kind.compression > FINE_COMPRESSION for kind in shape.caches)
    states = group * (fine / STATES_A_PAGE + coarse / COARSE_STATES_A_PAGE)
    prefill = share * page * (states + shape.layers / ENTRIES_A_PAGE)
    return CachePlan(grown + windows, kinds, 0.0, 2, prefill_bytes=prefill)


@lru_cache(maxsize=65536)
def cache_plan(
    shape: ServingShape, engine: str, per_group_tokens: bool, tensor: int, stages: int, kv_dtype: str,
    context_ranks: int = 1,
) -> CachePlan:  # fmt: skip
    """The cache of one GPU (formula ``serving.kv_bytes_per_token``).

    ``per_group_tokens``: whether the engine's token count divides the pool by all groups (vLLM before 0.21).
    Pipeline stages divide the layers; the fullest holds ceil(layers / stages). ``context_ranks``: decode context
    parallel.
    """
    value_bytes = kv_bytes(kv_dtype)
    share = -(-shape.layers // stages) / shape.layers
    whole = tuple(_kind_bytes(kind, tensor, value_bytes, context_ranks) for kind in shape.caches)
    kinds = tuple((share * size, kind) for size, kind in zip(whole, shape.caches, strict=True))
    state = (shape.recurrent_values * STATE_BYTES.get(shape.state_dtype, 2.0) + 2.0 * shape.conv_values) / tensor
    plain = sum(size for size, _ in kinds)
    if any(kind.compression > 1 for kind in shape.caches):
        return _compressed_plan(shape, engine, share / context_ranks, value_bytes)
    mixed = len({kind.window for _, kind in kinds}) > 1 or (shape.state_layers > 0 and bool(kinds))
    if not mixed:
        return CachePlan(plain, kinds, share * state, 1)
    size = _group_size(shape.caches, shape.state_layers)
    counts = [kind.layers for kind in shape.caches] + ([shape.state_layers] if shape.state_layers else [])
    groups = sum(-(-count // size) for count in counts)
    if engine == "sglang":
        windowed = sum(each for each, kind in kinds if kind.window is not None)
        return CachePlan(plain - (1 - SGLANG_WINDOW_POOL_SHARE) * windowed, kinds, share * state, groups)
    if engine != "vllm":
        return CachePlan(plain, kinds, share * state, groups)
    page, tokens = _state_page(shape, whole, state, size) if state else (0.0, None)
    price = plain * groups * size / sum(kind.layers for kind in shape.caches) if per_group_tokens else plain
    return CachePlan(price, kinds, share * state, groups, share * page, tokens, group_layers=size)
