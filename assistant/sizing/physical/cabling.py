"""The cables of a layout: their length from where the boxes stand, and the cheapest medium that reaches so far."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from assistant.sizing.fabric.estimate import links_per_cage
from assistant.sizing.physical.layout import CableRun, Layout, Modules
from assistant.sizing.physical.links import Link
from knowledge.catalogue import Catalogue
from knowledge.schema import Optic, Switch

UNIT_M = 0.04445
"""One height unit, 1.75 inches (EIA-310)."""

RACK_PITCH_M = 0.7
"""From rack to rack in a row: the 700 mm that the SuperPOD design recommends."""

ROW_PITCH_M = 2.4
"""From row to row: racks 1.2 m deep and an aisle of 1.2 m; assumed."""

TRAY_M = 0.5
"""From the top of a rack to the cable tray above it; assumed."""

SLACK_M = 1.0
"""Both ends dressed inside the racks; assumed."""

LENGTHS_M = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0, 150.0, 200.0)
"""Lengths that cables are made in, as makers list them."""

MEDIA = ("dac", "acc", "aec", "aoc", "transceiver")
"""Cheapest first, which is also the order of power and of reach."""

OPTICS_FROM = 65
"""From so many computers on every link is optical, as in SuperPOD designs; BasePOD joins its switches by copper."""

COPPER = frozenset({"dac", "acc", "aec"})
MODULAR = frozenset({"transceiver", "optics"})
"""Media that need a module at each end; copper and active optical cables bring their own."""

TWIN_MODULE_GB_PER_S = 50.0
"""Up to this rate of a link two adapters of a node share one module, as in the H100 design (508 for 127 nodes)."""


@dataclass(frozen=True)
class Medium:
    """What carries a link: kind, part of the catalogue, and links that one cable of it carries."""

    kind: str
    part: str | None = None
    links: int = 1


class Network(NamedTuple):
    """What cables need to know of a fabric. ``twin_nodes``: two of a node's adapters share one module. ``copper``: it
    is taken inside a rack."""

    purpose: str
    switch: str
    link_gb_per_s: float
    planes: int
    ports: int
    twin_nodes: bool
    copper: bool


class Run(NamedTuple):
    """Links that are ordered together: of one hop, of one length, inside a rack or not."""

    purpose: str
    hop: str
    length_m: float
    same_rack: bool


class Spot(NamedTuple):
    """Where a box is: its rack by number, the rack's row and place, and the box's height below and above in metres."""

    rack: int
    row: int
    place: int
    height_m: float
    to_tray_m: float


def spots_of(layout: Layout) -> dict[str, Spot]:
    """The place of every box by its name."""
    found = {}
    for number, rack in enumerate(layout.racks):
        for box in rack.devices:
            height = UNIT_M * (box.u - 1 + box.height / 2)
            found[box.name] = Spot(number, rack.row, rack.place, height, UNIT_M * rack.height - height + TRAY_M)
    return found


def length_m(a: Spot, b: Spot) -> float:
    """Metres of cable between two boxes: inside a rack, else up to the tray, along and across, and down."""
    if a.rack == b.rack:
        return abs(a.height_m - b.height_m) + SLACK_M
    across = RACK_PITCH_M * abs(a.place - b.place) + ROW_PITCH_M * abs(a.row - b.row)
    return a.to_tray_m + b.to_tray_m + across + SLACK_M


def made_length_m(metres: float) -> float:
    """The next length that cables are made in."""
    place = bisect_left(LENGTHS_M, metres)
    return LENGTHS_M[place] if place < len(LENGTHS_M) else float(ceil(metres / 100) * 100)


def medium_for(net: Network, key: Run, catalogue: Catalogue) -> Medium:
    """The cheapest medium of the catalogue that reaches so far at this rate, copper only inside a rack.

    Copper to a node is split at the switch.
    """
    switch = catalogue.switch(net.switch)
    optics: Iterable[Optic] = catalogue.entries("optics").values()
    split = key.hop in EDGE_HOPS
    found = [
        (MEDIA.index(optic.medium), optic.reach_m.value, optic.id, optic)
        for optic in optics
        if optic.port_gb_per_s.value == net.link_gb_per_s
        and optic.reach_m.value is not None
        and key.length_m <= optic.reach_m.value
        and ((key.same_rack and net.copper) or optic.medium not in COPPER)
        and _suits(optic, split, switch)
    ]
    if not found:
        return Medium("optics")
    optic = min(found)[3]
    return Medium(optic.medium, optic.id, (optic.ports.value or 1) if optic.medium in COPPER else 1)


def _suits(optic: Optic, split: bool, switch: Switch) -> bool:
    """Whether a part goes between these ends: its technology, and a split cable only where one end is a node."""
    if switch.technology not in (*optic.technologies, "nvlink"):
        return False
    if optic.medium == "transceiver":
        return (optic.ports.value or 1) == links_per_cage(switch, switch.ports.value or 1)
    return optic.splits == split


def run_of(link: Link, spots: Mapping[str, Spot]) -> Run:
    """With which others a link is ordered."""
    low, high = spots[link.low], spots[link.high]
    return Run(link.purpose, link.hop, made_length_m(length_m(low, high)), low.rack == high.rack)


def cable_runs(
    layout: Layout, links: Iterable[Link], catalogue: Catalogue
) -> tuple[tuple[CableRun, ...], tuple[Modules, ...]]:
    """The layout's ``links`` as cables by hop, length and medium, shortest first, and the transceivers they need."""
    media: dict[Run, Medium] = {}
    counts: Counter[Run] = Counter()
    rails: Counter[tuple[str, str | None, str]] = Counter()
    joined, spots = {net.purpose: net for net in networks_of(layout)}, spots_of(layout)
    for link in links:
        key = run_of(link, spots)
        if key not in media:
            media[key] = medium_for(joined[link.purpose], key, catalogue)
        counts[key] += link.parallel
        if link.rail is not None and media[key].kind in MODULAR:
            rails[link.purpose, media[key].part, link.low] += link.parallel
    runs = tuple(_run(key, counts[key], media[key]) for key in sorted(counts, key=_order))
    modular = dict.fromkeys((run.purpose, run.part) for run in runs if run.medium in MODULAR)
    return runs, tuple(_modules(joined[purpose], part, runs, rails, catalogue) for purpose, part in modular)


