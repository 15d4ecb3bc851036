"""Quantities by name: a label for people, the unit that the name ends in, and the value with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assistant.export.document import number
from tui.messages import has, t

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

_TAIL = re.compile(r"(_(?:low|high|p10|p90|typical|per_gpu|per_direction|per_kw|per_token))+$")
"""What may stand behind the unit in a name."""

_CAPITALS = re.compile(
    r"\b(it|gpu|gpus|pue|kv|tdp|mig|nvme|nic|nics|pcie|mfu|hfu|ttft|tpot|cpu|ram|fp\d+|bf16|tf32|int8)\b"
)

GERMAN_SIGNS = str.maketrans(",.", ".,")
"""Decimal and thousands signs change places."""

HUGE = 1e15
"""From here on a figure is written with a power of ten."""


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
    if has(f"figure.{name}"):
        return t(f"figure.{name}", lang)
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


def amount(value: Any, unit: str | None) -> str:
    """A figure with its unit; figures beyond a quadrillion with a power of ten."""
    big = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) >= HUGE
    shown = f"{value:.4g}" if big else number(value)
    bare = value is None or isinstance(value, (bool, str)) or not unit
    return shown if bare else f"{shown} {unit}"


def figure_text(name: str, value: Any, lang: str = "en") -> str:
    """A value with the unit of its name, with a language's signs in numbers."""
    text = amount(value, unit_of(name))
    return text if isinstance(value, str) else in_signs(text, lang)


def in_signs(figures: str, lang: str) -> str:
    """Figures written the English way, with a language's decimal and thousands signs."""
    return figures.translate(GERMAN_SIGNS) if lang == "de" else figures
