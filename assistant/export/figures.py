"""Quantities by name: a label for people, the unit that the name ends in, and the value with it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.messages import has
from assistant.messages.voice import Voice

UNITS: Mapping[str, str] = {
    "output_tokens_per_s": "tokens/s",
    "tokens_per_s": "tokens/s",
    "btu_per_h": "BTU/h",
    "m3_per_h": "m³/h",
    "l_per_min": "l/min",
    "gb_per_s": "GB/s",
    "tflops": "TFLOP/s",
    "bytes": "bytes",
    "gpus": "GPUs",
    "tops": "TOP/s",
    "days": "days",
    "mwh": "MWh",
    "gib": "GiB",
    "flop": "FLOP",
    "min": "min",
    "kwh": "kWh",
    "kw": "kW",
    "kg": "kg",
    "mm": "mm",
    "tb": "TB",
    "gb": "GB",
    "ms": "ms",
    "s": "s",
    "h": "h",
    "w": "W",
    "m": "m",
}
"""The end of a quantity's name -> the unit as it is written, the longest ends first."""

WORDS = frozenset({"cooling", "technology", "kind"})
"""Quantities whose value is an id with a word in ``figures.value``."""

_TAIL = re.compile(r"(_(?:low|high|p10|p90|typical|per_gpu|per_direction|per_kw|per_token))+$")
"""What may stand behind the unit in a name."""

_CAPITALS = re.compile(
    r"\b(it|gpu|gpus|pue|kv|tdp|mig|nvme|nic|nics|pcie|mfu|hfu|ttft|tpot|cpu|ram|fp\d+|bf16|tf32|int8)\b"
)


def unit_of(name: str) -> str | None:
    """The unit of a quantity, from the last part of its dotted name that has one."""
    for part in reversed(name.split(".")):
        stem = _TAIL.sub("", part)
        for suffix, unit in UNITS.items():
            if stem == suffix or stem.endswith("_" + suffix):
                return unit
    return None


def figure_label(name: str, lang: str = "en") -> str:
    """A quantity's name for people, without the unit that its value carries."""
    if has(f"figures.{name}"):
        return Voice(lang, "figures")(name)
    return ", ".join(_words(part) for part in name.split("."))


def _words(part: str) -> str:
    tail = _TAIL.search(part)
    stem = part[: tail.start()] if tail else part
    for suffix in UNITS:
        if stem.endswith("_" + suffix):
            stem = stem[: -len(suffix) - 1]
            break
    text = (stem + (tail.group() if tail else "")).replace("_", " ")
    return _CAPITALS.sub(lambda found: "GPUs" if found[0] == "gpus" else found[0].upper(), text)


def figure_text(name: str, value: object, lang: str = "en") -> str:
    """A value with the unit of its name; the word for one that is an id."""
    voice = Voice(lang)
    if isinstance(value, str):
        return voice.word("figures.value", value) if name in WORDS else value
    return voice.quantity(value, unit_of(name))
