"""Every link of a layout by the names of its boxes: nodes to leaves by rail, managers, storage, switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assistant.sizing.bill.lines import UFM_PER_FABRIC, FabricPart
from assistant.sizing.fabric.storage_fabric import NODE_LINKS, StorageFabric, storage_links
from assistant.sizing.fabric.wiring import links
from assistant.sizing.physical.layout import Device, Layout
from assistant.sizing.physical.names import ends_of


class Link(NamedTuple):
    """``parallel`` links of one fabric between two boxes; ``low`` is the node or the lower switch."""

    purpose: str
    hop: str
    low: str
    high: str
    parallel: int
    rail: int | None = None


def layout_links(layout: Layout) -> Iterator[Link]:
    """Every link of every fabric by the names of its boxes, the managers' links included."""
    for part in layout.fabrics:
        yield from _fabric_links(part, layout)
    if layout.storage_fabric is not None:
        yield from _storage_links(layout.storage_fabric, layout)


def _storage_links(fabric: StorageFabric, layout: Layout) -> Iterator[Link]:
    boxes = {
        "node": node_names(layout),
        "leaf": [device.name for device in by_number(layout.devices("storage leaf"))],
        "spine": [device.name for device in by_number(layout.devices("storage spine"))],
        "storage": [device.name for device in layout.devices("storage")],
        "manager": [device.name for device in layout.devices("fabric manager")][-UFM_PER_FABRIC:],
    }
    for hop, low, high, parallel in storage_links(fabric):
        (a, at), (b, to) = (end.rsplit("-", 1) for end in (low, high))
        rail = int(to) % NODE_LINKS if hop == "node to leaf" else None
        lower, upper = (boxes[kind][int(n) % len(boxes[kind])] for kind, n in ((a, at), (b, to)))
        yield Link("storage", hop, lower, upper, parallel, rail)


def by_number(devices: Iterable[Device]) -> list[Device]:
    """Devices of one kind in the order of their numbers."""
    return sorted(devices, key=_number)


def _fabric_links(part: FabricPart, layout: Layout) -> Iterator[Link]:
    ends, nodes = ends_of(part), node_names(layout)
    load: Counter[str] = Counter()
    for low, high, parallel in links(part.request, part.result):
        kind, _, rest = low.partition("-")
        if kind == "nic":
            node, _, rail = rest.partition("-")
            load[ends[high]] += 1
            yield Link(part.purpose, "node to leaf", nodes[int(node)], ends[high], parallel, int(rail))
        else:
            upper = high.partition("-")[0]
            yield Link(part.purpose, f"{kind} to {upper}", ends[low], ends[high], parallel)
    yield from _manager_links(part, layout, load, ends)


def _manager_links(part: FabricPart, layout: Layout, load: Counter[str], ends: Mapping[str, str]) -> Iterator[Link]:
    """The managers' links of each plane, each to the leaf that carries fewest so far; of equals the first, which are
    those that traded an uplink for it."""
    managed = [p.purpose for p in layout.fabrics if p.request.management_ports]
    if part.purpose not in managed:
        return
    first = managed.index(part.purpose) * UFM_PER_FABRIC
    managers = layout.devices("fabric manager")[first : first + UFM_PER_FABRIC]
    for plane in range(part.result.planes if managers else 0):
        leaves = [name for end, name in ends.items() if end.startswith(f"leaf-{plane}-")]
        for number in range(part.result.management_ports):
            leaf = min(leaves, key=lambda name: load[name])
            load[leaf] += 1
            yield Link(part.purpose, "manager to leaf", managers[number % len(managers)].name, leaf, 1)


def node_names(layout: Layout) -> list[str]:
    """The box that each computer is in, in the order of their numbers."""
    return [device.name for device in by_number(layout.devices("GPU server")) for _ in range(device.nodes)]


def _number(device: Device) -> int:
    return int(device.name.rpartition("-")[2])


def rails_of(links: Iterable[Link]) -> dict[str, str]:
    """What each leaf of a layout's links carries, in words: its rails, and the first and last of its nodes."""
    found: dict[str, tuple[set[int], list[str]]] = {}
    for link in links:
        if link.rail is not None:
            rails, nodes = found.setdefault(link.high, (set(), []))
            rails.add(link.rail)
            nodes.append(link.low)
    return {leaf: _told(sorted(rails), nodes[0], nodes[-1]) for leaf, (rails, nodes) in found.items()}


def _told(rails: list[int], first: str, last: str) -> str:
    runs = f"rail {rails[0]}" if len(rails) == 1 else f"rails {rails[0]} to {rails[-1]}"
    return f"{runs} of {first}" + ("" if first == last else f" to {last}")
