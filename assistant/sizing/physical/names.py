"""What each box is called and which end of the wiring it is: node-001, leaf-01, spine-01, oob-1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from assistant.sizing.bill.lines import BillLine, FabricPart

SUPPORT = {"management node": "mgmt", "login node": "login", "fabric manager": "ufm"}
"""Bill items of machines that are not catalogue entries themselves, and how they are called."""

NETWORKS = {"in-band network": "inband", "out-of-band network": "oob", "in-band and out-of-band network": "tor"}


class Named(NamedTuple):
    """A box to be placed: its name, role, what demanded it, and its catalogue id where racks count it otherwise."""

    name: str
    role: str
    of: str
    item: str = ""


def names_of(
    bill: tuple[BillLine, ...], fabrics: tuple[FabricPart, ...], stands_for: Mapping[str, str], storage: bool = False
) -> dict[str, list[Named]]:
    """Boxes by item, in the order in which racks take them; ``stands_for`` maps bill items to catalogue ids.

    ``storage``: there is a fabric for storage beside those given.
    """
    found: dict[str, list[Named]] = {}
    purposes = {*(part.purpose for part in fabrics), *(("storage",) if storage else ())}
    for line in bill:
        if line.included or line.unit not in ("node", "rack", "switch", "system") or line.item == "rack":
            continue
        item = "storage" if line.unit == "system" else stands_for.get(line.item, line.item)
        found.setdefault(item, []).extend(_boxes(line, purposes))
    return found


def _boxes(line: BillLine, purposes: Collection[str]) -> Iterator[Named]:
    network, _, tier = line.of.partition(", ")
    purpose = network.removesuffix(" fabric")
    if line.unit == "switch" and purpose in purposes:
        prefix = tier if purpose == "compute" else f"{purpose}-{tier}"
        yield from (Named(name, f"{purpose} {tier}", line.of) for name in _numbered(prefix, line.count))
    elif line.unit == "switch":
        own = NETWORKS.get(network, "switch")
        prefix = own if own == "tor" else "-".join(filter(None, (own, tier)))
        role = f"{NETWORKS.get(network, network)} switch"
        yield from (Named(name, role, line.of) for name in _numbered(prefix, line.count))
    else:
        prefix, role = _machine(line)
        item = line.item if line.unit == "system" else ""
        yield from (Named(name, role, line.of, item) for name in _numbered(prefix, line.count))


def _machine(line: BillLine) -> tuple[str, str]:
    if line.item in SUPPORT:
        return SUPPORT[line.item], line.item
    if line.unit == "system":
        return "storage", "storage"
    if line.of == "GPUs of the plan":
        return ("nvl" if line.unit == "rack" else "node"), "GPU server"
    return line.item.removesuffix(" node").replace(" ", "-"), line.item


def _numbered(prefix: str, count: int) -> Iterator[str]:
    width = len(str(count))
    return (f"{prefix}-{number:0{width}}" for number in range(1, count + 1))


def _ends(tier: str, part: FabricPart) -> Iterator[str]:
    """The wiring's names of one tier's switches, neighbours in the room together: by block, then by plane."""
    result, planes = part.result, range(part.result.planes)
    if tier == "leaf":
        count = (result.leaf or 0) // result.planes
        block = max(1, result.leaves_per_group)
        starts = range(0, count, block)
        return (f"leaf-{p}-{i}" for s in starts for p in planes for i in range(s, min(s + block, count)))
    if tier == "spine":
        pods, each = range(result.pods_per_plane), range(result.spines_per_pod)
        return (f"spine-{p}-{pod}-{s}" for pod in pods for p in planes for s in each)
    each = range(result.spines_per_pod)
    return (f"core-{p}-{s}-{c}" for p in planes for s in each for c in range(result.cores_per_group))


def ends_of(part: FabricPart) -> dict[str, str]:
    """The name of each switch of a fabric by its end of the wiring (``leaf-0-3``)."""
    found: dict[str, str] = {}
    result = part.result
    for tier, count in (("leaf", result.leaf), ("spine", result.spine), ("core", result.core)):
        if count:
            prefix = tier if part.purpose == "compute" else f"{part.purpose}-{tier}"
            found |= zip(_ends(tier, part), _numbered(prefix, count), strict=True)
    return found
