"""The sizing document: what ``sizewright size`` returns, stores, exports and shows.

Every other form (screen, Markdown, CSV, JSON) is made from this one model, so that they cannot disagree. Field names
are public interface; see docs/contract.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assistant.planning.building.build import ServerCount
from assistant.planning.building.planned import PlannedFacility
from assistant.planning.count.fleet import ServerGroup
from assistant.planning.count.packing import AfterFailure
from assistant.planning.settled.targets import Target
from assistant.planning.site.growth import Growth
from assistant.planning.site.services import Service
from assistant.result.advised import (
    ChecklistEntry,
    Decision,
    Notice,
    Obligation,
    SourceEntry,
)
from assistant.result.why import Why
from assistant.sizing.bill.lines import BillLine
from knowledge.evidence import Frozen
from knowledge.message import Message, Text

Name = Literal["lean", "recommended", "roomy"]


class Workload(Frozen):
    """One thing the cluster does, with the demand it was sized for."""

    kind: str
    model: str | None
    model_note: str | None = None
    weight_dtype: str | None = None
    demand: Mapping[str, Any] = {}
    notes: tuple[Text, ...] = ()


class Plan(Frozen):
    """One way to build it. ``binding`` names what demands the GPU count."""

    name: Name
    gpus: int
    accelerator: str
    accelerator_name: str = ""
    fits: bool
    why_not: Text | None = None
    nearest_fix: Mapping[str, Message | Any] | None = None
    binding: str
    causes: tuple[Text, ...]
    placements: tuple[Mapping[str, Any], ...] = ()
    fleet: tuple[ServerGroup, ...] = ()
    servers: tuple[ServerCount, ...]
    network: Mapping[str, Any]
    storage: Mapping[str, Any]
    facility: PlannedFacility
    cost: Mapping[str, Any] | None = None
    platform: tuple[Service, ...] = ()
    growth: tuple[Growth, ...] = ()
    layout: Mapping[str, Any] | None = None
    capacity_after_one_failure: AfterFailure
    bill_of_materials: tuple[BillLine, ...]
    targets: tuple[Target, ...] = ()
    meets_targets: bool = True
    instances: tuple[Mapping[str, Any], ...] = ()
    not_in_plan: tuple[str, ...] = ()

    @property
    def card(self) -> str:
        """The accelerator by its product's name, else by its id."""
        return self.accelerator_name or self.accelerator


class Assumption(Frozen):
    """A value nobody stated."""

    field: str
    value: Any
    unit: str | None
    why: Text
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
    shortfall: Text | None = None


class LoadRatio(Frozen):
    """How registered users became a load, and what a second published ratio would ask for."""

    users_total: float
    used: AtRatio
    second: AtRatio
    stated: bool


class NotUsed(Frozen):
    """Words of the customer that no part of the plan rests on, and why not."""

    text: str
    kind: str
    reason: str | None = None


class Compared(Frozen):
    """The recommended plan of the same work on one card; ``nominal_kw`` is the servers' rated power."""

    accelerator: str
    gpus: int | None = None
    servers: int | None = None
    nominal_kw: float | None = None
    fits: bool = False
    why_not: Text | None = None


class Reply(Frozen):
    """The answer to something that the message asked; ``rows`` where cards are compared."""

    kind: str
    verdict: Literal["yes", "no"] | None
    text: Text
    rows: tuple[Compared, ...] = ()


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
    heard_not_used: tuple[NotUsed, ...] = ()
    replies: tuple[Reply, ...] = ()
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
