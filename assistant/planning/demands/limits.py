"""Stated values beyond what can be sized: refused by name, with the limit, wherever they came from.

What is typed into a field is held against the field's limits when it is typed; a number in a message is not, and must
neither vanish nor be worked with.
"""

from __future__ import annotations

from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import Question, load_questions
from knowledge.errors import BadInput

MOST_GPUS = 10_000_000
"""Beyond every site that was announced: a larger count is a slip of the finger. Our judgement."""


def refuse_beyond_limits(brief: Brief) -> None:
    """Raises BadInput for the first stated value below or above what its field takes, null counts among them."""
    questions = load_questions().by_id()
    groups = (answer for group in brief.groups for answer in group.answers.values())
    for answer in (*brief.only_stated().answers.values(), *groups):
        question = questions.get(answer.field)
        if question is not None and question.type in ("number", "integer"):
            _within(answer, question)
        if answer.field == "gpus":
            _counts(answer)


def _within(answer: Answer, question: Question) -> None:
    for value in (answer.value, answer.low, answer.high):
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        for limit, broken, word in (
            (question.min, question.min is not None and value < question.min, "least"),
            (question.max, question.max is not None and value > question.max, "most"),
        ):
            if broken:
                unit = f" {question.unit}" if question.unit else ""
                raise BadInput(answer.field, f"{value:.12g}", f"at {word} {limit:,.12g}{unit}", [f"{limit:.12g}"])


def _counts(answer: Answer) -> None:
    groups = answer.value if isinstance(answer.value, list | tuple) else (answer.value,)
    for group in groups:
        count = group.get("count") if isinstance(group, dict) else None
        if count is not None and not 1 <= count <= MOST_GPUS:
            near = "1" if count < 1 else str(MOST_GPUS)
            raise BadInput("gpus", str(count), f"1 to {MOST_GPUS:,} GPUs", [near])
