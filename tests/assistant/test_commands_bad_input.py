"""Bad input: status 2, a message that names field, value and what would do, nothing on standard output."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from pathlib import Path

import pytest

from assistant import cli
from assistant.sizing.serving.request import ServeRequest

FABRIC = ("--nodes", "8", "--nics-per-node", "8", "--link-gb-per-s", "50")

FILES = {
    "syntax.yaml": b"a: [1,\nb: }",
    "list.yaml": b"- 1\n- 2",
    "text.yaml": b"just words",
    "field.yaml": b"users_totl: 5",
    "number.yaml": b"1: 2",
    "binary.yaml": bytes(range(256)),
    "large.yaml": b"notes: " + b"x" * 20_000_000,
    "nested.yaml": b"[" * 5_000,
    "tag.yaml": b'!!python/object/apply:os.system ["echo"]',
    "digits.yaml": b"users_total: " + b"9" * 5_000,
    "day.yaml": b"deadline: 2027-02-30",
    "cycle.yaml": b"users_total: &a [*a]",
    "negative.yaml": b"users_total: -5",
    "nan.yaml": b"users_total: .nan",
    "infinite.yaml": b"users_total: .inf",
    "half.yaml": b"users_total: 2.5",
    "word.yaml": b"users_total: many",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a database of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SIZEWRIGHT_DB", str(tmp_path / "s.db"))
    for name in ("SIZEWRIGHT_OVERLAY", "SIZEWRIGHT_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "folder.md").mkdir()
    return tmp_path


def refused(capfd: pytest.CaptureFixture[str], *words: str, status: int = 2) -> str:
    """What a refused command says on standard error. A sizing that could not be saved is printed all the same."""
    capfd.readouterr()
    try:
        code = cli.main(list(words))
    except SystemExit as end:
        code = int(end.code or 0)
    said = capfd.readouterr()
    assert code == status
    assert bool(said.out) == ("--save" in words)
    assert "Traceback" not in said.err
    assert "internal error" not in said.err
    return said.err


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("syntax.yaml", "line 2"),
        ("list.yaml", "this is a list"),
        ("text.yaml", "this is a str"),
        ("field.yaml", "did you mean users_total"),
        ("number.yaml", "the name of a field"),
        ("binary.yaml", "UTF-8 text is expected"),
        ("large.yaml", "at most 16 MiB"),
        ("nested.yaml", "nested too deeply"),
        ("tag.yaml", "not valid YAML"),
        ("digits.yaml", "not valid YAML"),
        ("day.yaml", "not valid YAML"),
        ("cycle.yaml", "a whole number of users"),
        ("negative.yaml", "at least 1; did you mean 1?"),
        ("nan.yaml", "a whole number of users"),
        ("infinite.yaml", "a whole number of users"),
        ("half.yaml", "a whole number of users"),
        ("word.yaml", "a whole number of users"),
        ("missing.yaml", "no such file"),
        ("folder.md", "this is a folder"),
    ],
)
@pytest.mark.parametrize("command", ["size", "import"])
def test_a_malformed_brief(name: str, says: str, command: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if name in FILES:
        (home / name).write_bytes(FILES[name])
    words = ("size", name, "--json") if command == "size" else ("sessions", "import", name)
    assert says in refused(capfd, *words)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without an end here")
def test_a_file_without_an_end_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert "at most 16 MiB" in refused(capfd, "size", "/dev/zero")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("size",), "--say"),
        (("size", "--set", "users_total"), "FIELD=VALUE"),
        (("size", "--set", "users_total=-5"), "at least 1"),
        (("size", "--set", "user_total=5"), "users_total"),
        (("size", "--set", "models=foo 9000"), "foo 9000"),
        (("size", "--set", "gpus=8xRTX 6000"), "rtx-pro-6000-server"),
        (("size", "--bogus"), "--bogus"),
        (("size", "--say", "x", "--jso"), "--jso"),
        (("parse",), "TEXT"),
        (("sise",), "Did you mean size?"),
        (("triage", "no/such.log"), "no/such.log"),
        (("--lang", "fr"), "fr"),
        (("estimate",), "PART"),
        (("estimate", "serv"), "serve"),
        (("estimate", "serve"), "model"),
        (("estimate", "serve", "--model", "bloop", "--gpu", "h100"), "bloop"),
        (("estimate", "serve", "--model", "no/config.json", "--gpu", "h100"), "config.json"),
        (("estimate", "serve", "--model", "llama-3.1-8b", "--gpu", "RTX 6000"), "rtx-6000-ada"),
        (("estimate", "serve", "--model", "llama-3.1-8b", "--gpu", "h100", "--gpus", "-1"), "did you mean 1?"),
        (("estimate", "serve", "--model", "llama-3.1-8b", "--gpu", "h100", "--gpus", "1e400"), "gpus"),
        (("estimate", "serve", "--model", "[" * 9000, "--gpu", "h100"), "model"),
        (("estimate", "fabric", *FABRIC, "--switch", "nosuch"), "nosuch"),
        (("estimate", "serve", "--jsonl", "missing"), "no such file"),
        (("estimate", "serve", "--jsonl", "folder.md"), "folder"),
        (("sessions",), "ACTION"),
        (("sessions", "show", "zzz"), "no such session"),
        (("sessions", "show", ""), "no such session"),
        (("sessions", "delete", "%"), "no such session"),
        (("checklist", "zzz"), "no such session"),
        (("export", "zzz"), "--to"),
        (("export", "zzz", "--to", "a.md"), "no such session"),
        (("export", "zzz", "--to", "folder.md"), "folder"),
        (("export", "zzz", "--to", "a"), "suffix"),
        (("backup", "nodir/copy.db"), "nodir"),
        (("schema", "siz"), "size"),
        (("catalogue", "list", "acc"), "accelerators"),
        (("catalogue", "show", "RTX 6000"), "rtx-6000-ada"),
        (("catalogue", "show", "bloop"), "bloop"),
        (("rules", "show", "nosuch"), "nosuch"),
        (("size", "--say", "x", "--overlay", "nodir"), "nodir"),
        (("--plain", "--resume", "zzz"), "no such session"),
        (("replay", "nosuch"), "no such file"),
    ],
)
def test_a_wrong_word(words: tuple[str, ...], says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert says in refused(capfd, *words)


@pytest.fixture
def saved(capfd: pytest.CaptureFixture[str]) -> str:
    """A saved session's id."""
    assert cli.main(["size", "--say", "500 people, chat", "--save", "one"]) == 0
    capfd.readouterr()
    assert cli.main(["sessions", "list", "--json"]) == 0
    return str(json.loads(capfd.readouterr().out)[0]["id"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--done", "memory_plam"), "memory_plan"),
        (("--phase", "nosuch"), "before_order"),
        (("--assign", "memory_plan"), "--owner"),
        (("--by", "Lab"), "--done ITEM"),
        (("--evidence", "371 GB/s"), "--done ITEM"),
        (("--done", "a", "--open", "b"), "not allowed"),
    ],
)
def test_a_checklist_refuses_what_it_would_lose(
    saved: str, options: tuple[str, ...], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capfd, "checklist", saved, *options)


