"""Notes for ``--why``: formula id, inputs and sources of every figure of a serving estimate."""

from __future__ import annotations

from assistant.sizing.serving.request import ServeResult
from assistant.sizing.serving.setup import Setup
from assistant.sizing.serving.speed.roofline import Timing
from assistant.sizing.trace import Trace


def note_all(trace: Trace, setup: Setup, timed: Timing | None, result: ServeResult) -> None:
    """Record how each field of the result came to be, from the values that it was computed with."""
    basis, layout = setup.basis, setup.layout
    shape, fmt, engine, gpu = basis.shape, basis.fmt, basis.engine, basis.gpu
    engine_sources = [source for cited in engine.era.non_torch_gib.values() for source in cited.sources]
    weights = trace.note(
        "weights_gib_per_gpu", result.weights_gib_per_gpu, "serving.weights", parameters=shape.total,
        weight_dtype=fmt.name, bits=fmt.bits, quantised=sorted(fmt.parts), tensor=layout.tensor,
        pipeline=layout.pipeline, attention_data=layout.attention_data, expert=layout.expert,
    )  # fmt: skip
    activation = trace.note(
        "activation_gib_per_gpu", result.activation_gib_per_gpu, "serving.activation", engine_sources,
        vocabulary=shape.vocab, sequences=engine.max_sequences, batched_tokens=engine.max_batched_tokens,
    )  # fmt: skip
    overhead = trace.note(
        "overhead_gib_per_gpu", result.overhead_gib_per_gpu, "serving.overhead", engine_sources,
        graphs_in_budget=engine.era.graphs_in_budget, graphs_outside_bytes=setup.memory.outside,
    )  # fmt: skip
    token = trace.note(
        "kv_bytes_per_token_per_gpu", result.kv_bytes_per_token_per_gpu, "serving.kv_bytes_per_token",
        kv_dtype=basis.kv_dtype, cached_layers=sum(k.layers for k in shape.caches),
        cache_groups=setup.memory.plan.groups,
    )  # fmt: skip
    cache = trace.note(
        "kv_cache_gib_per_gpu", result.kv_cache_gib_per_gpu, "serving.kv_cache", gpu.sources,
        memory_share=result.memory_share, share_of=engine.era.share_of, gpu_bytes=gpu.memory,
        weights_gib=weights, activation_gib=activation, overhead_gib=overhead,
    )  # fmt: skip
    trace.note(
        "kv_cache_tokens", result.kv_cache_tokens, "serving.kv_tokens", block_tokens=engine.block_tokens,
        kv_bytes_per_token=token, kv_cache_gib=cache,
    )  # fmt: skip
    if timed is None:
        return
    tpot = trace.note(
        "tpot_ms", result.tpot_ms, "serving.tpot", gpu.sources, running=timed.running, parts_s=timed.parts
    )
    queue = timed.parts["queue"]
    ttft = trace.note("ttft_ms", result.ttft_ms, "serving.ttft", gpu.sources, queue_share=queue, tpot_ms=tpot)
    trace.note(
        "output_tokens_per_s", result.output_tokens_per_s, "serving.throughput",
        request_latency_s=result.request_latency_s, ttft_ms=ttft, tpot_ms=tpot, replicas=setup.replicas,
    )  # fmt: skip
