"""An app over a throw-away database, driven by Pilot; and text snapshots of what it shows."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from textual.pilot import Pilot
from textual.widgets import Footer

from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.store import Store
from tui.app import SizewrightApp

Script: TypeAlias = Callable[[SizewrightApp, Pilot[None]], Awaitable[None]]
Drive: TypeAlias = Callable[..., SizewrightApp]

MESSAGE = "Chatbot for 500 employees with Llama 3.1 70B on our own servers in Germany"
SAMPLE = Path(__file__).parent / "data" / "sizing.json"
HOSTILE = (
    "need [/] 4x[H100] [bold]",
    "[/]",
    "[H100]",
    "[@click=app.quit]go[/]",
    "\x1b[2J\x1b]0;title\x07\x00\x08",
    "\u202eright to left\u202c \u2066isolated",
    "👩🏽‍🚀🏳️‍🌈 é é 漢字 \u200b zero",
    "x" * 5000,
    "line one\nline two\r\nline three\ttab",
    "$var {brace} %s \\ [[ ]] [",
)
"""Texts that break careless interfaces: markup, control characters, directions, emoji, length, line breaks."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The only way to write snapshots anew."""
    parser.addoption("--update-snapshots", action="store_true", help="write the snapshots of tests/tui anew")


@pytest.fixture(autouse=True)
def fixed_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine that runs the tests may show."""
    for name in ("NO_COLOR", "COLORTERM", "SIZEWRIGHT_DB", "SIZEWRIGHT_OVERLAY", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SIZEWRIGHT_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@pytest.fixture(scope="session")
def assistant() -> Assistant:
    """Catalogue and rules, read once."""
    made = Assistant()
    _ = made.catalogue, made.rules
    return made


@pytest.fixture
def hostile() -> tuple[str, ...]:
    """Texts that break careless interfaces."""
    return HOSTILE


@pytest.fixture
def db(tmp_path: Path) -> str:
    """Where the database of this test is."""
    return str(tmp_path / "data" / "t.db")


async def wait(pilot: Pilot[None]) -> None:
    """Wait until nothing is being worked out and everything is drawn."""
    app = pilot.app
    assert isinstance(app, SizewrightApp)
    for _ in range(400):
        await pilot.pause()
        footers = app.screen.query(Footer)
        if not app.busy and app.started and all(footer.children for footer in footers):
            break
        await asyncio.sleep(0.01)
    await pilot.pause()


@pytest.fixture
def settle() -> Callable[[Pilot[None]], Awaitable[None]]:
    """Wait until nothing is being worked out and everything is drawn."""
    return wait


@pytest.fixture
def drive(assistant: Assistant, db: str) -> Drive:
    """Run a script against an app; what a test asserts inside the script fails the test."""

    def run(script: Script, size: tuple[int, int] = (80, 24), **options: Any) -> SizewrightApp:
        options.setdefault("db", db)
        app = SizewrightApp(assistant=assistant, **options)

        async def go() -> None:
            async with app.run_test(size=size) as pilot:
                await wait(pilot)
                await script(app, pilot)

        asyncio.run(go())
        return app

    return run


@pytest.fixture
def type_text() -> Callable[[Pilot[None], str], Awaitable[None]]:
    """Put a text into the answer box as a paste and send it."""

    async def send(pilot: Pilot[None], text: str) -> None:
        from tui.widgets.answer_box import AnswerBox

        pilot.app.screen.query_one(AnswerBox).text = text
        await pilot.press("enter")
        await wait(pilot)

    return send


@pytest.fixture
def sample(db: str) -> str:
    """A database with one session: some answers, a stored sizing, fixed id and time. Returns the session's id."""
    with pytest.MonkeyPatch.context() as patch, Store(db, now=lambda: "2026-11-29T10:00:00Z") as store:
        patch.setattr(secrets, "token_hex", lambda n: "c0ffee00")
        session_id = store.create("City library", "presales", "en")
        said = Answer(field="workload", value="chat", text="chatbot", provenance=Provenance.PARSED)
        users = Answer(field="users_total", value=500, unit="users", text="500 employees", provenance=Provenance.PARSED)
        country = Answer(field="country", value="DE", provenance=Provenance.USER)
        unknown = Answer(field="ttft_ms", status=Status.ASSUMED, provenance=Provenance.DONT_KNOW)
        brief = Brief().with_answers([said, users, country, unknown])
        store.record(session_id, list(brief.answers.values()))
        store.save_sizing(session_id, brief, Sizing.model_validate_json(SAMPLE.read_text(encoding="utf-8")))
    return session_id
