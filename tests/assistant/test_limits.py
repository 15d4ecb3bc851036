"""Numbers that cannot be meant are refused by name, from a message as from a field."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Answer, Brief
from assistant.planning.demands.limits import refuse_beyond_limits
from assistant.service import Assistant
from knowledge.errors import BadInput


@pytest.mark.parametrize(
    ("text", "field", "near"),
    [
        ("20000000 H100 for a chatbot", "gpus", "10000000"),
        ("99999999999 x H100", "gpus", "10000000"),
        ("0 H100", "gpus", "1"),
        ("chatbot for 0 users", "users_total", "1"),
        ("chatbot for 100000000000 users", "users_total", "1000000000"),
    ],
)
def test_a_message_with_an_impossible_number(text: str, field: str, near: str) -> None:
    assistant = Assistant()
    brief = Brief().with_answers(assistant.understand(text))
    with pytest.raises(BadInput) as refused:
        assistant.size(brief)
    assert refused.value.field == field
    assert near in refused.value.nearest


def test_the_limit_itself_is_accepted_and_one_more_is_not() -> None:
    def users(count: int) -> Brief:
        return Brief().with_answers([Answer(field="users_total", value=count)])

    refuse_beyond_limits(users(1_000_000_000))
    with pytest.raises(BadInput, match="users_total"):
        refuse_beyond_limits(users(1_000_000_001))
