"""The shipped questions: the bar that public answers are held to, and how an answer is judged."""

from __future__ import annotations

from functools import lru_cache

import pytest

from assistant.asking.library import Library
from assistant.service import Assistant
from assistant.validation.asked import QuestionReport, cases, judged, measure


@lru_cache(maxsize=1)
def report() -> QuestionReport:
    return measure(Library(Assistant()))


@pytest.mark.parametrize("part", ["shown", "later"])
def test_four_in_five_are_right_and_next_to_none_wrong(part: str) -> None:
    (row,) = (row for row in report().parts if row.part == part)
    assert row.right >= 0.8 * row.questions
    assert row.wrong <= 0.03 * row.questions


@pytest.mark.parametrize("kind", ["out_of_scope", "unanswerable"])
def test_what_cannot_be_answered_is_declined(kind: str) -> None:
    (row,) = (row for row in report().by_kind if row.name == kind)
    assert row.right == row.questions


def test_an_empty_answer_is_not_right() -> None:
    """An answer that says nothing meets no condition that a right one must meet."""
    from assistant.asking.answer import Answer

    nothing = Answer(question="", language="en", kind="found", answer="Well.", verdict=None, declined=False)
    assert {judged(case, nothing) for _, case in cases() if case.must} == {"wrong"}
