"""What a sizing advises: decisions with their reasons, duties, warnings, the checklist, the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict, Field

from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say, verbatim
from rules.schema import Scalar


class Reason(Frozen):
    """One rule that speaks for or against a choice."""

    rule: str
    text: Text
    strength: str
    grade: str
    sources: tuple[str, ...]


class Dissent(Frozen):
    """A source that says otherwise."""

    says: Text
    sources: tuple[str, ...]


class Flip(Frozen):
    """A fact that would lead to another choice: ``change`` says it in words; ``now`` is None where it is not known."""

    model_config = ConfigDict(populate_by_name=True)

    topic: str
    now: Scalar | None = Field(default=None, alias="from")
    to: Scalar
    choice: str
    change: Text


class Decision(Frozen):
    """A choice with its reasons, the runner-up, and what would flip it.

    ``names`` are those of the choices that are products, by id.
    """

    id: str
    title: Text
    choice: str
    runner_up: str | None
    because: tuple[Reason, ...]
    against: tuple[Reason, ...]
    dissent: tuple[Dissent, ...] = ()
    flips_when: tuple[Flip, ...]
    sources: tuple[str, ...]
    confidence: str
    names: Mapping[str, str] = {}

    def said(self, choice: str) -> Text:
        """A choice in words: a product's name where ``names`` has one, else the decision's word for it."""
        return self.names.get(choice) or verbatim(f"choices.{self.id}.{choice}", choice.replace("_", " "))


class Obligation(Frozen):
    """A duty in law. ``applies`` is open until what would settle it is known."""

    id: str
    title: Text
    applies: bool | Literal["open"]
    threshold: float | None
    value: float | None
    unit: str | None
    by: Text | None
    holds_from: str | None = None
    what: Text | None = None
    draft: bool = False
    note: Text | None = None
    reason: Text
    closes_with: str | None = None
    sources: tuple[str, ...]
    not_legal_advice: bool = True

    @property
    def state(self) -> Message:
        """Whether it applies, in words."""
        return say(f"duty.{'open' if self.applies == 'open' else 'applies' if self.applies else 'not'}")


class Notice(Frozen):
    """Something the reader must not overlook."""

    id: str
    severity: str
    text: Text
    sources: tuple[str, ...] = ()


class Expected(Frozen):
    """What a check must show; ``tolerance`` is a share of the value."""

    value: float
    unit: str
    op: str
    tolerance: float | None = None


class ChecklistEntry(Frozen):
    """One pre-flight item for this design."""

    id: str
    phase: str
    item: Text
    command: str | None
    expected: Expected | None
    owner_role: Text
    sources: tuple[str, ...]
    because: Text | None = None


class SourceEntry(Frozen):
    """A source as cited in the document."""

    id: str
    title: str
    address: str | None
    date: str | None
    grade: str
    seen_as: str
