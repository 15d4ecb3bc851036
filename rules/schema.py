"""The shape of the rule base: topics, rules and their conclusions, checklist items, decisions.

Rules are data. A rule holds when every condition in ``when`` holds and none in ``unless`` does. A fact that is not
known is not there: no comparison with it holds, not even ``!=``; ``op: known`` asks whether it is there at all (so
``unless: [{topic: x, op: known}]`` reads "x is not known"). Each line of ``unless`` blocks alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from knowledge.evidence import Frozen

Scalar: TypeAlias = bool | int | float | str
"""The value of a fact. ``bool`` stands first: YAML ``true`` is not the number 1."""

Operator: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">=", "known"]
Level: TypeAlias = Literal["high", "medium", "low"]
Id: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=80)]


class TopicType(StrEnum):
    """What the values of a topic are."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STR = "str"

    @property
    def numeric(self) -> bool:
        """Whether values can be put in order."""
        return self in (TopicType.INT, TopicType.FLOAT)


class Topic(Frozen):
    """One thing that facts and rules speak of.

    ``min`` and ``max`` are the sensible range in ``unit``. ``values`` are the words that a text topic takes; without
    them any text is taken. ``origin`` is ``input`` for what the brief or a calculator gives and ``derived`` for what
    only rules conclude (``kind: assert``); a derived topic is a boolean that is true or absent.
    """

    id: Id
    type: TopicType
    description: str = Field(min_length=1)
    unit: str | None = None
    min: float | None = None
    max: float | None = None
    values: tuple[str, ...] = ()
    origin: Literal["input", "derived"] = "input"

    @model_validator(mode="after")
    def _sensible(self) -> Topic:
        if self.values and self.type is not TopicType.STR:
            raise ValueError("only a text topic lists its values")
        if (self.min is not None or self.max is not None) and not self.type.numeric:
            raise ValueError("only a numeric topic has min and max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        if self.origin == "derived" and self.type is not TopicType.BOOL:
            raise ValueError("a derived topic is a boolean")
        return self


class Condition(Frozen):
    """One comparison of a topic with a constant; ``op: known`` takes no value."""

    topic: Id
    op: Operator = "=="
    value: Scalar | None = None

    @model_validator(mode="after")
    def _has_value(self) -> Condition:
        if (self.value is None) != (self.op == "known"):
            raise ValueError(f"{self.topic}: a comparison needs a value, and 'known' takes none")
        return self

    def __str__(self) -> str:
        return f"{self.topic} is known" if self.op == "known" else f"{self.topic} {self.op} {self.value}"


class Strength(StrEnum):
    """How much a reason counts. ``requires`` decides alone: for a choice, or (direction against) excluding it."""

    REQUIRES = "requires"
    STRONG = "strong"
    MEDIUM = "medium"
    WEAK = "weak"


class Support(Frozen):
    """Speaks for or against one choice of a decision."""

    kind: Literal["support"]
    decision: Id
    choice: Id
    strength: Strength
    direction: Literal["for", "against"] = "for"


class Obligation(Frozen):
    """A legal duty and whether it applies.

    ``threshold`` is in ``unit``; ``value_topic`` names the topic whose value is shown beside it, in the same unit.
    ``by`` is who is obliged, ``holds_from`` an ISO date, ``closes_with`` the question field that would settle an
    open duty, ``what`` the duty itself. ``draft`` marks a bill, which obliges nobody.
    """

    kind: Literal["obligation"]
    id: Id
    applies: Literal[True, False, "open"]
    what: str | None = None
    threshold: float | None = None
    unit: str | None = None
    value_topic: Id | None = None
    by: str | None = None
    holds_from: str | None = None
    closes_with: str | None = None
    note: str | None = None
    draft: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Obligation:
        if self.draft and self.applies is True:
            raise ValueError("a draft obliges nobody: applies cannot be true")
        if self.threshold is not None and self.unit is None:
            raise ValueError("a threshold needs a unit")
        return self


class Severity(StrEnum):
    """``stop``: do not go on like this; ``caution``: know this first; ``info``: good to know."""

    INFO = "info"
    CAUTION = "caution"
    STOP = "stop"


class Warn(Frozen):
    """Something the customer must be told."""

    kind: Literal["warning"]
    id: Id
    severity: Severity
    text: str = Field(min_length=1)


class AddItem(Frozen):
    """Puts a checklist item on this site's list."""

    kind: Literal["checklist"]
    item: Id


class Assert(Frozen):
    """Concludes a derived topic. Only ``true``: what is not concluded is absent, and ``unless`` asks for that."""

    kind: Literal["assert"]
    topic: Id
    value: Literal[True] = True


class Question(Frozen):
    """A field of the brief that is worth asking now."""

    kind: Literal["question"]
    field: str


Then: TypeAlias = Annotated[Support | Obligation | Warn | AddItem | Assert | Question, Field(discriminator="kind")]


class Dissent(Frozen):
    """Another source that says otherwise, in its words or ours."""

    says: str = Field(min_length=1)
    sources: tuple[Id, ...] = Field(min_length=1)


class Rule(Frozen):
    """Conditions, what follows, why, and on whose word.

    ``reason`` is one sentence for people. ``priority`` orders what is shown, lowest first; it never changes what is
    concluded. ``claims`` are those of the catalogue that it rests on. ``confidence`` is how sure we are that
    the sources carry the conclusion.
    """

    id: Id
    title: str = Field(min_length=1)
    when: tuple[Condition, ...] = Field(min_length=1, max_length=8)
    unless: tuple[Condition, ...] = Field(default=(), max_length=8)
    priority: int = 100
    then: tuple[Then, ...] = Field(min_length=1)
    reason: str = Field(min_length=1)
    sources: tuple[Id, ...] = Field(min_length=1)
    claims: tuple[Id, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    confidence: Level = "medium"

    def conditions(self) -> Iterator[Condition]:
        """All conditions, those of ``when`` first."""
        yield from self.when
        yield from self.unless

    def supports(self) -> Iterator[Support]:
        """The conclusions that speak for or against a choice."""
        return (then for then in self.then if isinstance(then, Support))

    def asserts(self) -> Iterator[str]:
        """The derived topics that the rule concludes."""
        return (then.topic for then in self.then if isinstance(then, Assert))


class Phase(StrEnum):
    """When a checklist item is due, in order."""

    BEFORE_ORDER = "before_order"
    BEFORE_DELIVERY = "before_delivery"
    SITE_READY = "site_ready"
    BURN_IN = "burn_in"
    ACCEPTANCE = "acceptance"
    BEFORE_FIRST_JOB = "before_first_job"
    OPERATIONS = "operations"


class Expected(Frozen):
    """What a check must show: a constant ``value``, or the sizing's figure for ``topic``, in ``unit``.

    ``tolerance`` is a share of the value: 0.05 is five per cent.
    """

    value: Scalar | None = None
    topic: Id | None = None
    unit: str | None = None
    op: Literal["==", "!=", "<", "<=", ">", ">="] = "=="
    tolerance: float | None = Field(default=None, ge=0, lt=1)

    @model_validator(mode="after")
    def _one_of_both(self) -> Expected:
        if (self.value is None) == (self.topic is None):
            raise ValueError("expected needs either a value or a topic")
        return self


class ChecklistItem(Frozen):
    """One thing to do and what it must show; ``item`` is an imperative sentence, ``command`` a shell line."""

    id: Id
    phase: Phase
    item: str = Field(min_length=1)
    command: str | None = None
    expected: Expected | None = None
    owner_role: str = Field(min_length=1)
    sources: tuple[Id, ...] = Field(min_length=1)
    founding_item: int | None = Field(default=None, ge=1, le=16)


class DecisionSpec(Frozen):
    """A question that the rules settle.

    ``choices`` in the order in which ties fall; none means that any catalogue id may be supported. ``default`` is the
    choice when nothing speaks for any.
    """

    id: Id
    title: str = Field(min_length=1)
    choices: tuple[Id, ...] = ()
    default: Id | None = None

    @model_validator(mode="after")
    def _default_is_a_choice(self) -> DecisionSpec:
        if self.choices and self.default not in self.choices:
            raise ValueError(f"default {self.default!r} is not among the choices")
        if len(set(self.choices)) != len(self.choices):
            raise ValueError("a choice stands twice")
        return self
