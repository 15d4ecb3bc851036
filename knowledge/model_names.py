"""Model names as repositories and people write them: owner in front, precision, method and date words around a name.

``Qwen/Qwen3-235B-A22B-FP8`` has the shape of Qwen3-235B-A22B and weights in FP8; ``-Instruct``, ``-2507`` and ``-AWQ``
change no shape. Words are taken off only until a name is known, so that ``Llama-3.3-70B-Instruct`` stays exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.names import NameIndex, Resolution, resolve_name

_DTYPES: dict[str, str] = {
    **dict.fromkeys(("fp8", "f8", "w8a8fp8", "e4m3"), "fp8"),
    **dict.fromkeys(("nvfp4", "fp4"), "nvfp4"),
    "mxfp4": "mxfp4",
    "mxfp8": "mxfp8",
    **dict.fromkeys(("int8", "8bit", "w8a8", "w8a16", "q8", "8bits"), "int8"),
    **dict.fromkeys(("int4", "4bit", "4bits", "w4a16", "awq", "gptq", "nf4", "bnb", "q4", "w4a8", "w4a4"), "int4"),
    **dict.fromkeys(("bf16", "bfloat16"), "bfloat16"),
    **dict.fromkeys(("fp16", "float16", "half"), "float16"),
    **dict.fromkeys(("fp32", "float32"), "float32"),
}
"""Words in a name that say the precision of the weights. NVIDIA's FP4 releases are NVFP4; plain ``4-bit`` is INT4."""

# fmt: off
_METHOD_WORDS = frozenset({
    "gguf", "ggml", "awq", "gptq", "bnb", "autoround", "sym", "asym", "dynamic", "block", "quantized", "quantised",
    "exl2", "mlx", "unsloth", "ud", "dequantized", "lora", "qlora", "sft", "dpo", "rl", "tokendrop", "dropless",
    "abliterated", "class",
})
_KIND_WORDS = frozenset({
    "instruct", "chat", "it", "hf", "base", "pt", "sft", "thinking", "preview", "unnamed", "reasoning", "model",
    "llm",
})
# fmt: on
_DATE = re.compile(r"(?:[01]\d[0-3]\d|2[0-9][01]\d)")
_Q_FORMAT = re.compile(r"^i?q[2-8](?:_[0-9klmsx]+)*$")
_GGUF_FORMAT = r"(?:-gguf)?[-_.:](?:ud-)?i?q[1-8]_[0-9a-z_]+"
_GGUF_FILE = re.compile(rf"(?:{_GGUF_FORMAT})?(?:-\d{{5}}-of-\d{{5}})?\.gguf$|{_GGUF_FORMAT}$", re.IGNORECASE)
"""What follows the model in the name of a GGUF file ("-Q4_K_M.gguf") or of one in a repository ("-GGUF:Q4_K_M")."""


def weight_dtype_in(name: str) -> str | None:
    """The precision of the weights that a name states (``fp8``, ``nvfp4``, ``int4`` ...), None where it states none.

    A ``Q4_K_M`` style word of GGUF files is returned as written, in lower case.
    """
    for word in re.split(r"[\s/:,()]+|-", name.lower()):
        if _Q_FORMAT.match(word) and "_" in word:
            return word
    for word in reversed(re.split(r"[\s/:,()._-]+", name.lower())):
        if word in _DTYPES:
            return _DTYPES[word]
    return None


def resolve_model_name(index: NameIndex, text: str) -> Resolution:
    """What ``text`` means among models: as written, else without owner, precision words, kind words and dates.

    The note says when the shape was found under a shorter name.
    """
    written = resolve_name(index, text)
    if written.id or written.candidates or written.note:
        return written
    for shorter in _shorter(text):
        found = resolve_name(index, shorter)
        if found.id:
            note = f"{text.strip()} is taken to have the shape of {shorter}"
            return Resolution(found.id, f"{found.note}; {note}" if found.note else note)
        if found.candidates or found.note:
            return found
    return written


def _shorter(text: str) -> Iterator[str]:
    """Names with fewer and fewer of the words that change no shape."""
    tail = re.sub(r"\s*\([^()]*\)\s*$", "", text.strip()).rsplit("/", 1)[-1]
    tail = _GGUF_FILE.sub("", tail)
    seen = {text.strip()}
    words = [word for word in re.split(r"[\s:_]+|-", tail) if word]
    if len(words) > 1 and words[0].lower() == "meta":
        words = words[1:]
    for kept in (words, plain := [word for word in words if not _says_precision(word)]):
        if (name := "-".join(kept)) not in seen:
            seen.add(name)
            yield name
    while len(plain) > 1 and (plain[-1].lower() in _KIND_WORDS or _DATE.fullmatch(plain[-1])):
        plain = plain[:-1]
        yield "-".join(plain)


def _says_precision(word: str) -> bool:
    parts = word.lower().split(".")
    return any(part in _DTYPES or part in _METHOD_WORDS for part in parts) or bool(_Q_FORMAT.match(word.lower()))
