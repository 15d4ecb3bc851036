"""Registered users become requests at the same time by a ratio that is shown, replaceable, and tried a second time."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.conclusions.ratio import ratio_line
from assistant.interview.brief import Brief
from assistant.interview.validation import validate
from assistant.messages import render
from assistant.result import LoadRatio
from assistant.service import Assistant


@cache
def assistant() -> Assistant:
    return Assistant()


def ratio(text: str, **answers: object) -> LoadRatio | None:
    stated = [validate(field, value, assistant().catalogue) for field, value in answers.items()]
    return assistant().size(Brief().with_answers([*assistant().understand(text), *stated]), questions=False).load_ratio


def test_the_assumed_ratio_and_the_next_published_one() -> None:
    """500 people at 10 % are 50 at once; the offices' upper end of 30 % is 150, three times the load."""
    found = ratio("chat for 500 people with Llama 3.1 70B")
    assert found is not None
    assert (found.used.share, found.used.in_flight) == (0.1, 50)
    assert (found.second.share, found.second.in_flight) == (0.3, 150)
    assert found.second.gpus > found.used.gpus
    assert f"{found.second.gpus} GPUs" in render(ratio_line(found))


def test_a_stated_ratio_replaces_it_and_is_held_against_another() -> None:
    found = ratio("chat for 500 people with Llama 3.1 70B", active_share=0.6)
    assert found is not None
    assert (found.used.in_flight, found.second.share, found.stated) == (300, 0.3, True)


def test_named_hardware_says_whether_it_still_does() -> None:
    found = ratio("8 H100 for chat with llama 3.1 70b for 5000 users")
    assert found is not None
    assert found.second.shortfall is not None
    assert "too little" in render(ratio_line(found))


@pytest.mark.parametrize("text", ["chat for 100 concurrent users with qwen3 32b", "pretrain 7b on 300B tokens"])
def test_no_ratio_where_none_is_used(text: str) -> None:
    assert ratio(text) is None
