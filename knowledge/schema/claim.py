"""What sources state, one claim an entry, so that it can be cited, weighed and contradicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from knowledge.evidence import Frozen, Grade, SeenAs, Source, computed_grade
from knowledge.schema.base import Entry, Finite, Named


class Asked(Frozen):
    """Questions that a claim answers. ``about`` are patterns on the lower-case question that must all be found, in
    English and German words; ``unless`` are those of another matter. ``quantities`` are what it gives a figure for, by
    the names of the query. ``yes`` and ``no`` are forms of a question that it answers so. ``declines``: it says why
    there is no answer.
    """

    about: tuple[str, ...] = Field(min_length=1)
    unless: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    declines: bool = False


class Claim(Entry):
    """One statement in our words, with its value and the sources that state it.

    ``value`` is in ``unit``; ``op`` says on which side of it the claim holds, for a threshold on ``scope``. ``by`` is
    who is obliged, ``place`` the country or union (ISO 3166-1, or EU), ``locator`` where it stands in the source.
    ``seen_as`` is how this statement was read, where that differs from how its source was. ``contradicts`` lists
    claims that say otherwise, in both directions. ``answers`` are the questions it was written for, ``rests_on`` other
    claims that carry it. ``unused`` says why no rule or formula rests on it. ``judgement`` is
    our own word where grades do not settle it: against this claim with ``judged_against``, else on the pair.
    """

    topic: str
    statement: str = Field(min_length=20)
    statement_de: str | None = None
    answers: Asked | None = None
    rests_on: tuple[str, ...] = ()
    value: Finite | None = None
    unit: str | None = None
    op: Literal["==", "<", "<=", ">", ">="] | None = None
    scope: str | None = None
    place: str | None = None
    by: str | None = None
    holds_from: str | None = None
    until: str | None = None
    locator: str | None = None
    sources: tuple[str, ...] = Field(min_length=1)
    seen_as: SeenAs | None = None
    contradicts: tuple[str, ...] = ()
    judgement: str | None = None
    judged_against: bool = False
    unused: str | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _sensible(self) -> Claim:
        if self.id in self.contradicts:
            raise ValueError("a claim cannot contradict itself")
        if self.unit is not None and self.value is None:
            raise ValueError("a unit needs a value")
        return self

    def grade(self, sources: Mapping[str, Source]) -> Grade:
        """The best grade that its sources have by the way they were read."""
        return min((self._grade_of(sources[ident]) for ident in self.sources), key=list(Grade).index)

    def _grade_of(self, source: Source) -> Grade:
        return computed_grade(source.grade, self.seen_as or source.seen_as)


class Term(Named):
    """A word of the trade, in a sentence for people who do not build clusters."""

    meaning: str = Field(min_length=20)
    meaning_de: str = Field(min_length=20)
    sources: tuple[str, ...] = Field(min_length=1)
