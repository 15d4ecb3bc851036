"""Cities that name a country: some 20,000, looked up only where a message names no country by itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Derived
from knowledge import regexes as re

_FILE = Path(__file__).with_name("cities.txt")
_BEFORE = (
    r"(?:in|im|aus|bei|nach|near|from|at|to|around|outside|à|a|au|en|de|em|no|na|te|uit|w|we|z|ze|pod|van|di|da|"
    r"per|près de|cerca de|"
    r"standort|lieferort|sitz|site|sede|siège|siedziba|location|campus|raum|region|stadt|city|ville|ciudad|cidade|"
    r"città|kanton|uni|"
    r"universität|universidad|université|university of|klinikum|hospital|comune di|ayuntamiento de|mairie de|"
    r"urząd miasta)"
)
_CITY = re.compile(
    rf"(?:(?<!\w){_BEFORE}[ :]\s?(?:the )?|[,(]\s?(?!{_BEFORE}\b))(?P<name>(?-i:[A-ZÀ-ÖØ-ÞŁŚŻŹĆ])[^\W\d_]{{2,"
    rf"}}(?:[ '-](?-i:[A-ZÀ-ÖØ-Þ]|am |de |d'|la |le |sur |les )[^\W\d_]{{1,}}){{0,2}})|"
    r"(?P<cjk>[\u4e00-\u9fff\u3041-\u3096]{2,3}|[\uac00-\ud7a3]{2,3})",
    re.IGNORECASE,
)
_WORDS = frozenset(
    [
        "Essen",
        "Hof",
        "Rain",
        "Sand",
        "Zug",
        "Waren",
        "Most",
        "Man",
        "Same",
        "Orange",
        "Mobile",
        "Reading",
        "Nice",
        "Central",
        "Union",
        "Plan",
        "Lage",
        "Marl",
        "Bath",
        "Bari",
        "Halle",
        "Split",
        "Data",
        "Date",
        "Media",
        "Marina",
        "Obra",
        "Costa",
        "Mesa",
        "Sala",
        "Campo",
        "Lima",
    ]
)
"""Cities whose names are words of a language; they count only after "in" and the like."""


@lru_cache(maxsize=1)
def _cities() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        code, names = line.split(": ", 1)
        found.update(dict.fromkeys(names.split(", "), code))
    return found


@lru_cache(maxsize=4)
def _stems(code: str) -> dict[str, str]:
    """Cities of a country by their first letters without accents, for languages that decline them."""
    return {
        _plain(name)[: max(4, len(name) - 2)]: name for name, of in _cities().items() if of == code and len(name) > 4
    }


def _plain(name: str) -> str:
    return (
        unicodedata.normalize("NFKD", name.replace("ł", "l").replace("Ł", "L"))
        .encode("ascii", "ignore")
        .decode()
        .lower()
    )


def read_city(reading: Reading) -> None:
    """State ``country`` by the first city that stands where a place stands; a greeting's city only hints at it."""
    for start, end, code in _found(reading):
        if reading.negated(start, end):
            continue
        if reading.stream.within(max(0, start - 30), start, "greeting"):
            place = reading.original[start:end]
            reading.derived["country"] = Derived.model_construct(
                value=code, because=f"the greeting comes from {place}", sure=False
            )
            return
        reading.state("country", code, start, end)
        return


def _found(reading: Reading) -> Iterator[tuple[int, int, str]]:
    cities = _cities()
    for match in _CITY.finditer(reading.text):
        group = "name" if match["name"] else "cjk"
        words, start = match[group], match.start(group)
        if not reading.free(start, start + 1):
            continue
        for name in _shorter(words) if group == "name" else (words, words[:2]):
            code = cities.get(name) or (_declined(name) if reading.lang == "pl" and group == "name" else None)
            if code is None or (name in _WORDS and not re.match(r"(?:in|à|en|bei)\b", match[0], re.IGNORECASE)):
                continue
            yield start, start + len(name), code
            break


def _shorter(words: str) -> Iterator[str]:
    """The name and its beginnings: ``Frankfurt am Main``, ``Frankfurt``."""
    pieces = re.split(r"(?<=[ '-])", words)
    for length in range(len(pieces), 0, -1):
        yield "".join(pieces[:length]).rstrip(" '-")


def _declined(name: str) -> str | None:
    plain = _plain(name)
    stems = _stems("PL")
    return (
        "PL"
        if any(plain[:n] in stems and abs(len(stems[plain[:n]]) - len(name)) <= 3 for n in range(len(plain), 3, -1))
        else None
    )
