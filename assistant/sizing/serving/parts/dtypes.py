"""Number formats of weights and KV cache: names people and engines use, bytes, and what is really quantised.

Quantised checkpoints keep their embeddings, output head, norms and routers in 16 bits; which of attention, dense
MLP and experts are quantised depends on the scheme. Bits per value include scales and zero points.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.errors import BadInput
from knowledge.message import Message, say

LINEAR = frozenset({"attention", "mlp", "experts"})
EXPERTS = frozenset({"experts"})
MLP = frozenset({"mlp", "experts"})
EVERYTHING = frozenset({"attention", "mlp", "experts", "embedding", "head", "vision"})


@dataclass(frozen=True)
class WeightFormat:
    """How one weight dtype is stored and multiplied.

    ``bits`` per value of the parts in ``parts``, scales included; all other parts take ``other_bits``.
    ``compute`` names the tensor-core rate that its products run at: bf16, fp8, fp4 or int8. ``expert_pads``: what MXFP4
    kernels pad a rank's expert width and the hidden width to a multiple of (Marlin's; others by version and card).
    """

    name: str
    bits: float
    parts: frozenset[str] = LINEAR
    other_bits: float = 16.0
    compute: str = "bf16"
    note: Message | None = None
    expert_pads: tuple[int, int] = (128, 256)

    def bytes_of(self, part: str) -> float:
        """Bytes a value of ``part`` (attention, mlp, experts, embedding, head, norm, router, vision)."""
        return (self.bits if part in self.parts else self.other_bits) / 8


def _whole(name: str, bits: float, compute: str = "bf16") -> WeightFormat:
    return WeightFormat(name, bits, EVERYTHING, max(bits, 16.0), compute)


# Bits per value with scales: FP8 block has a 32-bit scale per 128 x 128; AWQ 16-bit scale and 4-bit zero per 128;
# GPTQ and w4a16 a 16-bit scale per 128 (symmetric); NVFP4 an 8-bit scale per 16; MXFP4 and MXFP8 an 8-bit scale
# per 32; bitsandbytes NF4 with doubly quantised scales 0.127 bits.
_FORMATS = (
    _whole("fp32", 32.0),
    _whole("bf16", 16.0),
    _whole("fp16", 16.0),
    WeightFormat("fp8", 8.0, compute="fp8"),
    WeightFormat("fp8_block", 8.0 + 32 / 128**2, compute="fp8"),
    WeightFormat("fbgemm_fp8", 8.0, MLP, compute="fp8", note=say("serving.format.attention_16")),
    WeightFormat("mxfp8", 8.25, compute="fp8"),
    WeightFormat("int8", 8.0, compute="int8"),
    WeightFormat("w8a16", 8.0),
    WeightFormat("int4", 4.0 + 16 / 128),
    WeightFormat("awq", 4.0 + 20 / 128),
    WeightFormat("gptq", 4.0 + 16 / 128),
    WeightFormat("nvfp4", 4.5, compute="fp4"),
    WeightFormat("nvfp4_experts", 4.5, MLP, compute="fp4", note=say("serving.format.attention_16")),
    WeightFormat("mxfp4", 4.25, EXPERTS, note=say("serving.format.experts_only")),
    WeightFormat("bnb_4bit", 4.127, note=say("serving.format.nf4")),
    WeightFormat("bnb_8bit", 8.0),
    WeightFormat("int4_experts", 4.0 + 16 / 32, EXPERTS, note=say("serving.format.experts_groups")),
)

# Average bits of a whole file as llama.cpp's quantize tool reports them for Llama 3.1 8B.
_GGUF_BITS = {
    "iq1_s": 2.00, "iq1_m": 2.15, "iq2_xxs": 2.38, "iq2_xs": 2.59, "iq2_s": 2.74, "iq2_m": 2.93,
    "iq3_xxs": 3.25, "iq3_xs": 3.50, "iq3_s": 3.66, "iq3_m": 3.76, "iq4_xs": 4.46, "iq4_nl": 4.68,
    "q2_k": 3.16, "q2_k_s": 2.97, "q3_k_s": 3.64, "q3_k_m": 4.00, "q3_k_l": 4.30, "q4_k_s": 4.67,
    "q4_k_m": 4.89, "q5_k_s": 5.57, "q5_k_m": 5.70, "q6_k": 6.56, "q4_0": 4.66, "q4_1": 5.10,
    "q5_0": 5.59, "q5_1": 6.04, "q8_0": 8.50, "tq1_0": 1.69, "tq2_0": 2.06, "f16": 16.0, "f32": 32.0,
}  # fmt: skip

_ALIASES = {
    "bfloat16": "bf16", "float16": "fp16", "half": "fp16", "f16": "fp16", "float32": "fp32", "float": "fp32",
    "f32": "fp32", "fp8_e4m3": "fp8", "fp8_e4m3fn": "fp8", "fp8_e5m2": "fp8", "float8": "fp8",
    "fp8_dynamic": "fp8", "fp8_static": "fp8", "f8": "fp8", "block_fp8": "fp8_block",
    "fp8_blockwise": "fp8_block", "finegrained_fp8": "fp8_block", "fp8_wo": "fp8", "w8a8": "int8",
    "w8a8_int8": "int8", "w8a8_fp8": "fp8", "smoothquant": "int8", "int8_sq": "int8", "int8_wo": "w8a16",
    "int8_weight_only": "w8a16", "int4_weight_only": "int4", "q4_k_xl": "q4_k_m", "q5_k_xl": "q5_k_m",
    "q6_k_xl": "q6_k", "q3_k_xl": "q3_k_l", "q2_k_xl": "q2_k", "q8_k_xl": "q8_0", "q4_k": "q4_k_m",
    "q5_k": "q5_k_m", "q3_k": "q3_k_m", "int4_wo": "int4", "w4a16": "int4", "int4_awq": "awq",
    "w4a16_awq": "awq", "awq_marlin": "awq", "gptq_marlin": "gptq", "gptq_int4": "gptq", "autoround": "gptq",
    "auto_round": "gptq", "4bit": "int4", "4_bit": "int4", "8bit": "int8", "8_bit": "int8", "fp4": "nvfp4",
    "nvfp4_wo": "nvfp4", "modelopt_fp4": "nvfp4", "modelopt": "fp8", "modelopt_fp8": "fp8", "w4a4": "nvfp4",
    "mxfp4_experts": "mxfp4", "mxfp4_experts_bf16": "mxfp4", "bitsandbytes": "bnb_4bit", "bnb": "bnb_4bit",
    "bnb_4_bit": "bnb_4bit", "bnb_nf4": "bnb_4bit", "nf4": "bnb_4bit", "bnb_8_bit": "bnb_8bit",
    "compressed_tensors": "fp8", "compressed_tensors_w8a8": "int8", "compressed_tensors_w4a16": "int4",
    "compressed_tensors_fp8": "fp8", "compressed_tensors_fp8_dynamic": "fp8",
    "compressed_tensors_nvfp4": "nvfp4", "fp8_w8a8": "fp8", "fp8_rowwise": "fp8", "ptpc_fp8": "fp8",
    "quark": "fp8", "torchao": "int4", "uint8": "int8", "float8_e4m3fn": "fp8", "float8_e4m3": "fp8", "e4m3": "fp8",
    "gptq_int8": "w8a16", "gptq_8bit": "w8a16", "gptq_8_bit": "w8a16", "w8a8_fp8_dynamic": "fp8", "qint4": "int4",
}  # fmt: skip

FORMATS: dict[str, WeightFormat] = {f.name: f for f in _FORMATS} | {
    name: _whole(name, bits) for name, bits in _GGUF_BITS.items() if name not in ("f16", "f32")
}

# int8 keeps a 16-bit scale per token and head (128 values); nvfp4 an 8-bit scale per 16.
_KV_BITS = {
    "bf16": 16.0, "fp16": 16.0, "fp32": 32.0, "fp8": 8.0, "int8": 8.0, "int8_per_token_head": 8.125, "int4": 4.5,
    "nvfp4": 4.5, "q8_0": 8.5, "q5_0": 5.5, "q5_1": 6.0, "q4_0": 4.5, "q4_1": 5.0,
}  # fmt: skip
_KV_ALIASES = {
    "bfloat16": "bf16", "float16": "fp16", "f16": "fp16", "half": "fp16", "float32": "fp32", "f32": "fp32",
    "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "fp8_inc": "fp8", "fp8_ds_mla": "fp8", "float8": "fp8", "fp4": "nvfp4",
    "fp4_e2m1": "nvfp4", "fp8_e4m3fn": "fp8", "float8_e4m3fn": "fp8", "e4m3": "fp8", "e5m2": "fp8",
}  # fmt: skip


_IN_NAMES = (
    (r"nvfp4|fp4\b", "nvfp4"), (r"mxfp4", "mxfp4"), (r"fp8[-_]?block", "fp8_block"), (r"fp8|float8|f8[-_]e4m3", "fp8"),
    (r"awq", "awq"), (r"bnb[-_]?4bit|nf4", "bnb_4bit"), (r"gptq|autoround", "gptq"), (r"w4a16|int4|4bit", "int4"),
    (r"w8a8|int8|8bit", "int8"), (r"(iq\d_\w+|q\d_(?:k_[sml]|k|\d))", "gguf"),
)  # fmt: skip


@lru_cache(maxsize=4096)
def format_in_name(model: str) -> str | None:
    """The weight format that a checkpoint's name states ("Qwen3-8B-FP8", "...-AWQ", "...Q4_K_M"), or None."""
    text = model.lower()
    for pattern, name in _IN_NAMES:
        found = re.search(rf"(?:^|[-_./:]){pattern}", text)
        if found:
            return found[1] if name == "gguf" else name
    return None


