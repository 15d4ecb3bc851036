"""The record of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from knowledge.evidence import Cited
from knowledge.schema.base import UNKNOWN, Count, Entry, Named


class Model(Named):
    """Architecture fields of one model. A field that is None is unknown; ``unverified_fields`` were not checked.

    ``attention`` counts layers per kind of mixer (``full``, ``sliding``, ``chunked``, ``linear``, ``ssm`` ...), with
    ``positions`` in words, numbered from 0. ``window`` is the length in tokens of sliding or chunked layers.
    ``total_params`` counts every weight of the main model, MTP layers left out unless its source says so;
    ``dense_mlp_params`` is given where MLP widths differ from layer to layer. ``rope_positions`` are those that engines
    tabulate rotations for where not ``max_context``. ``sources`` are the sources of the architecture fields.
    ``released_in`` is the weight format of the publisher's own checkpoint where ``dtype`` does not say it; ``own_fp8``
    that of the publisher's checkpoint that is called FP8 and quantises less than all layers. ``reasons``: it thinks in
    writing before it answers, unless told not to.
    """

    repo: str
    family: str
    kind: Literal["llm", "vlm", "embedding", "reranker", "asr", "diffusion"]
    reasons: bool = False
    variants: tuple[str, ...] = ()
    architecture: str | None = None
    model_type: str | None = None
    layers: Count | None = None
    hidden: Count | None = None
    intermediate: Count | None = None
    gated_mlp: bool = True
    dense_mlp_layers: int | None = Field(default=None, ge=0)
    dense_mlp_params: int | None = Field(default=None, ge=0)
    heads: Count | None = None
    kv_heads: Count | None = None
    head_dim: Count | None = None
    v_head_dim: Count | None = None
    output_gate: bool = False
    attention: Mapping[str, Any] | None = None
    window: Count | None = None
    vocab: Count | None = None
    tied_embeddings: bool | None = None
    lm_head: bool = True
    learned_positions: int = Field(default=0, ge=0)
    per_layer_embedding: int = Field(default=0, ge=0)
    max_context: Count | None = None
    rope_positions: int | None = Field(default=None, ge=0)
    dtype: str | None = None
    released_in: Cited[str] = UNKNOWN
    own_fp8: Cited[str] = UNKNOWN
    moe: Mapping[str, Any] | None = None
    mla: Mapping[str, Any] | None = None
    state: Mapping[str, Any] | None = None
    sparse_index: Mapping[str, Any] | None = None
    latent_kv: Mapping[str, Any] | None = None
    kv_cache_layers: int | None = Field(default=None, ge=0)
    full_layer_attention: Mapping[str, Any] | None = None
    sliding_layer_attention: Mapping[str, Any] | None = None
    vision_params: int | None = Field(default=None, ge=0)
    audio_params: int | None = Field(default=None, ge=0)
    unknown_parts: tuple[str, ...] = ()
    total_params: Count | None = None
    total_params_source: str | None = None
    stated_params: Count | None = None
    stated_params_source: str | None = None
    active_params: Count | None = None
    active_params_stated: str | None = None
    licence: str | None = None
    release_date: str | None = None
    sources: tuple[str, ...] = ()
    verified: bool = False
    unverified_fields: tuple[str, ...] = ()
    verification: str | None = None
    note: str | None = None


class VisionTower(Entry):
    """How an engine loads the vision towers of some model types, by prefixes of their names.

    ``whole``: tensor ranks do not divide the tower. ``any_resolution``: it takes images of up to 16,384 tokens.
    """

    model_types: tuple[str, ...]
    whole: Cited[bool] = UNKNOWN
    any_resolution: Cited[bool] = UNKNOWN
