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
from assistant.planning.chain import Course, Planner
from assistant.planning.settled.outline import Outline, differing, moved_by, outline_of
from assistant.result import Effect, NextQuestion
from knowledge.errors import BadInput

MOST = 3
"""Questions that a sizing document carries."""

WORTH_ASKING = 0.075
"""A question is asked while its answer could move the plan by more: a twentieth of the hardware, a decision, a duty."""


def outlook(planner: Planner, brief: Brief) -> Outline | None:
    """What a brief would come to, as its whole sizing has it; None where it cannot be sized."""
    try:
        return outline_of(planner.course(brief).settled)
    except (BadInput, ValueError):  # also where a calculator's own limits refuse what-ifs that nobody asked for
        return None


def rank_questions(course: Course, titles: Mapping[str, str]) -> tuple[NextQuestion, ...]:
    """Every open question that moves the plan by more than ``WORTH_ASKING``, most first.

    The brief holds what was said, with the marks of what is not known: these are not asked again. Of two questions
    one of which serves instead of the other ("which model", "how large is it"), the broader one is asked. ``titles``
    are those of the decisions.
    """
    questions = load_questions().by_id()
    found = (effect_of(question, course) for question in open_questions(course.said, course.completed))
    ranked = sorted((effect for effect in found if effect is not None), key=lambda effect: -effect.size)
    return tuple(_asked(questions[effect.field], effect, titles) for effect in ranked if effect.size > WORTH_ASKING)


def open_questions(stated: Brief, completed: Brief) -> tuple[Question, ...]:
    """The questions that anybody is asked, apply, and are neither answered nor known to be unknown."""
    unknown = {f for f, a in stated.answers.items() if a.provenance is Provenance.DONT_KNOW}
    waiting = {
        q.id: q
        for q in load_questions().questions
        if q.asked_of == "all"
        and q.id not in unknown
        and not stated.stated(q.id)
        and applies(q, completed_for(q, stated, completed))
    }
    narrower = {field for q in waiting.values() for field in q.instead}
    return tuple(q for q in waiting.values() if q.id not in narrower)


def effect_of(question: Question, course: Course) -> Effect | None:
    """What a question's answers would move at most; None where fewer than two of them can be sized."""
    tried = (course.said.with_answers([answer]) for answer in plausible(question, course.completed))
    reached = [found for brief in tried if (found := outlook(course.planner, brief)) is not None]
    reached.insert(0, outline_of(course.settled))
    if len(reached) < 2:
        return None
    size, one, other = max(
        ((moved_by(one, other), one, other) for one, other in combinations(reached, 2)), key=lambda pair: pair[0]
    )
    return _effect(question.id, size, one, other, reached)


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


def _asked(question: Question, effect: Effect, titles: Mapping[str, str]) -> NextQuestion:
    return NextQuestion(
        id=question.id,
        text=question.wording.localised("en"),
        why=question.why.localised("en"),
        effect=effect_text(effect, titles, "en"),
        moves=effect,
    )
