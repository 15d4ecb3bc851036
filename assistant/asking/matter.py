"""Statements that were written for a question: each says what must be asked for it to answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from assistant.asking.answer import Verdict
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.matching import is_soft
from assistant.asking.reading.lexicon import found, lexicon
from assistant.asking.reading.patterns import search
from knowledge import regexes as re

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue
    from knowledge.schema import Claim

_PREFIX = "P-"
"""Ids of statements with questions of their own (practice)."""

_YES_NO = ("whether", "fits", "whether_it_applies")
_MOST = 2
"""Further statements on the same matter that stand beside the first."""


COVERED = 0.55
"""Share of a question's content words that a statement or its own patterns must hold: below it the question is about
something else, of which the statement is only part. Set between the questions that statements were written for and
others that name the same things (``tests/assistant/asking/questions.yaml``)."""

_STEM = 4
"""Letters that two words of one stem share, in English and German alike ("offloading" and "offload")."""

_WORD = re.compile(r"[a-zà-ÿ0-9][a-zà-ÿ0-9.-]*")


@dataclass(frozen=True)
class _Match:
    claim: Claim
    groups: int
    covered: float

    @property
    def rank(self) -> tuple[int, float]:
        return self.groups, self.covered


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
    draft.declined = best.answers is not None and best.answers.declines
    claims = [desk.library.claim(best.id), *map(desk.library.claim, best.rests_on)]
    more = [match.claim for match in matches[1:] if match.groups == matches[0].groups][:_MOST]
    draft.more = [
        other.statement_de if desk.language == "de" and other.statement_de else other.statement for other in more
    ]
    draft.claims = [*claims, *(desk.library.claim(other.id) for other in more)]
    return draft


def _matches(desk: Desk) -> list[_Match]:
    tried = (_match(desk, statement) for statement in _statements(desk.library.catalogue))
    return [match for match in tried if match is not None]


@dataclass(frozen=True)
class _Statement:
    """A statement ready to be tried, with the stems of its words."""

    claim: Claim
    stems: frozenset[str]


@lru_cache(maxsize=4)
def _statements(catalogue: Catalogue) -> tuple[_Statement, ...]:
    claims = catalogue.entries("claims")
    return tuple(_ready(claims[ident]) for ident in claims if ident.startswith(_PREFIX))


def _ready(claim: Claim) -> _Statement:
    text = f"{claim.statement} {claim.statement_de or ''}".casefold()
    return _Statement(claim, frozenset(word[:_STEM] for word in _WORD.findall(text)))


def _match(desk: Desk, statement: _Statement) -> _Match | None:
    asked = statement.claim.answers
    spans: list[tuple[int, int]] = []
    for pattern in asked.about if asked is not None else ():  # most fail at the first
        hit = search(pattern, desk.lower)
        if hit is None:
            return None
        spans.append(hit.span())
    if asked is None or found(asked.unless, desk.lower) or not _gives(desk, asked.quantities):
        return None
    covered = _covered(desk, statement, spans)
    return _Match(statement.claim, len(spans), covered) if covered >= COVERED else None


def _covered(desk: Desk, statement: _Statement, spans: list[tuple[int, int]]) -> float:
    """Share of the question's content words that stand in the statement or in what its patterns matched."""

    def holds(word: re.Match[str]) -> bool:
        return word[0][:_STEM] in statement.stems or any(
            start < word.end() and word.start() < end for start, end in spans
        )

    return _share_held(desk, holds)


def _share_held(desk: Desk, holds: Callable[[re.Match[str]], bool]) -> float:
    """Share of the question's content words for which ``holds`` is true, names double; 1 where it has none.

    Numbers, and words that every question of the trade has, count where they are held and do not miss elsewhere.
    """
    words = [word for word in _WORD.finditer(desk.lower) if word[0] not in lexicon().stop]
    inside = sum(_weight(desk, word) for word in words if holds(word))
    missing = (word for word in words if not holds(word) and not word[0].isdigit() and word[0] not in lexicon().plain)
    total = inside + sum(_weight(desk, word) for word in missing)
    return inside / total if total else 1.0


def _weight(desk: Desk, word: re.Match[str]) -> float:
    """A name in the middle of an English question weighs double: a statement that lacks it is on something else."""
    written = desk.plain[word.start() : word.end()]
    return 2.0 if desk.language == "en" and word.start() > 0 and written != written.lower() else 1.0


def _gives(desk: Desk, quantities: tuple[str, ...]) -> bool:
    """Whether a statement with these figures may answer: one on a figure only where it is asked for, and the "
    "reverse."""
    asked = desk.query.quantity
    return asked in quantities or ((asked is None or is_soft(asked)) and (not quantities or asked is None))


def _verdict(desk: Desk, claim: Claim) -> Verdict | None:
    if claim.answers is None or desk.query.kind not in _YES_NO:
        return None
    for verdict, patterns in (("no", claim.answers.no), ("yes", claim.answers.yes)):
        if found(patterns, desk.lower):
            return "yes" if verdict == "yes" else "no"
    return None


def _word(desk: Desk, verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return desk.either(*(("Yes: ", "Ja: ") if verdict == "yes" else ("No: ", "Nein: ")))
