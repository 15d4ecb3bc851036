"""What training arithmetic needs of a model, from a catalogue model, from a stated shape, or from a parameter count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from knowledge.architecture import ModelArchitecture, Reach
from knowledge.errors import BadInput

DEFAULT_VOCABULARY = 128_256
"""Entries of the vocabulary where none is stated: that of Llama 3 (its config.json)."""
HEAD_DIM = 128
"""Width of a head where none is stated, as in Llama, Qwen and Mistral models."""


@dataclass(frozen=True)
class Shape:
    """Dimensions of a decoder. ``derived`` says that they were guessed from a parameter count.

    ``window`` tokens are attended to by ``windowed_layers`` layers, everything by the others. ``moe_layers`` layers
    have ``experts`` experts of ``expert_intermediate``, of which ``top_k`` see each token, beside shared experts of
    ``shared_intermediate`` in all; the other layers are dense. ``latent`` holds the ranks of multi-head latent
    attention: (query, key-value, without position, with position).
    """

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    vocabulary: int
    gated: bool = True
    tied: bool = False
    experts: int = 0
    top_k: int = 0
    expert_intermediate: int = 0
    expert_hidden: int = 0
    shared_intermediate: int = 0
    moe_layers: int = 0
    latent: tuple[int, int, int, int] | None = None
    window: int = 0
    windowed_layers: int = 0
    derived: bool = False
    other_parameters: int = 0

    @cached_property
    def query_width(self) -> int:
        """Width of all queries together."""
        return self.heads * self.head_dim

    @cached_property
    def key_value_width(self) -> int:
        """Width of all keys and values together, as attention reads them."""
        return self.kv_heads * (self.head_dim + self.value_dim)

    @cached_property
    def attention_parameters(self) -> int:
        """Matrices of one layer's attention."""
        out = self.heads * self.value_dim * self.hidden
        if self.latent is None:
            return self.hidden * (self.query_width + self.key_value_width) + out
        query_rank, kv_rank, plain, rotated = self.latent
        query = (
            self.hidden * query_rank + query_rank * self.query_width if query_rank else self.hidden * self.query_width
        )
        key_value = self.hidden * (kv_rank + rotated) + kv_rank * self.heads * (plain + self.value_dim)
        return query + key_value + out

    def feed_forward_parameters(self, width: int) -> int:
        """Matrices of one feed-forward block of ``width``."""
        return (3 if self.gated else 2) * self.hidden * width

    @cached_property
    def dense_layer_parameters(self) -> int:
        """One layer without experts."""
        return self.attention_parameters + self.feed_forward_parameters(self.intermediate) + 2 * self.hidden

    @cached_property
    def expert_parameters(self) -> int:
        """All routed experts of one layer."""
        return self.experts * self.one_expert_parameters

    @cached_property
    def one_expert_parameters(self) -> int:
        """One expert; it works in ``expert_hidden`` where that is narrower than the model."""
        return (3 if self.gated else 2) * (self.expert_hidden or self.hidden) * self.expert_intermediate

    @cached_property
    def moe_layer_parameters(self) -> int:
        """One layer with experts, router and shared experts; the routed experts are not counted."""
        shared = self.feed_forward_parameters(self.shared_intermediate) if self.shared_intermediate else 0
        return self.attention_parameters + shared + self.hidden * self.experts + 2 * self.hidden

    @cached_property
    def embedding_parameters(self) -> int:
        """The input embedding alone."""
        return self.vocabulary * self.hidden

    @cached_property
    def parameters(self) -> int:
        """All parameters."""
        dense = self.layers - self.moe_layers
        body = dense * self.dense_layer_parameters + self.moe_layers * (
            self.moe_layer_parameters + self.expert_parameters
        )
        return body + self.embedding_parameters * (1 if self.tied else 2) + self.hidden + self.other_parameters

    @cached_property
    def active_parameters(self) -> int:
        """Parameters that a token passes through, embedding and head as the model counts them."""
        idle = self.experts - self.top_k
        return self.parameters - self.moe_layers * idle * self.one_expert_parameters

    @cached_property
    def matrix_parameters(self) -> int:
        """Parameters of matrix products a token goes through: active ones without the input embedding."""
        return self.active_parameters - (0 if self.tied else self.embedding_parameters)

    def attention_flop_per_token(self, sequence: float, causal: bool = True) -> float:
        """Forward FLOP of score and value products for one token, all layers; half of it where causal."""
        width = self.heads * (self.head_dim + self.value_dim)
        full = self.layers - self.windowed_layers
        seen = full * sequence / (2 if causal else 1)
        if self.windowed_layers:
            seen += self.windowed_layers * min(self.window, sequence / 2 if causal else sequence)
        return 2.0 * width * seen

    def flop_per_token(self, sequence: float, causal: bool = True, frozen: bool = False) -> float:
        """Training FLOP of one token without recomputation: 6 a parameter of matrix products, and attention.

        4 a parameter where weights are ``frozen``: adapters alone have gradients.
        """
        per_parameter = 4.0 if frozen else 6.0
        return per_parameter * self.matrix_parameters + 3.0 * self.attention_flop_per_token(sequence, causal)


