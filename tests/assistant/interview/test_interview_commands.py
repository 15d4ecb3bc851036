"""``sizewright parse`` and ``sizewright --plain`` as a person runs them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.store import Store

SAID = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"


def test_parse_prints_one_json_document_with_exact_spans(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", SAID, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["users_total"] == {"value": 500, "unit": "users", "text": "500 people", "start": 0, "end": 10}
    assert document["country"]["value"] == "DE"
    assert document["models"]["value"] == ["llama-3.1-70b-instruct"]
    assert document["ambiguous"] == []
    assert "ttft_ms" not in document


def test_parse_in_words_and_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.TextIOWrapper(io.BytesIO(b"kein InfiniBand, 8xA100"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", said)
    assert main(["parse", "-"]) == 0
    out = capsys.readouterr().out
    assert 'gpus: 8 x NVIDIA A100 80GB SXM4  from "8xA100"' in out
    assert "gpus? " in out
    assert "not network: infiniband" in out


def test_a_message_that_states_nothing_is_a_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "hello"]) == 0
    assert "Nothing stated" in capsys.readouterr().out


def test_plain_interview_saves_every_answer_and_can_be_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    db = str(tmp_path / "s.db")
    monkeypatch.setattr("sys.stdin", io.StringIO("500 people, RAG chatbot\n"))
    assert main(["--plain", "--lang", "en", "--db", db]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    with Store(db) as store:
        session = store.sessions()[0]
        assert store.brief(session.id).value("users_total") == 500
    assert f"--resume {session.id}" in last
    assert f"--db {db}" in last
    monkeypatch.setattr("sys.stdin", io.StringIO("set users_total 300\nquit\n"))
    assert main(["--plain", "--resume", session.id, "--db", db]) == 0
    with Store(db) as store:
        assert store.brief(session.id).value("users_total") == 300
        assert store.brief(session.id).value("workload") == "rag"
