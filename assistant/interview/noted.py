"""What was heard besides answers: kept with the brief from line to line, shown once, and never taken for a fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.interview.brief import Answer, Brief

HEARD, ASKED = "heard_not_used", "asked"
NOTED = frozenset({HEARD, ASKED})
"""Fields that hold words of the user and no answer."""


def facts_of(answers: Iterable[Answer]) -> list[Answer]:
    """The answers that a sizing can use."""
    return [answer for answer in answers if answer.field not in NOTED]


def notes_of(brief: Brief, answers: Iterable[Answer]) -> list[Answer]:
    """What a line adds to what the brief has noted before: nothing noted is lost, nothing stands twice."""
    added = []
    for answer in answers:
        if answer.field not in NOTED or not isinstance(answer.value, Sequence):
            continue
        held = list(brief.value(answer.field) or ())
        new = [one for one in answer.value if one not in held]
        if new:
            added.append(answer.model_copy(update={"value": [*held, *new]}))
    return added


def in_short(answer: Answer, held: Sequence[object] = ()) -> list[str] | None:
    """What a note says beyond what was ``held``, in the words or kinds of a transcript; None for an answer."""
    if answer.field not in NOTED or not answer.value:
        return None
    key = "text" if answer.field == HEARD else "kind"
    return [one[key] for one in answer.value if one not in held]


def not_used(answers: Iterable[Answer]) -> list[Mapping[str, Any]]:
    """What these answers say was heard and not used: ``text``, ``kind``, ``reason``."""
    return [one for answer in answers if answer.field == HEARD for one in answer.value]
