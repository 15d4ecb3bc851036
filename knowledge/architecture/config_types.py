"""What is known of model types beyond their configs: defaults of their classes in the transformers library."""

from __future__ import annotations

from typing import Any

# fmt: off
UNGATED = frozenset({
    "gpt2", "gptj", "gpt_neo", "gpt_neox", "gpt_bigcode", "opt", "bloom", "falcon", "mpt", "phi", "starcoder2",
    "nemotron", "nemotron_h", "apertus", "arcee", "bert", "roberta", "xlm-roberta", "camembert", "codegen",
})
"""Model types whose MLP has two matrices, not three."""
MLP_FOUR_TIMES_HIDDEN = frozenset({
    "gpt2", "gptj", "gpt_neo", "gpt_bigcode", "bloom", "falcon", "mpt", "codegen",
})
"""Model types whose class widens the MLP to 4 x hidden where the config names no width."""
TIED = frozenset({
    "gpt2", "gpt_neo", "gpt_bigcode", "opt", "bloom", "falcon", "mpt", "gemma", "gemma2", "gemma3", "gemma3_text",
    "gemma3n_text", "gemma4_text", "cohere", "cohere2", "starcoder2", "mamba", "phi3small", "bert", "roberta",
    "xlm-roberta", "camembert",
})
"""Model types whose class ties the output head to the embedding unless the config says otherwise."""
LEARNED_POSITIONS = frozenset({
    "gpt2", "gpt_neo", "gpt_bigcode", "opt", "bert", "roberta", "xlm-roberta", "camembert",
})
"""Model types with a table of positions."""
GROUPED_BY_DEFAULT = frozenset({
    "mistral", "mixtral", "gemma2", "gemma3_text", "ministral", "qwen3_next", "starcoder2", "dbrx",
})
"""Model types whose class has fewer KV heads than heads, so that an absent count is not the number of heads."""
EXPERTS_AS_WIDE_AS_MLP = frozenset({
    "mixtral", "phimoe", "olmoe", "gpt_oss", "jamba", "granitemoe", "granitemoehybrid", "grok-1", "grok1",
    "llama4_text", "llama4", "minimax", "minimax_m1", "minimax_text_01", "minimax_m2", "hunyuan", "hunyuan_v1_moe",
})
"""Model types whose ``intermediate_size`` is the width of one expert."""
ENCODERS = frozenset({
    "bert", "roberta", "xlm-roberta", "camembert",
})
PURE_SSM = frozenset({
    "mamba", "mamba2", "falcon_mamba",
})
WINDOW_ON_ALL = frozenset({
    "mistral", "mixtral", "phi3", "phimoe", "starcoder2",
})
"""Model types that apply ``sliding_window`` on every layer."""
# fmt: on

ROTARY_SHARE = {
    "qwen3_next": 0.25, "qwen3_5_text": 0.25, "qwen3_5_moe_text": 0.25, "glm4_moe": 0.5, "glm4": 0.5, "glm": 0.5,
    "chatglm": 0.5, "gpt_neox": 0.25, "phi": 0.4, "minimax_m2": 0.5, "nemotron": 0.5, "gpt2": 0.0, "opt": 0.0,
    "bloom": 0.0, "mpt": 0.0, "nemotron_h": 0.0, "jamba": 0.0, "granitemoehybrid": 0.0, "gpt_bigcode": 0.0,
}  # fmt: skip
"""The part of a head that is rotated, by the classes' defaults (transformers); 0 for those without rotation."""

DEFAULT_WINDOW_PATTERN = {"gemma3_text": 6, "gemma3": 6, "cohere2": 4}
"""Every how many layers one attends in full, where the class has a default."""

REFUSED = {
    "t5": "an encoder-decoder",
    "mt5": "an encoder-decoder",
    "rwkv": "a recurrent model of its own kind",
    "recurrent_gemma": "a recurrent model of its own kind",
    "lfm2": "short convolutions in place of attention",
    "zamba": "shared attention blocks",
    "zamba2": "shared attention blocks",
    "gemma3n_text": "per-layer widths and shared caches",
}
"""Model types that are refused, and why."""

NESTED_DEFAULTS: dict[str, dict[str, Any]] = {
    "llama": {
        "vocab_size": 32000,
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
    },
    "mistral": {
        "vocab_size": 32000,
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "gemma3_text": {
        "vocab_size": 262208,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "sliding_window": 4096,
        "max_position_embeddings": 131072,
    },
}
"""Defaults of model classes (transformers 4.50 configuration files), which nested parts leave out when saved."""
