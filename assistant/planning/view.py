"""What a stage sees of a brief: the fields that it declares, and of each what can be acted on.

A stage reads a brief through a ``View`` alone. Its key holds all that the view shows, and the view refuses what was not
declared: so a result that is kept under the key can never be stale.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, Protocol

from assistant.interview.brief import Brief, Status, Value


class Undeclared(LookupError):
    """A stage reads a field that it does not declare: a slip of ours, never of the user's."""


class Known(Protocol):
    """What is known of a field: its value and range in the field's unit, and whether it was said."""

    @property
    def value(self) -> Value: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...

    @property
    def status(self) -> Status: ...


class Answers(Protocol):
    """What is asked of a brief, or of a view of one."""

    def get(self, field: str) -> Known:
        """What is known of a field."""
        ...

    def value(self, field: str) -> Value:
        """The likely value of a field, or None where it is open."""
        ...

    def stated(self, field: str) -> bool:
        """Whether the user said it."""
        ...


class Told(NamedTuple):
    """The part of an answer that a stage may act on; words, places and reasons are not among it."""

    value: Value
    low: float | None
    high: float | None
    status: Status


OPEN = Told(None, None, None, Status.OPEN)


class View:
    """A brief as one stage sees it. Any other field raises ``Undeclared``."""

    __slots__ = ("_told", "key", "stage")

    def __init__(self, stage: str, fields: Iterable[str], brief: Brief) -> None:
        self.stage = stage
        answers = brief.answers
        self._told: Mapping[str, Told] = {
            field: Told(a.value, a.low, a.high, a.status) if (a := answers.get(field)) is not None else OPEN
            for field in fields
        }
        self.key: Hashable = tuple(
            None if told is OPEN else (told.status is Status.STATED, frozen(told.value), told.low, told.high)
            for told in self._told.values()
        )

    def get(self, field: str) -> Told:
        """What is known of a declared field."""
        try:
            return self._told[field]
        except KeyError:
            raise Undeclared(f"{self.stage} reads {field!r}, which it does not declare") from None

    def value(self, field: str) -> Value:
        """The likely value of a field, or None where it is open."""
        return self.get(field).value

    def stated(self, field: str) -> bool:
        """Whether the user said it."""
        return self.get(field).status is Status.STATED


def frozen(value: Value) -> Hashable:
    """A value as a key, by type too: 1, 1.0 and true are three values."""
    if value is None or isinstance(value, str | int | float):  # nearly all, and quickly told
        return type(value), value
    if isinstance(value, Mapping):
        return tuple((name, frozen(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return type(value), value
