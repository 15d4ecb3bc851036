"""Parts of a config: experts, states, quantisation, vision towers."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.architecture import config_types as types
from knowledge.architecture.config_layers import moe_layer_numbers
from knowledge.architecture.reading import Fields, missing
from knowledge.architecture.shape import Mla, Moe, Quantisation, SparseIndex, State, StateType

_EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts")
_CHOSEN = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "experts_per_token",
    "moe_topk",
    "moe_top_k",
    "moe_k",
    "top_k_experts",
    "num_selected_experts",
    "ffn_config.moe_top_k",
)
_EXPERT_WIDTH = (
    "moe_intermediate_size",
    "expert_intermediate_size",
    "moe_ffn_hidden_size",
    "ffn_config.ffn_hidden_size",
)
_GATED_DELTA = ("linear_num_value_heads", "linear_num_key_heads", "linear_key_head_dim", "linear_value_head_dim")


def experts_of(f: Fields, kinds: Sequence[str], model_type: str) -> Moe | None:
    """The mixture of experts, None for a dense model. Raises BadInput for one that is only half stated."""
    experts = f.whole(*_EXPERTS)
    if not experts or experts == 1 or f.flag("enable_moe_block") is False:
        return None
    width = f.count(*_EXPERT_WIDTH)
    if width is None and model_type in types.EXPERTS_AS_WIDE_AS_MLP:
        width = f.count("intermediate_size")
    if width is None:
        raise missing(_EXPERT_WIDTH[:1])
    layers = len(moe_layer_numbers(f, kinds))
    if layers == 0:
        return None
    return Moe(
        experts=experts,
        experts_per_token=f.need(*_CHOSEN),
        moe_intermediate=width,
        layers=layers,
        shared_experts=f.whole("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert")
        or 0,
        shared_intermediate=_shared_width(f, width, model_type),
        latent_width=f.count("moe_latent_size", "routed_expert_hidden_size"),
    )


def _shared_width(f: Fields, width: int, model_type: str) -> int:
    """Width of all shared experts together."""
    number = f.whole("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert")
    each = f.whole("moe_shared_expert_intermediate_size")
    if each is not None:
        return each * (number or 1)
    whole = f.whole("shared_expert_intermediate_size", "shared_intermediate_size", "share_expert_dim")
    if whole is not None:
        return whole
    if model_type in ("llama4_text", "llama4"):
        return width
    return (number or 0) * width


def mla_of(f: Fields) -> Mla | None:
    """Multi-head latent attention, None where the config names no latent rank."""
    rank = f.count("kv_lora_rank")
    if rank is None:
        return None
    return Mla(
        kv_lora_rank=rank,
        q_lora_rank=f.count("q_lora_rank"),
        qk_nope_head_dim=f.need("qk_nope_head_dim"),
        qk_rope_head_dim=f.need("qk_rope_head_dim"),
        v_head_dim=f.need("v_head_dim"),
    )


def index_of(f: Fields) -> SparseIndex | None:
    """The indexer of sparse attention (DeepSeek-V3.2, GLM-5)."""
    top_k = f.count("index_topk")
    if top_k is None:
        return None
    return SparseIndex(top_k=top_k, heads=f.need("index_n_heads"), head_dim=f.need("index_head_dim"))


def linear_state_of(f: Fields, heads: int, head_dim: int) -> State:
    """The state of linear-attention layers: gated delta net, Kimi delta attention or lightning attention."""
    dtype = f.text("mamba_ssm_dtype")
    if f.raw("linear_attn_config.num_heads") is not None:
        count, width = f.need("linear_attn_config.num_heads"), f.need("linear_attn_config.head_dim")
        kernel = f.need("linear_attn_config.short_conv_kernel_size")
        kind = StateType.KIMI_DELTA_ATTENTION
        return State(type=kind, heads=count, key_heads=count, key_dim=width, value_dim=width, conv_kernel=kernel)
    if f.raw("attn_type_list") is not None:
        kind = StateType.LIGHTNING_ATTENTION
        return State(type=kind, heads=heads, key_heads=heads, key_dim=head_dim, value_dim=head_dim)
    absent = [name for name in _GATED_DELTA if f.raw(name) is None]
    if absent:
        raise missing(absent, "linear attention layers keep a state")
    value_heads, key_heads, key_dim, value_dim = (f.need(name) for name in _GATED_DELTA)
    return State(
        type=StateType.GATED_DELTA_NET,
        heads=value_heads,
        key_heads=key_heads,
        key_dim=key_dim,
        value_dim=value_dim,
        conv_kernel=f.need("linear_conv_kernel_dim"),
        dtype=dtype,
    )


def ssm_state_of(f: Fields, hidden: int, model_type: str) -> State:
    """The state of Mamba layers, version 2 where heads are stated."""
    state = f.need("ssm_state_size", "mamba_d_state", "state_size")
    kernel = f.need("conv_kernel", "mamba_d_conv", "d_conv")
    expand = f.number("mamba_expand", "expand") or 0
    heads = f.count("mamba_num_heads", "mamba_n_heads", *(("num_heads",) if model_type == "mamba2" else ()))
    if heads is None:
        return _mamba1(f, hidden, state, kernel, expand, model_type)
    automatic = f.raw("mamba_d_head") == "auto"
    width = None if automatic else f.count("mamba_head_dim", "mamba_d_head", "head_dim")
    if width is None:
        width = int(expand * hidden) // heads
    groups = f.count("n_groups", "mamba_n_groups") or 1
    return State(
        type=StateType.MAMBA2,
        heads=heads,
        key_heads=groups,
        key_dim=state,
        value_dim=width,
        groups=groups,
        conv_kernel=kernel,
        dtype=f.text("mamba_ssm_dtype", "mamba_ssm_cache_dtype"),
    )


def _mamba1(f: Fields, hidden: int, state: int, kernel: int, expand: float, model_type: str) -> State:
    inner = f.count("intermediate_size") if model_type in ("falcon_mamba", "mamba") else None
    inner = inner or int(expand * hidden)
    if inner == 0:
        raise missing(("mamba_expand",))
    stated = f.raw("mamba_dt_rank", "time_step_rank")
    rank = -(-hidden // 16) if stated in (None, "auto") else f.need("mamba_dt_rank", "time_step_rank")
    kind = StateType.MAMBA1
    return State(type=kind, heads=inner, key_heads=1, key_dim=state, value_dim=1, conv_kernel=kernel, dt_rank=rank)


def vision_params_of(vision: Fields, hidden: int) -> int | None:
    """Parameters of a vision transformer and its projector, None where a width is not stated.

    Per layer 4 d^2 of attention, and 2 (or 3, gated) d x MLP. Projector: d x hidden + hidden^2, or per merger of m x m
    patches (m^2 d)^2 + m^2 d x hidden (Qwen). Towers in use differ from it by a few percent of the tower.
    """
    qwen = vision.raw("spatial_merge_size") is not None
    width = vision.count("embed_dim", "hidden_size", "width", "vt_hidden_size")
    layers = vision.count("depth", "num_hidden_layers", "layers", "vt_num_hidden_layers")
    ratio = vision.number("mlp_ratio")
    if width is None or layers is None:
        return None
    mlp = int(ratio * width) if ratio else vision.count("intermediate_size", "vt_intermediate_size")
    if mlp is None:
        return None
    gated = vision.text("hidden_act") == "silu" or vision.text("model_type") == "gemma4_vision"
    layers += vision.whole("num_global_layers") or 0
    patch = vision.whole("patch_size", "spatial_patch_size") or 14
    embedding = 3 * patch * patch * width * (vision.whole("temporal_patch_size") or 1)
    body = layers * (4 * width * width + (3 if gated else 2) * width * mlp) + embedding
    if qwen:
        merged = width * vision.need("spatial_merge_size") ** 2
        return body + (merged * merged + merged * hidden) * (1 + len(vision.items("deepstack_visual_indexes") or ()))
    if vision.raw("vision_output_dim") is not None:
        return body + vision.need("vision_output_dim") * hidden
    return body + width * hidden + hidden * hidden


_PLAIN_METHODS = {
    "awq": "int4",
    "gptq": "int4",
    "mxfp4": "mxfp4",
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "bitsandbytes": "int8",
}


def quantisation_of(f: Fields) -> Quantisation | None:
    """What ``quantization_config`` says. Raises BadInput for a method that is not understood."""
    part = f.inherited("quantization_config", "compression_config")
    if not isinstance(part, dict):
        return None
    q = Fields(part)
    method = (q.text("quant_method", "quant_algo") or "").lower().replace("_", "-")
    if method in ("compressed-tensors", "modelopt"):
        return _grouped(q, method)
    return _plain(q, method)


def _plain(q: Fields, method: str) -> Quantisation:
    dtype = _PLAIN_METHODS.get(method.replace("-", "_"), _PLAIN_METHODS.get(method, ""))
    bits = q.number("bits", "w_bit") or (4 if q.flag("load_in_4bit") else None)
    if not dtype and bits is None:
        raise missing(("quantization_config.bits",), f"the method {method or 'of quantisation'} is not known")
    if method == "bitsandbytes" and bits == 4:
        dtype = "nf4" if q.text("bnb_4bit_quant_type") != "fp4" else "fp4"
    if bits is not None and dtype in ("int4", ""):
        dtype = f"int{bits:g}"
    block = q.whole_items("weight_block_size")
    return Quantisation(
        method=method,
        weight_dtype=dtype,
        bits=bits or {"fp8": 8, "mxfp4": 4, "int8": 8, "nf4": 4, "int4": 4}[dtype],
        scheme="block" if block else None,
        block=(block[0], block[1]) if block and len(block) == 2 else None,
        group_size=32 if dtype == "mxfp4" else _group_size(q),
        activation_dtype="fp8" if dtype == "fp8" else None,
        experts_only=dtype == "mxfp4",
        excluded=_names(q, "modules_to_not_convert", "ignored_layers"),
    )


def _group_size(q: Fields) -> int | None:
    value = q.raw("group_size", "q_group_size")
    return None if value == -1 else q.count("group_size", "q_group_size")


def _grouped(q: Fields, method: str) -> Quantisation:
    """compressed-tensors and modelopt: weights' bits and type per group of layers; the first group decides."""
    groups = q.within("config_groups")
    algorithm = (q.text("quant_algo", "quantization.quant_algo") or "").lower()
    if groups is None or not groups.part:
        return _algorithm(q, method, algorithm)
    weights = Fields(next(iter(groups.part.values()), {})).within("weights") if _is_part(groups) else None
    if weights is None:
        raise missing(("quantization_config.config_groups.weights",))
    bits = weights.number("num_bits")
    if bits is None:
        raise missing(("quantization_config.config_groups.weights.num_bits",))
    floating = weights.text("type") == "float"
    size = _group_size(weights)
    kinds = {(8, True): "fp8", (4, True): "mxfp4" if size == 32 else "nvfp4"}
    return Quantisation(
        method=method,
        weight_dtype=kinds.get((int(bits), floating), f"int{bits:g}"),
        bits=bits,
        scheme=weights.text("strategy"),
        group_size=size,
        excluded=_names(q, "ignore"),
        kv_cache_dtype="fp8" if q.raw("kv_cache_scheme", "kv_cache_quant_algo") is not None else None,
    )


def _is_part(groups: Fields) -> bool:
    return isinstance(next(iter(groups.part.values())), dict)


def _algorithm(q: Fields, method: str, algorithm: str) -> Quantisation:
    known = {"nvfp4": ("nvfp4", 4, 16), "fp8": ("fp8", 8, None), "w4a16_awq": ("int4", 4, 128), "mixed_precision": None}
    found = known.get(algorithm)
    if found is None:
        raise missing(("quantization_config.quant_algo",), f"{algorithm or 'the algorithm'} is not known")
    dtype, bits, size = found
    excluded = _names(q, "exclude_modules", "ignore", "quantization.exclude_modules")
    return Quantisation(method=method, weight_dtype=dtype, bits=bits, group_size=size, excluded=excluded)


def _names(q: Fields, *fields: str) -> tuple[str, ...]:
    return tuple(str(name)[:200] for name in q.items(*fields) or ())
