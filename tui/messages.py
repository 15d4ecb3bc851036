"""The interface's own words, in English and German, from ``messages.yaml`` and the files beside the screens."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from knowledge.shipped import shipped_yaml

FILES = ("messages.yaml", "screens/messages.yaml", "screens/simulate.yaml", "screens/operations.yaml")
"""Read in this order; each has its own keys: ``key: {en: ..., de: ...}``."""

LANGUAGES = ("en", "de")


@lru_cache(maxsize=1)
def catalogue() -> dict[str, dict[str, str]]:
    """Every message by key, then language. Raises ValueError where a key stands twice."""
    found: dict[str, dict[str, str]] = {}
    for name in FILES:
        path = Path(__file__).parent / name
        if not path.exists():
            continue
        more = shipped_yaml(path) or {}
        if twice := found.keys() & more.keys():
            raise ValueError(f"{name}: these messages exist already: {sorted(twice)}")
        found |= more
    return found


def t(key: str, lang: str = "en", **values: object) -> str:
    """The message ``key`` with its braces filled in; the key itself where there is none."""
    text = catalogue().get(key, {}).get(lang) or catalogue().get(key, {}).get("en", key)
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def has(key: str) -> bool:
    """Whether there is such a message."""
    return key in catalogue()
