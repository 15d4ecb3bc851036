"""Where it is to run: countries by their names and cities."""

from __future__ import annotations

import re

from assistant.interview.parser.names import STYLE, find_names
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Excluded

_NEEDS_PREPOSITION = frozenset({"Nice", "Essen", "Boden", "Cork", "Phoenix", "Reading", "Bath"})
_PREPOSITION = re.compile(r"(?:\b(?:in|near|from|at|of|aus|bei|à|de|à)\s|[,(]\s?)$")
"""City names that are common words count only after one of these."""

_OTHER_NAMES = {
    **dict.fromkeys(
        ("Bayern", "Bavaria", "Hessen", "Sachsen", "Nordrhein-Westfalen", "Baden-Württemberg", "Niedersachsen"), "DE"
    ),
    **dict.fromkeys(
        ("Brandenburg", "Thüringen", "Rheinland-Pfalz", "Schleswig-Holstein", "Saarland", "Alemania", "Alemanha"), "DE"
    ),
    "Brasil": "BR",
    "España": "ES",
    "Espanha": "ES",
    "Francia": "FR",
    "França": "FR",
    "Italia": "IT",
    "Itália": "IT",
    "Suiza": "CH",
    "Suíça": "CH",
    "México": "MX",
    "Perú": "PE",
    "Países Bajos": "NL",
    "Cataluña": "ES",
    **dict.fromkeys(("中国", "北京", "上海", "深圳", "杭州"), "CN"),
    **dict.fromkeys(("한국", "대한민국", "서울"), "KR"),
    "德国": "DE",
    "法国": "FR",
    "日本": "JP",
    "新加坡": "SG",
    "美国": "US",
}
"""Regions, and names in languages and scripts that the catalogue does not hold."""


def read_country(reading: Reading) -> None:
    """State ``country`` (ISO 3166-1 alpha-2); countries that are ruled out are listed apart."""
    for name in find_names(reading, ("countries",), 3):
        span = reading.span(name.start, name.end)
        if name.likeliest is None:
            continue
        if span.text in _NEEDS_PREPOSITION and not _PREPOSITION.search(reading.text[: name.start][-12:]):
            continue
        if STYLE.match(reading.after(name.end)):
            continue
        if reading.negated(name.start, name.end):
            reading.excluded.append(Excluded(field="country", value=name.likeliest, span=span))
            continue
        if name.resolution.id is None:
            question = f"Which {span.text} is meant: {', '.join(name.resolution.candidates)}?"
            candidates = name.resolution.candidates
            reading.ambiguous.append(
                Ambiguous(field="country", span=span, candidates=candidates, question=question, assumed=name.likeliest)
            )
        reading.state("country", name.likeliest, name.start, name.end)
    for word, code in _OTHER_NAMES.items():
        at = reading.text.find(word)
        if at >= 0 and not reading.negated(at, at + len(word)):
            reading.state("country", code, at, at + len(word))
