"""What a message says, field by field, without a language model: deterministic, and it invents nothing.

``parse`` reads eleven languages with one grammar of numbers, units and nouns; what their words mean is vocabulary.
Every field it states points to the words it came from. What can mean several things is stated in the likelier sense and
listed under ``ambiguous``; what follows only from a name stands under ``derived``; what cannot be sized from is listed
under ``unused`` with the reason, and what is no sizing fact under ``context``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.interview.brief import Answer, Provenance, Status
from assistant.interview.parser.result import (
    OWNED,
    Ambiguous,
    Amount,
    Asked,
    Derived,
    Excluded,
    Group,
    Heard,
    Mention,
    ParseResult,
    Span,
)

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue

__all__ = [
    "OWNED",
    "Ambiguous",
    "Amount",
    "Asked",
    "Derived",
    "Excluded",
    "Group",
    "Heard",
    "Mention",
    "ParseResult",
    "Span",
    "compared",
    "parse",
    "to_answers",
]


def parse(text: str, catalogue: Catalogue) -> ParseResult:
    """What ``text`` states. Reads the first 20,000 characters, in time linear in them; never raises for any text."""
    from assistant.interview.parser.read import read  # its patterns take a moment to compile

    return read(text, catalogue)


def compared(asks: tuple[Asked, ...], mention: Mention | None) -> bool:
    """Whether all hardware named is named only to be compared: none of it is a wish then."""
    if mention is None or len(mention.value) < 2 or any(entry["count"] for entry in mention.value):
        return False
    named = {entry["gpu"] for entry in mention.value}
    return any(one.kind == "compare" and named <= set(one.entities) for one in asks)


_OF_ONE_MODEL = frozenset({"workload", "models", "parameters_b", "weight_dtype"})
"""What follows from a name holds for the group that it was said of, not for all."""

_OF_ALL = frozenset({"gpus", "availability", "operating_hours", "utilisation"})
"""What the whole site has, in whichever group's sentence it is said."""

_LENGTHS = ("input_tokens", "output_tokens")


def to_answers(result: ParseResult) -> list[Answer]:
    """The stated answers of a parse: those that hold for all, then those of each group where there are several.

    Hardware that is only compared is no wish; a length becomes mean, p95 and maximum, a known name follows as derived.
    """
    refused = {a.span.text for a in result.ambiguous if not a.candidates}
    only_compared = compared(result.asks, result.fields.get("gpus"))
    groups = result.groups if len(result.groups) > 1 else ()
    apart = {(name, m.start, m.end) for group in groups for name, m in group.fields.items() if name not in _OF_ALL}
    answers = [
        _answer(name, mention, refused)
        for name, mention in result.fields.items()
        if not (name == "gpus" and only_compared) and (name, mention.start, mention.end) not in apart
    ]
    answers += _of_groups(groups, refused)
    answers += [
        Answer(
            field=name,
            value=d.value,
            unit=d.unit,
            provenance=Provenance.DERIVED,
            status=Status.STATED,
            reason=d.because,
        )
        for name, d in result.derived.items()
        if d.sure and name not in result.fields and not (groups and name in _OF_ONE_MODEL)
    ]
    answers += _refused(result)
    answers += _beside(result)
    return [a for a in answers if a.value not in (None, [])]


def _beside(result: ParseResult) -> list[Answer]:
    """What was heard and is no fact to size from, and what was asked."""
    told = {
        "heard_not_used": [h.model_dump(include={"text", "kind", "reason"}) for h in result.unused],
        "asked": [a.model_dump(include={"kind", "entities"}, mode="json") for a in result.asks],
    }
    return [Answer(field=f, value=v, provenance=Provenance.PARSED) for f, v in told.items() if v]


def _of_groups(groups: Iterable[Group], refused: set[str]) -> list[Answer]:
    told = tuple(groups)
    if not told:
        return []
    from assistant.interview.parser.groups.naming import names_of

    answers = []
    for name, group in zip(names_of(told), told, strict=True):
        own = [_answer(field, mention, refused) for field, mention in group.fields.items() if field not in _OF_ALL]
        own += [
            Answer(field=field, value=d.value, unit=d.unit, provenance=Provenance.DERIVED, reason=d.because)
            for field, d in group.derived.items()
            if d.sure and field not in group.fields
        ]
        answers += [answer.model_copy(update={"group": name}) for answer in own]
    return answers


def _refused(result: ParseResult) -> list[Answer]:
    """What hardware was named that is not sized, and why, so that a plan without it can say so."""
    named = [a for a in result.ambiguous if a.field == "gpus" and not a.candidates]
    if not named:
        return []
    first, reasons = named[0].span, dict.fromkeys(a.question for a in named)
    return [
        Answer(
            field="refused_hardware",
            value="; ".join(reasons),
            text=first.text,
            start=first.start,
            end=first.end,
            provenance=Provenance.PARSED,
        )
    ]


def _answer(name: str, mention: Mention, refused: Iterable[str]) -> Answer:
    value = mention.value
    if name in _LENGTHS:
        low = mention.low if mention.low is not None else value
        value = {"mean": (low + value) / 2, "p95": value, "max": value}
    if name == "models":
        value = [model for model in value if model not in refused]
    if name == "gpus":
        value = [entry for entry in value if entry["gpu"] not in refused]
    return Answer(
        field=name,
        value=value,
        low=mention.low,
        high=mention.high,
        unit=mention.unit,
        text=mention.text,
        start=mention.start,
        end=mention.end,
        provenance=Provenance.PARSED,
        reason=mention.note,
    )
