"""The layout: fabrics, cables, and racks with their boxes; each with its drawing or its details."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from assistant.export.physical.outline import outlines
from assistant.export.physical.text import cable_line, elevation_lines, links_of, place_text, rack_title, topology_lines
from assistant.result import Sizing
from assistant.sizing.physical.layout import Layout
from knowledge.catalogue import Catalogue
from tui.views.figures import amount
from tui.views.lines import Line, Row, Say

MOST_LINKS = 80
"""Links of one box that the pane names."""


def layout_of(sizing: Sizing) -> Layout | None:
    """The layout of the recommended plan, read once a sizing; None where an older one has none."""
    return _read(_Held(sizing)) if sizing.plan().layout is not None else None


class _Held:
    """A sizing by identity, so that its layout is read once."""

    def __init__(self, sizing: Sizing) -> None:
        self.sizing = sizing

    def __hash__(self) -> int:
        return id(self.sizing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.sizing is self.sizing


@lru_cache(maxsize=2)
def _read(held: _Held) -> Layout:
    return Layout.model_validate(held.sizing.plan().layout)


def layout_rows(layout: Layout, say: Say) -> tuple[Row, ...]:
    """Fabrics and cables, then each rack with its boxes from the top down."""
    return tuple(_rows(layout, say))


def _rows(layout: Layout, say: Say) -> Iterator[Row]:
    fabrics = outlines(layout)
    if fabrics:
        yield Row("", (say("layout.network"),))
        yield from (Row(f"fabric/{one.purpose}", (one.purpose, say("layout.topology"), one.item)) for one in fabrics)
        count = f"{sum(run.links for run in layout.cables):,}"
        yield Row("cables", (say("layout.cables"), count, ""))
    yield Row("", (f"{say('layout.racks')} ({len(layout.racks)})",))
    for rack in layout.racks:
        yield Row(f"rack/{rack.name}", (rack.name, rack_title(rack).partition(": ")[2], ""), f"rack {rack.name}")
        for box in rack.devices:
            cells = (f"  {place_text(box)}", box.name, box.item)
            yield Row(f"box/{box.name}", cells, f"{rack.name} {' '.join(cells)} {box.role} {box.of}")


def layout_lines(layout: Layout, key: str, say: Say) -> tuple[Line, ...]:
    """The drawing of a fabric or rack, the list of cables, or what is known of one box."""
    kind, _, name = key.partition("/")
    if kind == "box":
        return tuple(_box_lines(layout, name, say))
    if kind == "rack":
        rack = next(rack for rack in layout.racks if rack.name == name)
        title, *drawn = elevation_lines(rack)
    elif kind == "fabric":
        title, *drawn = topology_lines(next(one for one in outlines(layout) if one.purpose == name))
    else:
        title, drawn = say("layout.cables"), [*map(cable_line, layout.cables), "", *layout.assumed]
    return (Line("title", title), *(Line("text", text) for text in drawn))


def _box_lines(layout: Layout, name: str, say: Say) -> Iterator[Line]:
    rack, box = layout.places[name]
    yield Line("title", box.name)
    fields = {
        "layout.item": box.item,
        "layout.role": box.role,
        "layout.place": f"{rack.name}, {place_text(box)}",
        "layout.power": amount(box.kw, "kW"),
        "demanded_by": box.of,
    }
    yield from (Line("field", text, say(label)) for label, text in fields.items())
    links = list(links_of(layout, name))
    if links:
        yield Line("head", f"{say('layout.links')} ({len(links)})")
        yield from (Line("item", text) for text in links[:MOST_LINKS])


def entry_of(layout: Layout, key: str, catalogue: Catalogue) -> str | None:
    """The catalogue's entry of the box under the cursor, as ``kind/id``; None for anything else."""
    kind, _, name = key.partition("/")
    if kind != "box" or name not in layout.places:
        return None
    item = layout.places[name][1].item
    return next(
        (f"{kind}/{item}" for kind in ("servers", "switches", "storage") if item in catalogue.entries(kind)), None
    )
