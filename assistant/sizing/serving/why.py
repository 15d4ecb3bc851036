"""Notes for ``--why``: formula id, inputs and sources of every figure of a serving estimate."""

from __future__ import annotations

from typing import Any

from assistant.sizing.serving.setup import Setup
from assistant.sizing.serving.speed.roofline import Timing
from assistant.sizing.trace import Trace


def note_all(trace: Trace, setup: Setup, timed: Timing | None, fields: dict[str, Any]) -> None:
    """Record how each field of the result came to be, from the values that it was computed with."""
    engine_sources = [source for cited in setup.basis.engine.era.non_torch_gib.values() for source in cited.sources]
    shape, layout = setup.basis.shape, setup.layout
    trace.note(
        "weights_gib_per_gpu", fields["weights_gib_per_gpu"], "serving.weights", parameters=shape.total,
        weight_dtype=setup.basis.fmt.name, bits=setup.basis.fmt.bits, quantised=sorted(setup.basis.fmt.parts), tensor=layout.tensor,
        pipeline=layout.pipeline, attention_data=layout.attention_data, expert=layout.expert,
    )  # fmt: skip
    trace.note(
        "activation_gib_per_gpu", fields["activation_gib_per_gpu"], "serving.activation", engine_sources,
        vocabulary=shape.vocab, sequences=setup.basis.engine.max_sequences, batched_tokens=setup.basis.engine.max_batched_tokens,
    )  # fmt: skip
    trace.note(
        "overhead_gib_per_gpu", fields["overhead_gib_per_gpu"], "serving.overhead", engine_sources,
        graphs_in_budget=setup.basis.engine.era.graphs_in_budget, graphs_outside_bytes=setup.memory.outside,
    )  # fmt: skip
    trace.note(
        "kv_bytes_per_token_per_gpu", fields["kv_bytes_per_token_per_gpu"], "serving.kv_bytes_per_token",
        kv_dtype=setup.basis.kv_dtype, cached_layers=sum(k.layers for k in shape.caches),
        cache_groups=setup.memory.plan.groups,
    )  # fmt: skip
    trace.note(
        "kv_cache_gib_per_gpu", fields["kv_cache_gib_per_gpu"], "serving.kv_cache", setup.basis.gpu.sources,
        memory_share=fields["memory_share"], share_of=setup.basis.engine.era.share_of, gpu_bytes=setup.basis.gpu.memory,
        weights_gib=fields["weights_gib_per_gpu"], activation_gib=fields["activation_gib_per_gpu"],
        overhead_gib=fields["overhead_gib_per_gpu"],
    )  # fmt: skip
    trace.note(
        "kv_cache_tokens", fields["kv_cache_tokens"], "serving.kv_tokens", block_tokens=setup.basis.engine.block_tokens,
        kv_bytes_per_token=fields["kv_bytes_per_token_per_gpu"],
    )  # fmt: skip
    if timed is None:
        return
    trace.note(
        "tpot_ms",
        fields["tpot_ms"],
        "serving.tpot",
        setup.basis.gpu.sources,
        running=timed.running,
        parts_s=timed.parts,
    )
    trace.note("ttft_ms", fields["ttft_ms"], "serving.ttft", setup.basis.gpu.sources, queue_share=timed.parts["queue"])
    trace.note(
        "output_tokens_per_s", fields["output_tokens_per_s"], "serving.throughput",
        request_latency_s=fields["request_latency_s"], replicas=setup.replicas,
    )  # fmt: skip
