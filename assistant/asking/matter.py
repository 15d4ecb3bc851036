"""Statements that were written for a question: each says what must be asked for it to answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.asking.answer import Verdict
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.matching import is_soft

if TYPE_CHECKING:
    from knowledge.schema import Claim

_PREFIX = "P-"
"""Ids of statements with questions of their own (practice)."""

_YES_NO = ("whether", "fits", "whether_it_applies")
_MOST = 2
"""Further statements on the same matter that stand beside the first."""


@dataclass(frozen=True)
class _Match:
    claim: Claim
    groups: int
    letters: int

    @property
    def rank(self) -> tuple[int, int]:
        return self.groups, self.letters


def about_matter(desk: Desk) -> Draft | None:
    """The statement whose every condition the question meets, the most specific first, or None."""
    matches = sorted(_matches(desk), key=lambda match: match.rank, reverse=True)
    if not matches:
        return None
    best = matches[0].claim
    verdict = _verdict(desk, best)
    text = best.statement_de if desk.language == "de" and best.statement_de else best.statement
    draft = Draft("stated", f"{_word(desk, verdict)}{text}", verdict=verdict)
    draft.quantity = desk.query.quantity
    claims = [desk.library.claim(best.id), *map(desk.library.claim, best.rests_on)]
    more = [match.claim for match in matches[1:] if match.groups == matches[0].groups][:_MOST]
    draft.more = [other.statement_de if desk.language == "de" and other.statement_de else other.statement for other in more]
    draft.claims = [*claims, *(desk.library.claim(other.id) for other in more)]
    return draft


def _matches(desk: Desk) -> list[_Match]:
    claims = desk.library.catalogue.entries("claims")
    found = (_match(desk, claims[ident]) for ident in claims if ident.startswith(_PREFIX))
    return [match for match in found if match is not None]


def _match(desk: Desk, claim: Claim) -> _Match | None:
    asked = claim.answers
    if asked is None or any(re.search(pattern, desk.lower) for pattern in asked.unless):
        return None
    hits = [re.search(pattern, desk.lower) for pattern in asked.about]
    if not all(hits) or not _gives(desk, asked.quantities):
        return None
    return _Match(claim, len(hits), sum(len(hit[0]) for hit in hits if hit is not None))


def _gives(desk: Desk, quantities: tuple[str, ...]) -> bool:
    """Whether a statement with these figures may answer: one on a figure only where it is asked for, and the reverse."""
    asked = desk.query.quantity
    return asked in quantities or ((asked is None or is_soft(asked)) and (not quantities or asked is None))


def _verdict(desk: Desk, claim: Claim) -> Verdict | None:
    if claim.answers is None or desk.query.kind not in _YES_NO:
        return None
    for verdict, patterns in (("no", claim.answers.no), ("yes", claim.answers.yes)):
        if any(re.search(pattern, desk.lower) for pattern in patterns):
            return "yes" if verdict == "yes" else "no"
    return None


def _word(desk: Desk, verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return desk.either(*(("Yes: ", "Ja: ") if verdict == "yes" else ("No: ", "Nein: ")))
