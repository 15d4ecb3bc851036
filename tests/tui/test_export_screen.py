"""Export: the file that the app writes is the one that the command line writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from assistant import cli
from tui.app import SizewrightApp
from tui.screens.result.export import ExportScreen
from tui.widgets.dialogs import Confirm

Drive = Callable[..., SizewrightApp]
Settle = Callable[[Pilot[None]], Awaitable[None]]


async def to(app: SizewrightApp, pilot: Pilot[None], settle: Settle) -> ExportScreen:
    app.take(await app.backend.open("c0ffee00"))
    app.go("export")
    await settle(pilot)
    assert isinstance(app.screen, ExportScreen)
    return app.screen


async def write(app: SizewrightApp, pilot: Pilot[None], settle: Settle, path: Path) -> None:
    await pilot.press("w")
    await pilot.pause()
    app.screen.query_one(Input).value = str(path)
    await pilot.press("enter")
    await settle(pilot)


@pytest.mark.parametrize("suffix", ["md", "json", "csv"])
def test_same_bytes_as_the_command_line(
    drive: Drive, sample: str, db: str, settle: Settle, tmp_path: Path, suffix: str
) -> None:
    ours, theirs = tmp_path / f"ours.{suffix}", tmp_path / f"theirs.{suffix}"

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        await write(app, pilot, settle, ours)
        assert screen.written == str(ours)
        assert str(ours) in screen.status()

    drive(script)
    assert cli.main(["export", sample, "--to", str(theirs), "--db", db]) == 0
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize(("answer", "kept"), [("n", True), ("escape", True), ("y", False)])
def test_a_file_is_replaced_only_when_asked_and_told(
    drive: Drive, sample: str, settle: Settle, tmp_path: Path, answer: str, kept: bool
) -> None:
    path = tmp_path / "plan.md"
    path.write_text("mine", encoding="utf-8")

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        await to(app, pilot, settle)
        await write(app, pilot, settle, path)
        assert isinstance(app.screen, Confirm)
        assert path.read_text(encoding="utf-8") == "mine"
        await pilot.press(answer)
        await settle(pilot)

    drive(script)
    assert (path.read_text(encoding="utf-8") == "mine") is kept


@pytest.mark.parametrize("name", ["plan.pdf", "plan", "no-such-folder/plan.md"])
def test_a_path_that_cannot_be_is_a_notice(
    drive: Drive, sample: str, settle: Settle, tmp_path: Path, name: str
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        await write(app, pilot, settle, tmp_path / name)
        assert screen.written is None
        assert len(app._notifications) == 1
        assert app.screen is screen

    drive(script)
    assert not (tmp_path / name).exists()


def test_the_pane_previews_the_document_and_lists_sources(drive: Drive, sample: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        screen = await to(app, pilot, settle)
        assert "First sizing: City library" in screen.copy_text()
        assert screen.equivalent_command() == f"sizewright export {sample} --to city-library.md"
        await pilot.press("down")
        await pilot.pause()
        assert screen.equivalent_command().endswith("city-library.json")
        assert app.snapshot is not None
        assert app.snapshot.sizing is not None
        source = app.snapshot.sizing.sources[0]
        screen.point_at(source.id)
        assert source.title in screen.copy_text()
        await pilot.press("enter")
        await pilot.pause()
        assert screen.focused is screen.pane  # Enter on a source reads it, and writes nothing

    drive(script)
