"""KV cache: bytes a token, bytes a sequence, and what the engine's log calls a token.

Engines with several kinds of layers share one pool of equal pages: vLLM puts layers into groups of equal size (padding
the last) and, before 0.21, priced every group per token; from 0.21 its token count is concurrency x maximum length.
There a state takes a page of each of its layers, and pages grow until they hold one. SGLang keeps two pools, the
window's at 0.8 of the tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.dtypes import kv_bytes
from assistant.sizing.shape import CacheKind, ServingShape

SGLANG_WINDOW_POOL_SHARE = 0.8
STATE_BYTES = {"float32": 4.0, "fp32": 4.0, None: 2.0}
PAGE_STEP_TOKENS = 16


@dataclass(frozen=True, eq=False)
class CachePlan:
    """KV cache of one GPU. ``per_token`` bytes as the engine's log prices a token; kinds as (bytes, cache kind).

    ``state_bytes`` is what a step reads and writes of one sequence's states, ``state_page_bytes`` what they take of
    the pool; ``page_tokens`` the tokens of a page where states stretched it, else None.
    """

    per_token_bytes: float
    kinds: tuple[tuple[float, CacheKind], ...]
    state_bytes: float
    groups: int
    state_page_bytes: float = 0.0
    page_tokens: int | None = None

    def sequence_bytes(self, tokens: float) -> float:
        """Bytes that a sequence of ``tokens`` holds and that a step over it reads."""
        return self.state_bytes + sum(size * _kept(kind, tokens, 0) for size, kind in self.kinds)

    def allocated_bytes(self, tokens: float, block_tokens: int, lookahead: int = 0, state_copies: int = 1) -> float:
        """Bytes set aside for a sequence of at most ``tokens``: whole blocks, and pages for its states.

        Windows hold ``lookahead`` tokens of a running prefill more, and a block because they start anywhere in one.
        Prefix caching keeps a second copy of the states.
        """
        block = self.page_tokens or block_tokens
        total = max(self.state_page_bytes, self.state_bytes) * state_copies
        for size, kind in self.kinds:
            kept = _kept(kind, tokens, lookahead)
            edge = block if lookahead and kind.window and kept < tokens else 0
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
    return CachePlan(price, kinds, share * state, groups, share * page, tokens)
