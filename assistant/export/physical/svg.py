"""Scalable pictures of a layout: racks as they look from the front, and the fabrics tier by tier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from assistant.export.physical.outline import Group, Outline, outlines
from assistant.export.physical.subject import Subject
from assistant.sizing.physical.layout import Device, Layout, Rack

UNIT_PX, RACK_PX, GAP_PX, HEAD_PX = 12, 150, 16, 44
BOX_PX, BOX_HEIGHT_PX, TIER_PX = 190, 40, 120
MARGIN_PX = 24

COLOURS = {
    "GPU server": "#cfe8cf",
    "compute leaf": "#f6d8a8",
    "compute spine": "#f2bf7e",
    "compute core": "#eda655",
    "storage leaf": "#d6d3f0",
    "storage spine": "#bdb8e6",
    "storage": "#e6d0e8",
    "inband switch": "#bfe0ee",
    "oob switch": "#dde6ea",
}
"""Light fills, so that the name of each box carries the meaning and black on them reads well."""

OTHER = "#eeeeee"


def both(of: Subject) -> str:
    """Racks, and the topology below them."""
    return _document(of.title, (_racks(of.layout), _topology(of.layout)))


def racks(of: Subject) -> str:
    """The rack elevation alone."""
    return _document(of.title, (_racks(of.layout),))


def topology(of: Subject) -> str:
    """The topology alone."""
    return _document(of.title, (_topology(of.layout),))


Picture = tuple[float, float, list[str]]


def _document(title: str, pictures: Iterable[Picture]) -> str:
    """One SVG of pictures below one another; no script, no link, no font to fetch."""
    parts, width, y = [], 0.0, 2.0 * MARGIN_PX
    for wide, high, lines in pictures:
        parts += [f'<g transform="translate({MARGIN_PX} {y:g})">', *lines, "</g>"]
        width, y = max(width, wide), y + high + 2 * MARGIN_PX
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2 * MARGIN_PX:g}" height="{y:g}" '
        f'viewBox="0 0 {width + 2 * MARGIN_PX:g} {y:g}" font-family="sans-serif" font-size="9">'
    )
    name = escape(title)
    start = (
        f"<title>{name}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        _text(MARGIN_PX, 28, name, 16),
    )
    return "\n".join((head, *start, *parts, "</svg>")) + "\n"


def _text(x: float, y: float, text: str, size: int = 9, anchor: str = "start") -> str:
    """Text that is already escaped."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{text}</text>'


def _box(x: float, y: float, wide: float, high: float, fill: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" fill="{fill}" stroke="#444" stroke-width="0.6"/>'
    )


def _racks(layout: Layout) -> Picture:
    tallest = max((rack.height for rack in layout.racks), default=0)
    row_px = HEAD_PX + tallest * UNIT_PX + GAP_PX
    lines: list[str] = []
    for rack in layout.racks:
        lines += _rack(rack, rack.place * (RACK_PX + GAP_PX), rack.row * row_px, tallest)
    rows = max((rack.row for rack in layout.racks), default=0) + 1
    places = max((rack.place for rack in layout.racks), default=0) + 1
    return places * (RACK_PX + GAP_PX), rows * row_px, lines


def _rack(rack: Rack, x: float, y: float, tallest: int) -> Iterator[str]:
    yield _text(x, y + 14, f"Rack {rack.name}", 12)
    yield _text(x, y + 28, f"{rack.kw:.4g} kW rated, {rack.kg:,.0f} kg, {rack.pdus} PDUs")
    top = y + HEAD_PX + (tallest - rack.height) * UNIT_PX
    yield _box(x, top, RACK_PX, rack.height * UNIT_PX, "#fafafa")
    for device in rack.devices:
        yield from _device(device, x, top + (rack.height - device.u - device.height + 1) * UNIT_PX)


def _device(device: Device, x: float, y: float) -> Iterator[str]:
    high = device.height * UNIT_PX
    place = f"U{device.u}" + (f"-{device.u + device.height - 1}" if device.height > 1 else "")
    told = f"{device.name}: {device.item}, {device.role}, {place}, {device.kw:.4g} kW; for {device.of}"
    told += f"; {device.carries}" if device.carries else ""
    yield "<g>"
    yield f"<title>{escape(told)}</title>"
    yield _box(x + 1, y, RACK_PX - 2, high, COLOURS.get(device.role, OTHER))
    yield _text(x + 5, y + high / 2 + 3, escape(f"{place} {device.name}  {device.item}"))
    yield "</g>"


def _topology(layout: Layout) -> Picture:
    lines: list[str] = []
    width, y = 0.0, 0.0
    for outline in outlines(layout):
        lines.append(_text(0, y + 12, escape(f"{outline.purpose} fabric, {outline.item}"), 12))
        switches = [outline.tier(tier) for tier in ("core", "spine", "leaf")]
        edge = tuple(group for tier in ("node", "storage", "manager") for group in outline.tier(tier))
        rows = [row for row in (*switches, edge) if row]
        wide = max(len(row) for row in rows) * (BOX_PX + GAP_PX)
        spots = dict(_spots(rows, wide, y + 30))
        lines += [*_links(outline, spots), *_boxes(rows, spots)]
        width, y = max(width, wide), y + 30 + len(rows) * TIER_PX
    if not lines:
        lines.append(_text(0, 12, "No job or replica spans servers: there is no fabric to draw.", 12))
        width, y = 400.0, 20.0
    return width, y, lines


def _spots(rows: list[tuple[Group, ...]], wide: float, y: float) -> Iterator[tuple[str, tuple[float, float]]]:
    """The upper left corner of each group's box, rows spread evenly."""
    for line, row in enumerate(rows):
        for place, group in enumerate(row):
            yield group.key, ((place + 0.5) * wide / len(row) - BOX_PX / 2, y + line * TIER_PX)


def _links(outline: Outline, spots: dict[str, tuple[float, float]]) -> Iterator[str]:
    for (low, high), count in outline.links.items():
        if low in spots and high in spots:
            (x1, y1), (x2, y2) = spots[low], spots[high]
            a, b = (x1 + BOX_PX / 2, y1), (x2 + BOX_PX / 2, y2 + BOX_HEIGHT_PX)
            yield "<g>"
            yield f"<title>{escape(f'{low} to {high}: {count:,} links')}</title>"
            yield f'<line x1="{a[0]:g}" y1="{a[1]:g}" x2="{b[0]:g}" y2="{b[1]:g}" stroke="#888" stroke-width="0.8"/>'
            yield _text(a[0] + (b[0] - a[0]) * 0.3 + 2, a[1] + (b[1] - a[1]) * 0.3, f"{count:,}")
            yield "</g>"


def _boxes(rows: list[tuple[Group, ...]], spots: dict[str, tuple[float, float]]) -> Iterator[str]:
    for row in rows:
        for group in row:
            x, y = spots[group.key]
            role = "GPU server" if group.tier == "node" else f"compute {group.tier}"
            yield _box(x, y, BOX_PX, BOX_HEIGHT_PX, COLOURS.get(role, OTHER))
            yield _text(x + BOX_PX / 2, y + 16, escape(group.tier), 9, "middle")
            yield _text(x + BOX_PX / 2, y + 30, escape(group.label), 9, "middle")
