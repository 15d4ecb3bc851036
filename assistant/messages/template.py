"""How sentences are written: text with blanks.

==========================  ==========================================================================================
``{name}``                  text as it is, a number with the digits that people see, a message as its sentence, a list
                            joined with commas and "and", a truth value as yes or no
``{name:kW}``               a number with a unit: a sign, or a word of ``units`` in its form for one or several
``{name:percent}``          a share (0.25) in percent; ``floor`` the same, rounded down, so that 100 % means all of it
``{name:exact}``            a number that somebody gave, all its digits kept (up to six after the point)
``{name:or}``               a list joined with "or"; ``comma``, ``semicolon`` and ``space`` join without a word
``{name:sentence}``         text or a message as a sentence: a capital first, a full stop last
``{name:date}``             an ISO date; ``country``: an ISO 3166-1 alpha-2 code;
                            ``product``: the id of one, by its name
``{name:money currency}``   an amount in the currency that the value ``currency`` names
``{name:$unit}``            a number in the unit that the value ``unit`` names
``{name:@group}``           the message ``group.<value>``: a word for an id; the id in plain letters where it has none
``{name|one|other}``        a form for each of the language's plural categories, in CLDR's order; ``#`` is the number
==========================  ==========================================================================================

``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PIECE = re.compile(r"\{\{|\}\}|\{(?P<name>[a-z]\w*)(?::(?P<format>[^{}|]+)|(?P<forms>(?:\|[^{}|]*)+))?\}|[{}]")


@dataclass(frozen=True, slots=True)
class Blank:
    """A place to fill: the value's name, how it is formatted, or its forms by plural category."""

    name: str
    format: str = ""
    forms: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def pieces(text: str) -> tuple[str | Blank, ...]:
    """A template as text and blanks in order. Raises ValueError where a brace stands alone."""
    found: list[str | Blank] = []
    place = 0
    for match in _PIECE.finditer(text):
        found.append(text[place : match.start()])
        place = match.end()
        if match["name"]:
            forms = tuple(match["forms"][1:].split("|")) if match["forms"] else ()
            found.append(Blank(match["name"], match["format"] or "", forms))
        elif len(match[0]) == 2:
            found.append(match[0][0])
        else:
            raise ValueError(f"a brace stands alone in {text!r}")
    found.append(text[place:])
    return tuple(piece for piece in found if piece != "")


def blanks(text: str) -> frozenset[str]:
    """The names of the values that a template needs."""
    return frozenset(piece.name for piece in pieces(text) if isinstance(piece, Blank))
