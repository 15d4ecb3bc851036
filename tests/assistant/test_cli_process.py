"""The command line as a process of its own: pipes, locales, a full disk, a sudden end, and what gets imported."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "tui.entry")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A bare environment with a home and a database of its own."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SIZEWRIGHT_DB": str(tmp_path / "s.db"),
    }


def run(
    environment: dict[str, str],
    *words: str,
    typed: bytes = b"",
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """One run without a terminal."""
    return subprocess.run(
        [*PROGRAM, *words], input=typed, env=environment, cwd=environment["HOME"], capture_output=True, timeout=120,
        preexec_fn=before, check=False,
    )  # fmt: skip


def test_without_a_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    done = run(environment)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--plain" in done.stderr
    assert not (tmp_path / "s.db").exists()


def test_help_and_version(environment: dict[str, str]) -> None:
    assert b"size" in run(environment, "--help").stdout
    assert run(environment, "--version").stdout.strip()


ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


def test_other_signs_than_ascii_in_an_ascii_locale(environment: dict[str, str]) -> None:
    said = "500 Köpfe in Nürnberg, Chat für 500 Nutzer"
    done = run({**environment, **ASCII}, "size", "--say", said, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode("utf-8"))["stated"]["users_total"]["value"] == 500
    assert run({**environment, **ASCII}, "size", "--say", said).returncode == 0


def test_the_plain_interview_in_an_ascii_locale(environment: dict[str, str]) -> None:
    typed = "Chat für 500 Nutzer\nÜbersicht\n".encode() + b"\xff\xfe\nfertig\n"
    done = run({**environment, **ASCII}, "--plain", "--lang", "de", typed=typed)
    assert done.returncode == 0, done.stderr
    assert b"users_total = 500" in done.stdout
    assert done.stdout.isascii()


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_escape_codes_in_a_pipe(environment: dict[str, str], more: dict[str, str]) -> None:
    for words in (("--help",), ("parse", "chat for 50 people"), ("bogus",)):
        done = run({**environment, **more}, *words)
        assert b"\x1b" not in done.stdout + done.stderr


def test_a_reader_that_goes_away(environment: dict[str, str]) -> None:
    command = f"{sys.executable} -m tui.entry rules doc | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], env=environment, cwd=environment["HOME"], capture_output=True, timeout=120, check=False
    )
    assert done.stdout == b"# Rule base\n"
    assert done.stderr == b""


def limited(size: int) -> Callable[[], None]:
    """A limit on what the process may write to a file: the nearest thing to a full disk that needs no rights."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("room", [4_096, 40_000, 120_000])
def test_a_full_disk_leaves_nothing_half_written(environment: dict[str, str], room: int, tmp_path: Path) -> None:
    save = ("size", "--say", "chat for 50 people", "--save", "one")
    failed = run(environment, *save, before=limited(room))
    assert failed.returncode == 1
    assert b"Traceback" not in failed.stderr
    assert b"internal error" not in failed.stderr
    assert b"s.db" in failed.stderr
    assert b"SUMMARY" in failed.stdout, "the answer is there, though it could not be saved"
    listed = run(environment, "sessions", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout) == []
    assert run(environment, *save).returncode == 0


def test_a_full_disk_leaves_no_part_of_an_export(environment: dict[str, str], tmp_path: Path) -> None:
    assert run(environment, "size", "--say", "chat for 50 people", "--save", "one").returncode == 0
    ident = json.loads(run(environment, "sessions", "list", "--json").stdout)[0]["id"]
    # Leaves no write-ahead log that would have to grow.
    kept = sorted(path.name for path in tmp_path.iterdir())
    failed = run(environment, "export", ident, "--to", "a.md", before=limited(1_000))
    assert failed.returncode == 1
    assert b"Traceback" not in failed.stderr
    assert b"a.md" in failed.stderr or b"s.db" in failed.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix in (".md", ".part")) == []
    assert set(kept) >= {"s.db"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission(environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("s.db", "brief.yaml"):
        (tmp_path / name).touch(mode=0)
    assert run(environment, "sessions", "list").returncode == 1
    assert run(environment, "size", "brief.yaml").returncode == 2


def test_a_sudden_end_keeps_every_answer(environment: dict[str, str]) -> None:
    with subprocess.Popen(
        [*PROGRAM, "--plain", "--lang", "en"],
        env=environment, cwd=environment["HOME"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"RAG chatbot for 437 people\n")
        process.stdin.flush()
        seen = b""
        while b"users_total = 437" not in seen:
            line = process.stdout.readline()
            assert line, seen
            seen += line
        process.send_signal(signal.SIGKILL)
    (session,) = json.loads(run(environment, "sessions", "list", "--json").stdout)
    shown = json.loads(run(environment, "sessions", "show", session["id"], "--json").stdout)
    assert shown["answers"]["users_total"]["value"] == 437


def test_the_database_is_its_owner_s_alone(environment: dict[str, str], tmp_path: Path) -> None:
    assert run(environment, "sessions", "list").returncode == 0
    assert {oct(path.stat().st_mode & 0o777) for path in tmp_path.glob("s.db*")} == {"0o600"}


IMPORTS = """
import sys
from assistant import cli
try:
    status = cli.main(sys.argv[1:])
except SystemExit as end:
    status = end.code
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
sys.exit(status)
"""

ALWAYS_LATE = {"textual", "httpx", "hypothesis"}


@pytest.mark.parametrize(
    ("words", "late"),
    [
        (("--help",), {"pydantic", "yaml", "sqlite3", "sqlite_utils", "durable", "rapidfuzz", "platformdirs"}),
        (("--version",), {"pydantic", "yaml", "sqlite3", "sqlite_utils", "durable", "rapidfuzz"}),
        (("parse", "500 people"), {"sqlite_utils", "durable"}),
        (("estimate", "serve", "--model", "llama-3.1-8b", "--gpu", "h100"), {"sqlite_utils", "durable"}),
        (("size", "--say", "chat for 50 people"), {"sqlite_utils"}),
        (("sessions", "list"), {"durable"}),
    ],
)
def test_heavy_modules_are_imported_where_used(
    environment: dict[str, str], words: tuple[str, ...], late: set[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *words],
        env=environment, cwd=environment["HOME"], capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stderr.decode().split()}
    assert "assistant" in loaded
    assert not loaded & (late | ALWAYS_LATE)
