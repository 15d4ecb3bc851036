"""Keys by chance over all screens: nothing may crash, and the session must be what the store says it is.

Four hundred keys in each run; `SIZEWRIGHT_WALK_STEPS=100` makes them a thousand, `SIZEWRIGHT_WALKS=20` twenty walks.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant.store import Store
from tui.app import SizewrightApp
from tui.registry import available

Drive = Callable[..., SizewrightApp]

KEYS = (
    *"abcdefghijklmnopqrstuvwxyz0123456789",
    *("enter", "escape", "tab", "shift+tab", "up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("space", "delete", "backspace", "question_mark", "slash", "left_square_bracket", "Y"),
    *("ctrl+g", "ctrl+l", "ctrl+n", "ctrl+o", "ctrl+p", "ctrl+r", "ctrl+t", "ctrl+y", "ctrl+z", "alt+z", "f1"),
)
"""Everything but ctrl+q, which would end the walk."""
SIZES = ((80, 24), (120, 40), (60, 16), (40, 10), (200, 60))
STEPS = int(os.environ.get("SIZEWRIGHT_WALK_STEPS", "40"))
KEYS_A_STEP = 10
SEEDS = tuple(range(int(os.environ.get("SIZEWRIGHT_WALKS", "1"))))
"""One walk each."""


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_keys_by_chance_leave_app_and_session_whole(
    drive: Drive, sample: str, db: str, settle: Any, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.chdir(tmp_path)  # exports of the walk stay here

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        names = list(available())
        for step in range(STEPS):
            if step % 2 == 0:
                await leave_dialogs(app, pilot)
                app.go(names[(step // 2 + seed * 3) % len(names)])
                await settle(pilot)
            if step % 7 == 3:
                await pilot.resize_terminal(*chance.choice(SIZES))
            keys = chance.choices(KEYS, k=KEYS_A_STEP)
            await pilot.press(*keys)
            await settle(pilot)
            said = [str(notice.message) for notice in app._notifications]
            assert not [text for text in said if "Internal error" in text], (seed, step, keys, said)
        await settle(pilot)
        if app.snapshot is not None:
            with Store(db) as store:
                assert store.brief(app.snapshot.row.id) == app.snapshot.brief

    drive(script, resume=sample)
    assert sqlite3.connect(db).execute("pragma integrity_check").fetchone() == ("ok",)
    with Store(db) as store:
        for row in [*store.sessions(), *store.sessions(deleted=True)]:
            store.brief(row.id)
            store.last_sizing(row.id)


async def leave_dialogs(app: SizewrightApp, pilot: Pilot[None]) -> None:
    """Close what lies over the screen."""
    for _ in range(5):
        if not app.screen.is_modal:
            return
        await pilot.press("escape")
        await pilot.pause()
