"""Which box stands in which rack and height unit, and where the racks stand.

Heavy boxes from the floor up, small gear from the top down. In the room GPU racks keep the order of their nodes; racks
with leaves stand evenly among them, so that each leaf is near its block, and all other gear in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from assistant.sizing.facility.models import RackGroup, RackPart
from assistant.sizing.facility.racks import HELD_BACK_UNITS
from assistant.sizing.physical.layout import Device, Rack
from assistant.sizing.physical.names import Named

RACKS_PER_ROW = 16
"""The most racks side by side; assumed, the room decides. Rows are equally long."""

LOW_BOX_UNITS = 2
"""Boxes up to this height hang from the top, higher ones stand on the floor of the rack."""

PRODUCT_RACK_UNITS = 48
"""Height of a rack that is sold as one product (MGX racks of NVL72)."""

Standing = list[tuple[Device, ...]]


def lay_out(
    groups: Sequence[RackGroup], names: Mapping[str, Sequence[Named]], height: int, nodes: Mapping[str, int]
) -> tuple[Rack, ...]:
    """All racks in the order in which they stand. ``nodes`` tells how many computers an item holds where not one."""
    queues = {item: iter(boxes) for item, boxes in names.items()}
    racks = []
    for group in groups:
        for _ in range(group.count):
            units = PRODUCT_RACK_UNITS if group.sealed else height
            racks.append((group, units, tuple(_standing(group, units, queues, nodes))))
    ordered = _in_the_room(racks)
    per_row = ceil(len(ordered) / max(1, ceil(len(ordered) / RACKS_PER_ROW)))
    return tuple(_rack(number, per_row, rack) for number, rack in enumerate(ordered))


Filled = tuple[RackGroup, int, tuple[Device, ...]]


def _rack(number: int, per_row: int, filled: Filled) -> Rack:
    (row, place), (group, units, devices) = divmod(number, per_row), filled
    return Rack(
        name=f"{row_name(row)}{place + 1:02}",
        row=row,
        place=place,
        kind="compute" if group.compute else "network and support",
        height=units,
        kw=group.kw,
        kg=group.kg,
        devices=tuple(sorted(devices, key=lambda device: -device.u)),
    )


def row_name(row: int) -> str:
    """A, B … Z, AA, AB …"""
    letters = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _standing(
    group: RackGroup, units: int, queues: Mapping[str, Iterator[Named]], nodes: Mapping[str, int]
) -> Iterator[Device]:
    """The boxes of one rack with their places."""
    floor, top = 1, units - int(HELD_BACK_UNITS)
    for part in group.parts:
        high = units if group.sealed else max(1, ceil(part.rack_units))
        for _ in range(part.count):
            named = next(queues.get(part.item, iter(())), Named(part.item, part.item, "the site"))
            if high > LOW_BOX_UNITS or group.sealed:
                u, floor = floor, floor + high
            else:
                u, top = top - high + 1, top - high
            yield _device(named, part, u, high, nodes)


def _device(named: Named, part: RackPart, u: int, height: int, nodes: Mapping[str, int]) -> Device:
    return Device(
        name=named.name,
        item=named.item or part.item,
        role=named.role,
        of=named.of,
        u=u,
        height=height,
        kw=part.kw,
        nodes=nodes.get(part.item, 1),
    )


def _in_the_room(racks: Sequence[Filled]) -> list[Filled]:
    compute = [rack for rack in racks if rack[0].compute]
    leaves = [rack for rack in racks if not rack[0].compute and _has_leaf(rack)]
    others = [rack for rack in racks if not rack[0].compute and not _has_leaf(rack)]
    line = _spread(compute, leaves)
    middle = len(line) // 2
    return [*line[:middle], *others, *line[middle:]]


def _has_leaf(rack: Filled) -> bool:
    return any(device.role == "compute leaf" for device in rack[2])


def _spread(line: list[Filled], among: list[Filled]) -> list[Filled]:
    """``among`` put into ``line`` at equal distances."""
    out, step = [], len(line) / len(among) if among else 0.0
    starts = [round((place + 0.5) * step) for place in range(len(among))]
    before = 0
    for start, rack in zip(starts, among, strict=True):
        out += [*line[before:start], rack]
        before = start
    return [*out, *line[before:]]
