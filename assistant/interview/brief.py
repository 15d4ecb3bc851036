"""The brief: what is known of a customer's need, field by field.

A field is *stated* (with the words it came from), *assumed* (with range and reason) or *open*. A brief holds the
stated and assumed ones; a field that it does not hold is open. Fields, their units and their limits are declared in
``questions.yaml``; values are kept in the field's own unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeAlias

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from knowledge.evidence import Frozen

Value: TypeAlias = Any
"""A JSON value: number, string, boolean, list, or object such as ``{"mean": 800, "p95": 2000, "max": 8000}``."""


class Status(StrEnum):
    """How much a value can be relied on."""

    STATED = "stated"
    ASSUMED = "assumed"
    OPEN = "open"


class Provenance(StrEnum):
    """Where a value came from."""

    USER = "user"
    PARSED = "parsed"
    IMPORTED = "imported"
    MODEL = "parsed_by_model"
    DERIVED = "derived"
    DEFAULT = "default"
    DONT_KNOW = "dont_know"


class Answer(Frozen):
    """One field's value.

    ``low`` and ``high`` are a stated or assumed range in the field's unit; ``value`` is the likely value (for a stated
    range the high end, on which the design is sized). ``text`` with ``start`` and ``end`` are the user's own words and
    their place in the message. ``reason`` and ``sources`` say why an assumption is made. ``group`` names the group of
    users or jobs of which it was said; without one it holds for all.
    """

    field: str
    group: str | None = None
    status: Status = Status.STATED
    value: Value = None
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    text: str | None = None
    start: int | None = None
    end: int | None = None
    provenance: Provenance = Provenance.USER
    reason: str | None = None
    sources: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _range_in_order(self) -> Answer:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"{self.field}: low {self.low} is above high {self.high}")
        return self


@lru_cache(maxsize=512)
def _open(field: str) -> Answer:
    return Answer(field=field, status=Status.OPEN)


def _in_order(answers: Mapping[str, Answer]) -> Mapping[str, Answer]:
    """Answers sorted by field. Raises ValueError where one stands under another's name."""
    for name, answer in answers.items():
        if name != answer.field:
            raise ValueError(f"answer of {answer.field!r} stands under {name!r}")
    return {name: answers[name] for name in sorted(answers)}


class Group(Frozen):
    """One of several groups of users or jobs: what was said of it alone, above what holds for all."""

    name: str
    answers: Mapping[str, Answer] = Field(default_factory=dict)

    @field_validator("answers")
    @classmethod
    def _sorted(cls, answers: Mapping[str, Answer], info: ValidationInfo) -> Mapping[str, Answer]:
        name = info.data.get("name")
        return {
            field: answer if answer.group == name else answer.model_copy(update={"group": name})
            for field, answer in _in_order(answers).items()
        }


class Brief(Frozen):
    """Answers by field id, kept sorted, so that the order in which they were given never shows.

    ``groups`` where several workloads, models or kinds of users share the cluster: each holds what was said of it
    alone. Without any, the answers are those of one group.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    answers: Mapping[str, Answer] = Field(default_factory=dict)
    groups: tuple[Group, ...] = ()

    @field_validator("answers")
    @classmethod
    def _sorted(cls, answers: Mapping[str, Answer]) -> Mapping[str, Answer]:
        return _in_order(answers)

    @field_validator("groups")
    @classmethod
    def _named_once(cls, groups: tuple[Group, ...]) -> tuple[Group, ...]:
        names = [group.name for group in groups]
        if len(set(names)) < len(names):
            raise ValueError(f"two groups have one name: {', '.join(names)}")
        return groups

    def get(self, field: str) -> Answer:
        """The answer of a field; an open one where there is none."""
        return self.answers.get(field) or _open(field)

    def value(self, field: str) -> Value:
        """The likely value of a field, or None where it is open."""
        return self.get(field).value

    def stated(self, field: str) -> bool:
        """Whether the user said it."""
        return self.get(field).status is Status.STATED

    def answered(self, field: str) -> bool:
        """Whether there is nothing left to ask: it was said for all, or of each group."""
        told = (group.answers.get(field) for group in self.groups)
        each = bool(self.groups) and all(answer is not None and answer.status is Status.STATED for answer in told)
        return each or self.stated(field)

    def with_answers(self, answers: Iterable[Answer]) -> Brief:
        """This brief with answers added or replaced, each in its group; an open answer removes its field.

        A group begins with the first answer that names it and ends with its last one.
        """
        common = dict(self.answers)
        grouped = {group.name: dict(group.answers) for group in self.groups}
        for answer in answers:
            held = common if answer.group is None else grouped.setdefault(answer.group, {})
            if answer.status is Status.OPEN:
                held.pop(answer.field, None)
            else:
                held[answer.field] = answer
        groups = tuple(Group(name=name, answers=held) for name, held in grouped.items() if held)
        return Brief(answers=common, groups=groups)

    def every(self) -> tuple[Answer, ...]:
        """All answers: those that hold for all, then those of each group."""
        return (*self.answers.values(), *(answer for group in self.groups for answer in group.answers.values()))

    def group(self, name: str | None) -> Group | None:
        """The group of that name, None where there is none."""
        return next((group for group in self.groups if group.name == name), None)

    def of_group(self, group: Group) -> Brief:
        """What holds for one group: its own answers above the common ones."""
        own = {field: answer.model_copy(update={"group": None}) for field, answer in group.answers.items()}
        return Brief(answers={**self.answers, **own})

    def steps_to(self, then: Brief) -> tuple[Answer, ...]:
        """The answers that lead from this brief to another."""
        held = {(answer.group, answer.field): answer for answer in self.every()}
        wanted = {(answer.group, answer.field): answer for answer in then.every()}
        changed = (key for key in {**held, **wanted} if held.get(key) != wanted.get(key))
        return tuple(
            wanted.get((group, field)) or Answer(field=field, group=group, status=Status.OPEN)
            for group, field in sorted(changed, key=lambda key: (key[0] or "", key[1]))
        )

    def only_stated(self) -> Brief:
        """This brief without its assumptions."""
        return Brief().with_answers(answer for answer in self.every() if answer.status is Status.STATED)
