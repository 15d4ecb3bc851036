"""Every contradiction: of rules, of claims, and of values in the catalogue; what we side with, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from knowledge.catalogue import Catalogue
from knowledge.evidence import Conflict, Frozen, Grade, SeenAs, Source
from knowledge.schema import Claim, Entry, cited_fields
from rules.base import RuleBase
from rules.document import disagreements

_GRADES = list(Grade)
_SETTLED_BY_ARITHMETIC = "both {grade}; the first can be computed again from its inputs"


class Statement(Frozen):
    """What one side says; ``value`` in ``unit`` where it is a number."""

    id: str
    text: str
    value: float | None = None
    unit: str | None = None
    grade: Grade
    sources: tuple[str, ...]


class Contradiction(Frozen):
    """Two statements that cannot both hold. ``side`` is ``ours`` or, where nothing decides, ``neither``."""

    kind: Literal["rule", "claim", "catalogue"]
    about: str
    ours: Statement
    theirs: Statement
    side: Literal["ours", "neither"]
    why: str


def contradictions(base: RuleBase, catalogue: Catalogue) -> list[Contradiction]:
    """All of them: those of rules first, then of claims, then of the catalogue's values."""
    return [*_of_rules(base), *_of_claims(catalogue), *_of_values(catalogue)]


def _of_rules(base: RuleBase) -> Iterator[Contradiction]:
    for found in disagreements(base):
        ours = Statement(id=found.rule, text=found.we_say, grade=base.best_grade(found.we_cite), sources=found.we_cite)
        theirs = Statement(
            id=found.rule, text=found.they_say, grade=base.best_grade(found.they_cite), sources=found.they_cite
        )
        weaker = _GRADES.index(theirs.grade) < _GRADES.index(ours.grade)
        side: Literal["ours", "neither"] = "neither" if weaker else "ours"
        yield Contradiction(kind="rule", about=found.title, ours=ours, theirs=theirs, side=side, why=found.why)


# --- claims ---------------------------------------------------------------------------------------------------------


def _of_claims(catalogue: Catalogue) -> Iterator[Contradiction]:
    claims: Mapping[str, Claim] = catalogue.entries("claims")
    for ident, claim in claims.items():
        for other in claim.contradicts:
            if ident < other:
                yield weigh(claim, claims[other], catalogue.entries("sources"))


def weigh(first: Claim, second: Claim, sources: Mapping[str, Source]) -> Contradiction:
    """The contradiction of two claims: the better grade stands first, then what can be recomputed, then a judgement."""
    ours, theirs = sorted((first, second), key=lambda claim: _rank(claim, sources))
    side, why = _verdict(ours, theirs, sources)
    return Contradiction(
        kind="claim",
        about=ours.topic if ours.topic != "founding texts" else theirs.topic,
        ours=statement_of(ours, sources),
        theirs=statement_of(theirs, sources),
        side=side,
        why=why,
    )


def statement_of(claim: Claim, sources: Mapping[str, Source]) -> Statement:
    """A claim as one side of a contradiction."""
    return Statement(
        id=claim.id,
        text=claim.statement,
        value=claim.value,
        unit=claim.unit,
        grade=claim.grade(sources),
        sources=claim.sources,
    )


def _rank(claim: Claim, sources: Mapping[str, Source]) -> tuple[object, ...]:
    opinion = any(sources[ident].seen_as is SeenAs.SEED_TEXT for ident in claim.sources)
    return (claim.judged_against, _GRADES.index(claim.grade(sources)), opinion, claim.id)


def _verdict(ours: Claim, theirs: Claim, sources: Mapping[str, Source]) -> tuple[Literal["ours", "neither"], str]:
    mine, other = ours.grade(sources), theirs.grade(sources)
    if mine is Grade.UNVERIFIED:  # may be right, and never decides alone
        return "neither", theirs.judgement or "the first is not verified"
    if theirs.judged_against and not ours.judged_against and theirs.judgement:
        return "ours", theirs.judgement
    if mine != other:
        return "ours", f"{_words(mine)} against {_words(other)}"
    if any(sources[ident].seen_as is SeenAs.OWN_ARITHMETIC_OR_JUDGEMENT for ident in ours.sources):
        return "ours", _SETTLED_BY_ARITHMETIC.format(grade=_words(mine))
    return "neither", ours.judgement or theirs.judgement or f"both {_words(mine)}: neither decides"


# --- values of the catalogue ----------------------------------------------------------------------------------------


def _of_values(catalogue: Catalogue) -> Iterator[Contradiction]:
    sources = catalogue.entries("sources")
    for kind in ("accelerators", "servers", "switches", "optics", "nics", "storage", "facilities", "cooling", "models"):
        for ident, record in catalogue.entries(kind).items():
            yield from _of_record(f"{kind}/{ident}", record, sources)


def _of_record(where: str, record: Entry, sources: Mapping[str, Source]) -> Iterator[Contradiction]:
    for field, cited in cited_fields(record):
        for conflict in cited.conflicts:
            ours = _value(f"{where}/{field}", cited.value, cited.sources, sources, cited.note)
            theirs = _value(f"{where}/{field}", conflict.value, conflict.sources, sources, conflict.note)
            why = _why_value(ours, theirs, conflict)
            yield Contradiction(kind="catalogue", about=ours.id, ours=ours, theirs=theirs, side="ours", why=why)


def _value(
    where: str, value: object, cited: Sequence[str], sources: Mapping[str, Source], note: str | None
) -> Statement:
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    text = f"{value}" + (f" ({note})" if note else "")
    return Statement(id=where, text=text, value=number, grade=_best(cited, sources), sources=tuple(cited))


def _best(cited: Iterable[str], sources: Mapping[str, Source]) -> Grade:
    return min((sources[ident].read_grade for ident in cited), key=_GRADES.index, default=Grade.UNVERIFIED)


def _why_value(ours: Statement, theirs: Statement, conflict: Conflict[object]) -> str:
    """The entry's own reason after the grades; an overlay's entry may have none."""
    same = ours.grade == theirs.grade
    grades = f"both {_words(ours.grade)}" if same else f"{_words(ours.grade)} against {_words(theirs.grade)}"
    reason = conflict.why or conflict.note or "the catalogue keeps the one that it was checked against"
    return f"{grades}: {reason}" if same or conflict.why else grades


def _words(grade: Grade) -> str:
    return grade.value.replace("_", " ")
