"""The draft of an answer, and the answer that comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assistant.asking.answer import Against, Answer, AskedClaim, Verdict
from assistant.result import SourceEntry

if TYPE_CHECKING:
    from assistant.asking.desk import Desk

MOST_CLAIMS = 8
"""More than these no one reads; the weightiest stand first."""


@dataclass
class Draft:
    """An answer in the making: ``first`` answers, ``more`` adds, ``claims`` carry both.

    ``quantity`` is what it answers, as the query names it; None where it is a statement. A declined one says what is
    ``missing`` and the ``nearest`` questions that can be answered.
    """

    kind: str
    first: str
    verdict: Verdict | None = None
    more: list[str] = field(default_factory=list)
    claims: list[AskedClaim] = field(default_factory=list)
    disagreements: list[Against] = field(default_factory=list)
    facts: Mapping[str, Any] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    flips: list[Mapping[str, Any]] = field(default_factory=list)
    declined: bool = False
    quantity: str | None = None
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()


def finished(desk: Desk, draft: Draft) -> Answer:
    """The draft as an answer: claims once each, disagreements found, sources listed."""
    claims = tuple({claim.id: claim for claim in draft.claims}.values())[:MOST_CLAIMS]
    against = tuple(draft.disagreements) or desk.library.against(claims)
    return Answer(
        question=desk.text,
        language=desk.language,
        kind=draft.kind,
        answer=" ".join((_led(desk, draft), *draft.more)),
        verdict=draft.verdict,
        declined=draft.declined,
        claims=claims,
        disagreements=against,
        facts=draft.facts,
        assumed=tuple(draft.assumed),
        flips_when=tuple(draft.flips),
        sources=tuple(_sources(desk, claims, against)),
        query=desk.understood,
        missing=draft.missing,
        nearest=draft.nearest,
    )


_LEAD = {"en": {"yes": "Yes: ", "no": "No: "}, "de": {"yes": "Ja: ", "no": "Nein: "}}
_LED = re.compile(r"\W*(?:yes|no|not|ja|nein|nicht)\b", re.IGNORECASE)


def _led(desk: Desk, draft: Draft) -> str:
    """The first sentence; where the question is one of yes or no and is decided, the word comes first."""
    lead = _LEAD[desk.language].get(draft.verdict or "", "")
    return draft.first if not lead or _LED.match(draft.first) else lead + draft.first


def _sources(desk: Desk, claims: Iterable[AskedClaim], against: Iterable[Against]) -> list[SourceEntry]:
    cited = {source for claim in claims for source in claim.sources}
    cited.update(source for item in against for source in item.sources)
    rows = (desk.library.catalogue.source(ident) for ident in sorted(cited))
    return [
        SourceEntry(
            id=s.id, title=s.title, address=s.address, date=s.date, grade=s.read_grade.value, seen_as=s.seen_as.value
        )
        for s in rows
    ]
