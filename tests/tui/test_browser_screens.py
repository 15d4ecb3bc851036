"""Catalogue and rules: browsing, searching, what held."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from assistant.service import Assistant
from rules.engine import consult
from tui.app import SizewrightApp
from tui.screens.knowledge.catalogue import CatalogueScreen
from tui.screens.knowledge.rules import RulesScreen
from tui.screens.session.home import HomeScreen

Drive = Callable[..., SizewrightApp]
Settle = Callable[[Pilot[None]], Awaitable[None]]


def test_from_kind_to_entry_to_fields_and_back(drive: Drive, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("catalogue")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, CatalogueScreen)
        assert screen.at == "accelerators"
        await pilot.press("enter")
        await settle(pilot)
        assert screen.kind == "accelerators"
        screen.point_at("accelerators/h100-sxm-80gb")
        assert "3,350 GB/s" in screen.copy_text()  # NVIDIA's datasheet: 3.35 TB/s
        assert screen.equivalent_command() == "sizewright catalogue show accelerators/h100-sxm-80gb"
        await pilot.press("enter")
        assert screen.focused is screen.pane
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert screen.kind is None
        assert screen.at == "accelerators"
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)

    drive(script)


def test_a_search_over_the_kinds_finds_entries_of_all(drive: Drive, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("catalogue")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, CatalogueScreen)
        await pilot.press("slash", *"qm9700")
        await pilot.pause()
        assert "switches/qm9700" in [row.key for row in screen.listing.rows]
        await pilot.press("enter", "slash", "escape", "enter", "left")
        await pilot.pause()
        assert screen.kind is None

    drive(script)


def test_rules_can_be_read_without_a_session(drive: Drive, db: str, settle: Settle, assistant: Assistant) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("rules")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, RulesScreen)
        assert sum(not row.heading for row in screen.listing.rows) == len(assistant.rules.rules)
        await pilot.press("f")  # nothing is open, so nothing held
        await settle(pilot)
        assert not screen.only_held

    drive(script)


def test_rules_show_what_held_for_the_open_session(
    drive: Drive, sample: str, settle: Settle, assistant: Assistant
) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.take(await app.backend.open(sample))
        app.go("rules")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, RulesScreen)
        assert app.snapshot is not None
        assert app.snapshot.sizing is not None
        fired = consult(assistant.rules, app.snapshot.sizing.facts).fired  # by the engine; the screen asks the oracle
        await pilot.press("f")
        assert {row.key for row in screen.listing.rows if row.key} == fired
        await pilot.press("f", "p")
        assert screen.pack is not None
        assert screen.at in assistant.rules.rules
        assert assistant.rules.files[screen.at].endswith(f"{screen.pack}.yaml")
        assert screen.equivalent_command() == f"sizewright rules show {screen.at}"

    drive(script)


def test_a_search_looks_into_conditions_and_reasons(drive: Drive, db: str, settle: Settle) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("rules")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, RulesScreen)
        await pilot.press("slash", *"nominal_it_kw 500")
        await pilot.pause()
        found = [row.key for row in screen.listing.rows if row.key]
        assert found
        assert all("nominal_it_kw" in " ".join(map(str, screen.base.rules[r].conditions())) for r in found)  # type: ignore[union-attr]

    drive(script)
