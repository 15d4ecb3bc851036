"""The layout: what the site needs, fabrics, cables, and racks with their boxes; each drawn or in detail."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.export.layout_sections import physical_sections
from assistant.export.parts import Section
from assistant.export.physical.outline import outlines
from assistant.export.physical.text import cable_line, elevation_lines, links_of, place_text, rack_title, topology_lines
from assistant.result import Plan, Sizing
from assistant.sizing.physical.layout import Layout
from knowledge.catalogue import Catalogue
from tui.views.lines import Line, Row, Say

MOST_LINKS = 80
"""Links of one box that the pane names."""


def layout_of(sizing: Sizing) -> Layout | None:
    """The layout of the recommended plan; None where the sizing has none."""
    found = sizing.plan().layout
    return None if found is None else Layout.model_validate(found)


def layout_rows(layout: Layout, plan: Plan, say: Say) -> tuple[Row, ...]:
    """What the site needs, fabrics and cables, then each rack with its boxes from the top down."""
    return tuple(_rows(layout, plan, say))


def _rows(layout: Layout, plan: Plan, say: Say) -> Iterator[Row]:
    yield Row("", (say("layout.site"),))
    yield from (Row(f"section/{s.id}", (s.id, s.title, ""), f"{s.id} {s.title}") for s in _sections(plan, say.lang))
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


def _sections(plan: Plan, lang: str) -> tuple[Section, ...]:
    """The document's sections on the physical side that say anything; cables have a row of their own."""
    found = (section for section in physical_sections(plan, lang) if section.id != "cables")
    return tuple(section for section in found if section.tables or section.bullets)


def _section_lines(section: Section) -> Iterator[Line]:
    """A section of the document, each table row with its first cell as the label."""
    yield Line("title", section.title)
    yield from (Line("item", text) for text in section.bullets)
    for table in section.tables:
        yield Line("head", ", ".join(filter(None, table.header)))
        yield from (Line("field", " · ".join(filter(None, row[1:])), row[0]) for row in table.rows)


def layout_lines(layout: Layout, plan: Plan, key: str, say: Say) -> tuple[Line, ...]:
    """The drawing of a fabric or rack, the list of cables, a section, or what is known of one box."""
    kind, _, name = key.partition("/")
    if kind == "box":
        return tuple(_box_lines(layout, name, say))
    if kind == "section":
        return tuple(_section_lines(next(section for section in _sections(plan, say.lang) if section.id == name)))
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
        "layout.power": say.quantity(box.kw, "kW"),
        "demanded_by": box.of,
        "layout.carries": box.carries or "",
    }
    yield from (Line("field", text, say(label)) for label, text in fields.items() if text)
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
