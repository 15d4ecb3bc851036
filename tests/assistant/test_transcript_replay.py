"""Replay: the shipped transcripts hold, twice the same bytes, in any order of answers; and a difference is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.brief import Brief
from assistant.interview.dialogue import Event, Interview
from assistant.output import to_json
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import converse
from assistant.sessions.replay import Replayed, replay
from assistant.store import Store
from assistant.transcript import Expectation, Recorded, Step, Transcript, load_transcript, transcript_files

FILES = {path.stem: path for path in transcript_files([])}


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


@pytest.mark.parametrize("name", FILES)
def test_what_was_worked_out_by_hand_holds(name: str, assistant: Assistant) -> None:
    result = replay(load_transcript(FILES[name]), assistant)
    assert result.recorded is not None
    assert not result.failures, "\n".join(f"{f.where}: expected {f.expected}, got {f.got}" for f in result.failures)


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_asserts_figures_shows_a_calculation(name: str) -> None:
    lines = FILES[name].read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("#") and any(sign.isdigit() for sign in line)]


def test_a_second_replay_gives_the_same_bytes(assistant: Assistant) -> None:
    transcript = load_transcript(FILES["pretrain-7b-64-gpus"])
    first, second = (to_json(replay(transcript, one)) for one in (assistant, Assistant()))
    assert first == second


SHORT = Transcript(
    transcript=1,
    title="two users",
    message="chat for 500 people",
    understood={"workload": "chat", "users_total": 500},
    steps=(
        Step(question="active_share", said="10 %", understood={"active_share": 0.1}),
        Step(question="country", said="skip"),
        Step(question="country", said="back", then="country"),
        Step(question="ttft_ms", said="dont know"),
    ),
    concluded=(Expectation(path="workloads.0.demand.in_flight.likely", value=50, why="500 x 0.1"),),
)


@pytest.fixture(scope="module")
def short(assistant: Assistant) -> Replayed:
    return replay(SHORT, assistant)


def recorded(result: Replayed) -> Recorded:
    """The machine-written section of a replay that came to a sizing."""
    assert result.recorded is not None
    return result.recorded


def test_skip_back_and_dont_know_state_nothing(short: Replayed) -> None:
    assert short.failures == ()
    assert short.state == "nothing recorded"
    assert short.passed


def test_an_unexpected_understanding_is_a_failure(assistant: Assistant) -> None:
    changed = SHORT.model_copy(update={"understood": {"users_total": 400, "country": "DE"}})
    failures = {f.where: (f.expected, f.got) for f in replay(changed, assistant).failures}
    assert failures == {
        "line 1 (free text), users_total": (400, 500),
        "line 1 (free text), country": ("DE", "nothing"),
        "line 1 (free text), workload": ("nothing", "chat"),
    }


@pytest.mark.parametrize(
    "expectation",
    [
        Expectation(path="workloads.0.demand.in_flight.likely", value=51, why="w"),
        Expectation(path="workloads.0.demand.in_flight.likely", between=(51, None), why="w"),
        Expectation(path="workloads.0.demand.in_flight.likely", one_of=(49, 51), why="w"),
        Expectation(path="workloads.0.demand.in_flight.likely", present=False, why="w"),
        Expectation(path="workloads.0.demand.in_flight.never", present=True, why="w"),
        Expectation(path="plans.recommended.fits", value=1, why="true is not one"),
        Expectation(path="plans.recommended.accelerator", between=(1, None), why="a name is no number"),
    ],
)
def test_a_wrong_conclusion_breaks_the_replay(assistant: Assistant, expectation: Expectation) -> None:
    result = replay(SHORT.model_copy(update={"concluded": (expectation,)}), assistant)
    assert [f.where for f in result.failures] == [expectation.path]
    assert result.state == "broken"
    assert not result.passed


@pytest.mark.parametrize(
    ("versions", "state"),
    [
        ({}, "changed by code"),
        ({"catalogue_version": "old"}, "changed by catalogue"),
        ({"rules_version": "old"}, "changed by rules"),
        ({"catalogue_version": "old", "rules_version": "old"}, "changed by catalogue and rules"),
    ],
)
def test_drift_is_put_down_to_what_changed(
    short: Replayed, assistant: Assistant, versions: dict[str, str], state: str
) -> None:
    then = {**recorded(short).conclusions, "plans.recommended.gpus": 3}
    old = recorded(short).model_copy(update={"conclusions": then, **versions})
    result = replay(SHORT.model_copy(update={"recorded": old}), assistant)
    assert result.state == state
    assert [(d.where, d.expected) for d in result.drift] == [("plans.recommended.gpus", 3)]
    assert not result.passed


def test_new_versions_with_the_same_conclusions_are_identical(short: Replayed, assistant: Assistant) -> None:
    old = recorded(short).model_copy(update={"catalogue_version": "old", "engine": "another"})
    assert replay(SHORT.model_copy(update={"recorded": old}), assistant).state == "identical"


ANSWERS = (
    ("users_total", "500"),
    ("active_share", "10 %"),
    ("hosting", "on our own site"),
    ("country", "Germany"),
    ("rack_kw", "20 kW"),
    ("models", "Llama 3.1 70B"),
    ("workload", "rag"),
    ("redundancy", "n+1"),
    ("pue", "1.3"),
)


@settings(max_examples=12, deadline=None)
@given(order=st.permutations(ANSWERS))
def test_the_order_of_answers_does_not_show(order: list[tuple[str, str]]) -> None:
    assistant = Assistant()
    briefs = [_answered(assistant, list(some)) for some in (ANSWERS, order)]
    assert briefs[0].model_dump_json() == briefs[1].model_dump_json()
    if order[0] == ANSWERS[-1]:  # sizing is slow, and a function of the brief: a share of the examples will do
        assert to_json(assistant.size(briefs[0])) == to_json(assistant.size(briefs[1]))


def _answered(assistant: Assistant, answers: list[tuple[str, str]]) -> Brief:
    saved: list[Event] = []
    interview = Interview(assistant.catalogue, save=saved.append)
    for field, said in answers:
        interview.ask(field)
        interview.say(said)
    assert len(saved) == len(answers)
    return interview.brief


def test_two_orders_give_the_same_sizing_through_the_store(assistant: Assistant, tmp_path: Path) -> None:
    documents = []
    with Store(tmp_path / "s.db") as store:
        for answers in (ANSWERS, tuple(reversed(ANSWERS))):
            session = Session.new(assistant, store, sizes=False)
            interview = converse(session)
            for field, said in answers:
                interview.ask(field)
                interview.say(said)
            documents.append(to_json(Session(assistant, store, session.id).sizing))
    assert documents[0] == documents[1]
