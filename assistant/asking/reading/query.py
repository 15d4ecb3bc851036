"""The question as it is understood: its kind, the quantity asked for with its unit, what it names, and conditions.

It is read before anything is looked up, so that an answer of another kind or of another quantity is not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.asking.reading.heard import Cards, Heard
from assistant.asking.reading.lexicon import found
from knowledge import regexes as re
from knowledge.evidence import Frozen
from knowledge.shipped import shipped_yaml

Kind = Literal[
    "fits",
    "how_many",
    "how_fast",
    "how_long",
    "how_much",
    "which_of",
    "whether_it_applies",
    "whether",
    "what_is",
    "why",
    "how_to",
    "what_if",
]


class Entities(Frozen):
    """What the question names, by the catalogue's ids where it has them; measures as they were typed."""

    models: tuple[str, ...] = ()
    parameters_b: float | None = None
    gpus: tuple[Cards, ...] = ()
    server: str | None = None
    formats: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    standards: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()


class Query(Frozen):
    """A question, typed. ``premise`` is what it takes for granted ("I read that ..."), in its own words."""

    kind: Kind
    quantity: str | None = None
    unit: str | None = None
    entities: Entities = Entities()
    conditions: tuple[str, ...] = ()
    premise: str | None = None


class Quantity(Frozen):
    """Something that can be asked for, how people do, and the unit of the answer."""

    id: str
    unit: str
    patterns: tuple[str, ...]


class Forms(Frozen):
    """How questions are put: patterns on the lower-case text."""

    kinds: Mapping[Kind, tuple[str, ...]]
    quantities: tuple[Quantity, ...] = Field(min_length=1)


@lru_cache(maxsize=1)
def forms() -> Forms:
    """The forms as shipped."""
    return Forms.model_validate(shipped_yaml(Path(__file__).parent / "forms.yaml"))


_PREMISE = re.compile(
    r"(?:i (?:have )?(?:read|heard|was told)|(?:a|my|our) (?:colleague|vendor|boss|consultant|friend) (?:says?"
    r"|claims?|told)"
    r"|someone (?:says|said|claims)|they say|people say|it is said|ich habe gelesen|ein kollege sagt|man sagt"
    r"|angeblich)"
    r"[^.?!]*",
    re.IGNORECASE,
)
_STANDARD = re.compile(
    r"\b(gdpr|dsgvo|nis ?2|dora|ai act|enefg|eed|iso ?\d{4,5}|c5|secnumcloud|eucs|cloud act|data act|bsig|hipaa"
    r"|en 50600|soc ?2"
    r"|kritis|ashrae \w+)\b",
    re.IGNORECASE,
)
_FITS = (
    r"\bfits?\b|\bpass(?:t|en)\b|\b(?:be )?(?:hosted|loaded|held|deployed)\b|\bload\b|\bhold\b|\bläuft\b"
    r"|\breich(?:t|en)\b"
    r"|\bruns?\b|\bserved?\b|\bhost\b|\blaufen\b|\bhosten\b|\bhalten\b|\btient\b|\bcabe\b|載|\benough\b"
    r"|\bgenügt\b|\bdeploy\b|\bfine-?tune\b|\btrain\b|\buse\b"
    r"|\bbetreiben\b|\bladen\b|\btrainieren\b|\bpossible\b|\bmöglich\b|\bcope\b|\bhandle\b|\bunterbringen\b"
    r"|\bfeintunen\b"
    r"|\bsuffic"
)
_YES_OR_NO = ("whether", "whether_it_applies", "what_is", "which_of", "how_to", "why")


def read_query(text: str, heard: Heard) -> Query:
    """The question, typed; what it does not say is left empty."""
    lower = text.casefold()
    kind = _kind(lower)
    quantity = _quantity(lower)
    if quantity is None and kind == "how_fast" and (heard.models or heard.parameters):
        quantity = _named("decode_speed")
    if _asks_whether_it_fits(lower, kind, heard):
        kind, quantity = "fits", None
    return Query(
        kind=kind,
        quantity=quantity.id if quantity else "memory" if kind == "fits" else None,
        unit=quantity.unit if quantity else "GB" if kind == "fits" else None,
        entities=_entities(text, heard),
        conditions=tuple(measure.text for measure in heard.measures),
        premise=said[0].strip() if (said := _PREMISE.search(text)) else None,
    )


def _kind(lower: str) -> Kind:
    for kind, patterns in forms().kinds.items():
        if found(patterns, lower):
            return kind
    return "what_is"


def _quantity(lower: str) -> Quantity | None:
    return next((quantity for quantity in forms().quantities if found(quantity.patterns, lower)), None)


def _named(ident: str) -> Quantity:
    return next(quantity for quantity in forms().quantities if quantity.id == ident)


def _asks_whether_it_fits(lower: str, kind: Kind, heard: Heard) -> bool:
    """A model on hardware, and a verb of holding; a count, a time or a rate that is asked for is another question."""
    hardware = heard.cards or heard.server or heard.one("B") is not None
    if re.search(r"\bram\b|host memory|system memory|arbeitsspeicher|hauptspeicher", lower):
        return False  # the memory of the server, not of its cards
    if not hardware or not (heard.models or heard.parameters) or kind not in _YES_OR_NO:
        return False
    return (
        re.search(_FITS, lower) is not None
        and re.search(r"\b(how|wie) (many|much|long|fast|viel|lange)", lower) is None
    )


def _entities(text: str, heard: Heard) -> Entities:
    return Entities(
        models=heard.models,
        parameters_b=heard.parameters / 1e9 if heard.parameters else None,
        gpus=heard.cards,
        server=heard.server,
        formats=(heard.weight_dtype,) if heard.weight_dtype else (),
        places=(heard.country,) if heard.country else (),
        standards=tuple(dict.fromkeys(name[0] for name in _STANDARD.finditer(text))),
        measures=tuple(measure.text for measure in heard.measures),
    )
