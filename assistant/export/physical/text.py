"""The layout as text: racks as boxes of characters, fabrics by tiers, cables as a list. For terminals and the app."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.export.physical.outline import TIERS, Outline, outlines
from assistant.export.physical.subject import Subject
from assistant.sizing.physical.layout import CableRun, Device, Layout, Rack

WIDTH = 44
"""Columns of one drawn rack."""


def drawing(of: Subject) -> str:
    """All racks, fabrics and cables."""
    lines = [of.title, ""]
    for rack in of.layout.racks:
        lines += [*elevation_lines(rack), ""]
    for outline in outlines(of.layout):
        lines += [*topology_lines(outline), ""]
    lines += [cable_line(run) for run in of.layout.cables]
    lines += ["", *(f"Assumed: {note}." for note in of.layout.assumed)]
    return "\n".join(lines) + "\n"


def rack_title(rack: Rack) -> str:
    """A rack in one line."""
    boxes = "1 box" if len(rack.devices) == 1 else f"{len(rack.devices)} boxes"
    return f"{rack.name}: {rack.kw:.4g} kW rated, {rack.kg:,.0f} kg, {boxes}, {rack.pdus} PDUs"


def place_text(device: Device) -> str:
    """The height units of a box."""
    return f"U{device.u}" if device.height == 1 else f"U{device.u}-{device.u + device.height - 1}"


def elevation_lines(rack: Rack, width: int = WIDTH) -> Iterator[str]:
    """A rack as seen from the front, top unit first; the inside of a tall box is left blank."""
    tops = {device.u + device.height - 1: device for device in rack.devices}
    inside = {unit for device in rack.devices for unit in range(device.u, device.u + device.height - 1)}
    yield f"Rack {rack_title(rack)}"
    yield "┌" + "─" * (width - 2) + "┐"
    free = False
    for unit in range(rack.height, 0, -1):
        if unit in tops:
            yield _boxed(f"{unit:>3} {tops[unit].name}", tops[unit].item, width)
        elif unit in inside:
            yield _boxed("    :", ":", width)
        elif not free:
            yield _boxed(f"{unit:>3} –", "", width)
        free = unit not in tops and unit not in inside
    yield "└" + "─" * (width - 2) + "┘"


def _boxed(left: str, right: str, width: int) -> str:
    room = width - 4
    text = f"{left} {right:>{max(0, room - len(left) - 1)}}"
    return f"│ {text[:room]:<{room}} │"


def topology_lines(outline: Outline) -> Iterator[str]:
    """A fabric from the top tier down: each group of boxes with the links that go up from it."""
    labels = {group.key: group.label for group in outline.groups}
    yield f"{outline.purpose.capitalize()} fabric, {outline.item}"
    for tier in TIERS:
        for group in outline.tier(tier):
            yield f"  {tier}: {group.label}"
            ups = [(high, count) for (low, high), count in outline.links.items() if low == group.key]
            yield from (f"    {count:,} links up to {labels[high]}" for high, count in ups)


def cable_line(run: CableRun) -> str:
    """Cables of one hop, length and medium."""
    part = f" ({run.part})" if run.part else ""
    pieces = f", {run.cables:,} cables" if run.cables != run.links else ""
    return f"{run.purpose}, {run.hop}: {run.links:,} links of {run.length_m:g} m, {run.medium}{part}{pieces}"


def links_of(layout: Layout, name: str) -> Iterator[str]:
    """Every link of one box with the other end, most of one kind together."""
    from assistant.sizing.physical.links import layout_links

    for link in layout_links(layout):
        if name in (link.low, link.high):
            other = link.high if name == link.low else link.low
            rail = f"rail {link.rail}: " if link.rail is not None and name == link.low else ""
            yield f"{rail}{link.parallel} x {link.purpose} to {other}"
