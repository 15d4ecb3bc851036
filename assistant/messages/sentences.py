"""A message as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from assistant.messages import figures
from assistant.messages.catalogue import template
from assistant.messages.products import product_name
from assistant.messages.template import Blank, pieces
from knowledge.message import RENDER, Message, Text, Value

SEPARATED = {"comma": ", ", "semicolon": "; ", "space": " "}
"""Lists that are parts of a line and have no "and"."""


def render(said: Text, lang: str = "en") -> str:
    """``said`` in a language: its sentence there, else in English, else the words that it brings along."""
    return said if isinstance(said, str) else _sentence(said, lang)


@lru_cache(maxsize=4096)
def _sentence(said: Message, lang: str) -> str:
    """Batches of estimates say the same few things over and over."""
    text = template(said.id, lang)
    if text is None:
        return said.id if said.text is None else said.text
    values = dict(said.values)
    return "".join(piece if isinstance(piece, str) else _filled(piece, values, lang) for piece in pieces(text))


def in_words(lang: str = "en") -> dict[str, Callable[[Message], str]]:
    """The context with which a pydantic model dumps its messages as sentences."""
    return {RENDER: lambda message: render(message, lang)}


def _filled(blank: Blank, values: Mapping[str, Value], lang: str) -> str:
    value = values.get(blank.name)
    if value is None:
        return figures.words("unknown", lang)
    if blank.forms:
        return _by_plural(blank, value, lang)
    kind, _, argument = blank.format.partition(" ")
    if kind.startswith("@"):
        return _word(kind[1:], str(value), lang)
    if isinstance(value, Message):
        return _as_sentence(render(value, lang)) if kind == "sentence" else render(value, lang)
    if isinstance(value, tuple):
        return _list([render(one, lang) for one in value], kind, lang)
    if isinstance(value, bool):
        return figures.words("yes" if value else "no", lang)
    if isinstance(value, str):
        return _named(value, kind, lang)
    if kind == "money":
        return figures.money(value, str(values.get(argument)), lang)
    return _number(value, str(values.get(kind[1:]) or "") if kind.startswith("$") else kind, lang)


def _by_plural(blank: Blank, value: Value, lang: str) -> str:
    """The form for one or for several; of a truth value the first when it holds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return blank.forms[0 if value else -1]
    form = blank.forms[min(figures.plural_place(value, lang), len(blank.forms) - 1)]
    return form.replace("#", figures.number(value, lang))


def _word(group: str, value: str, lang: str) -> str:
    """The word for an id in a group; the id in plain letters where it has none (an overlay's own)."""
    found = template(f"{group}.{value}", lang)
    return value.replace("_", " ") if found is None else found


def _list(parts: list[str], kind: str, lang: str) -> str:
    if kind in SEPARATED:
        return SEPARATED[kind].join(parts)
    return figures.joined(parts, lang, "or" if kind == "or" else "standard")


def _named(value: str, kind: str, lang: str) -> str:
    if kind == "sentence":
        return _as_sentence(value)
    if kind == "country":
        return figures.country(value, lang)
    if kind == "product":
        return product_name(value)
    return figures.date(value, lang) if kind == "date" else value


def _as_sentence(text: str) -> str:
    """A part of a sentence as one of its own."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?", "!")) else ".")


def _number(value: float, kind: str, lang: str) -> str:
    if kind in ("percent", "floor"):
        return figures.percent(value, lang, down=kind == "floor")
    if kind == "exact":
        return figures.exact(value, lang)
    return figures.quantity(value, kind or None, lang)
