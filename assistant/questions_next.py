"""The two or three questions whose answers would move the result most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assistant.demand import Demands, demands_of
from assistant.interview.assume import applies, complete
from assistant.interview.brief import Answer, Brief, Status
from assistant.interview.questions import Question, load_questions
from assistant.options import count_for, knobs_of, limits_of
from assistant.result import NextQuestion, Plan
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

Prepared = Callable[[Demands, str], Demands]
"""Demands as an accelerator would serve them."""

MOST = 3

TRIED = (
    "weight_dtype",
    "active_share",
    "users_total",
    "parameters_b",
    "input_tokens",
    "training_tokens",
    "deadline_days",
)
"""Fields whose range is worked through; the others follow in the order of the questions."""

UNQUANTISED = "bf16"
"""What the weights would be if they may not be compressed."""


def next_questions(
    stated: Brief,
    completed: Brief,
    plan: Plan,
    asked_by_rules: Iterable[str],
    catalogue: Catalogue,
    prepared: Prepared,
) -> tuple[NextQuestion, ...]:
    """Open questions, first those whose range moves the GPUs most, then those that a duty or decision waits for."""
    questions = {q.id: q for q in load_questions().questions}
    moved = sorted(
        (
            found
            for field in TRIED
            if (found := _effect(field, stated, completed, plan, catalogue, prepared)) is not None
        ),
        key=lambda found: -found[0],
    )
    chosen: dict[str, NextQuestion] = {}
    for _, field, effect in moved:
        chosen[field] = _asked(questions[field], effect)
    for field in asked_by_rules:
        if field in questions and not stated.stated(field) and applies(questions[field], completed):
            chosen.setdefault(field, _asked(questions[field], "an obligation or decision stays open until it is known"))
    short = sorted((q for q in questions.values() if q.short is not None), key=lambda q: q.short or 0)
    for question in short:
        if not stated.stated(question.id) and applies(question, completed):
            chosen.setdefault(question.id, _asked(question, "confirms an assumption"))
    return tuple(chosen.values())[:MOST]


def _asked(question: Question, effect: str) -> NextQuestion:
    return NextQuestion(
        id=question.id, text=question.wording.localised("en"), why=question.why.localised("en"), effect=effect
    )


def _effect(
    field: str, stated: Brief, completed: Brief, plan: Plan, catalogue: Catalogue, prepared: Prepared
) -> tuple[float, str, str] | None:
    """How many times the GPUs at the range's ends differ, in words too; None where nothing moves."""
    if plan.binding == "stated" or stated.stated(field):
        return None
    if field == "weight_dtype":
        full = Answer(field=field, value=UNQUANTISED)
        return _moved(field, [plan.gpus, _gpus(full, stated, plan.accelerator, catalogue, prepared)], plan)
    answer = completed.get(field)
    if answer.status is not Status.ASSUMED or answer.low is None or answer.high is None:
        return None
    ends = [
        _gpus(_with(answer, value), stated, plan.accelerator, catalogue, prepared)
        for value in (answer.low, answer.high)
    ]
    return _moved(field, ends, plan)


def _moved(field: str, ends: list[int | None], plan: Plan) -> tuple[float, str, str] | None:
    low, high = ends
    if low is None or high is None or low == high:
        return None
    ratio = max(low, high) / min(low, high)
    return ratio, field, f"your answer decides between {min(low, high)} and {max(low, high)} GPUs of {plan.accelerator}"


def _with(answer: Answer, value: float) -> Answer:
    changed: Any = value
    if isinstance(answer.value, dict):
        scale = value / answer.value["mean"]
        changed = {k: v * scale for k, v in answer.value.items()}
    return answer.model_copy(update={"status": Status.STATED, "value": changed, "low": None, "high": None})


def _gpus(answer: Answer, stated: Brief, accelerator: str, catalogue: Catalogue, prepared: Prepared) -> int | None:
    completed = complete(stated.with_answers([answer]), catalogue)
    try:
        demands = prepared(demands_of(completed, catalogue), accelerator)
        return count_for(accelerator, demands, knobs_of(completed)["recommended"], limits_of(completed), catalogue).gpus
    except BadInput:
        return None
