"""Of which group something is said: a message after the first one adds to the groups that the brief already holds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.interview.brief import Answer, Brief, Group
from assistant.interview.parser.groups.events import DEMAND

_TELLING = ("workload", "models")
"""What tells one group from another besides its name."""


def placed(brief: Brief, answers: Iterable[Answer], words: str) -> tuple[list[Answer], list[Answer]]:
    """The answers, each under the group that it is said of, and those of which that is not known.

    Without groups in the brief every answer stands as it is. A message of several groups adds to those of the same
    name, work or model; one that speaks of a single demand changes the group that it names.
    """
    given = list(answers)
    if not brief.groups:
        return given, []
    if any(answer.group for answer in given):
        return _renamed(brief, given), []
    group = _named(brief, given, words)
    if group is not None:
        return [_of(group, answer) for answer in given if not _same(group, answer)], []
    apart = {field for one in brief.groups for field in one.answers} & DEMAND
    return [a for a in given if a.field not in apart], [a for a in given if a.field in apart]


def _of(group: Group, answer: Answer) -> Answer:
    return answer.model_copy(update={"group": group.name}) if answer.field in DEMAND else answer


def _same(group: Group, answer: Answer) -> bool:
    """Whether an answer only says again which group is meant."""
    held = group.answers.get(answer.field)
    return answer.field in _TELLING and held is not None and held.value == answer.value


def _named(brief: Brief, answers: Iterable[Answer], words: str) -> Group | None:
    """The one group that is called by its name, or by what only it does or runs."""
    said = words.lower()
    called = [g for g in brief.groups if re.search(rf"(?<!\w){re.escape(g.name)}(?!\w)", said)]
    if not called:
        told = {a.field: a.value for a in answers if a.field in _TELLING}
        called = [g for g in brief.groups if any(f in g.answers and g.answers[f].value == v for f, v in told.items())]
    return called[0] if len(called) == 1 else None


def _renamed(brief: Brief, answers: list[Answer]) -> list[Answer]:
    """New groups under the names of those that they speak of."""
    names: dict[str, str] = {}
    for name in dict.fromkeys(answer.group for answer in answers if answer.group):
        own = [answer for answer in answers if answer.group == name]
        held = brief.group(name) or _named(brief, own, name)
        names[name] = held.name if held is not None and held.name not in names.values() else name
    return [a.model_copy(update={"group": names[a.group]}) if a.group else a for a in answers]


def label_of(answer: Answer, label: str) -> str:
    """A field's label, with the group that it is said of before it."""
    return f"{answer.group}: {label}" if answer.group else label
