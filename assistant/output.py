"""What leaves the program: JSON with figures rounded the same way everywhere, and text that any terminal can show."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from assistant.messages import in_words, render
from knowledge.message import Message

SIGNIFICANT_DIGITS = 6
"""Figures are rounded here and nowhere else, so that results are equal to the byte on every machine."""


AS_THEY_ARE = frozenset({str, bool, int, type(None)})
"""Types that JSON has; batches of a hundred thousand results spend a good part of their time here."""


def rounded(value: float) -> float | int:
    """``value`` to six significant digits; whole numbers lose their ``.0`` nowhere else than here."""
    made = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if made - made != 0.0:  # infinite, or no number
        raise ValueError(f"a result must be finite, got {value}")
    return made or 0.0


def plain(value: Any, lang: str = "en") -> Any:
    """``value`` as JSON types: models dumped, messages as sentences, tuples as lists, floats rounded."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if kind is float:
        return rounded(value)
    if isinstance(value, Mapping):
        return {
            str(k): v if type(v) in AS_THEY_ARE else rounded(v) if type(v) is float else plain(v, lang)
            for k, v in value.items()
        }
    if isinstance(value, BaseModel):
        return plain(value.model_dump(mode="json", by_alias=True, context=in_words(lang)))
    if isinstance(value, Message):
        return render(value, lang)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v, lang) for v in value]
    if isinstance(value, (int, str)):
        return value
    if isinstance(value, float):
        return rounded(value)
    return str(value)


def to_json(value: Any, indent: int | None = 2) -> str:
    """One JSON document, keys in the order of the model, no trailing newline."""
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def print_json(value: Any, indent: int | None = 2) -> None:
    """Write one JSON document to standard output as UTF-8, whatever the locale."""
    text = to_json(value, indent) + "\n"
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode("utf-8", errors="surrogatepass" if "\ud800" <= max(text) <= "\udfff" else "strict"))
    buffer.flush()


def harmless(text: str) -> str:
    """``text`` without the signs that a terminal acts on: escape codes, bells, C1 controls, changes of direction.

    What users, files and databases hold may contain them; line ends and tabs stay.
    """
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)


def say(text: str = "") -> None:
    """Write a line of narration to standard error, where no pipe mistakes it for data."""
    print(text, file=sys.stderr)
