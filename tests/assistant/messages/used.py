"""Which messages the code says: read from its syntax trees and from the sentences themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assistant.messages.catalogue import FIRST, room, rooms
from assistant.messages.template import Blank, pieces

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("knowledge", "rules", "assistant", "tui")
SAYS = re.compile(r"^from knowledge\.message import .*\bsay\b", re.MULTILINE)
"""Modules that make messages; another ``say`` is another function."""


@cache
def sentences(lang: str) -> dict[str, str]:
    """Every message of a language with its template."""
    return {ident: text for name in rooms(lang) for ident, text in room(name, lang).items()}


@cache
def said() -> tuple[frozenset[str], frozenset[str]]:
    """Ids that the code names, and beginnings of those that it puts together (``f"binding.{name}"``)."""
    ids: set[str] = set()
    beginnings: set[str] = set()
    for text in _strings():
        (beginnings if text.endswith(".") else ids).add(text)
    for text in sentences(FIRST).values():
        beginnings |= {f"{blank.format[1:]}." for blank in _blanks(text) if blank.format.startswith("@")}
    return frozenset(ids), frozenset(beginnings)


def _blanks(text: str) -> Iterator[Blank]:
    return (piece for piece in pieces(text) if isinstance(piece, Blank))


def _strings() -> Iterator[str]:
    """Constants in the code that look like ids of a file of messages, and constant beginnings of f-strings."""
    known = tuple(f"{name}." for name in rooms(FIRST))
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
                    beginning = str(node.values[0].value)
                    yield from ([beginning] if beginning.startswith(known) else [])
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(known):
                    yield node.value


@cache
def calls() -> tuple[tuple[str, frozenset[str], str], ...]:
    """Id, names of the values and place of every ``say`` of a constant id that is not given ``**values``."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not SAYS.search(text):
                continue
            for node in ast.walk(ast.parse(text)):
                if _is_say(node) and all(keyword.arg for keyword in node.keywords):  # type: ignore[attr-defined]
                    call = node
                    assert isinstance(call, ast.Call)
                    ident = call.args[0]
                    assert isinstance(ident, ast.Constant)
                    place = f"{path.relative_to(ROOT)}:{call.lineno}"
                    found.append((str(ident.value), frozenset(str(k.arg) for k in call.keywords), place))
    return tuple(found)


def _is_say(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "say"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
        and "." in node.args[0].value
        and " " not in node.args[0].value
    )
