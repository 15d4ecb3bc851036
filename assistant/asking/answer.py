"""The answer to a question: a first sentence that answers it, what it rests on, and who says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assistant.asking.reading.query import Query
from assistant.result import SourceEntry
from knowledge.evidence import Frozen

Verdict = Literal["yes", "no", "open"]


class AskedClaim(Frozen):
    """One statement that the answer cites: a rule, a claim, a record of the catalogue, or what was computed."""

    id: str
    text: str
    value: float | None = None
    unit: str | None = None
    grade: str
    sources: tuple[str, ...] = ()


class Against(Frozen):
    """A statement that contradicts ``of``, one of the claims; ``side`` is the one that we follow, or ``neither``."""

    of: str
    says: str
    value: float | None = None
    unit: str | None = None
    grade: str
    sources: tuple[str, ...] = ()
    side: str
    why: str


class Phrasing(Frozen):
    """The same claims in a language model's words; each sentence cites one. ``dropped`` are those that did not hold."""

    text: str
    model: str
    dropped: tuple[str, ...] = ()
    failed: str | None = None


class Answer(Frozen):
    """What is known of a question. ``verdict`` is for questions that can be answered with yes or no.

    ``query`` is the question as it was read. A declined answer names what is ``missing`` and the ``nearest``
    questions that can be answered.
    """

    question: str
    language: Literal["en", "de"]
    kind: str
    answer: str
    verdict: Verdict | None
    declined: bool
    claims: tuple[AskedClaim, ...] = ()
    disagreements: tuple[Against, ...] = ()
    facts: Mapping[str, Any] = {}
    assumed: tuple[str, ...] = ()
    flips_when: tuple[Mapping[str, Any], ...] = ()
    sources: tuple[SourceEntry, ...] = ()
    phrased: Phrasing | None = None
    query: Query | None = None
    missing: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
