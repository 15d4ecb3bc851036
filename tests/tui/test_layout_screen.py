"""The layout screen: racks drawn as text, a box with its links, and how both look."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant.interview.brief import Brief
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.store import Store
from tui.app import SizewrightApp
from tui.screens.knowledge.catalogue import CatalogueScreen
from tui.screens.result.layout import LayoutScreen
from tui.views.layout import layout_lines, layout_of, layout_rows
from tui.views.lines import say_in

Drive = Callable[..., SizewrightApp]

SAID = "8 DGX H100 servers with InfiniBand for pretraining, own site in Munich, 45 kW per rack"
FOLDER = Path(__file__).parent / "snapshots"


@pytest.fixture(scope="module")
def sizing(assistant: Assistant) -> Sizing:
    return assistant.size(Brief().with_answers(assistant.understand(SAID)))


@pytest.fixture
def racked(db: str, assistant: Assistant, sizing: Sizing) -> str:
    """A session whose sizing has a layout."""
    with Store(db, now=lambda: "2026-11-29T10:00:00Z") as store:
        return store.keep("Eight servers", list(assistant.understand(SAID)), sizing)


def test_rows_are_fabrics_racks_and_boxes(sizing: Sizing) -> None:
    layout = layout_of(sizing)
    assert layout is not None
    keys = [row.key for row in layout_rows(layout, sizing.plan(), say_in("en")) if row.key]
    fabrics = keys.index("fabric/compute")
    assert {"section/building", "section/growth", "section/storage"} <= set(keys[:fabrics])
    assert keys[fabrics + 1] == "cables"
    boxes = [key for key in keys if key.startswith("box/")]
    assert len(boxes) == len(set(boxes)) == len(layout.places)


def test_sections_say_what_the_document_says(sizing: Sizing) -> None:
    """Eight nodes on one switch: for 16 the 64 links of all of them are cabled anew."""
    layout = layout_of(sizing)
    assert layout is not None
    lines = layout_lines(layout, sizing.plan(), "section/growth", say_in("en"))
    assert any(line.label == "one block more" and "every server is cabled anew" in line.text for line in lines)


def test_a_rack_is_drawn_unit_by_unit(sizing: Sizing) -> None:
    """42 units: four servers of 8 U each, drawn with 8 lines."""
    layout = layout_of(sizing)
    assert layout is not None
    rack = next(rack for rack in layout.racks if any(box.name == "node-1" for box in rack.devices))
    texts = [line.text for line in layout_lines(layout, sizing.plan(), f"rack/{rack.name}", say_in("en"))]
    assert sum("dgx-h100" in text for text in texts) == 4
    top = next(place for place, text in enumerate(texts) if "node-1 " in text)
    assert texts[top].startswith("│   8 node-1")
    assert {text.replace(" ", "") for text in texts[top + 1 : top + 8]} == {"│::│"}
    assert texts[-1].startswith("└")


def test_a_box_tells_its_links_by_rail(sizing: Sizing) -> None:
    """Eight rails of one link each on the single switch that 64 ports suffice for."""
    layout = layout_of(sizing)
    assert layout is not None
    lines = layout_lines(layout, sizing.plan(), "box/node-1", say_in("en"))
    links = [line.text for line in lines if line.kind == "item"]
    assert links == [f"rail {rail}: 1 x compute to leaf-1" for rail in range(8)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_looks(drive: Drive, racked: str, settle: Any, request: pytest.FixtureRequest, size: tuple[int, int]) -> None:
    seen = []

    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.db = "sessions.db"
        app.go("layout")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, LayoutScreen)
        await pilot.press("n")
        await settle(pilot)
        assert screen.at == "rack/A01"
        body = [strip.text.rstrip() for strip in screen._compositor.render_strips()][1:-3]
        seen.append("\n".join(body) + "\n")
        await pilot.press("enter")
        await settle(pilot)
        assert screen.has_class("-zoomed")

    drive(script, size=size, resume=racked)
    path = FOLDER / f"layout-racks-{size[0]}x{size[1]}.txt"
    if request.config.getoption("--update-snapshots", default=False):
        path.write_text(seen[0], encoding="utf-8")
    assert seen[0] == path.read_text(encoding="utf-8")


def _at_catalogue(app: SizewrightApp) -> str:
    assert isinstance(app.screen, CatalogueScreen)
    return app.screen.at


def test_c_opens_the_catalogue_entry_of_a_box(drive: Drive, racked: str, settle: Any) -> None:
    async def script(app: SizewrightApp, pilot: Pilot[None]) -> None:
        app.go("layout")
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, LayoutScreen)
        screen.point_at("box/node-1")
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert _at_catalogue(app) == "servers/dgx-h100"

    drive(script, resume=racked)
