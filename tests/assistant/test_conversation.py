"""What a conversation says after each answer: what moved, in few lines and in the interview's language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.interview.dialogue import Interview
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import MOST_MOVED, converse
from assistant.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.db") as opened:
        yield opened


def _talk(store: Store, lang: str) -> Interview:
    interview = converse(Session.new(Assistant(), store), lang)
    interview.start()
    return interview


def _summary(interview: Interview, line: str) -> list[str]:
    return [row for o in interview.say(line) if o.kind == "summary" for row in o.text.splitlines()]


def test_an_answer_shows_what_moved_and_one_line_of_where_it_stands(store: Store) -> None:
    talk = _talk(store, "en")
    first = _summary(talk, "RAG for 100 people, Llama 3.1 8B, on our own site in Germany")
    assert len(first) == 1
    assert first[0].startswith("Now: ")
    then = _summary(talk, "set users_total 20000")
    assert 2 <= len(then) <= MOST_MOVED + 2
    assert then[0].startswith("  GPUs: ")
    assert " -> " in then[0]
    assert then[-1].startswith("Now: ")
    assert _summary(talk, "set notes nothing new") == []
    assert len(_summary(talk, "summary")) > MOST_MOVED


def test_the_same_in_german(store: Store) -> None:
    talk = _talk(store, "de")
    assert _summary(talk, "RAG für 100 Leute, Llama 3.1 8B, am eigenen Standort in Deutschland")[0].startswith(
        "Jetzt: "
    )
    then = "\n".join(_summary(talk, "set users_total 20000"))
    assert "IT-Leistung" in then
    assert "IT power" not in then
    whole = "\n".join(_summary(talk, "ergebnis"))
    assert "Welcher Beschleuniger" in whole
    assert "passt: ja" in whole


def test_undo_and_redo_reach_the_store(store: Store) -> None:
    session = Session.new(Assistant(), store)
    talk = converse(session)
    talk.start()
    talk.say("RAG for 100 people, Llama 3.1 8B")
    talk.say("set users_total 300")
    talk.say("undo")
    assert store.brief(session.id).value("users_total") == 100
    talk.say("redo")
    assert store.brief(session.id).value("users_total") == 300
