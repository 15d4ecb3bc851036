"""Assumptions: sensible, marked, and the same whatever the order of the answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.assume import complete, next_question, open_fields
from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.questions import load_questions
from assistant.interview.validation import validate
from knowledge.catalogue import load_catalogue

SAMPLE = {
    "workload": "coding",
    "users_total": "200",
    "hosting": "on_prem",
    "country": "DE",
    "tenants": "3",
    "rack_kw": "40 kW",
    "redundancy": "2n",
    "parameters_b": "30",
}


def _answers() -> list[Answer]:
    return [validate(field, raw) for field, raw in SAMPLE.items()]


def test_an_empty_brief_becomes_one_that_can_be_sized() -> None:
    filled = complete(Brief())
    assert all(answer.status is Status.ASSUMED and answer.reason for answer in filled.answers.values())
    for field in (
        "workload",
        "users_total",
        "active_share",
        "parameters_b",
        "input_tokens",
        "output_tokens",
        "redundancy",
    ):
        assert filled.value(field) is not None


def test_what_was_stated_is_untouched_and_decides_the_rest() -> None:
    filled = complete(Brief().with_answers(_answers()))
    assert filled.value("users_total") == 200
    assert filled.stated("rack_kw")
    # Coding agents send 10 to 60 thousand tokens, by the source that the assumption cites.
    assert filled.value("input_tokens") == {"mean": 20_000, "p95": 60_000, "max": 131_072}
    # Three parties that nobody said trust each other.
    assert filled.value("tenants_trust_each_other") is False


@given(st.permutations(_answers()))
@settings(max_examples=30, deadline=None)
def test_the_order_of_answers_never_shows(answers: list[Answer]) -> None:
    brief = Brief()
    for answer in answers:
        brief = complete(brief.with_answers([answer]))
    assert complete(brief) == complete(Brief().with_answers(_answers()))


def test_a_stated_load_makes_the_user_estimate_needless() -> None:
    filled = complete(Brief().with_answers([validate("users_concurrent", "50")]))
    assert filled.get("users_total").status is Status.OPEN
    assert filled.get("active_share").status is Status.OPEN


def test_a_named_model_needs_no_assumed_size() -> None:
    filled = complete(Brief().with_answers([Answer(field="models", value=["llama-3.1-70b-instruct"])]))
    assert filled.get("parameters_b").status is Status.OPEN


def test_dont_know_stays_marked_and_follows_what_is_said_later() -> None:
    unknown = Answer(field="input_tokens", status=Status.ASSUMED, provenance=Provenance.DONT_KNOW)
    brief = Brief().with_answers([unknown, validate("workload", "rag")])
    answer = complete(brief).get("input_tokens")
    assert answer.provenance is Provenance.DONT_KNOW
    assert answer.value["mean"] == 4000
    assert (
        complete(complete(brief).with_answers([validate("workload", "coding")])).value("input_tokens")["mean"] == 20_000
    )


def test_training_is_asked_for_tokens_and_serving_is_not() -> None:
    training = open_fields(complete(Brief().with_answers([validate("workload", "pretraining")])))
    serving = open_fields(complete(Brief().with_answers([validate("workload", "chat")])))
    assert "training_tokens" in training
    assert "training_tokens" not in serving
    assert "users_total" in serving
    assert "users_total" not in training


def test_the_questions_end() -> None:
    brief, passed, asked = Brief(), frozenset[str](), []
    while (question := next_question(brief, passed)) is not None:
        asked.append(question.id)
        passed |= {question.id}
    assert len(asked) == len(set(asked)) <= len(load_questions().questions)
    assert asked[0] == "workload"


def test_the_short_path_comes_first_and_ends() -> None:
    brief, passed, asked = Brief().with_answers([validate("workload", "rag")]), frozenset[str](), []
    while (question := next_question(brief, passed, long=False)) is not None:
        asked.append(question.id)
        passed |= {question.id}
    assert asked[:3] == ["users_total", "models", "hosting"]
    assert len(asked) <= 7


def test_lengths_come_from_the_knowledge_base_with_its_sources() -> None:
    catalogue = load_catalogue()
    preset = catalogue.entries("workloads")["rag"].input_tokens
    answer = complete(Brief().with_answers([validate("workload", "rag")]), catalogue).get("input_tokens")
    assert answer.value["mean"] == preset.value.mean
    assert set(answer.sources) == set(preset.sources)
    assert answer.low is not None
    assert answer.high is not None
    assert answer.low <= answer.value["mean"] <= answer.high


@pytest.mark.parametrize(
    ("people", "low", "likely", "high"),
    [(500, 0.01, 0.1, 0.3), (1000, 0.01, 0.1, 0.3), (1_000_000, 0.0002, 0.002, 0.01), (800e6, 0.00007, 0.0007, 0.004)],
)
def test_the_share_at_once_falls_with_the_number_of_people(
    people: float, low: float, likely: float, high: float
) -> None:
    """A million: 2,000 in flight, 200 to 10,000. ChatGPT's 700 million weekly users: 30,000 messages a second, half as
    many again at the peak, 12 s each, 0.08 % in flight."""
    brief = Brief().with_answers([Answer(field="workload", value="chat"), Answer(field="users_total", value=people)])
    answer = complete(brief, load_catalogue()).get("active_share")
    assert answer.low == pytest.approx(low, rel=0.05)
    assert answer.value == pytest.approx(likely, rel=0.05)
    assert answer.high == pytest.approx(high, rel=0.05)
