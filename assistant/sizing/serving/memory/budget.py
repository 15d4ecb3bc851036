"""One GPU's memory while serving: weights, activation, overhead, and the KV cache that is left.

vLLM: cache = share x total - weights - activation peak - non-torch (- graphs from 0.21). SGLang: cache = total -
reserve - weights. TensorRT-LLM: cache = share x (total - weights - activation - non-torch).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.serving.memory.drafts import Draft, with_draft
from assistant.sizing.serving.memory.engine_budget import GIB, EnginePlan, overheads, sglang_reserve_bytes
from assistant.sizing.serving.memory.kv import CachePlan, cache_plan
from assistant.sizing.serving.memory.weights import Layout, weight_bytes_per_gpu
from assistant.sizing.serving.parts.dtypes import WeightFormat
from assistant.sizing.serving.parts.shape import ServingShape


@dataclass(frozen=True, eq=False)
class MemoryPlan:
    """Bytes of one GPU. ``cache`` may be negative: what is missing. ``tokens`` as the engine would print them."""

    weights: float
    activation: float
    overhead: float
    cache: float
    outside: float
    plan: CachePlan
    lookahead: int
    block_tokens: int
    by_group: bool
    state_copies: int = 1

    def sequence_bytes(self, tokens: float) -> float:
        """Bytes set aside for one sequence of at most ``tokens`` (whole blocks, running prefill included)."""
        return self.plan.allocated_bytes(tokens, self.block_tokens, self.lookahead, self.state_copies)

    def sequences(self, tokens: float) -> float:
        """Sequences of ``tokens`` that the cache holds; infinite without attention or state."""
        size = self.sequence_bytes(tokens)
        return max(self.cache, 0.0) / size if size else float("inf")

    def token_bytes(self, context: float) -> float:
        """Price of a token in the engine's log; in hybrids counted by sequences, that of one within ``context``."""
        if self.plan.groups > 1 and not self.by_group and context:
            return self.sequence_bytes(context) / context
        return self.plan.per_token_bytes

    def tokens(self, context: float) -> int:
        """Tokens of one attention rank: the cache over the price of a token, whole blocks."""
        price = self.token_bytes(context)
        if price <= 0 or self.cache <= 0:
            return 0
        if self.plan.page_tokens and not self.by_group and context:
            return int(self._sequences_of_pages(context) * context)
        return int(self.cache / price // self.block_tokens) * self.block_tokens

    def _sequences_of_pages(self, context: float) -> float:
        """Sequences of ``context`` in a pool of whole pages, each of all layers of a group."""
        pages = self.plan.page_tokens or 1
        page_bytes = pages * sum(size for size, _ in self.plan.kinds)
        return int(self.cache / page_bytes) / math.ceil(self.sequence_bytes(context) / page_bytes)


@lru_cache(maxsize=65536)
def memory_plan(
    shape: ServingShape,
    fmt: WeightFormat,
    layout: Layout,
    engine: EnginePlan,
    gpu_bytes: float,
    share: float | None,
    kv_dtype: str,
    graphs: bool,
    extra_weights: float = 0.0,
    state_copies: int = 1,
    draft: Draft | None = None,
) -> MemoryPlan:
    """Memory of the fullest GPU; ``share`` None is the engine's default (formula ``serving.kv_cache``).

    ``extra_weights``: bytes of LoRA slots and of a draft, set aside with the weights. ``state_copies``: of a sequence's
    states, two under prefix caching.
    """
    weights = weight_bytes_per_gpu(shape, fmt, layout, engine.engine)
    extra = overheads(shape, fmt, layout, engine, graphs)
    by_group = engine.era.tokens_by_group and engine.version_known
    ranks = layout.decode_context
    cache_of = cache_plan(shape, engine.engine, by_group, layout.tensor, layout.pipeline, kv_dtype, ranks)
    if draft:
        cache_of = with_draft(cache_of, draft, shape, engine.engine, layout.tensor, kv_dtype)
    activation, overhead, outside = extra.activation, extra.non_torch + extra_weights, 0.0
    if engine.era.share_of == "total_before_load":
        reserve = (1 - share) * gpu_bytes if share else sglang_reserve_bytes(engine, gpu_bytes, layout)
        activation, overhead = max(reserve - extra.graphs, 0.0), extra.graphs + extra.non_torch + extra_weights
        # The engine's share is one of what is free once its ranks have found each other.
        cache = (1 - reserve / gpu_bytes) * (gpu_bytes - extra.non_torch) - extra_weights - weights
    else:
        share = share or engine.era.memory_share.value or 0.9
        if engine.era.graphs_in_budget:
            overhead += extra.graphs
        else:
            outside = extra.graphs
        taken = weights + activation + overhead
        free = engine.era.share_of == "free_after_load"
        cache = share * (gpu_bytes - taken) if free else share * gpu_bytes - taken
    return MemoryPlan(
        weights=weights,
        activation=activation,
        overhead=overhead,
        cache=cache,
        outside=outside,
        plan=cache_of,
        lookahead=engine.max_batched_tokens if engine.engine == "vllm" else 0,
        block_tokens=engine.block_tokens,
        by_group=by_group or engine.engine == "sglang",
        state_copies=state_copies,
    )


def gib(size: float) -> float:
    """Bytes in GiB."""
    return size / GIB
