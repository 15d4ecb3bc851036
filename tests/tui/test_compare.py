"""Sessions marked on the home screen stand side by side, with what drives the difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from assistant.interview.brief import Answer
from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.session.compare import CompareScreen

Drive = Callable[..., SizewrightApp]


def test_marked_sessions_are_compared(drive: Drive, sample: str, db: str, settle: Any) -> None:
    """Forty times the users take more GPUs, and that answer is the one that drives it."""
    with Store(db) as store:
        other = store.copy(sample, "Forty times the users")
        store.record(other, [Answer(field="users_total", value=20_000, unit="users")])

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await pilot.press("b")  # one session is no comparison
        assert not isinstance(app.screen, CompareScreen)
        await pilot.press("space", "down", "space", "b")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, CompareScreen)
        assert set(screen.ids) == {sample, other}
        assert screen.equivalent_command().startswith("sizewright sessions compare ")
        rows = {row.cells[0]: row for row in screen.rows()}
        assert "500 users" in rows["users"].search + " ".join(rows["users"].cells)
        assert screen.found_now is not None
        assert [driver.field for driver in screen.found_now.drivers] == ["users_total"]
        assert any("GPUs" in line.label for line in screen.lines("driver.0"))

    drive(script)