def _key(text: str) -> str:
    plain = re.sub(r"[\s\-]+", "_", text.strip().lower())
    return re.sub(r"[()+,.:/]+", "", plain).replace("__", "_").strip("_")


def _nearest(text: str, known: list[str]) -> list[str]:
    from rapidfuzz import fuzz, process  # needed only once a name has missed

    return [name for name, _, _ in process.extract(_key(text), known, scorer=fuzz.ratio, limit=3)]


def _lookup(name: str) -> WeightFormat | None:
    key = _key(name).removeprefix("ud_")
    return FORMATS.get(_ALIASES.get(key, key))


def _experts_only(name: str) -> WeightFormat | None:
    """ "mxfp4 experts + bf16", "bfloat16, experts int4": only experts in that format, the rest in FP8 or 16 bits."""
    found = re.search(r"(\w+)[\s-]+experts|experts[\s:-]+(\w+)", name.lower())
    base = _lookup(found[1] or found[2]) if found else None
    if base is None:
        return None
    rest = 8.0 if "fp8" in name.lower() else 16.0
    if base.name == "mxfp4" and rest == 16.0:
        return base
    return WeightFormat(
        f"{base.name}_experts", base.bits, EXPERTS, rest, base.compute, say("serving.format.experts_only")
    )


_TOOLS = frozenset({"quark", "modelopt", "torchao", "compressed_tensors"})
_WIDTHS = frozenset({"int4", "int8"})
_REMARKS = re.compile(
    r"amd|torch|pack|quanti[sz]ed|weights?|only|per|tensor|channel|token|block|group|row|dynamic|static|gguf|qat|marlin|machete|"
    r"triton|cutlass|native|released|checkpoint|exllama|g(?:32|64|128)|bit"
)


