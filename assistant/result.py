"""The sizing document: what ``sizewright size`` returns, stores, exports and shows.

Every other form (screen, Markdown, CSV, JSON) is made from this one model, so that they cannot disagree. Field names
are public interface; see docs/contract.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field

from assistant.planning.building.build import ServerCount
from assistant.planning.building.planned import PlannedFacility
from assistant.planning.count.fleet import ServerGroup
from assistant.planning.count.packing import AfterFailure
from assistant.sizing.bill.lines import BillLine
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say, verbatim
from rules.schema import Scalar

Name = Literal["lean", "recommended", "roomy"]


class Why(Frozen):
    """How a figure was reached: formula in words, its inputs, the sources of the inputs, what was assumed.

    ``within`` names the calculations that it belongs to, outermost first; ``reasons`` holds, by the name of an input
    that is a figure of its own, the ``id`` of the explanation of that figure.
    """

    id: int = 0
    name: str
    value: Any
    formula: str
    statement: str
    inputs: Mapping[str, Any]
    sources: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    reasons: Mapping[str, int] = Field(default_factory=dict)


class Workload(Frozen):
    """One thing the cluster does, with the demand it was sized for."""

    kind: str
    model: str | None
    model_note: str | None = None
    weight_dtype: str | None = None
    demand: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()


class Plan(Frozen):
    """One way to build it. ``binding`` names what demands the GPU count."""

    name: Name
    gpus: int
    accelerator: str
    fits: bool
    why_not: str | None = None
    nearest_fix: Mapping[str, Any] | None = None
    binding: str
    causes: tuple[str, ...]
    placements: tuple[Mapping[str, Any], ...] = ()
    fleet: tuple[ServerGroup, ...] = ()
    servers: tuple[ServerCount, ...]
    network: Mapping[str, Any]
    storage: Mapping[str, Any]
    facility: PlannedFacility
    cost: Mapping[str, Any] | None = None
    platform: tuple[Mapping[str, Any], ...] = ()
    growth: tuple[Mapping[str, Any], ...] = ()
    layout: Mapping[str, Any] | None = None
    capacity_after_one_failure: AfterFailure
    bill_of_materials: tuple[BillLine, ...]


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


class Assumption(Frozen):
    """A value nobody stated."""

    field: str
    value: Any
    unit: str | None
    why: str
    range: tuple[float, float] | None
    sources: tuple[str, ...] = ()


class Effect(Frozen):
    """What the plausible answers to a question reach: the smallest and largest plan, and what differs among them.

    ``size`` is how far two of the plans are apart, in doublings of the hardware; a decision, a duty and the question
    whether it fits count as shares of one (``assistant.planning.settled.outline``).
    """

    field: str
    size: float
    gpus: tuple[int, int]
    servers: tuple[int, int]
    decisions: tuple[str, ...] = ()
    duties: tuple[str, ...] = ()
    fits: bool = False


class NextQuestion(Frozen):
    """A question whose answer would move the result, most first. ``effect`` is ``moves`` in words."""

    id: str
    text: str
    why: str
    effect: str
    moves: Effect | None = None


class AtRatio(Frozen):
    """The recommended plan where ``share`` of the registered users have a request running at the same time."""

    share: float
    in_flight: float
    gpus: int
    servers: int
    fits: bool
    shortfall: str | None = None


class LoadRatio(Frozen):
    """How registered users became a load, and what a second published ratio would ask for."""

    users_total: float
    used: AtRatio
    second: AtRatio
    stated: bool


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


class Sizing(Frozen):
    """The whole answer: a function of the brief, the catalogue's version and the rules' version.

    ``open_questions`` are the ids of those that move the plan less than the ``next_questions`` do, most first.
    """

    engine: str
    summary: Text
    workloads: tuple[Workload, ...]
    plans: tuple[Plan, ...]
    decisions: tuple[Decision, ...]
    obligations: tuple[Obligation, ...]
    warnings: tuple[Notice, ...]
    assumptions: tuple[Assumption, ...]
    load_ratio: LoadRatio | None = None
    next_questions: tuple[NextQuestion, ...]
    open_questions: tuple[str, ...] = ()
    checklist: tuple[ChecklistEntry, ...]
    stated: Mapping[str, Any]
    facts: Mapping[str, Any]
    sources: tuple[SourceEntry, ...]
    why: tuple[Why, ...] | None = None
    catalogue_version: str
    rules_version: str

    def plan(self, name: Name = "recommended") -> Plan:
        """The plan of that name."""
        return next(p for p in self.plans if p.name == name)
