"""Sessions side by side: what was answered otherwise, what came out otherwise, and which answer drives it.

A driver is one differing answer put alone into the first session: what it moves there by itself. Drivers need not add
up to the whole difference, since answers act together.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.conclusions.questions import outlook
from assistant.interview.brief import Answer, Brief, Value
from assistant.interview.questions import question
from assistant.interview.wording import show_answer
from assistant.output import plain
from assistant.planning.chain import planner_of
from assistant.planning.settled.outline import Outline, differing, moved_by
from assistant.service import Assistant
from assistant.session import Session, headline
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Text

FEWEST = 2


class Compared(Frozen):
    """One session of a comparison."""

    id: str
    label: str


class Row(Frozen):
    """One answer or figure that is not the same everywhere; ``values`` in the order of the sessions."""

    what: Text
    values: tuple[Text, ...]


class Driver(Frozen):
    """One answer of a session put alone into the first, and what it moves there.

    ``size`` is in doublings of the hardware; ``gpus`` and ``nominal_it_kw`` are before and
    after; ``decisions`` and ``duties`` are ids of those that turn.
    """

    session: str
    field: str
    before: str
    after: str
    size: float
    gpus: tuple[int, int]
    nominal_it_kw: tuple[float | None, float | None]
    decisions: tuple[str, ...]
    duties: tuple[str, ...]


class Comparison(Frozen):
    """Two or more sessions beside one another."""

    sessions: tuple[Compared, ...]
    answers: tuple[Row, ...]
    figures: tuple[Row, ...]
    drivers: tuple[Driver, ...]


def compare(sessions: Sequence[Session], assistant: Assistant, lang: str = "en") -> Comparison:
    """The comparison, drivers strongest first. Raises BadInput for fewer than two sessions."""
    if len(sessions) < FEWEST:
        raise BadInput("ID", len(sessions), "two or more sessions to compare")
    rows = [session.store.session(session.id) for session in sessions]
    return Comparison(
        sessions=tuple(Compared(id=row.id, label=row.label) for row in rows),
        answers=tuple(_answers([session.brief for session in sessions], lang)),
        figures=tuple(_figures(sessions)),
        drivers=tuple(sorted(_drivers(sessions, assistant, lang), key=lambda driver: -driver.size)),
    )


def _answers(briefs: Sequence[Brief], lang: str) -> list[Row]:
    tables = [_named(brief) for brief in briefs]
    fields = dict.fromkeys(field for table in tables for field in table)
    shown = {field: tuple(_shown(table.get(field), lang) for table in tables) for field in fields}
    return [Row(what=field, values=values) for field, values in shown.items() if len(set(values)) > 1]


def _name(answer: Answer) -> str:
    return f"{answer.group}.{answer.field}" if answer.group else answer.field


def _named(brief: Brief) -> dict[str, Answer]:
    """Every answer by its field, those of a group with its name before it."""
    return {_name(answer): answer for answer in brief.every()}


def _shown(answer: Answer | None, lang: str) -> str:
    if answer is None or answer.value is None:
        return "–"
    return show_answer(question(answer.field), answer, lang)


def _figures(sessions: Sequence[Session]) -> list[Row]:
    tables = [headline(session.sizing) if session.sizing else {} for session in sessions]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = {name: [table.get(name) for table in tables] for name in names}
    return [
        Row(what=next(one.label for one in row if one), values=tuple(one.value if one else "–" for one in row))
        for row in rows.values()
        if len({one.value if one else None for one in row}) > 1
    ]


def _drivers(sessions: Sequence[Session], assistant: Assistant, lang: str) -> list[Driver]:
    first, found = sessions[0].brief, list[Driver]()
    before = _named(first)
    course = planner_of(assistant.catalogue, assistant.rules).course(first)
    base = outlook(course)
    for other in sessions[1:]:
        after = _named(other.brief)
        for answer in first.steps_to(other.brief):
            name = _name(answer)
            old, new = before.get(name), after.get(name)
            moved = outlook(course.what_if(answer))
            if base is None or moved is None or _value(old) == _value(new):
                continue
            found.append(_driver(other.id, name, (_shown(old, lang), _shown(new, lang)), base, moved))
    return found


def _value(answer: Answer | None) -> Value:
    return None if answer is None else plain(answer.value)


def _driver(session: str, field: str, told: tuple[str, str], base: Outline, moved: Outline) -> Driver:
    return Driver(
        session=session,
        field=field,
        before=told[0],
        after=told[1],
        size=moved_by(base, moved),
        gpus=(base.gpus, moved.gpus),
        nominal_it_kw=(base.nominal_it_kw, moved.nominal_it_kw),
        decisions=tuple(differing(base.decisions, moved.decisions)),
        duties=tuple(differing(base.duties, moved.duties)),
    )