def dense_shape(parameters: float, vocabulary: int = DEFAULT_VOCABULARY) -> Shape:
    """A decoder with grouped queries and gated feed-forward of about ``parameters`` parameters, as published ones are.

    Width follows ``(9 N)^(1/3)``: 4,096 for 8 B and 8,192 for 70 B as in Llama 3; depth is what remains.
    """
    step = 1024 if parameters > 3e9 else 512 if parameters > 3e8 else 128
    hidden = max(step, round((9.0 * parameters) ** (1 / 3) / step) * step)
    if 2 * vocabulary * hidden > 0.3 * parameters:
        vocabulary = max(1024, int(0.1 * parameters / hidden))
    heads = max(1, hidden // HEAD_DIM)
    one = _shape(1, hidden, heads, vocabulary)
    layers = max(1, round((parameters - 2 * one.embedding_parameters) / one.dense_layer_parameters))
    exact = _shape(layers, hidden, heads, vocabulary)
    return replace(exact, other_parameters=int(parameters) - exact.parameters)


def sparse_shape(parameters: float, active: float, vocabulary: int = DEFAULT_VOCABULARY) -> Shape:
    """A mixture of experts with 8 of 128 experts (2 of 8 where a third or more is active) of the two counts."""
    experts, top_k = (8, 2) if active > 0.2 * parameters else (128, 8)
    base = dense_shape(active * 0.4, vocabulary)
    layers = max(1, round(base.layers * 2.0))
    per_expert = (parameters - active) / (experts - top_k) / layers
    width = max(64, round(per_expert / (3 * base.hidden) / 64) * 64)
    exact = replace(
        _shape(layers, base.hidden, base.heads, base.vocabulary),
        experts=experts,
        top_k=top_k,
        expert_intermediate=width,
        moe_layers=layers,
    )
    return replace(exact, other_parameters=int(active) - exact.active_parameters)


def _shape(layers: int, hidden: int, heads: int, vocabulary: int) -> Shape:
    head_dim = HEAD_DIM if heads * HEAD_DIM == hidden else hidden // heads
    return Shape(
        layers=layers,
        hidden=hidden,
        intermediate=round(3.5 * hidden),
        heads=heads,
        kv_heads=min(8, heads),
        head_dim=head_dim,
        value_dim=head_dim,
        vocabulary=vocabulary,
        derived=True,
    )


def shape_of(model: ModelArchitecture) -> Shape:
    """The shape of a catalogue or configuration model.

    Layers that mix by a fixed state attend to nothing quadratically; parameters that the dimensions do not explain are
    kept as ``other_parameters``. Raises BadInput for a model without attention.
    """
    main = model.main_attention
    if main is None:
        raise BadInput("model", model.name, "a model with attention layers (state-space models are not modelled)")
    moe, mla = model.moe, main.mla
    full = sum(g.count for g in model.groups if g.attention and g.attention.reach in (Reach.FULL, Reach.BIDIRECTIONAL))
    windows = [g.attention.window or 0 for g in model.groups if g.attention and g.attention.window]
    latent = (mla.q_lora_rank or 0, mla.kv_lora_rank, mla.qk_nope_head_dim, mla.qk_rope_head_dim) if mla else None
    shape = Shape(
        layers=model.layers,
        hidden=model.hidden,
        intermediate=model.intermediate or 0,
        heads=main.heads,
        kv_heads=main.kv_heads,
        head_dim=main.head_dim,
        value_dim=main.v_head_dim,
        vocabulary=model.vocab,
        experts=moe.experts if moe else 0,
        top_k=moe.experts_per_token if moe else 0,
        expert_intermediate=moe.moe_intermediate if moe else 0,
        expert_hidden=(moe.latent_width or 0) if moe else 0,
        shared_intermediate=(moe.shared_intermediate or 0) if moe else 0,
        moe_layers=moe.layers if moe else 0,
        window=min(windows, default=0),
        windowed_layers=max(0, model.layers - full),
        gated=model.gated_mlp,
        tied=model.tied_embeddings,
        latent=latent,
    )
    side = (model.vision_params or 0) + (model.audio_params or 0)
    return replace(shape, other_parameters=model.total_params - side - shape.parameters)