def networks_of(layout: Layout) -> Iterator[Network]:
    """The fabrics of a layout."""
    copper = sum(device.nodes for device in layout.devices("GPU server")) < OPTICS_FROM
    for part in layout.fabrics:
        link, planes = part.request.link_gb_per_s, part.result.planes
        twin = link <= TWIN_MODULE_GB_PER_S and planes == 1
        yield Network(part.purpose, part.result.switch, link, planes, part.result.ports_per_switch, twin, copper)
    if layout.storage_fabric is not None:
        yield Network("storage", layout.storage_fabric.switch, 50.0, 1, 64, False, copper)


EDGE_HOPS = ("node to leaf", "manager to leaf", "storage to leaf")
HOPS = (*EDGE_HOPS, "leaf to leaf", "leaf to spine", "spine to core")


def _order(key: Run) -> tuple[str, int, float, bool]:
    return key.purpose, HOPS.index(key.hop), key.length_m, not key.same_rack


def _run(key: Run, links: int, medium: Medium) -> CableRun:
    return CableRun(
        purpose=key.purpose,
        hop=key.hop,
        medium=medium.kind,
        part=medium.part,
        length_m=key.length_m,
        in_rack=key.same_rack,
        links=links,
        cables=ceil(links / medium.links),
    )


def _modules(
    net: Network,
    part: str | None,
    runs: tuple[CableRun, ...],
    rails: Mapping[tuple[str, str | None, str], int],
    catalogue: Catalogue,
) -> Modules:
    """One module for the links of a cage at switches; at nodes two adapters share one where the node is built so."""
    own = [run for run in runs if (run.purpose, run.part) == (net.purpose, part) and run.medium in MODULAR]
    ends = sum(run.links * (1 if run.hop in EDGE_HOPS else 2) for run in own)
    at_nodes = [ceil(n / net.planes) for (*key, _), n in rails.items() if key == [net.purpose, part]]
    return Modules(
        purpose=net.purpose,
        part=part,
        switch=ceil(ends / links_per_cage(catalogue.switch(net.switch), net.ports)),
        node=sum(ceil(n / 2) if net.twin_nodes else n for n in at_nodes),
    )
