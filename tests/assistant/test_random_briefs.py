"""What must hold of every sizing, on briefs by seed: a few in the suite, 3,000 with ``SIZEWRIGHT_BRIEFS=3000``."""

from __future__ import annotations

import os
from random import Random

import pytest

from assistant.service import Assistant
from knowledge.errors import BadInput
from tests.assistant.random_briefs import assistant, faults, fewer, harder, size, some_brief

BRIEFS = int(os.environ.get("SIZEWRIGHT_BRIEFS", "40"))
BLOCK = 20


@pytest.mark.parametrize("first", range(0, BRIEFS, BLOCK))
def test_more_asked_is_never_fewer_gpus_and_a_plan_agrees_with_itself(first: int) -> None:
    found = []
    for seed in range(first, first + BLOCK):
        brief = some_brief(Random(seed))
        try:
            easy = size(brief)
        except BadInput:
            continue
        wrong = [*faults(easy)]
        for what, more in harder(brief):
            try:
                wrong += fewer(easy, size(more), what)
            except BadInput:
                continue
        found += [f"seed {seed}: {fault} in {brief}" for fault in wrong]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", range(3))
def test_another_assistant_says_the_same_to_the_byte(seed: int) -> None:
    brief = some_brief(Random(seed))
    first = size(brief).model_dump_json()
    assistant.cache_clear()
    assert isinstance(assistant(), Assistant)
    assert size(brief).model_dump_json() == first


KNOWN = (
    {"workload": "batch", "models": ["internvl3-5-241b-a28b"], "gpus": [{"gpu": "l4", "count": 40}],
     "input_tokens": {"mean": 2000, "p95": 4000, "max": 8000}},
    {"workload": "batch", "models": ["internvl3-38b"], "gpus": [{"gpu": "v100-sxm2-16gb", "count": 16}]},
    {"workload": "pretraining", "models": ["llama-3.1-8b-instruct", "qwen3-32b"], "context_tokens": 777},
    {"workload": "chat", "models": ["llama-4-maverick-17b-128e-instruct"], "context_tokens": 11, "users_total": 5000},
)  # fmt: skip
"""Briefs that once gave negative times, or a lean plan above the recommended one."""


@pytest.mark.parametrize("brief", KNOWN, ids=str)
def test_briefs_that_once_broke_a_rule(brief: dict[str, object]) -> None:
    assert not list(faults(size(brief)))
