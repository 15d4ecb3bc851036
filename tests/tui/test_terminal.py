"""The whole main job over a real terminal: tmux gives the pty, keys go in, and only what is on the screen is read."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.interview.brief import Provenance
from assistant.store import Store

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: no terminal to run in")
ROOT = Path(__file__).resolve().parents[2]
MESSAGE = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"
PATIENCE_S = 30.0
"""Seconds until one screen counts as never coming; ends a hang, says nothing of speed."""


class Terminal:
    """A tmux server of its own with one pane of 80x24."""

    def __init__(self, folder: Path) -> None:
        self.socket = str(folder / "tmux.sock")

    def tmux(self, *words: str) -> str:
        """One tmux command; its output."""
        command = ["tmux", "-f", "/dev/null", "-S", self.socket, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout

    def run(self, command: str) -> None:
        """Start a shell command in the pane, which stays when the command ends."""
        self.tmux("-u", "new-session", "-d", "-x", "80", "-y", "24", "-s", "main", f"{command}; exec cat")

    def seen(self) -> str:
        """What is on the screen; lines that the terminal wrapped are joined."""
        return self.tmux("capture-pane", "-p", "-J", "-t", "main")

    def wait(self, for_: str | Callable[[str], bool]) -> str:
        """The screen once it holds a text."""
        holds = for_ if callable(for_) else lambda shown: for_ in shown
        until = time.monotonic() + PATIENCE_S
        while not holds(shown := self.seen()):
            assert time.monotonic() < until, f"never saw {for_!r}; the screen was\n{shown}"
            time.sleep(0.05)
        return shown

    def press(self, *keys: str) -> None:
        """Keys by tmux's names."""
        self.tmux("send-keys", "-t", "main", *keys)

    def type(self, text: str) -> None:
        """A text key by key."""
        self.tmux("send-keys", "-t", "main", "-l", text)

    def go(self, letter: str, title: str) -> str:
        """To a screen by the list of screens."""
        self.press("C-g")
        self.wait("─ Go to ─")
        self.press(letter)
        return self.on(title)

    def on(self, title: str) -> str:
        """The screen once its header names it."""
        return self.wait(lambda shown: title in shown.splitlines()[0])


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal, gone afterwards."""
    made = Terminal(tmp_path)
    yield made
    made.tmux("kill-server")


def start(terminal: Terminal, tmp_path: Path, db: Path) -> None:
    """The app on an empty database, in a folder of its own; the exit status is shown when it ends."""
    program = shlex.join([sys.executable, "-m", "tui.entry", "--db", str(db), "--lang", "en"])
    places = f"PYTHONPATH={shlex.quote(str(ROOT))} SIZEWRIGHT_CONFIG={shlex.quote(str(tmp_path / 'none.toml'))}"
    terminal.run(f"cd {shlex.quote(str(tmp_path))} && env LC_ALL=C.UTF-8 {places} {program}; echo exit status $?")


def interview(terminal: Terminal) -> None:
    """A message, one answer, and one question that nobody can answer."""
    terminal.wait("No session yet")
    terminal.press("n")
    terminal.on("Interview")
    terminal.type(MESSAGE)
    terminal.wait("in Frankfurt")
    terminal.press("Enter")
    terminal.wait("500 people")
    terminal.wait("In the busiest hour")
    terminal.type("10 %")
    terminal.wait("│ 10 %")
    terminal.press("Enter")
    terminal.wait("active_share = ")
    terminal.press("C-t")
    terminal.wait("assumed")


def results(terminal: Terminal, exported: Path) -> None:
    """Plans, why, the first item of the checklist ticked, and the document written."""
    assert "recommended" in terminal.go("p", "Plans")
    terminal.go("w", "Why")
    terminal.go("c", "Checklist")
    terminal.press("Down", "Space")
    terminal.wait("[x] done")
    terminal.go("e", "Export")
    terminal.press("w")
    terminal.wait("─ Export ─")
    terminal.type(str(exported))
    terminal.wait(exported.name)
    terminal.press("Enter")
    terminal.wait("Wrote")


@pytest.mark.long
def test_the_main_job_over_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    db, exported = tmp_path / "t.db", tmp_path / "plan.md"
    start(terminal, tmp_path, db)
    interview(terminal)
    results(terminal, exported)
    terminal.press("C-q")
    last = terminal.wait("exit status")
    with Store(db) as store:
        (row,) = store.sessions()
        brief, checklist, sizing = store.brief(row.id), store.checklist(row.id), store.last_sizing(row.id)
    assert "exit status 0" in last
    assert f"sizewright --resume {row.id} --db {db}" in last
    assert [brief.value(name) for name in ("users_total", "country", "active_share")] == [500, "DE", 0.1]
    assert [a.field for a in brief.answers.values() if a.provenance is Provenance.DONT_KNOW]
    assert [state.done for state in checklist.values()] == [True]
    assert sizing is not None
    document = exported.read_text(encoding="utf-8").replace("\\_", "_")  # as Markdown escapes it
    assert f"{sizing.plan().gpus}" in document
    (item,) = checklist
    (line,) = [one for one in document.splitlines() if one.startswith(f"| {item} |")]
    assert line.split("|")[3].strip() == "yes"
