"""Open questions by what their answers would move, most first: each is tried with the answers that are plausible.

The measure is ``moved_by``: doublings of the hardware, decisions, duties, and whether it fits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from assistant.interview.assume import applies, completed_for
from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.questions import Kind, Question, load_questions
from assistant.interview.wording import effect_text
from assistant.planning.chain import Course
from assistant.planning.settled.outline import Outline, differing, moved_by, outline_of
from assistant.result import Effect, NextQuestion
from knowledge.errors import BadInput
from knowledge.message import Text

MOST = 3
"""Questions that a sizing document carries."""

WORTH_ASKING = 0.075
"""A question is asked while its answer could move the plan by more: a twentieth of the hardware, a decision, a duty."""


CLOSE = 0.7
MOST_CLOSE = 6
"""The first questions, down to this share of the best and at most so many, are worked out again with the accelerator
chosen anew for each answer, since that can turn their order; those that are shown, always."""


def outlook(course: Course) -> Outline | None:
    """What a brief would come to, as its whole sizing has it; None where it cannot be sized."""
    try:
        return outline_of(course.settled)
    except (BadInput, ValueError):  # also where a calculator's own limits refuse what-ifs that nobody asked for
        return None


def rank_questions(course: Course, titles: Mapping[str, Text]) -> tuple[NextQuestion, ...]:
    """Every open question that moves the plan by more than ``WORTH_ASKING``, most first.

    The brief holds what was said, with the marks of what is not known: these are not asked again. Of two questions
    one of which serves instead of the other ("which model", "how large is it"), the broader one is asked. ``titles``
    are those of the decisions.

    All are worked out with the accelerator held, and those that come first with it chosen anew for each answer.
    """
    asked = {question.id: _Asked(question, course) for question in open_questions(course.said, course.completed)}
    ranking = _ranked(asked.values())
    for place, one in enumerate(ranking[:MOST_CLOSE]):
        if one.size < CLOSE * max((other.size for other in ranking[:place]), default=0.0):
            break
        one.look_closer()
    ranking = _ranked(asked.values())
    while any(not one.closely for one in ranking[:MOST]):
        for one in ranking[:MOST]:
            one.look_closer()
        ranking = _ranked(asked.values())
    return tuple(one.worded(titles) for one in ranking if one.size > WORTH_ASKING)


class _Asked:
    """One open question with what its answers would move at most."""

    def __init__(self, question: Question, course: Course) -> None:
        self.question, self.course = question, course
        self.tried = [course.what_if(answer) for answer in plausible(question, course.completed)]
        held = course.count().accelerator
        self.effect, self.closely = self._moved([one.on(held) for one in self.tried]), False

    @property
    def size(self) -> float:
        """How far the plans are apart; nothing where fewer than two can be sized."""
        return self.effect.size if self.effect else 0.0

    def look_closer(self) -> None:
        """Work the answers out again, each on the accelerator that is best for it."""
        if not self.closely:
            self.effect, self.closely = self._moved(self.tried), True

    def worded(self, titles: Mapping[str, Text]) -> NextQuestion:
        """The question as the document has it."""
        assert self.effect is not None
        return _asked(self.question, self.effect, titles)

    def _moved(self, tried: Iterable[Course]) -> Effect | None:
        reached = [outline_of(self.course.settled), *filter(None, map(outlook, tried))]
        if len(reached) < 2:
            return None
        pairs = ((moved_by(one, other), one, other) for one, other in combinations(reached, 2))
        size, one, other = max(pairs, key=lambda pair: pair[0])
        return _effect(self.question.id, size, one, other, reached)


def _ranked(asked: Iterable[_Asked]) -> list[_Asked]:
    return sorted(asked, key=lambda one: -one.size)


def open_questions(stated: Brief, completed: Brief) -> tuple[Question, ...]:
    """The questions that anybody is asked, apply, and are neither answered nor known to be unknown."""
    unknown = {f for f, a in stated.answers.items() if a.provenance is Provenance.DONT_KNOW}
    waiting = {
        q.id: q
        for q in load_questions().questions
        if q.asked_of == "all"
        and q.id not in unknown
        and not stated.answered(q.id)
        and applies(q, completed_for(q, stated, completed))
    }
    narrower = {field for q in waiting.values() for field in q.instead}
    return tuple(q for q in waiting.values() if q.id not in narrower)


def plausible(question: Question, completed: Brief) -> list[Answer]:
    """Answers worth trying: the ends of the assumption's range, what the question itself names, or every choice.

    A question without any ("which model?") is tried with those of the fields that may serve instead ("how large?").
    """
    ours = completed.get(question.id)
    if ours.status is Status.ASSUMED and ours.low is not None and ours.high is not None and ours.value is not None:
        whole = question.type is Kind.INTEGER
        values: Sequence[Any] = [_scaled(ours.value, round(end) if whole else end) for end in (ours.low, ours.high)]
    elif question.plausible:
        values = question.plausible
    elif question.type is Kind.BOOL:
        values = (True, False)
    elif question.type is Kind.CHOICE:
        values = question.values
    else:
        others = (load_questions().by_id()[field] for field in question.instead)
        return [answer for other in others for answer in plausible(other, completed)]
    return [Answer(field=question.id, value=value, unit=question.unit) for value in values if value != ours.value]


def _scaled(value: Any, end: float) -> Any:
    """The end of a range; lengths keep the shape of their mean, p95 and maximum."""
    if not isinstance(value, dict):
        return end
    return {name: length * end / value["mean"] for name, length in value.items()}


def _effect(field: str, size: float, one: Outline, other: Outline, reached: Iterable[Outline]) -> Effect:
    servers = sorted({plan.servers for plan in reached})
    gpus = sorted({plan.gpus for plan in reached})
    changed = {ident for plan in reached for ident in differing(one.decisions, plan.decisions)}
    duties = {ident for plan in reached for ident in differing(one.duties, plan.duties)}
    return Effect(
        field=field,
        size=size,
        gpus=(gpus[0], gpus[-1]),
        servers=(servers[0], servers[-1]),
        decisions=tuple(d for d in one.decisions if d in changed),
        duties=tuple(d for d in dict.fromkeys((*one.duties, *other.duties)) if d in duties),
        fits=len({plan.fits for plan in reached}) > 1,
    )


def _asked(question: Question, effect: Effect, titles: Mapping[str, Text]) -> NextQuestion:
    return NextQuestion(
        id=question.id,
        text=question.wording.localised("en"),
        why=question.why.localised("en"),
        effect=effect_text(effect, titles, "en"),
        moves=effect,
    )