def _among_words(name: str) -> WeightFormat | None:
    """The one format that the words of a phrase name ("gptq 4-bit", "amd-quark fp8", "GGUF Q4_K_M"), or None.

    A tool gives way to a format and a mere width to a method; 8 bits of GPTQ are 8-bit weights with 16-bit products,
    8 bits of bitsandbytes its LLM.int8.
    """
    found = {}
    for whole in re.split(r"[\s,;+/.]+", name.lower()):
        parts = [whole] if _lookup(whole) else re.split(r"[-_]", whole)
        for word in map(_key, parts):
            if fmt := _lookup(word):
                found[word] = fmt
            elif word and not _REMARKS.fullmatch(word):
                return None
    formats = {fmt.name: fmt for word, fmt in found.items() if word not in _TOOLS} or {
        fmt.name: fmt for fmt in found.values()
    }
    if formats.keys() == {"gptq", "int8"}:
        return FORMATS["w8a16"]
    if formats.keys() == {"bnb_4bit", "int8"}:
        return FORMATS["bnb_8bit"]
    narrow = {key: fmt for key, fmt in formats.items() if key not in _WIDTHS}
    if len(narrow) == 1 and all(abs(fmt.bits - next(iter(narrow.values())).bits) < 1 for fmt in formats.values()):
        return next(iter(narrow.values()))
    return next(iter(formats.values())) if len(formats) == 1 else None


@lru_cache(maxsize=1024)
def weight_format(name: str, field: str = "weight_dtype") -> WeightFormat:
    """The weight format that ``name`` stands for.

    Accepts Hugging Face, vLLM, TensorRT-LLM and GGUF names in any case and spelling of separators, with a scheme
    after the name ("compressed-tensors w4a16") or a remark in brackets. Raises ``BadInput`` on ``field``.
    """
    plain = re.sub(r"\(.*?\)", "", name)
    found = _lookup(name) or _experts_only(plain) or _lookup(plain) or _among_words(plain) or _among_words(name)
    if found is not None:
        return found
    known = [*FORMATS, *_ALIASES]
    expected = "a weight format such as bf16, fp8, int8, awq, nvfp4, Q4_K_M"
    raise BadInput(field, name, expected, _nearest(name, known))


@lru_cache(maxsize=256)
def kv_bytes(name: str) -> float:
    """Bytes per cached value of KV dtype ``name``; raises ``BadInput`` on ``kv_dtype``."""
    key = _key(name.lower().removeprefix("torch."))
    key = _KV_ALIASES.get(key, key)
    if key in _KV_BITS:
        return _KV_BITS[key] / 8
    known = [*_KV_BITS, *_KV_ALIASES]
    raise BadInput("kv_dtype", name, "auto or a KV format such as bf16, fp8, int8", ["auto", *_nearest(name, known)])
