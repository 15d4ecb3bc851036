"""Every command does what it says; with ``--json`` standard output is one JSON document and nothing else."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assistant import cli
from assistant.commands.knowledge.schema import MODELS
from assistant.transcript import MARKER, shipped

SAID = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a database of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIZEWRIGHT_DB", str(tmp_path / "s.db"))
    for name in ("SIZEWRIGHT_OVERLAY", "SIZEWRIGHT_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(*words: str) -> int:
    """The exit status of a command line; a usage error of argparse is a status too."""
    try:
        return cli.main(list(words))
    except SystemExit as end:
        return int(end.code or 0)


def asked(capfd: pytest.CaptureFixture[str], *words: str) -> Any:
    """The one JSON document that a command prints."""
    capfd.readouterr()
    assert run(*words) == 0
    return json.loads(capfd.readouterr().out)


@pytest.fixture
def saved(capfd: pytest.CaptureFixture[str]) -> str:
    """A saved session's id."""
    assert run("size", "--say", SAID, "--save", "Fränkfurt") == 0
    (row,) = asked(capfd, "sessions", "list", "--json")
    assert row["label"] == "Fränkfurt"
    return str(row["id"])


def test_a_message_in_the_place_of_a_file_is_read_as_one(capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(capfd, "size", SAID, "--json")["stated"] == asked(capfd, "size", "--say", SAID, "--json")["stated"]


def test_the_short_form_names_each_choice_and_the_whole_one_gives_its_reasons(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    capfd.readouterr()
    assert run("size", "--say", SAID) == 0
    short = capfd.readouterr().out
    assert run("size", "--say", SAID, "--full") == 0
    whole = capfd.readouterr().out
    for words in ("active at the same time", "QUESTIONS THAT WOULD CHANGE IT MOST", "It hinges on:"):
        assert words in short
        assert words in whole
    assert "How the heat leaves the rack: air" in whole
    assert "Cooling: air" in short
    assert "- for: " in whole
    assert "- for: " not in short


def test_size_answers_what_was_said(capfd: pytest.CaptureFixture[str]) -> None:
    document = asked(capfd, "size", "--say", SAID, "--json")
    assert document["stated"]["users_total"]["value"] == 500
    assert document["stated"]["country"]["value"] == "DE"
    # 500 people and 10 % of them at once, the listed assumption
    assert document["workloads"][0]["demand"]["in_flight"]["likely"] == 50
    assert [plan["name"] for plan in document["plans"]] == ["lean", "recommended", "roomy"]
    assert document["checklist"]
    assert document["why"] is None


def test_set_stands_above_text_and_file(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "brief.yaml").write_text("users_total: 100\ncountry: France\n", encoding="utf-8")
    document = asked(capfd, "size", "brief.yaml", "--say", "200 people", "--set", "users_total=300", "--json", "--why")
    assert document["stated"]["users_total"]["value"] == 300
    assert document["stated"]["country"]["value"] == "FR"
    assert document["why"]


def test_the_same_brief_gives_the_same_bytes(capfd: pytest.CaptureFixture[str], home: Path) -> None:
    (home / "one.yaml").write_text("users_total: 300\nworkload: chat\nhosting: on_prem\n", encoding="utf-8")
    (home / "other.json").write_text('{"hosting": "on_prem", "workload": "chat", "users_total": 300}', "utf-8")
    outputs = []
    for name in ("one.yaml", "other.json"):
        assert run("size", name, "--json") == 0
        outputs.append(capfd.readouterr().out)
    assert outputs[0] == outputs[1]


def test_does_not_fit_is_a_result(capfd: pytest.CaptureFixture[str]) -> None:
    # 405.85e9 parameters x 2 bytes = 756 GiB; one H100 shows 79.2 GiB.
    line = ("--model", "llama-3.1-405b", "--gpu", "h100", "--gpus", "1", "--weight-dtype", "bf16", "--json")
    result = asked(capfd, "estimate", "serve", *line)
    assert result["fits"] is False
    assert result["why_not"]
    assert result["weights_gib_per_gpu"] == pytest.approx(405.85e9 * 2 / 2**30, rel=0.01)


PARTS = {
    "serve": ("--model", "llama-3.1-8b", "--gpu", "h100"),
    "train": ("--model", "llama-3.1-8b", "--gpu", "h100", "--gpus", "64", "--tokens", "1e12"),
    "finetune": ("--model", "llama-3.1-8b", "--gpu", "h100", "--gpus", "8", "--method", "lora"),
    "fabric": ("--nodes", "32", "--nics-per-node", "8", "--link-gb-per-s", "50", "--switch", "qm9700"),
    "storage": (),
    "facility": ("--servers", '[{"id": "dgx-h100", "count": 4}]'),
    "reliability": ("--gpus", "1024"),
}


@pytest.mark.parametrize("part", PARTS)
def test_each_part_estimates(part: str, capfd: pytest.CaptureFixture[str]) -> None:
    result = asked(capfd, "estimate", part, *PARTS[part], "--json")
    assert isinstance(result, dict)
    assert run("estimate", part, *PARTS[part]) == 0
    assert capfd.readouterr().out


def test_four_dgx_h100_are_40_point_8_kw(capfd: pytest.CaptureFixture[str]) -> None:
    # The user guide rates one at 10.2 kW: 4 x 10.2 = 40.8.
    result = asked(capfd, "estimate", "facility", *PARTS["facility"], "--json")
    assert result["nominal_it_kw"] == pytest.approx(40.8)


def test_parse_points_to_the_words(capfd: pytest.CaptureFixture[str]) -> None:
    found = asked(capfd, "parse", SAID, "--json")
    assert SAID[found["users_total"]["start"] : found["users_total"]["end"]] == found["users_total"]["text"]
    assert run("parse", SAID) == 0
    assert "users_total: 500" in capfd.readouterr().out


def test_a_session_is_listed_shown_copied_hidden_and_brought_back(
    saved: str, capfd: pytest.CaptureFixture[str], home: Path
) -> None:
    shown = asked(capfd, "sessions", "show", saved, "--json")
    assert shown["answers"]["users_total"]["value"] == 500
    (home / "brief.yaml").write_text("users_total: 900\nworkload: rag\n", encoding="utf-8")
    other = asked(capfd, "sessions", "import", "brief.yaml", "--label", "two", "--json")["id"]
    rows = {
        row["what"]: (row["left"], row["right"]) for row in asked(capfd, "sessions", "diff", saved, other, "--json")
    }
    assert rows["answer users_total"] == (500, 900)
    asked(capfd, "sessions", "delete", other, "--json")
    assert [row["id"] for row in asked(capfd, "sessions", "list", "--json")] == [saved]
    asked(capfd, "sessions", "restore", other, "--json")
    assert len(asked(capfd, "sessions", "list", "--json")) == 2


def test_the_checklist_keeps_who_and_what(saved: str, capfd: pytest.CaptureFixture[str]) -> None:
    item = asked(capfd, "checklist", saved, "--json")[0]["id"]
    assert run("checklist", saved, "--done", item, "--by", "Lab", "--evidence", "371 GB/s") == 0
    assert f"[x] {item}" in capfd.readouterr().out
    assert run("checklist", saved, "--assign", item, "--owner", "Network") == 0
    (first, *_) = asked(capfd, "checklist", saved, "--json")
    assert (first["done"], first["by"], first["evidence"], first["owner"]) == (True, "Lab", "371 GB/s", "Network")
    assert item not in [entry["id"] for entry in asked(capfd, "checklist", saved, "--todo", "--json")]


@pytest.mark.parametrize("suffix", ["md", "json", "csv"])
def test_an_export_is_the_same_twice(saved: str, suffix: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        assert run("export", saved, "--to", f"{name}.{suffix}") == 0
    assert (home / f"a.{suffix}").read_bytes() == (home / f"b.{suffix}").read_bytes()
    capfd.readouterr()
    assert run("export", saved, f"--to=-.{suffix}") == 0
    assert capfd.readouterr().out == (home / f"a.{suffix}").read_bytes().decode()


def test_a_backup_is_a_database(saved: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("backup", "copy.db") == 0
    assert asked(capfd, "--db", "copy.db", "sessions", "list", "--json")[0]["id"] == saved


@pytest.mark.parametrize("name", MODELS)
def test_every_schema_prints(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(capfd, "schema", name)["type"] == "object"


@pytest.mark.parametrize(
    "words",
    [
        ("config", "--json"),
        ("doctor", "--json"),
        ("schema",),
        ("rules", "list", "--json"),
        ("rules", "conflicts", "--json"),
        ("rules", "doc", "--json"),
        ("catalogue", "list", "--json"),
        ("catalogue", "list", "switches", "--json"),
        ("catalogue", "show", "h100", "--json"),
        ("catalogue", "check", "--json"),
        ("sessions", "list", "--json"),
    ],
)
def test_json_is_one_document(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert asked(capfd, *words) or words[0] == "sessions"


@pytest.fixture
def transcript(home: Path) -> Path:
    """A copy of a shipped transcript without its recorded section."""
    copy = home / "case.yaml"
    shutil.copy(shipped() / "deepseek-v3-8xh200.yaml", copy)
    copy.write_bytes(copy.read_bytes().split(MARKER.encode())[0])
    return copy


def test_replay_records_compares_and_keeps_what_people_wrote(
    transcript: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    above = transcript.read_bytes()
    assert run("replay", "case.yaml", "--update") == 0
    assert capfd.readouterr().out.splitlines()[-1] == "1 passed, 0 failed"
    once = transcript.read_bytes()
    assert once.startswith(above)
    assert run("replay", "case.yaml", "--update") == 0
    assert transcript.read_bytes() == once
    capfd.readouterr()

    transcript.write_bytes(once.replace(b"plans.recommended.gpus: 8", b"plans.recommended.gpus: 9"))
    assert run("replay", "case.yaml") == 1
    out = capfd.readouterr().out
    assert "recorded plans.recommended.gpus: 9 -> 8" in out
    assert "changed by code" in out
    assert out.splitlines()[-1] == "0 passed, 1 failed"


def test_replay_says_which_line_failed(transcript: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = transcript.read_text(encoding="utf-8")
    transcript.write_text(text.replace("gpus, value: 8", "gpus, value: 80"), encoding="utf-8")
    assert run("replay", "case.yaml", "--json") == 1
    said = capfd.readouterr()
    document = json.loads(said.out)
    assert (document["passed"], document["failed"]) == (0, 1)
    (failure,) = document["transcripts"][0]["failures"]
    assert (failure["where"], failure["expected"], failure["got"]) == ("plans.recommended.gpus", 80, 8)
    assert "0 passed, 1 failed" in said.err


def test_a_sizing_that_this_version_cannot_read_is_worked_out_again(
    saved: str, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = asked(capfd, "checklist", saved, "--json")
    with sqlite3.connect(home / "s.db") as db:
        db.execute('update sizings set result = \'{"format": "of another version"}\'')
    assert asked(capfd, "checklist", saved, "--json") == before
    assert run("export", saved, "--to=-.md") == 0
    assert "500" in capfd.readouterr().out


def test_a_damaged_answer_is_named_and_is_no_crash(saved: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(home / "s.db") as db:
        db.execute("update answers set payload = '{broken' where field = 'users_total'")
    capfd.readouterr()
    assert run("sessions", "show", saved) == 1
    error = capfd.readouterr().err
    assert f"session {saved} holds an answer that cannot be read" in error
    assert "internal error" not in error


@pytest.mark.parametrize("part", ["serve", "train"])
def test_a_count_before_the_gpu_is_the_number_of_gpus(part: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("estimate", part, "--json", "--model", "qwen3 8b", "--gpu", "8xH100")
    assert asked(capfd, *words)["gpus"] == 8
    assert asked(capfd, *words, "--gpus", "16")["gpus"] == 16
    assert (
        run("sweep", part, "--set", "model=qwen3 8b", "--set", "gpu=8xH100", "--vary", "gpus=", "--workers", "1") == 2
    )
    capfd.readouterr()
    assert run("sweep", part, "--set", "gpu=8xH100", "--vary", 'model=["qwen3 8b"]', "--workers", "1") == 0
    assert json.loads(capfd.readouterr().out)["result"]["gpus"] == 8
