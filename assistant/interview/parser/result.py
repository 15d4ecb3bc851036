"""What the parser hands back: the fields that were stated, what follows from names, and what has to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import Field

from assistant.interview.brief import Value
from knowledge.evidence import Frozen

OWNED = "owned_gpus"
"""Under ``derived``: hardware that is there already. The brief has no field for it."""


class Span(Frozen):
    """A place in the message; ``text`` is exactly the characters from ``start`` to ``end``."""

    text: str
    start: int
    end: int

    def place(self) -> dict[str, Any]:
        """The three as keywords, for the records that stand at this place."""
        return {"text": self.text, "start": self.start, "end": self.end}


class Mention(Frozen):
    """A stated field: its value in the field's unit, the range where one was written, and the words it came from.

    ``also`` are further places that add to it, ``note`` what was taken for granted in reading it.
    """

    value: Value
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    text: str
    start: int
    end: int
    also: tuple[Span, ...] = ()
    note: str | None = None


class Derived(Frozen):
    """What follows from a name and was not said, with the reason.

    ``sure`` is false for what is only likely: it is shown, but answers no question.
    """

    value: Value
    unit: str | None = None
    because: str
    sure: bool = True


class Ambiguous(Frozen):
    """Words with several meanings: the candidates, likeliest first, and the question that settles it."""

    field: str
    span: Span
    candidates: tuple[str, ...]
    question: str
    assumed: str | None = None


class Excluded(Frozen):
    """Something that was ruled out ("no InfiniBand", "not in the US")."""

    field: str
    value: Value
    span: Span


HeardKind: TypeAlias = Literal[
    "quantity", "name", "constraint", "wish", "date", "phone", "version", "address", "reference", "price", "other"
]


class Heard(Frozen):
    """Words that were heard and are no field: why the sizing cannot use them, or what they are instead.

    ``field`` and ``value`` name the fact where it is known what it says.
    """

    text: str
    start: int
    end: int
    kind: HeardKind
    reason: str | None = None
    field: str | None = None
    value: Value = None


class Amount(Frozen):
    """A load counted in things: ``value`` of a ``unit`` (images, hours of audio), once or ``per`` second to year."""

    value: float
    unit: str
    per: str | None = None
    text: str
    start: int
    end: int


class Group(Frozen):
    """One demand of a message: its own fields, its load in things, and the words that speak of it.

    ``stock`` is what is there to be worked off once, beside an ``amount`` that keeps coming.
    """

    fields: Mapping[str, Mention] = Field(default_factory=dict)
    derived: Mapping[str, Derived] = Field(default_factory=dict)
    amount: Amount | None = None
    amounts: tuple[Amount, ...] = ()
    text: str
    start: int
    end: int


class Asked(Frozen):
    """What the message asks for: whether something fits, whether what is there is enough, a comparison, a count."""

    kind: Literal["fits", "enough", "compare", "how_many", "how_long"]
    entities: tuple[str, ...] = ()
    text: str
    start: int
    end: int


class ParseResult(Frozen):
    """All that was understood of one message. ``unread`` counts characters beyond what is read."""

    fields: Mapping[str, Mention] = Field(default_factory=dict)
    derived: Mapping[str, Derived] = Field(default_factory=dict)
    ambiguous: tuple[Ambiguous, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    groups: tuple[Group, ...] = ()
    unused: tuple[Heard, ...] = ()
    context: tuple[Heard, ...] = ()
    asks: tuple[Asked, ...] = ()
    language: str = "en"
    unread: int = 0

    def as_json(self) -> dict[str, Any]:
        """The public form: one key a stated field, and ``derived``, ``ambiguous``, ``excluded``, ``groups``, ..."""
        shown: dict[str, Any] = {name: _plain(mention) for name, mention in self.fields.items()}
        shown["derived"] = {name: _derived(derived) for name, derived in self.derived.items()}
        for name in ("ambiguous", "excluded"):
            shown[name] = [_plain(one) for one in getattr(self, name)]
        shown["groups"] = [_group(group) for group in self.groups]
        for name in ("unused", "context", "asks"):
            shown[name] = [_plain(one) for one in getattr(self, name)]
        shown["language"] = self.language
        if self.unread:
            shown["unread_characters"] = self.unread
        return shown


def _plain(model: Frozen) -> dict[str, Any]:
    """A record as JSON without what is empty; by hand, as pydantic's own way builds a serializer at every start."""
    fields = ((name, getattr(model, name)) for name in type(model).model_fields)
    return {name: _value(value) for name, value in fields if value is not None and not (name == "also" and not value)}


def _value(value: Value) -> Value:
    if isinstance(value, Frozen):
        return _plain(value)
    if isinstance(value, (list, tuple)):
        return [_value(one) for one in value]
    return value


def _derived(derived: Derived) -> dict[str, Any]:
    shown = _plain(derived)
    if derived.sure:
        del shown["sure"]
    return shown


def _group(group: Group) -> dict[str, Any]:
    """The fields of a group beside its amount and its words."""
    shown: dict[str, Any] = {name: _plain(mention) for name, mention in group.fields.items()}
    shown |= {k: {"value": d.value, "because": d.because, "derived": True} for k, d in group.derived.items()}
    if group.amount:
        shown["amount"] = {"per": None, **_plain(group.amount)}
    if len(group.amounts) > 1:
        shown["amounts"] = [{"per": None, **_plain(amount)} for amount in group.amounts]
    return shown | {"text": group.text, "start": group.start, "end": group.end}
