"""Text of users, rules, catalogue and stored documents is shown as text on every result screen, whatever it holds."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from assistant.interview.brief import Brief
from assistant.result import Sizing
from assistant.store import Store
from tui.app import SizewrightApp
from tui.frame.listing import ListScreen
from tui.frame.parts import Pane
from tui.screens.result.plans import PlansScreen

Drive = Callable[..., SizewrightApp]
Settle = Callable[[Pilot[None]], Awaitable[None]]

SAMPLE = Path(__file__).parent / "data" / "sizing.json"
NASTY = (
    "[/] 4x[H100] [bold]b[/bold]",
    "[@click=app.quit]go[/]",
    "\x1b[2J\x1b]0;t\x07\x00",
    "\u202eleft\u202c 👩🏽‍🚀 漢字",
    "y" * 3000,
    "one\ntwo\r\nthree\tfour",
)
FREE = frozenset(
    (
        *("text", "title", "says", "change", "reason", "what", "by", "note", "why", "item", "of", "binding", "name"),
        *("owner_role", "what_is_lost", "address", "command", "statement", "why_not", "cooling_reason", "effect"),
        *("choice", "runner_up", "unit", "accelerator"),
    )
)
"""Keys of the sizing document whose values are free text."""


def hostile(value: Any, texts: Iterator[str]) -> Any:
    """The document with every free text replaced by the next of the hostile ones."""
    if isinstance(value, dict):
        return {k: next(texts) if k in FREE and isinstance(v, str) else hostile(v, texts) for k, v in value.items()}
    if isinstance(value, list):
        return [next(texts) if isinstance(v, str) else hostile(v, texts) for v in value]
    return value


def poisoned() -> Sizing:
    """The sample with hostile texts; names of plans stay, since they are not free."""
    document = json.loads(SAMPLE.read_text(encoding="utf-8"))
    raw = hostile(document, itertools.cycle(NASTY))
    for plan, real in zip(raw["plans"], document["plans"], strict=True):
        plan["name"] = real["name"]
    return Sizing.model_validate(raw)


def shown(app: SizewrightApp) -> str:
    """The text that the pane shows, as it is drawn."""
    return str(app.screen.query_one(Pane).query_one(Static).render())


@pytest.mark.long
@pytest.mark.parametrize("size", [(120, 40)])
def test_every_screen_shows_what_it_is_given(
    drive: Drive, sample: str, db: str, settle: Settle, size: tuple[int, int]
) -> None:
    with Store(db) as store:
        store.rename(sample, NASTY[0])
        store.save_sizing(sample, Brief(), poisoned())
        store.mark(sample, "memory_plan", True, *NASTY[:3])

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.take(await app.backend.open(sample))
        for name in ("decisions", "obligations", "assumptions", "checklist", "export"):
            app.go(name)
            await settle(pilot)
            screen = app.screen
            assert isinstance(screen, ListScreen)
            seen = []
            for _ in range(8):
                await pilot.press("j")
                seen.append(shown(app))
            assert any("4x[H100] [bold]b" in text for text in seen), name
            assert not any("\x1b" in text for text in seen)
        app.go("plans")
        await settle(pilot)
        assert isinstance(app.screen, PlansScreen)
        for _ in range(6):
            await pilot.press("n", "right")
            assert app.screen.at is not None
        app.go("why")
        await settle(pilot)
        await pilot.press("o", "j", "j")

    drive(script, size=size)


@pytest.fixture
def overlay(tmp_path: Path) -> Path:
    """A company's overlay with a switch and a rule of hostile words."""
    folder = tmp_path / "overlay"
    (folder / "sources").mkdir(parents=True)
    (folder / "rules" / "packs").mkdir(parents=True)
    source = {"id": "ours", "title": NASTY[0], "grade": "law", "seen_as": "primary_text", "address": "https://[/]"}
    rule = {
        "id": "ours.one",
        "title": NASTY[0],
        "when": [{"topic": "serves", "op": "==", "value": True}],
        "then": [{"kind": "warning", "id": "ours", "severity": "info", "text": NASTY[1]}],
        "reason": NASTY[0],
        "sources": ["ours"],
        "dissent": [{"says": NASTY[3], "sources": ["ours"]}],
    }
    (folder / "sources" / "ours.yaml").write_text(json.dumps([source], ensure_ascii=False), encoding="utf-8")
    (folder / "rules" / "packs" / "ours.yaml").write_text(json.dumps([rule], ensure_ascii=False), encoding="utf-8")
    return folder


def test_an_overlays_words_in_both_browsers(sample: str, db: str, settle: Settle, overlay: Path) -> None:
    async def script() -> None:
        app = SizewrightApp(db=db, overlay=str(overlay))
        async with app.run_test(size=(80, 24)) as pilot:
            app.take(await app.backend.open(sample))
            for name, key in (("rules", "ours.one"), ("catalogue", "sources/ours")):
                app.go(name)
                await settle(pilot)
                screen = app.screen
                assert isinstance(screen, ListScreen)
                screen.point_at(key)
                await pilot.pause()
                assert screen.at == key
                assert "4x[H100] [bold]b[/bold]" in shown(app)

    asyncio.run(script())
