"""KV cache: bytes a token, bytes a sequence, and what the engine's log calls a token.

Engines with several kinds of layers share one pool of equal pages: vLLM puts layers into groups of equal size (padding
the last) and, before 0.21, priced every group per token; from 0.21 its token count is concurrency x maximum length.
SGLang keeps two pools, the window's at 0.8 of the tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.dtypes import kv_bytes
from assistant.sizing.shape import CacheKind, ServingShape

SGLANG_WINDOW_POOL_SHARE = 0.8
STATE_BYTES = {"float32": 4.0, "fp32": 4.0, None: 2.0}


@dataclass(frozen=True, eq=False)
class CachePlan:
    """KV cache of one GPU. ``per_token`` bytes as the engine's log prices a token; kinds as (bytes, cache kind)."""

    per_token_bytes: float
    kinds: tuple[tuple[float, CacheKind], ...]
    state_bytes: float
    groups: int

    def sequence_bytes(self, tokens: float, lookahead: int = 0) -> float:
        """Bytes one sequence of ``tokens`` holds; windows hold ``lookahead`` tokens of a running prefill more."""
        total = self.state_bytes
        for size, kind in self.kinds:
            if kind.window is None:
                total += size * tokens
            elif kind.compression > 1:
                total += size * (min(tokens, kind.window) + tokens / kind.compression)
            else:
                total += size * min(tokens, kind.window - 1 + lookahead if lookahead else kind.window)
        return total


def _kind_bytes(kind: CacheKind, tensor: int, value_bytes: float) -> float:
    """Bytes that all layers of a kind cache for one token on one GPU."""
    if kind.heads is None:
        return kind.layers * (kind.values * value_bytes + kind.index_values * value_bytes)
    heads = max(1, math.ceil(kind.heads / tensor))
    return kind.layers * (heads * kind.values * value_bytes + kind.index_values * value_bytes)


def _group_padding(kinds: tuple[CacheKind, ...], states: int) -> tuple[float, int]:
    """(padded layers / layers, number of groups) when layers of unlike kinds share pages of one size.

    The group is as large as the smallest kind, or as the largest where they are within a quarter of each other.
    """
    counts = [kind.layers for kind in kinds] + ([states] if states else [])
    least, most = min(counts), max(counts)
    size = most if most < 1.25 * least else least
    groups = sum(-(-count // size) for count in counts)
    return groups * size / sum(kind.layers for kind in kinds), groups


@lru_cache(maxsize=65536)
def cache_plan(
    shape: ServingShape, engine: str, per_group_tokens: bool, tensor: int, stages: int, kv_dtype: str
) -> CachePlan:
    """The cache of one GPU (formula ``serving.kv_bytes_per_token``).

    ``per_group_tokens``: whether the engine's token count divides the pool by all groups (vLLM before 0.21).
    Pipeline stages divide the layers; the fullest holds ceil(layers / stages).
    """
    value_bytes = kv_bytes(kv_dtype)
    share = -(-shape.layers // stages) / shape.layers
    kinds = tuple((share * _kind_bytes(kind, tensor, value_bytes), kind) for kind in shape.caches)
    state = (
        share * (shape.recurrent_values * STATE_BYTES.get(shape.state_dtype, 2.0) + 2.0 * shape.conv_values) / tensor
    )
    plain = sum(size for size, _ in kinds)
    mixed = len({kind.window for _, kind in kinds}) > 1 or (shape.state_layers > 0 and bool(kinds))
    if not mixed:
        return CachePlan(plain, kinds, state, 1)
    factor, groups = _group_padding(shape.caches, shape.state_layers)
    if engine == "vllm" and per_group_tokens:
        return CachePlan(plain * factor, kinds, state, groups)
    if engine == "sglang":
        windowed = sum(size for size, kind in kinds if kind.window is not None)
        return CachePlan(plain - (1 - SGLANG_WINDOW_POOL_SHARE) * windowed, kinds, state, groups)
    return CachePlan(plain, kinds, state, groups)
