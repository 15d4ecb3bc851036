"""Any Hugging Face style ``config.json`` to a ``ModelArchitecture``; what is not understood is refused, not guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from knowledge.architecture import config_layers as kind_of
from knowledge.architecture import config_types as types
from knowledge.architecture.config_attention import HEADS, layer_groups
from knowledge.architecture.config_blocks import blocks_of
from knowledge.architecture.config_layers import layer_kinds
from knowledge.architecture.config_parts import experts_of, quantisation_of, vision_params_of
from knowledge.architecture.model import ModelArchitecture
from knowledge.architecture.reading import MAX_COUNT, Fields, checked_object, missing, read_json
from knowledge.architecture.shape import Attention, LayerGroup, Reach
from knowledge.errors import BadInput

_TEXT_PARTS = ("text_config", "llm_config", "language_config", "language_model_config", "thinker_config")
_HIDDEN = ("hidden_size", "n_embd", "d_model", "n_embed", "model_dim")
_MLP = (
    "intermediate_size_mlp",
    "dense_intermediate_size",
    "intermediate_size",
    "ff_intermediate_size",
    "ffn_hidden_size",
    "ffn_dim",
    "n_inner",
    "inner_hidden_size",
)
_CONTEXT = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length", "n_ctx")
_VOCAB = ("vocab_size", "padded_vocab_size")
_UNREAD = re.compile(r"rwkv|retention|hyena|lru_|recurrent|kda_|griffin|n_?gram", re.IGNORECASE)
"""Fields of mixers and memories that nothing here counts."""


def from_config_file(path: Path, name: str | None = None) -> ModelArchitecture:
    """The architecture in a ``config.json`` file. Raises BadInput for any file that does not state one."""
    return from_config(read_json(path), name or path.resolve().parent.name or path.stem)


def from_config(config: Mapping[str, Any], name: str) -> ModelArchitecture:
    """The architecture that a Hugging Face style config states.

    Raises BadInput naming the missing fields, or what is not understood.
    """
    outer = Fields(checked_object(dict(config) if isinstance(config, Mapping) else config))
    text = _text_part(outer)
    model_type = (text.text("model_type") or outer.text("model_type") or "").lower()
    _refuse_unknown(text, model_type)
    try:
        if model_type == "whisper":
            return _whisper(text, name)
        return _architecture(outer, text, model_type, name)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise BadInput(f"config: {where}", str(first["input"])[:80], first["msg"]) from None


def _text_part(outer: Fields) -> Fields:
    """The part that describes the language model, however deep it is nested."""
    found = outer
    for _ in range(4):
        inner = next((found.within(part) for part in _TEXT_PARTS if found.raw(part) is not None), None)
        if inner is None:
            return found
        kind = str(inner.raw("model_type") or "").lower()
        found = Fields(inner.part, found, types.NESTED_DEFAULTS.get(kind))
    return found


def _refuse_unknown(f: Fields, model_type: str) -> None:
    if model_type in types.REFUSED:
        raise BadInput(
            "config: model_type",
            model_type,
            f"an architecture that is counted; this one has {types.REFUSED[model_type]}",
        )
    if f.flag("is_encoder_decoder") and model_type != "whisper":
        raise BadInput("config: is_encoder_decoder", "true", "a decoder, an encoder or Whisper")
    unread = sorted(str(key) for key, value in f.part.items() if _UNREAD.search(str(key)) and value)
    if unread:
        expected = "fields that are understood; the model has parts whose memory would be left out"
        raise BadInput("config", ", ".join(unread)[:150], expected)


def _architecture(outer: Fields, f: Fields, model_type: str, name: str) -> ModelArchitecture:
    hidden = _required(f)
    blocks = blocks_of(f, hidden, f.need(*HEADS)) if f.raw("block_configs") is not None else None
    kinds = [kind_of.FULL] * blocks.layers if blocks else _kinds(f, model_type)
    moe = experts_of(f, kinds, model_type)
    intermediate = _mlp_width(f, model_type, hidden)
    moe_layers = moe.layers if moe else 0
    vision = next((part for key in ("vision_config", "visual") if (part := outer.within(key))), None)
    tower = vision_params_of(vision, hidden) if vision else None
    nested = f is not outer and "ConditionalGeneration" in str(outer.raw("architectures"))
    unread_tower = bool(vision and tower is None) or outer.raw("mm_vision_tower") is not None or (nested and not vision)
    encoder = kinds[0] == kind_of.BIDIRECTIONAL
    return ModelArchitecture(
        name=name[:200],
        kind="embedding" if encoder else "vlm" if vision else "llm",
        model_type=model_type or None,
        hidden=hidden,
        vocab=_inherited_count(f, *_VOCAB),
        layers=len(kinds),
        groups=blocks.groups if blocks else layer_groups(f, model_type, hidden, kinds),
        intermediate=intermediate,
        dense_mlp_layers=0 if blocks else _dense_layers(f, kinds, moe_layers, intermediate),
        dense_mlp_params=blocks.mlp_params if blocks else None,
        gated_mlp=model_type not in types.UNGATED or f.text("ffn_config.ffn_type") == "mptglu",
        moe=moe,
        tied_embeddings=_tied(f, model_type),
        lm_head=not (encoder or _bare(outer)),
        learned_positions=(f.count(*_CONTEXT) or 0) if model_type in types.LEARNED_POSITIONS else 0,
        per_layer_embedding=f.whole("hidden_size_per_layer_input") or 0,
        max_context=f.count(*_CONTEXT),
        rope_positions=_rope_positions(f),
        rotary_share=_rotary_share(f, model_type),
        dtype=_text(f.inherited("torch_dtype", "dtype")),
        quantisation=quantisation_of(f),
        vision_params=tower,
        mtp_layers=f.whole("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules") or 0,
        unknown_parts=_unknown_parts(outer, f, unread_tower),
    )


def _required(f: Fields) -> int:
    """The hidden width, once everything that no model can do without is there."""
    absent = [names[0] for names in (_HIDDEN, _VOCAB) if f.inherited(*names) is None]
    if absent:
        raise missing(absent)
    return f.need(*_HIDDEN)


def _inherited_count(f: Fields, *names: str) -> int:
    return f.count(*names) or (_inherited_count(f.outer, *names) if f.outer else f.need(*names))


def _kinds(f: Fields, model_type: str) -> list[str]:
    ratios = f.whole_items("compress_ratios")
    layers = f.count("num_hidden_layers")
    if ratios and layers:
        # The list may also hold the MTP layers, which come last.
        return [f"compressed_{ratio}x" for ratio in ratios[:layers]]
    return layer_kinds(f, model_type)


def _mlp_width(f: Fields, model_type: str, hidden: int) -> int | None:
    width = f.count(*_MLP)
    if width is not None:
        # Qwen 1 states twice the width: two matrices share it.
        return width // 2 if model_type == "qwen" else width
    if model_type in types.MLP_FOUR_TIMES_HIDDEN:
        return int((f.number("expansion_ratio", "ffn_ratio") or 4) * hidden)
    return None


def _dense_layers(f: Fields, kinds: Sequence[str], moe_layers: int, width: int | None) -> int:
    """Layers with a dense MLP. Raises BadInput when there are some and no width is stated."""
    if kind_of.MLP in kinds or kind_of.EXPERTS in kinds:
        count = kinds.count(kind_of.MLP)
    elif all(kind == kind_of.SSM for kind in kinds):
        count = 0
    else:
        count = len(kinds) if f.flag("enable_moe_block") else len(kinds) - moe_layers
    if count and width is None:
        raise missing(_MLP[:1])
    return count


def _tied(f: Fields, model_type: str) -> bool:
    stated = f.inherited("tie_word_embeddings", "tie_embeddings")
    if stated is None:
        return model_type in types.TIED
    if not isinstance(stated, bool):
        raise BadInput("config: tie_word_embeddings", stated, "true or false")
    return stated


def _rope_positions(f: Fields) -> int | None:
    """Positions of the table of rotations: linear and dynamic scaling stretch it by their factor."""
    kind = f.raw("rope_scaling.rope_type", "rope_scaling.type", "rope_parameters.rope_type")
    positions, factor = f.count(*_CONTEXT), f.raw("rope_scaling.factor", "rope_parameters.factor")
    if kind not in ("linear", "dynamic") or not positions or not isinstance(factor, (int, float)) or not factor > 0:
        return None
    return min(int(positions * factor), MAX_COUNT)


def _rotary_share(f: Fields, model_type: str) -> float:
    stated = f.raw("partial_rotary_factor", "rotary_pct", "rope_parameters.partial_rotary_factor")
    if isinstance(stated, (int, float)) and 0 <= stated <= 1:
        return float(stated)
    return types.ROTARY_SHARE.get(model_type, 1.0)


def _bare(outer: Fields) -> bool:
    """Whether the checkpoint is a model without an output head (``MistralModel``)."""
    named = str(next(iter(outer.items("architectures") or ()), ""))
    return named.endswith("Model") and not named.endswith(("ChatModel", "ChatGLMModel", "LMHeadModel", "RewardModel"))


def _text(value: object) -> str | None:
    return value[:40] if isinstance(value, str) else None


def _unknown_parts(outer: Fields, f: Fields, vision: bool) -> tuple[str, ...]:
    audio = any(outer.raw(part) is not None or f.raw(part) is not None for part in ("audio_config", "talker_config"))
    indexer = f.raw("sparse_attention_config.sparse_num_index_heads") is not None
    found = {"vision tower": vision, "audio parts": audio, "keys of the block indexer": indexer}
    return tuple(part for part, present in found.items() if present)


def _whisper(f: Fields, name: str) -> ModelArchitecture:
    """Whisper: an audio encoder, and a decoder with self and cross attention."""
    hidden, heads = f.need("d_model"), f.need("decoder_attention_heads")
    encoder, decoder = f.need("encoder_layers"), f.need("decoder_layers")

    def group(reach: Reach, count: int) -> LayerGroup:
        width = hidden // heads or 1
        attention = Attention(reach=reach, heads=heads, kv_heads=heads, head_dim=width, v_head_dim=width)
        return LayerGroup(count=count, attention=attention, cached_layers=count if reach is Reach.FULL else 0)

    reaches = ((Reach.BIDIRECTIONAL, encoder), (Reach.FULL, decoder), (Reach.CROSS, decoder))
    return ModelArchitecture(
        name=name[:200],
        kind="asr",
        model_type="whisper",
        hidden=hidden,
        vocab=f.need("vocab_size"),
        layers=decoder,
        groups=tuple(group(reach, count) for reach, count in reaches),
        intermediate=f.need("decoder_ffn_dim"),
        dense_mlp_layers=encoder + decoder,
        gated_mlp=False,
        tied_embeddings=True,
        learned_positions=(f.whole("max_target_positions") or 0) + (f.whole("max_source_positions") or 0),
        max_context=f.count("max_target_positions"),
        dtype=_text(f.raw("torch_dtype", "dtype")),
    )
