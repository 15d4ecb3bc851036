"""The terms of a step and of the first token, by name and in the order in which constants are kept for them."""

from __future__ import annotations

TERMS = (
    "dense", "experts_8", "experts_4", "experts_16", "experts_mx", "experts_int",
    "expert_layer_8", "expert_layer_4", "expert_layer_16", "expert_layer_mx", "expert_layer_int",
    "kv", "compute", "expert_compute", "exchange", "exchange_count", "layer", "step", "sequence",
    "prefill", "prefill_experts", "prefill_attention", "prefill_exchange", "prompt",
)  # fmt: skip
# Those of a decode step, and those of one prompt that are worked out token by token.
DECODE_TERMS = TERMS[:19]
PREFILL_TERMS = TERMS[19:23]  # "prompt" is a constant of its own
TTFT_TERMS = ("base", "own_prefill", "others_prefill", "steps", "arrival", "wait")
OWN_PREFILL = TTFT_TERMS.index("own_prefill")
