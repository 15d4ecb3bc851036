"""The interface's own words: the messages ``tui.*``."""

from __future__ import annotations

from assistant.messages import has as known
from assistant.messages import render
from knowledge.message import Value, say


def t(key: str, lang: str = "en", **values: Value) -> str:
    """The message ``key`` with its blanks filled; the key itself where there is none."""
    return render(say(f"tui.{key}", **values), lang) if has(key) else key


def has(key: str) -> bool:
    """Whether there is such a message."""
    return known(f"tui.{key}")
