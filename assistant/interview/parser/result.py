"""What the parser hands back: the fields that were stated, what follows from names, and what has to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from assistant.interview.brief import Value
from knowledge.evidence import Frozen


class Span(Frozen):
    """A place in the message; ``text`` is exactly the characters from ``start`` to ``end``."""

    text: str
    start: int
    end: int


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


class ParseResult(Frozen):
    """All that was understood of one message. ``unread`` counts characters beyond what is read."""

    fields: Mapping[str, Mention] = Field(default_factory=dict)
    derived: Mapping[str, Derived] = Field(default_factory=dict)
    ambiguous: tuple[Ambiguous, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    language: str = "en"
    unread: int = 0

    def as_json(self) -> dict[str, Any]:
        """The public form: one key a stated field, and ``derived``, ``ambiguous``, ``excluded``, ``language``."""
        shown: dict[str, Any] = {k: m.model_dump(mode="json", exclude_none=True) for k, m in self.fields.items()}
        for mention in shown.values():
            if not mention["also"]:
                del mention["also"]
        shown["derived"] = {
            k: d.model_dump(mode="json", exclude_none=True, exclude={"sure"} if d.sure else None)
            for k, d in self.derived.items()
        }
        shown["ambiguous"] = [a.model_dump(mode="json", exclude_none=True) for a in self.ambiguous]
        shown["excluded"] = [e.model_dump(mode="json", exclude_none=True) for e in self.excluded]
        shown["language"] = self.language
        if self.unread:
            shown["unread_characters"] = self.unread
        return shown
