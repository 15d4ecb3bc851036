"""Which layer does what: the many ways in which configs state it, brought to one kind a layer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from knowledge.architecture import config_types as types
from knowledge.architecture.reading import MAX_LAYERS, Fields, missing
from knowledge.errors import BadInput

FULL, SLIDING, CHUNKED, LINEAR, SSM, BOTH = "full", "sliding", "chunked", "linear", "ssm", "full_and_ssm_in_parallel"
CROSS, BIDIRECTIONAL, MLP, EXPERTS = "cross", "bidirectional", "mlp_alone", "experts_alone"
UNINDEXED, SPARSE_BLOCK = "full_without_index", "sparse_block"

_WORDS = {
    "full_attention": FULL,
    "attention": FULL,
    "deepseek_sparse_attention": FULL,
    "global": FULL,
    "sliding_attention": SLIDING,
    "local": SLIDING,
    "chunked_attention": CHUNKED,
    "linear_attention": LINEAR,
    "mamba": SSM,
    "mamba2": SSM,
    "hybrid": BOTH,
    "moe": EXPERTS,
    "mlp": MLP,
}
_LETTERS = {"M": SSM, "*": FULL, "-": MLP, "E": EXPERTS}
_ALTERNATING = frozenset({"gemma2"})


def layer_kinds(f: Fields, model_type: str) -> list[str]:
    """The kind of every layer. Raises BadInput for a pattern that is not understood or has the wrong length."""
    layers = f.count("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    kinds = _stated(f, layers) or _derived(f, model_type, layers)
    indexers = f.items("indexer_types")
    if indexers is None:
        return kinds
    _same_length("indexer_types", indexers, len(kinds))
    return [UNINDEXED if k == FULL and owner == "shared" else k for k, owner in zip(kinds, indexers, strict=True)]


def _derived(f: Fields, model_type: str, layers: int | None) -> list[str]:
    if layers is None:
        raise missing(("num_hidden_layers",))
    if layers > MAX_LAYERS:
        raise BadInput("config: num_hidden_layers", layers, f"at most {MAX_LAYERS} layers")
    for rule in (_by_type, _by_period, _by_index_list, _by_chunk, _by_window):
        kinds = rule(f, model_type, layers)
        if kinds is not None:
            return kinds
    return [FULL] * layers


def _stated(f: Fields, layers: int | None) -> list[str] | None:
    """Kinds that the config lists one by one, as letters or words."""
    letters = f.text("hybrid_override_pattern")
    if letters is not None:
        return _known([_LETTERS.get(letter, letter) for letter in letters if letter != "|"], layers)
    words = f.items("layer_types", "layers_block_type")
    if words is not None:
        return _known([_WORDS.get(word, str(word)) if isinstance(word, str) else str(word) for word in words], layers)
    return None


def _known(kinds: list[str], layers: int | None) -> list[str]:
    strange = sorted(set(kinds) - set(_WORDS.values()) - set(_LETTERS.values()))
    if strange:
        raise BadInput("config: layer_types", ", ".join(strange)[:80], f"layer kinds among {', '.join(_WORDS)}")
    if not kinds or len(kinds) > MAX_LAYERS or (layers is not None and len(kinds) != layers):
        raise BadInput("config: layer_types", len(kinds), f"as many kinds as layers ({layers})")
    return kinds


def _by_type(f: Fields, model_type: str, layers: int) -> list[str] | None:
    if model_type in types.PURE_SSM:
        return [SSM] * layers
    if model_type == "falcon_h1":
        return [BOTH] * layers
    if model_type in types.ENCODERS:
        return [BIDIRECTIONAL] * layers
    return None


def _by_period(f: Fields, model_type: str, layers: int) -> list[str] | None:
    """Jamba's period and offset, Qwen3-Next's interval."""
    period = f.count("attn_layer_period")
    if period:
        offset = f.whole("attn_layer_offset")
        if offset is None:
            raise missing(("attn_layer_offset",))
        return _where(layers, lambda i: i % period == offset % period, FULL, SSM)
    interval = f.count("full_attention_interval")
    if interval:
        return _where(layers, lambda i: (i + 1) % interval == 0, FULL, LINEAR)
    return None


def _by_index_list(f: Fields, model_type: str, layers: int) -> list[str] | None:
    """Lists of numbers: MiniMax-01, Kimi Linear (counted from 1), MiniMax-M3, MiMo, Mllama."""
    types = f.whole_items("attn_type_list")
    if types is not None:
        _same_length("attn_type_list", types, layers)
        return [FULL if kind == 1 else LINEAR for kind in types]
    numbers = f.whole_items("linear_attn_config.full_attn_layers")
    if numbers is not None:
        return _where(layers, lambda i: i + 1 in numbers, FULL, LINEAR)
    sparse = f.whole_items("sparse_attention_config.sparse_attention_freq")
    if sparse is not None:
        _same_length("sparse_attention_freq", sparse, layers)
        return [SPARSE_BLOCK if kind == 1 else FULL for kind in sparse]
    pattern = f.whole_items("hybrid_layer_pattern")
    if pattern is not None:
        _same_length("hybrid_layer_pattern", pattern, layers)
        return [SLIDING if kind == 1 else FULL for kind in pattern]
    crossed = f.whole_items("cross_attention_layers")
    return None if crossed is None else _where(layers, lambda i: i in crossed, CROSS, FULL)


def _by_chunk(f: Fields, model_type: str, layers: int) -> list[str] | None:
    """Llama 4: layers without rotary positions attend in full, the others to a chunk."""
    if f.count("attention_chunk_size") is None:
        return None
    listed = f.whole_items("no_rope_layers")
    if listed:
        _same_length("no_rope_layers", listed, layers)
        return [CHUNKED if rotary else FULL for rotary in listed]
    interval = f.count("no_rope_layer_interval") or 4
    return _where(layers, lambda i: (i + 1) % interval == 0, FULL, CHUNKED)


def _by_window(f: Fields, model_type: str, layers: int) -> list[str] | None:
    window = f.whole("sliding_window", "sliding_window_size", "attn_config.sliding_window_size")
    if not window or f.flag("use_sliding_window") is False:
        return None
    pattern = f.raw("sliding_window_pattern", "_sliding_window_pattern")
    if pattern is None:
        pattern = types.DEFAULT_WINDOW_PATTERN.get(model_type)
    if pattern is not None:
        return _by_pattern(pattern, layers)
    longest = f.count("max_position_embeddings")
    if longest and window >= longest:
        return None
    if model_type in _ALTERNATING:
        return _where(layers, lambda i: i % 2 == 1, FULL, SLIDING)
    first = f.whole("max_window_layers")
    if f.flag("use_sliding_window") and first is not None:
        return _where(layers, lambda i: i < first, FULL, SLIDING)
    if model_type in types.WINDOW_ON_ALL or f.flag("use_sliding_window"):
        return [SLIDING] * layers
    raise missing(("layer_types",), f"{model_type} has a sliding window of {window}, on which layers is not stated")


def _by_pattern(pattern: object, layers: int) -> list[str]:
    if isinstance(pattern, int) and not isinstance(pattern, bool) and pattern > 0:
        every = pattern
        return _where(layers, lambda i: (i + 1) % every == 0, FULL, SLIDING)
    if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
        return [FULL if pattern[i % len(pattern)] == "G" else SLIDING for i in range(layers)]
    raise BadInput("config: sliding_window_pattern", pattern, "a whole number or letters L and G")


def _where(layers: int, test: Callable[[int], bool], yes: str, no: str) -> list[str]:
    return [yes if test(i) else no for i in range(layers)]


def _same_length(name: str, listed: Sequence[Any], layers: int) -> None:
    if len(listed) != layers:
        raise BadInput(f"config: {name}", len(listed), f"one item for each of {layers} layers")


def moe_layer_numbers(f: Fields, kinds: Sequence[str]) -> set[int]:
    """The numbers of the layers with routed experts."""
    layers = range(len(kinds))
    if EXPERTS in kinds:
        return {i for i in layers if kinds[i] == EXPERTS}
    dense_only = set(f.whole_items("mlp_only_layers") or ())
    listed = f.whole_items("moe_layers")
    if listed is not None:
        return set(listed) & set(layers)
    named = f.text("moe_layers_enum")
    if named is not None:
        return _numbers(named) & set(layers)
    start, test = _moe_rule(f)
    return {i for i in layers if i >= start and test(i) and i not in dense_only}


def _moe_rule(f: Fields) -> tuple[int, Callable[[int], bool]]:
    """First layer that may have experts, and which of the layers from 0 do."""
    start = f.whole("first_k_dense_replace", "moe_layer_start_index", "moe_layer_num_skipped", "num_dense_layers") or 0
    frequency = f.raw("moe_layer_freq")
    if isinstance(frequency, list):
        pattern = f.whole_items("moe_layer_freq") or []
        return start, lambda i: i < len(pattern) and pattern[i] == 1
    period = f.count("expert_layer_period")
    if period:
        offset = f.whole("expert_layer_offset") or 0
        return start, lambda i: i % period == offset % period
    step = f.count("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval")
    if step:
        return start, lambda i: (i + 1) % step == 0
    every = f.count("moe_layer_freq") or 1
    return start, lambda i: i % every == 0


def _numbers(text: str) -> set[int]:
    words = text.split(",")
    if len(words) > MAX_LAYERS or not all(re.fullmatch(r"\s*[0-9]{1,5}\s*", word) for word in words):
        raise BadInput("config: moe_layers_enum", text, "numbers with commas between them")
    return {int(word) for word in words}