def test_an_export_does_not_overwrite(saved: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home / "kept.md").write_text("mine", encoding="utf-8")
    assert "--force" in refused(capfd, "export", saved, "--to", "kept.md")
    assert "formats are md, json, csv" in refused(capfd, "export", saved, "--to", "a.pdf")
    assert "does not exist" in refused(capfd, "export", saved, "--to", "nodir/a.md")
    assert (home / "kept.md").read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in home.glob("*.md")) == ["folder.md", "kept.md"]


DATABASE_COMMANDS = (
    ("sessions", "list"),
    ("size", "--say", "chat", "--save", "one"),
    ("checklist", "a"),
    ("export", "a", "--to", "a.md"),
    ("backup", "copy.db"),
    ("--plain",),
)


@pytest.mark.parametrize("words", DATABASE_COMMANDS)
def test_a_file_that_is_no_database_is_left_alone(
    words: tuple[str, ...], home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    content = b"no database, but somebody's notes " * 100
    (home / "notes.txt").write_bytes(content)
    says = refused(capfd, "--db", "notes.txt", *words, status=1)
    assert "notes.txt" in says
    assert "not a sizewright database" in says
    assert (home / "notes.txt").read_bytes() == content
    assert not (home / "copy.db").exists()


@pytest.mark.parametrize("table", ["notes", "sessions"])
def test_another_program_s_database_is_left_alone(table: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(home / "other.db") as opened:
        opened.execute(f"create table {table} (x)")
    opened.close()
    content = (home / "other.db").read_bytes()
    says = refused(capfd, "--db", "other.db", "sessions", "list", status=1)
    assert "another program's" in says
    assert table in says
    assert (home / "other.db").read_bytes() == content


def test_a_damaged_database_is_named(saved: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    database = home / "s.db"
    with sqlite3.connect(database) as opened:
        opened.execute("pragma wal_checkpoint(truncate)")
    opened.close()
    content = database.read_bytes()
    (home / "half.db").write_bytes(content[: len(content) // 2])
    assert "damaged" in refused(capfd, "--db", "half.db", "sessions", "show", saved, status=1)


@pytest.mark.parametrize("words", DATABASE_COMMANDS)
def test_a_folder_is_no_database(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert "folder" in refused(capfd, "--db", "folder.md", *words)


def test_lines_of_requests_keep_their_order(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    good = b'{"model": "llama-3.1-8b", "gpu": "h100"}'
    lines = [
        b"\xef\xbb\xbf" + good,
        b"",
        b"not json",
        b"[1]",
        b"null",
        b"\xff\xfe",
        b'{"model": "bloop", "gpu": "h100"}',
        b'{"modl": "x"}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "gpus": 1e999}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "gpus": NaN}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "gpus": ' + b"9" * 5000 + b"}",
        b'{"model": ["a"], "gpu": {"b": 1}}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "context": "many"}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "input_tokens": 1e300, "output_tokens": 1, "concurrency": 1}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "input_tokens": {"mean": [1]}}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "input_tokens": 900, "output_tokens": 200, "context": 1000}',
        b'{"model": "llama-3.1-8b", "gpu": "h100", "expert_parallel": true}',
        b"[" * 100_000,
        good,
    ]
    (home / "requests.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert cli.main(["estimate", "serve", "--jsonl", "requests.jsonl"]) == 0
    said = capfd.readouterr()
    results = [json.loads(line) for line in said.out.splitlines()]
    assert said.err == ""
    assert ["error" in result for result in results] == [False, *([True] * (len(lines) - 2)), False]
    assert results[0] == results[-1]
    assert results[6]["error"]["field"] == "model"
    assert results[7]["error"]["nearest"] == ["model"]
    assert all(result["error"]["message"] for result in results[1:-1])


def test_a_slip_of_the_program_spoils_one_line_alone(
    home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slips(request: ServeRequest, *_: object) -> ServeRequest:
        return request if request.gpus == 1 else request.model_copy(update={"concurrency": float("inf")})

    monkeypatch.setattr("assistant.commands.planning.estimate.load", lambda part: (ServeRequest, slips))
    lines = [json.dumps({"model": "llama-3.1-8b", "gpu": "h100", "gpus": gpus}) for gpus in (1, 2, 1)]
    (home / "requests.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert cli.main(["estimate", "serve", "--jsonl", "requests.jsonl"]) == 1
    results = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert ["error" in result for result in results] == [False, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "\x00\x1b[31m[bold]500 users[/bold]<script>alert(1)</script>",
        "500\x1busers \x9b31m \u202eabc",
        "a\ud800b 500\ud800people",
        "500 people " + "x" * 1_000_000,
        "',\"; drop table answers; -- 500 people",
        "{{ 7 * 7 }} ${HOME} 500 people",
        "9" * 100_000 + " people",
    ],
    ids=["markup", "escapes", "surrogate", "megabyte", "quotes", "templates", "digits"],
)
@pytest.mark.parametrize("command", ["size", "parse"])
def test_hostile_text_is_only_text(text: str, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("size", "--full", "--save", text[:2000], "--say", text) if command == "size" else ("parse", text)
    assert cli.main(list(words)) == 0
    out = capfd.readouterr().out
    assert out
    assert not [sign for sign in out if not sign.isprintable() and sign not in "\n\t"]


def test_a_hostile_label_is_listed_as_text(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["size", "--say", "chat", "--save", "a\x1b[2Jb\x07"]) == 0
    assert cli.main(["sessions", "list"]) == 0
    assert "\x1b" not in capfd.readouterr().out


def test_text_that_is_no_utf8_on_standard_input(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for words in (("size", "-"), ("parse", "-"), ("sessions", "import", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"users_total: \xff\xfe")))
        assert "UTF-8 text is expected" in refused(capfd, *words)


def test_without_a_terminal_the_app_names_the_plain_interview(capfd: pytest.CaptureFixture[str]) -> None:
    assert "--plain" in refused(capfd)
    assert "--plain" in refused(capfd, "--resume", "abc")


@pytest.mark.parametrize("name", ["list.yaml", "binary.yaml", "syntax.yaml", "field.yaml"])
def test_replay_names_the_bad_file(name: str, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (home / name).write_bytes(FILES[name])
    assert name in refused(capfd, "replay", name)
