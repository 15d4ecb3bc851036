"""Stated values that cannot all hold are said, with which of them was sized."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.conclusions.stated_conflicts import conflicts
from assistant.interview.assume import complete
from assistant.interview.brief import Brief
from assistant.interview.validation import validate
from assistant.messages import render
from assistant.planning.demands.demand import demands_of
from assistant.service import Assistant


@cache
def assistant() -> Assistant:
    return Assistant()


def said(**answers: object) -> list[str]:
    catalogue = assistant().catalogue
    brief = complete(Brief().with_answers([validate(f, v, catalogue) for f, v in answers.items()]), catalogue)
    return list(map(render, conflicts(brief, demands_of(brief, catalogue).models)))


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"users_total": 500, "users_concurrent": 900}, "900 requests at the same time were stated for 500 people"),
        ({"users_concurrent": 60, "requests_per_s": 12}, "together they mean 5 s a request"),
        ({"users_total": 500, "active_share": 0.1, "users_concurrent": 200}, "500 people at 10% would be 50"),
        ({"context_tokens": 4096, "input_tokens": 6000}, "up to 6,000 tokens"),
        ({"models": "llama 3.1 8b", "parameters_b": "70b"}, "a size of 70B was stated beside Llama 3.1 8B"),
        ({"gpus": "4 H100", "nodes": 8}, "4 GPUs and 8 servers"),
        ({"draft_tokens": 3}, "without a measured acceptance"),
    ],
)
def test_what_disagrees_is_said(answers: dict[str, object], words: str) -> None:
    assert any(words in line for line in said(**answers))


@pytest.mark.parametrize(
    "answers",
    [
        {"users_total": 500, "users_concurrent": 50},
        {"users_total": 500, "active_share": 0.1, "users_concurrent": 55},
        {"models": "llama 3.1 70b", "parameters_b": 70},
        {"context_tokens": 8192, "input_tokens": 6000},
        {"draft_tokens": 3, "draft_acceptance": 0.7},
    ],
)
def test_what_agrees_is_not(answers: dict[str, object]) -> None:
    assert not said(**answers)
