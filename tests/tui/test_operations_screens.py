"""Triage, incident and watch on screen: a log pasted or named, an incident talked through, a server asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tui.app import SizewrightApp
from tui.screens.operations.incident import IncidentScreen
from tui.screens.operations.triage import TriageScreen
from tui.screens.operations.watch import WatchScreen

Drive = Callable[..., SizewrightApp]

LOST = "Jul  1 03:02:11 node7 kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=812, GPU has fallen off the bus."
NOTHING = "Jul  1 03:02:11 node7 systemd[1]: Started Daily apt upgrade."
BOTH = pytest.mark.parametrize("size", [(80, 24), (160, 48)])


def verdict(app: SizewrightApp) -> str:
    return str(app.screen.query_one("#verdict", Static).render())


def details(app: SizewrightApp) -> str:
    screen = app.screen
    assert isinstance(screen, TriageScreen | IncidentScreen | WatchScreen)
    return "\n".join(line.text for line in screen.pane.lines)


def rows(app: SizewrightApp) -> str:
    screen = app.screen
    assert isinstance(screen, TriageScreen | IncidentScreen | WatchScreen)
    return "\n".join(" ".join(row.cells) for row in screen.rows())


async def paste(app: SizewrightApp, pilot: Pilot[None], settle: Any, text: str) -> None:
    """As the terminal sends it: to what has the focus."""
    (app.screen.focused or app.screen).post_message(events.Paste(text))
    await settle(pilot)


async def typed(app: SizewrightApp, pilot: Pilot[None], settle: Any, text: str) -> None:
    app.screen.query_one("#line", Input).value = text
    app.screen.set_focus(app.screen.query_one("#line", Input))
    await pilot.press("enter")
    await settle(pilot)


@BOTH
def test_a_pasted_log_is_diagnosed(drive: Drive, settle: Any, size: tuple[int, int]) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "t")
        await settle(pilot)
        assert "No log was read" in verdict(app)
        await paste(app, pilot, settle, f"{NOTHING}\n{LOST}\n")
        assert "node7" in verdict(app)
        assert "2 lines" in verdict(app)
        assert LOST in details(app)
        assert "docs.nvidia.com" in details(app)
        screen = app.screen
        assert isinstance(screen, TriageScreen)
        assert "fallen off the bus" in screen.copy_text()
        await paste(app, pilot, settle, NOTHING)  # the list has the focus now: a paste there is a log as well
        assert "1 lines" in verdict(app)
        assert "No line is a known fault" in details(app)
        await pilot.press("o", *"xid 79", "enter")  # one line, typed: it names no file, so it is the log
        await settle(pilot)
        assert "1 lines" in verdict(app)

    drive(script, size=size)


def test_a_file_name_is_typed_without_a_key_before_it(drive: Drive, settle: Any, tmp_path: Path) -> None:
    (tmp_path / "node7.log").write_text(LOST, encoding="utf-8")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "t")
        await settle(pilot)
        await pilot.press(*str(tmp_path / "node7.log"), "enter")
        await settle(pilot)
        assert "node7" in verdict(app)

    drive(script)


def test_files_folders_and_patterns_are_read(drive: Drive, settle: Any, tmp_path: Path) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    (folder / "node7.log").write_text(LOST, encoding="utf-8")
    (folder / "node8.log").write_text(NOTHING, encoding="utf-8")
    (folder / "picture.bin").write_bytes(bytes(range(256)) * 100)

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "t")
        await settle(pilot)
        await typed(app, pilot, settle, str(folder))
        assert "node7" in verdict(app)
        screen = app.screen
        assert isinstance(screen, TriageScreen)
        assert screen.result
        assert screen.result.files_read >= 2
        await typed(app, pilot, settle, f"'{folder}'/*.log")
        assert screen.result.files_read == 2
        assert screen.equivalent_command() == f"sizewright triage '{folder}'/*.log"
        before = screen.result
        await typed(app, pilot, settle, str(tmp_path / "none*.log"))
        assert screen.result is before  # what is wrong with the line is said, and what was read stays
        assert any("none*.log" in str(notice.message) for notice in app._notifications)
        assert "node7" in verdict(app)

    drive(script)


def test_pastes_that_are_no_log_do_no_harm(drive: Drive, settle: Any, hostile: tuple[str, ...]) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "t")
        await settle(pilot)
        for text in (*hostile, "\n".join(hostile), "\x00\x01\n" * 50, f"{LOST}{'x' * 100_000}\n" * 20):
            await paste(app, pilot, settle, text)
        await paste(app, pilot, settle, "\n".join(f"{LOST} {text}" for text in hostile))
        assert "node7" in verdict(app)

    drive(script)


@BOTH
def test_an_incident_is_talked_through(drive: Drive, settle: Any, size: tuple[int, int]) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "f")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, IncidentScreen)
        await typed(app, pilot, settle, "slow at 64 nodes but fine at 8")
        assert screen.result
        first = screen.result
        assert "%" in verdict(app)
        assert screen.result.next_question
        question = screen.result.next_question
        await pilot.press("1")
        await settle(pilot)
        assert screen.result.answers == {question.id: question.answers[0].id}
        assert "--answer" in screen.equivalent_command()
        await pilot.press("u")
        await settle(pilot)
        assert screen.result == first
        await pilot.press("enter")  # on the first answer
        await settle(pilot)
        assert screen.result.answers == {question.id: question.answers[0].id}
        check = screen.result.next_checks[0]
        screen.point_at(f"check/{check.command}")
        await settle(pilot)
        assert check.expected in details(app)
        await pilot.press("O")
        await settle(pilot)
        assert screen.result.checked == {check.command: False}
        assert "not as expected" in rows(app)
        await pilot.press("n")
        await settle(pilot)
        assert not screen.result.answers
        await pilot.press("u", "u", "u", "u", "u")  # one more than there are steps
        await settle(pilot)
        assert not screen.incident.symptom

    drive(script, size=size)


class Server(ThreadingHTTPServer):
    """A GPU of node7 has fallen off the bus; or it answers nothing but an error."""

    daemon_threads = True
    broken = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        sample = {"metric": {"Hostname": "node7", "gpu": "3"}, "value": [1700000000.0, "79"]}
        data: object = {"resultType": "vector", "result": [sample] if "XID_ERRORS" in self.path else []}
        if "/label/" in self.path:
            data = ["DCGM_FI_DEV_XID_ERRORS"]
        body = b"not now" if self.server.broken else json.dumps({"status": "success", "data": data}).encode()
        self.send_response(502 if self.server.broken else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server(on_loopback: Callable[[HTTPServer], None]) -> Server:
    running = Server()
    on_loopback(running)
    return running


@BOTH
def test_a_server_is_asked_and_a_failure_leaves_the_last_answer(
    drive: Drive, settle: Any, server: Server, size: tuple[int, int]
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("ctrl+g", "v")
        await settle(pilot)
        assert "No server" in verdict(app)
        await typed(app, pilot, settle, "--interval")
        assert any("interval" in str(notice.message) for notice in app._notifications)
        await typed(app, pilot, settle, f"http://127.0.0.1:{server.server_address[1]} --retries 0")
        assert "Drain: node7" in verdict(app)
        assert "node7" in rows(app)
        assert "sizewright runbook" in details(app)
        server.broken = True
        await pilot.press("r")
        await settle(pilot)
        assert "Not evaluated" in verdict(app)
        assert "Drain: node7" in verdict(app)
        server.broken = False
        screen = app.screen
        assert isinstance(screen, WatchScreen)
        await pilot.press("space")
        assert "held" in verdict(app)
        screen._tick()
        await settle(pilot)
        assert screen.failure
        await pilot.press("space")
        screen._tick()
        await settle(pilot)
        assert screen.failure is None
        assert screen.equivalent_command().endswith("--retries 0")

    drive(script, size=size)
