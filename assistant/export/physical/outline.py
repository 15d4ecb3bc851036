"""A fabric as groups of boxes and the links between them: what a picture of hundreds of switches can still show."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from assistant.sizing.fabric.storage_fabric import BLOCK_NODES
from assistant.sizing.physical.layout import Layout
from assistant.sizing.physical.links import layout_links, node_names
from assistant.sizing.physical.names import ends_of

MOST_GROUPS = 12
"""Groups of one tier that are drawn; the rest of them share a box."""

TIERS = ("core", "spine", "leaf", "node", "storage", "manager")


class Group(NamedTuple):
    """Boxes that are wired alike: tier, number within it (from 0), and their names in order."""

    tier: str
    number: int
    names: tuple[str, ...]

    @property
    def key(self) -> str:
        """Unique within a fabric."""
        return f"{self.tier}{self.number + 1}"

    @property
    def label(self) -> str:
        """First and last name, and how many."""
        if len(self.names) == 1:
            return self.names[0]
        return f"{self.names[0]} to {self.names[-1]} ({len(self.names)})"


class Outline(NamedTuple):
    """One fabric: its groups by tier, and the links between groups by their keys."""

    purpose: str
    item: str
    groups: tuple[Group, ...]
    links: dict[tuple[str, str], int]

    def tier(self, name: str) -> tuple[Group, ...]:
        """Groups of a tier."""
        return tuple(group for group in self.groups if group.tier == name)


def outlines(layout: Layout) -> tuple[Outline, ...]:
    """All fabrics of a layout, compute first."""
    items = {part.purpose: part.result.switch for part in layout.fabrics}
    if layout.storage_fabric is not None:
        items["storage"] = layout.storage_fabric.switch
    places = {purpose: _places(layout, purpose) for purpose in items}
    counts: dict[str, Counter[tuple[str, str]]] = {purpose: Counter() for purpose in items}
    wired: dict[str, dict[str, Place]] = {purpose: {} for purpose in items}
    for link in layout_links(layout):
        ends = {name: places[link.purpose][name] for name in (link.low, link.high)}
        wired[link.purpose] |= ends
        low, high = ends.values()
        counts[link.purpose][_key(low), _key(high)] += link.parallel
    return tuple(Outline(p, item, _groups(wired[p]), dict(counts[p])) for p, item in items.items())


Place = tuple[str, int]


def _key(place: Place) -> str:
    return f"{place[0]}{place[1] + 1}"


def _groups(places: dict[str, Place]) -> tuple[Group, ...]:
    names: dict[Place, list[str]] = {}
    for name, place in places.items():
        names.setdefault(place, []).append(name)
    ordered = sorted(names, key=lambda place: (TIERS.index(place[0]), place[1]))
    return tuple(Group(*place, tuple(sorted(names[place]))) for place in ordered)


def _places(layout: Layout, purpose: str) -> dict[str, Place]:
    """Tier and group of every box of a fabric, those beyond what is drawn in the last group."""
    nodes = node_names(layout)
    found: dict[str, Place] = {}
    part = next((part for part in layout.fabrics if part.purpose == purpose), None)
    if part is not None:
        each = max(1, part.result.nodes_per_group)
        found |= {name: ("node", number // each) for number, name in enumerate(nodes)}
        for end, name in ends_of(part).items():
            tier, plane, *rest = end.split("-")
            block, pods = max(1, part.result.leaves_per_group), max(1, part.result.pods_per_plane)
            group = int(rest[0]) // block if tier == "leaf" else int(rest[0]) if tier == "spine" else 0
            spread = -(-(part.result.leaf or 1) // (part.result.planes * block)) if tier == "leaf" else pods
            found[name] = (tier, int(plane) * spread + group)
    else:
        found |= {name: ("node", number // BLOCK_NODES) for number, name in enumerate(nodes)}
        found |= {device.name: ("storage", 0) for device in layout.devices("storage")}
        for tier in ("leaf", "spine"):
            found |= {device.name: (tier, 0) for device in layout.devices(f"storage {tier}")}
    found |= {device.name: ("manager", 0) for device in layout.devices("fabric manager")}
    return {name: (tier, min(number, MOST_GROUPS - 1)) for name, (tier, number) in found.items()}
