"""Chat logs and e-mails: who said what, without quotations and signatures, and the later word wins."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from assistant.cli import main
from assistant.interview.chatlog import Turn, turns_of
from assistant.service import Assistant
from assistant.sessions.importing import as_transcript, brief_of, corrections, read_log
from assistant.sessions.replay import told
from assistant.transcript import load_transcript
from knowledge.errors import BadInput
from tests.assistant.unsized import Unsized


@cache
def assistant() -> Assistant:
    return Assistant()


CHAT = """[10:02] Anna: Hi, we need a chatbot for 300 people
[10:03] Bob: sure, maybe Llama 3.1 70B on 8xH100?
[10:04] Anna: Llama 3.1 8B is enough,
in our own data centre in Munich
[10:09] Anna: sorry, 200 people not 300
"""
MAIL = """From: Jo Doe <jo@customer.example>
To: sales@vendor.example
Subject: Re: Cluster for 900 users
Date: Mon, 2 Nov 2026 10:00:00 +0100

Hello,

we want RAG for 500 users.
> we offered 1000 users on 8xH100
Note: racks are limited to 15 kW.

Best regards,
Jo Doe
64 GPU Street

On Mon, 2 Nov 2026 at 09:00, Sales wrote:
> Dear Jo, would 16xH200 do?
"""


@pytest.mark.parametrize(
    ("log", "turns"),
    [
        ("Anna: chat\nBob: for whom?", [("Anna", "chat"), ("Bob", "for whom?")]),
        (
            "02.11.26, 10:02 - Anna Meier: Wir brauchen Chat\n02.11.26, 10:04 - Tom: ok",
            [("Anna Meier", "Wir brauchen Chat"), ("Tom", "ok")],
        ),
        (
            "Anna Meier  10:03 AM\nwe want 8xH100\nTom  10:05 AM\nin Berlin",
            [("Anna Meier", "we want 8xH100"), ("Tom", "in Berlin")],
        ),
        ("<anna> chat\n<bob> yes", [("anna", "chat"), ("bob", "yes")]),
        ("just words\nand more: of them", [("", "just words\nand more: of them")]),
        ("chat for 5\n\nMit freundlichen Grüßen\nAnna 8xH100", [("", "chat for 5")]),
        ("chat\n\nAm Mo., 2. Nov. 2026 schrieb Tom <t@x.example>:\n> 8xH100", [("", "chat")]),
        ("", []),
    ],
)
def test_turns(log: str, turns: list[tuple[str, str]]) -> None:
    assert list(turns_of(log)) == [Turn(speaker=who, text=said) for who, said in turns]


def test_a_mail_is_its_new_words_alone() -> None:
    (turn,) = turns_of(MAIL)
    assert turn.speaker == "Jo Doe"
    assert turn.text == "Hello,\n\nwe want RAG for 500 users.\nNote: racks are limited to 15 kW."
    brief = brief_of(read_log(MAIL, assistant().catalogue))
    assert brief.value("users_total") == 500
    assert brief.value("rack_kw") == 15
    assert not brief.stated("gpus")


def test_the_later_word_wins_and_our_own_proposals_are_no_facts() -> None:
    readings = read_log(CHAT, assistant().catalogue, ["Bob"])
    brief = brief_of(readings)
    assert brief.value("users_total") == 200
    assert brief.value("models") == ["llama-3.1-8b-instruct"]
    assert not brief.stated("gpus")
    assert [(a.value, b.value) for a, b in corrections(readings)] == [(300, 200)]
    assert brief_of(read_log(CHAT, assistant().catalogue)).stated("gpus")


def test_an_unknown_speaker_and_a_log_without_facts_are_refused() -> None:
    with pytest.raises(BadInput, match="Anna"):
        read_log(CHAT, assistant().catalogue, ["Bobby"])
    with pytest.raises(BadInput):
        read_log("Anna: hello\nBob: hello", assistant().catalogue)


@pytest.mark.parametrize(
    "log", ["a:" * 300_000, "x: y\n" * 100_000, "\n" * 400_000, "From: " + "<" * 400_000, "[1:" * 99_999]
)
def test_hostile_logs_end(log: str) -> None:
    assert all(line in log for turn in turns_of(log) for line in turn.text.splitlines())


def test_a_log_becomes_a_transcript_that_replays_to_the_same_answers(tmp_path: Path) -> None:
    readings = read_log(CHAT, assistant().catalogue, ["Bob"])
    file = tmp_path / "anna.yaml"
    file.write_text(as_transcript(readings, "Anna", "en"), encoding="utf-8")
    brief, failures = told(load_transcript(file), Unsized())
    assert not failures
    assert {f: a.value for f, a in brief.answers.items()} == {f: a.value for f, a in brief_of(readings).answers.items()}


def test_import_fork_and_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty-five times the users take more GPUs; a cloud takes the same GPUs, rented instead of bought."""
    log = tmp_path / "chat.txt"
    log.write_text(CHAT, encoding="utf-8")
    db = ["--db", str(tmp_path / "s.db")]
    assert main(["sessions", "import", str(log), "--us", "Bob", "--label", "Anna", "--json", *db]) == 0
    first = json.loads(capsys.readouterr().out)["id"]
    assert main(["sessions", "fork", first, "--set", "users_total=5000", "--set", "hosting=cloud", "--json", *db]) == 0
    forked = json.loads(capsys.readouterr().out)
    assert forked["of"] == first
    assert {"GPUs", "Build, rent, sovereign hosting, or both"} <= {one["what"] for one in forked["moved"]}
    assert main(["sessions", "compare", first, forked["id"], "--json", *db]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["what"] for row in found["answers"]} == {"users_total", "hosting"}
    by_field = {one["field"]: one for one in found["drivers"]}
    assert by_field["users_total"]["gpus"][1] > by_field["users_total"]["gpus"][0]
    assert by_field["hosting"]["gpus"][0] == by_field["hosting"]["gpus"][1]
    assert "build_rent_sovereign" in by_field["hosting"]["decisions"]
    assert main(["sessions", "compare", first, forked["id"], *db]) == 0
    assert "users_total 200 users -> 5,000 users" in capsys.readouterr().out
    assert main(["sessions", "compare", first, *db]) == 2
    assert main(["sessions", "fork", first, "--set", "users_total", *db]) == 2
    assert main(["sessions", "fork", "nothere", *db]) == 2
