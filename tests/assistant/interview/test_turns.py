"""What a line is, told by its grammar and by no name in it. The lines are of the kinds that people type."""

from __future__ import annotations

import pytest

from assistant.interview.turns import LONGEST, Turn, turn_of, yes_or_no


@pytest.mark.parametrize(
    ("line", "turn"),
    [
        ("what do you mean?", Turn.EXPLAIN),
        ("I don't understand the question", Turn.EXPLAIN),
        ("Was ist damit gemeint?", Turn.EXPLAIN),
        ("you decide", Turn.DECIDE),
        ("What would you take?", Turn.DECIDE),
        ("Was würden Sie empfehlen?", Turn.DECIDE),
        ("up to you", Turn.DECIDE),
        ("it depends on the department", Turn.DEPENDS),
        ("Das kommt darauf an", Turn.DEPENDS),
        ("What about AMD MI300X instead?", Turn.SUPPOSE),
        ("what if 2000 users", Turn.SUPPOSE),
        ("Was wäre, wenn wir 300 Nutzer hätten?", Turn.SUPPOSE),
        ("Et si nous étions 900 ?", Turn.SUPPOSE),
        ("Is that enough?", Turn.QUESTION),
        ("How many GPUs is that?", Turn.QUESTION),
        ("Reicht das?", Turn.QUESTION),
        ("some 70B model", Turn.ANSWER),
        ("we have 8 H100", Turn.ANSWER),
        ("500?", Turn.ANSWER),
        ("500 people. How many GPUs do we need?", Turn.ANSWER),
        ("who knows", Turn.ANSWER),
        ("", Turn.ANSWER),
        ("???", Turn.ANSWER),
    ],
)
def test_a_line_is_told_by_its_grammar(line: str, turn: Turn) -> None:
    assert turn_of(line) is turn


def test_a_long_line_is_a_message_whatever_its_first_words_are() -> None:
    assert turn_of("what if " + "x" * LONGEST) is Turn.ANSWER


@pytest.mark.parametrize(
    ("line", "agreed"),
    [
        ("Yes.", True),
        ("ja", True),
        ("of course", True),
        ("No thanks", False),
        ("nein", False),
        ("noon", None),
        ("yes, 500", None),
    ],
)
def test_yes_and_no_stand_alone(line: str, agreed: bool | None) -> None:
    assert yes_or_no(line) is agreed
