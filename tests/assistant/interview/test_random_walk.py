"""Interviews walked at random: nothing said is lost or breaks it, undo leads all the way back, and order never shows.

The seed stands in every failure; SIZEWRIGHT_WALK_SEED walks that one again.
"""

from __future__ import annotations

import os
import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.brief import Brief, Status
from assistant.interview.dialogue import Event, Interview
from assistant.interview.questions import load_questions
from knowledge.catalogue import Catalogue, load_catalogue

STEPS = 60
SEEDS = [int(os.environ["SIZEWRIGHT_WALK_SEED"])] if "SIZEWRIGHT_WALK_SEED" in os.environ else range(3)
COMMANDS = (
    "back",
    "?",
    "help",
    "skip",
    "idk",
    "review",
    "change 3",
    "undo",
    "redo",
    "summary",
    "n/a",
    "more",
    "helper",
)
NONSENSE = (
    "",
    "???",
    "minus drei",
    "150 %",
    "9" * 400,
    "\x1b[31m",
    "🦙" * 20,
    "set",
    "set users_total -1",
    "accept 3",
    "200k",
)


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


def line(chance: random.Random, interview: Interview) -> str:
    """A fitting answer mostly, else a command, an answer to another question, or nonsense."""
    asked = load_questions().questions
    roll = chance.random()
    if roll < 0.15:
        return chance.choice(COMMANDS)
    if roll < 0.25:
        return chance.choice(NONSENSE)
    question = next((q for q in asked if q.id == interview.current), None) or chance.choice(asked)
    if roll > 0.9 or interview.current is None:
        return f"set {question.id} {question.example}"
    if question.choices:
        return str(chance.randrange(len(question.choices)) + 1)
    return question.example


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_walk_loses_nothing_and_can_be_taken_back(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIZEWRIGHT_LLM_URL", raising=False)
    chance, events = random.Random(seed), list[Event]()
    interview = Interview(catalogue(), lang=chance.choice(("en", "de")), save=events.append, thorough=True)
    interview.start()
    for step in range(STEPS):
        words = line(chance, interview)
        outputs = interview.say(words)
        told = f"seed {seed}, step {step}, {words[:40]!r}"
        assert outputs or interview.finished, told
        saved = Brief().with_answers(a for event in events if event.kind != "skip" for a in event.answers)
        assert saved == interview.brief, told  # all that is held was handed over, and nothing else
        assert all(a.status is not Status.OPEN for a in interview.brief.answers.values()), told
    steps = len(interview.done)
    for _ in range(steps):
        interview.say("undo")
    assert not interview.brief.answers, f"seed {seed}"
    for _ in range(steps):
        interview.say("redo")
    assert interview.brief == saved, f"seed {seed}"


LINES = [
    "set users_total 500",
    "set active_share 20 %",
    "set workload rag",
    "set hosting on our own site",
    "set country DE",
    "set rack_kw 20 kW",
    "set models Llama 3.1 70B",
    "set tenants 3",
]


@given(st.permutations(LINES))
@settings(max_examples=25, deadline=None)
def test_the_order_of_the_answers_never_shows(lines: list[str]) -> None:
    told = []
    for order in (LINES, lines):
        interview = Interview(catalogue())
        interview.start()
        for words in order:
            interview.say(words)
        told.append(interview.brief)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("lines", "budget"),
    [
        (("200k", "EUR"), {"amount": 200_000, "currency": "EUR"}),  # the word that is missing may follow
        (("200k CHF", "set notes x", "300k"), {"amount": 300_000, "currency": "CHF"}),  # or be known from before
    ],
)
def test_a_sum_without_a_currency_takes_the_sessions_or_waits_for_its_name(
    lines: tuple[str, ...], budget: dict[str, object]
) -> None:
    interview = Interview(catalogue())
    interview.start()
    for words in lines:
        interview.ask("budget")
        outputs = interview.say(words)
        if words == "200k":
            assert "did you mean 200k EUR" in outputs[0].text
    assert interview.brief.value("budget") == budget


def test_a_share_above_its_limit_is_answered_in_its_own_signs() -> None:
    interview = Interview(catalogue())
    interview.ask("active_share")
    assert "did you mean 100 %" in interview.say("150 %")[0].text
