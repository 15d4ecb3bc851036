"""``ask``: the first sentence answers with the value computed, all is cited, and what is not known is declined."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from assistant.asking.answer import Answer
from assistant.asking.ask import LONGEST, ask
from assistant.asking.library import Library
from assistant.cli import main
from assistant.service import Assistant
from knowledge.errors import BadInput
from knowledge.yaml_files import read_yaml

HERE = Path(__file__).parent
QUESTIONS: list[dict[str, Any]] = read_yaml(HERE / "questions.yaml")
OFF_TOPIC = (HERE / "off_topic.txt").read_text(encoding="utf-8").splitlines()


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(Assistant())


@lru_cache(maxsize=256)
def answered(question: str) -> Answer:
    return ask(question, library())


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) (?=[A-ZÄÖÜ])", text)[0]


@pytest.mark.parametrize("case", QUESTIONS, ids=[str(case["ask"]) for case in QUESTIONS])
def test_answers(case: dict[str, Any]) -> None:
    found = answered(case["ask"])
    assert not found.declined
    if "kind" in case:
        assert found.kind == case["kind"]
    if "verdict" in case:
        assert found.verdict == case["verdict"]
    for words in case.get("first", ()):
        assert str(words) in first_sentence(found.answer)
    if case.get("disagrees"):
        assert found.disagreements


@pytest.mark.parametrize("case", QUESTIONS, ids=[str(case["ask"]) for case in QUESTIONS])
def test_every_answer_cites_more_than_what_is_unverified(case: dict[str, Any]) -> None:
    found = answered(case["ask"])
    assert any(claim.grade != "unverified" and claim.sources for claim in found.claims)
    known = {source.id for source in found.sources}
    assert {source for claim in found.claims for source in claim.sources} <= known


@pytest.mark.parametrize("question", OFF_TOPIC)
def test_what_is_not_known_is_declined(question: str) -> None:
    found = answered(question)
    assert found.declined
    assert "not in the knowledge base" in found.answer or "nicht in der Wissensbasis" in found.answer
    assert found.verdict is None


@pytest.mark.parametrize(
    "question", ["how much does an H100 cost?", "Was kostet ein DGX H200?", "price of 8 B200 GPUs?"]
)
def test_prices_are_the_users(question: str) -> None:
    found = answered(question)
    assert (found.kind, found.declined) == ("price", True)
    assert not re.search(r"\d+[.,]?\d* ?(USD|EUR|€|\$|dollar)", found.answer)


def test_an_xid_that_does_not_exist_is_declined() -> None:
    assert answered("what is Xid 999").declined


def test_both_sides_of_a_contradiction_stand_with_their_grade() -> None:
    """Founding texts call InfiniBand a must from 64 GPUs; Meta's paper trained its largest model on RoCE."""
    found = answered("RoCE or InfiniBand for 16 nodes?")
    assert any("64 GPUs" in item.says and item.grade == "practitioner_opinion" for item in found.disagreements)
    assert all(item.why for item in found.disagreements)


def test_the_same_question_gives_the_same_answer() -> None:
    for case in QUESTIONS[:6]:
        assert ask(case["ask"], library()) == answered(case["ask"])


@pytest.mark.parametrize("text", ["", "   ", "x" * (LONGEST + 1)])
def test_empty_and_endless_questions_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="TEXT"):
        ask(text, library())


@pytest.mark.parametrize(
    "text",
    [
        '" OR 1=1 --',
        "NEAR(xid, 3)",
        "Xid AND OR NOT *",
        "🦆" * 50,
        "\x00\x1b[2J xid",
        "(((((",
        "title: body -xid",
        "12 . - _",
    ],
)
def test_hostile_text_is_only_text(text: str) -> None:
    assert ask(text, library()).answer


def test_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what is Xid 79", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"answer", "verdict", "claims", "disagreements", "declined"} <= set(found)
    assert all({"id", "text", "value", "unit", "grade", "sources"} <= set(claim) for claim in found["claims"])


def test_text_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "do we have to report to the EU with 40 DGX H100 in Munich?"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("40 DGX H100 are 408 kW of servers")
    assert "Rests on" in shown
    assert "http://data.europa.eu/eli/dir/2023/1791/oj" in shown


@pytest.mark.parametrize("case", QUESTIONS, ids=[str(case["ask"]) for case in QUESTIONS])
def test_no_object_shows_through(case: dict[str, Any]) -> None:
    """Texts are rendered: an answer never holds the form that Python gives an object."""
    assert not re.search(r"\b[A-Z]\w+\((?:id|field|values)=", answered(case["ask"]).answer)


def test_an_open_duty_is_said_in_words() -> None:
    found = answered("Darf ich Patientendaten in einer US-Cloud in Deutschland verarbeiten?")
    assert found.answer.startswith("Offen: ")
    assert "Message(" not in found.answer
