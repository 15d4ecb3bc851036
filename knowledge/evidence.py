"""How the knowledge base knows: sources, their grade, and values that cite them."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Frozen(BaseModel):
    """Base of all data records: immutable, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Grade(StrEnum):
    """What kind of source speaks, strongest first."""

    LAW = "law"
    VENDOR_SPECIFICATION = "vendor_specification"
    PAPER = "paper"
    MEASUREMENT = "measurement"
    VENDOR_BLOG = "vendor_blog"
    THIRD_PARTY = "third_party"
    PRACTITIONER_OPINION = "practitioner_opinion"
    UNVERIFIED = "unverified"


class SeenAs(StrEnum):
    """How the source was read. Only the first three may carry a rule that blocks, warns or obliges."""

    PRIMARY_TEXT = "primary_text"
    SOURCE_CODE_OR_README = "source_code_or_readme"
    EXCERPT = "excerpt"
    VENDOR_COPY = "vendor_copy"
    QUOTED_BY_OTHERS = "quoted_by_others"
    OFFICIAL_SUMMARY = "official_summary"
    SUMMARY_BY_OTHERS = "summary_by_others"
    MEASURED = "measured"
    ISSUE_THREADS = "issue_threads"
    SEED_TEXT = "seed_text"
    OWN_ARITHMETIC_OR_JUDGEMENT = "own_arithmetic_or_judgement"
    NOT_VERIFIED = "not_verified"


FIRM_READINGS = frozenset({SeenAs.PRIMARY_TEXT, SeenAs.SOURCE_CODE_OR_README, SeenAs.EXCERPT})
"""Readings firm enough for a hard rule; ``Source.firm`` applies it."""


_BEST_BY_READING = {
    SeenAs.QUOTED_BY_OTHERS: Grade.THIRD_PARTY,
    SeenAs.OFFICIAL_SUMMARY: Grade.THIRD_PARTY,
    SeenAs.SUMMARY_BY_OTHERS: Grade.THIRD_PARTY,
    SeenAs.ISSUE_THREADS: Grade.THIRD_PARTY,
    SeenAs.SEED_TEXT: Grade.PRACTITIONER_OPINION,
    SeenAs.OWN_ARITHMETIC_OR_JUDGEMENT: Grade.PRACTITIONER_OPINION,
    SeenAs.NOT_VERIFIED: Grade.UNVERIFIED,
}


def computed_grade(kind: Grade, seen_as: SeenAs) -> Grade:
    """The grade that a statement has by how it was read: a law known from a summary speaks as a third party."""
    return max(kind, _BEST_BY_READING.get(seen_as, kind), key=list(Grade).index)


class Source(Frozen):
    """Where a fact comes from. ``address`` is public, or None where none is known (then the grade is unverified)."""

    id: str
    title: str
    address: str | None = None
    publisher: str | None = None
    date: str | None = None
    grade: Grade
    seen_as: SeenAs
    note: str | None = None

    @property
    def read_grade(self) -> Grade:
        """The grade by how it was read; ``grade`` is that of the text itself."""
        return computed_grade(self.grade, self.seen_as)

    @property
    def firm(self) -> bool:
        """Whether a rule that blocks, warns or obliges may rest on this source."""
        return self.seen_as in FIRM_READINGS and self.grade in (Grade.LAW, Grade.VENDOR_SPECIFICATION, Grade.PAPER)


class Conflict(Frozen, Generic[T]):
    """Another source's value for the same quantity, kept beside the preferred one; ``why`` that one is preferred."""

    value: T | None
    sources: tuple[str, ...] = ()
    note: str | None = None
    why: str | None = None


class Cited(Frozen, Generic[T]):
    """A value with its sources. ``value`` None means not published or not found, never zero."""

    value: T | None
    sources: tuple[str, ...] = ()
    note: str | None = None
    conflicts: tuple[Conflict[T], ...] = ()
