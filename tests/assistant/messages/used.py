"""Which messages the code says: read from its syntax trees and from the sentences themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assistant.messages.catalogue import FIRST, room, rooms
from assistant.messages.template import Blank, pieces

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("knowledge", "rules", "assistant", "tui")
SAYS = re.compile(r"^from knowledge\.message import .*\bsay\b", re.MULTILINE)
"""Modules that make messages; another ``say`` is another function."""

KEY = re.compile(r"[A-Za-z0-9_]\w*(?:[. -][\w-]+)*\.?")
"""What can be an id, a part of one, or its beginning."""

FIXED = ("", "tui.", "interview.")
"""Rooms whose messages are asked for without naming the room: ``say`` itself, ``t`` and ``message``."""


class Said(NamedTuple):
    """Constants of the code that can be ids or parts of one, and constant beginnings of those it puts together."""

    whole: frozenset[str]
    beginnings: frozenset[str]
    rooms: frozenset[str]

    def says(self, ident: str) -> bool:
        """Whether some place of the code can say the message."""
        tails = (ident.removeprefix(place) for place in self.rooms if ident.startswith(place))
        return any(tail in self.whole or tail.startswith(tuple(self.beginnings)) for tail in tails)


@cache
def sentences(lang: str) -> dict[str, str]:
    """Every message of a language with its template."""
    return {ident: text for name in rooms(lang) for ident, text in room(name, lang).items()}


@cache
def trees() -> dict[str, ast.Module]:
    """The syntax tree of every module, by its path."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def said() -> Said:
    """All that the code and the sentences can say."""
    whole: set[str] = set()
    beginnings: set[str] = set()
    opened = set(FIXED)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
                beginnings.add(str(node.values[0].value))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.Call):
                opened |= {f"{place}." for place in _voices(node)}
                beginnings |= {f"{group}." for group in _groups(node)}
    for text in sentences(FIRST).values():
        beginnings |= {f"{blank.format[1:]}." for blank in _blanks(text) if blank.format.startswith("@")}
    beginnings = {text for text in beginnings if "." in text and KEY.fullmatch(text)}
    return Said(frozenset(filter(KEY.fullmatch, whole)), frozenset(beginnings), frozenset(opened))


def _voices(node: ast.Call) -> Iterator[str]:
    """The room of ``Voice(lang, "room")``."""
    if isinstance(node.func, ast.Name) and node.func.id == "Voice" and len(node.args) == 2:
        yield from _constant(node.args[1])


def _groups(node: ast.Call) -> Iterator[str]:
    """The group of ``voice.word("group", name)``."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "word" and len(node.args) == 2:
        yield from _constant(node.args[0])


def _constant(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _blanks(text: str) -> Iterator[Blank]:
    return (piece for piece in pieces(text) if isinstance(piece, Blank))


class Saying(NamedTuple):
    """One ``say`` of a constant id: the names of its values, whether there may be more, and where it stands."""

    ident: str
    given: frozenset[str]
    more: bool
    place: str


@cache
def sayings() -> tuple[Saying, ...]:
    """Every ``say`` of a constant id in modules that make messages."""
    found = []
    for path, tree in trees().items():
        if not SAYS.search((ROOT / path).read_text(encoding="utf-8")):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say" and node.args:
                for ident in _constant(node.args[0]):
                    names = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
                    more = any(keyword.arg is None for keyword in node.keywords)
                    found.append(Saying(ident, names, more, f"{path}:{node.lineno}"))
    return tuple(found)
