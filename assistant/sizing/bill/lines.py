"""The bill of materials: what is ordered, how much of it, and what demanded each line.

Counts come from the sized parts; ``bill_checks`` compares the ones that must agree (ports, cable ends, adapters).
"""

from __future__ import annotations

from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.units import Box, Counted
from assistant.sizing.fabric.estimate import FabricRequest, FabricResult
from assistant.sizing.fabric.storage_fabric import MANAGER_LINKS, StorageFabric
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

Whole = Annotated[int, Field(ge=0)]

INBAND_UPLINKS_PER_LEAF = 4
"""The H100 SuperPOD has 24 leaf-core cables for six in-band leaves."""

INBAND_PORTS = 64
"""Ports of the in-band switch of NVIDIA's designs (SN4600C or SN5600)."""
OOB_PORTS = 48
"""Ports of their out-of-band switch (SN2201)."""

INBAND_LINKS_PER_NODE = 2
"""254 in-band cables for 127 nodes in the H100 SuperPOD."""

INBAND_LINKS_PER_SUPPORT_NODE = 2
"""8 in-band cables for four management servers in the H100 SuperPOD, 10 for five in BasePOD."""

UFM_PER_FABRIC = 2
"""Fabric managers of one InfiniBand fabric, one to spare; 4 for two fabrics in the H100 SuperPOD."""

PDUS_PER_COMPUTE_RACK = 3
"""96 power distribution units in 32 compute racks of the H100 SuperPOD."""
PDUS_PER_OTHER_RACK = 2
"""12 in 6 management racks of the H100 SuperPOD."""


class BillLine(Frozen):
    """``count`` ``unit`` of ``item``, demanded by ``of``. ``included`` parts come inside another line's item.

    ``links`` are the links that cables carry, where that is not one each.
    """

    item: str
    count: int
    unit: str
    of: str
    included: bool = False
    links: int | None = None


class FabricPart(Frozen):
    """A sized fabric with its purpose, such as ``compute`` or ``storage``."""

    purpose: str
    request: FabricRequest
    result: FabricResult


class BillRequest(Frozen):
    """The sized parts. ``servers`` are GPU servers or rack products, ``boxes`` those that the catalogue does not have;
    ``management`` and ``login`` are machines, as are the ``services`` that the platform runs.

    ``compute_racks`` hold the GPU servers, ``other_racks`` the rest; a PDU ends each of ``feeds_per_rack``, if known.
    Without networks ``inband`` False leaves out the in-band and out-of-band switches, as for a single box.
    """

    servers: tuple[Counted, ...]
    boxes: tuple[Box, ...] = ()
    fabrics: tuple[FabricPart, ...] = ()
    storage_fabric: StorageFabric | None = None
    storage: tuple[BillLine, ...] = ()
    services: tuple[BillLine, ...] = ()
    management: Whole = 0
    login: Whole = 0
    compute_racks: Whole = 0
    other_racks: Whole = 0
    feeds_per_rack: Whole | None = None
    inband: bool = True
    inband_switch: str = "sn4600c"
    oob_switch: str = "sn2201"


def bill_of_materials(request: BillRequest, catalogue: Catalogue) -> tuple[BillLine, ...]:
    """All lines, servers first. Raises UnknownName for a server that the catalogue does not know."""
    lines = [line for counted in request.servers for line in _server_lines(counted, catalogue)]
    lines += [line for box in request.boxes for line in _box_lines(box)]
    for part in request.fabrics:
        lines += _fabric_lines(part)
    if request.storage_fabric is not None:
        lines += _storage_fabric_lines(request.storage_fabric, catalogue)
    lines += request.storage
    lines += _support_lines(request)
    if request.inband:
        lines += _inband_lines(request, catalogue)
    lines += _rack_lines(request)
    if request.inband:
        lines += _oob_lines(request, lines, catalogue)
    return tuple(line for line in lines if line.count)


def _server_lines(counted: Counted, catalogue: Catalogue) -> list[BillLine]:
    server = catalogue.server(counted.id)
    lines = [BillLine(item=server.id, count=counted.count, unit=server.unit, of="GPUs of the plan")]
    accelerator = counted.accelerator or server.accelerator or "accelerator"
    each: tuple[tuple[str, int | None], ...] = (
        (accelerator, counted.gpus or server.gpu_count),
        ("compute adapter", server.compute_nics.value),
        ("storage and in-band adapter", server.storage_nics.value),
    )
    built_in = (("host memory", server.host_ram_gb.value, "GB"), ("local NVMe", server.nvme_tb.value, "TB"))
    lines += [
        BillLine(item=item, count=counted.count * count, unit="piece", of=server.id, included=True)
        for item, count in each
        if count
    ]
    lines += [
        BillLine(item=item, count=round(counted.count * size), unit=unit, of=server.id, included=True)
        for item, size, unit in built_in
        if size
    ]
    return lines


def _box_lines(box: Box) -> list[BillLine]:
    lines = [BillLine(item=box.name, count=box.count, unit="node", of="GPUs of the plan")]
    if box.gpus:
        accelerator = box.accelerator or "accelerator"
        gpus = box.count * box.gpus
        lines.append(BillLine(item=accelerator, count=gpus, unit="piece", of=box.name, included=True))
    return lines


def _fabric_lines(part: FabricPart) -> list[BillLine]:
    result, purpose = part.result, f"{part.purpose} fabric"
    if not result.fits:
        raise BadInput("fabrics", part.purpose, "a fabric that fits", (result.nearest_fix or "",))
    tiers = (("leaf", result.leaf), ("spine", result.spine), ("core", result.core))
    lines = [
        BillLine(item=result.switch, count=count, unit="switch", of=f"{purpose}, {tier}")
        for tier, count in tiers
        if count
    ]
    cables = (
        ("node to leaf", result.links_node_leaf),
        ("leaf to leaf", result.cables_leaf_leaf * result.planes),
        ("leaf to spine", result.links_leaf_spine),
        ("spine to core", result.links_spine_core),
    )
    rate = f"{part.request.link_gb_per_s * 8:g} Gb/s cable"
    lines += [BillLine(item=rate, count=count, unit="cable", of=f"{purpose}, {hop}") for hop, count in cables if count]
    lines += [
        BillLine(
            item=f"switch transceiver {rate[:-6]}", count=result.transceivers_switch or 0, unit="module", of=purpose
        ),
        BillLine(item=f"node transceiver {rate[:-6]}", count=result.transceivers_node or 0, unit="module", of=purpose),
    ]
    return lines


def _storage_fabric_lines(fabric: StorageFabric, catalogue: Catalogue) -> list[BillLine]:
    rate = f"{(catalogue.switch(fabric.switch).port_gb_per_s.value or 50) * 8:g} Gb/s"
    of = "storage fabric"
    cables = (
        ("node to leaf", fabric.node_cables),
        ("manager to leaf", MANAGER_LINKS),
        ("storage to leaf", fabric.storage_ports),
        ("leaf to leaf", fabric.cross_links),
        ("leaf to spine", fabric.leaf_spine_cables),
    )
    modules = (("switch", fabric.transceivers_switch), ("node", fabric.transceivers_node))
    return [
        BillLine(item=fabric.switch, count=fabric.leaf, unit="switch", of=f"{of}, leaf"),
        BillLine(item=fabric.switch, count=fabric.spine, unit="switch", of=f"{of}, spine"),
        *(BillLine(item=f"{rate} cable", count=count, unit="cable", of=f"{of}, {hop}") for hop, count in cables),
        *(BillLine(item=f"{end} transceiver {rate}", count=n, unit="module", of=of) for end, n in modules),
    ]


def fabric_managers(request: BillRequest) -> int:
    """Machines that manage InfiniBand fabrics: those whose fabrics keep ports for them."""
    managed = sum(part.request.management_ports > 0 for part in request.fabrics)
    return UFM_PER_FABRIC * (managed + (request.storage_fabric is not None))


def _support_lines(request: BillRequest) -> list[BillLine]:
    managers = fabric_managers(request)
    return [
        BillLine(item="management node", count=request.management, unit="node", of="scheduler and cluster management"),
        BillLine(item="login node", count=request.login, unit="node", of="users"),
        BillLine(item="fabric manager", count=managers, unit="node", of="management ports of fabrics"),
        *request.services,
    ]


def gpu_nodes(request: BillRequest, catalogue: Catalogue) -> int:
    """Computers with GPUs: servers, boxes, and the trays of rack products."""
    boxes = sum(box.count for box in request.boxes)
    return boxes + sum(counted.count * catalogue.server(counted.id).nodes_per_unit for counted in request.servers)


def support_machines(request: BillRequest) -> int:
    """Machines without GPUs: management, login, fabric managers and the platform's services."""
    return request.management + request.login + fabric_managers(request) + _service_nodes(request)


def _service_nodes(request: BillRequest) -> int:
    return sum(line.count for line in request.services)


def _inband_lines(request: BillRequest, catalogue: Catalogue) -> list[BillLine]:
    """Leaves in pairs with four uplinks each; two cores once there is more than one pair."""
    nodes, support = gpu_nodes(request, catalogue), support_machines(request) - fabric_managers(request)
    links = nodes * INBAND_LINKS_PER_NODE + support * INBAND_LINKS_PER_SUPPORT_NODE
    leaves = 2 * ceil(links / (2 * (INBAND_PORTS - INBAND_UPLINKS_PER_LEAF)))
    cores = 2 if leaves > 2 else 0
    uplinks = leaves * INBAND_UPLINKS_PER_LEAF if cores else 0
    item, cable = request.inband_switch, "in-band cable"
    return [
        BillLine(item=item, count=leaves, unit="switch", of="in-band network, leaf"),
        BillLine(item=item, count=cores, unit="switch", of="in-band network, core"),
        BillLine(item=cable, count=nodes * INBAND_LINKS_PER_NODE, unit="cable", of="in-band network, GPU nodes"),
        BillLine(item=cable, count=links - 2 * nodes, unit="cable", of="in-band network, support nodes"),
        BillLine(item=cable, count=uplinks, unit="cable", of="in-band network, leaf to core"),
        BillLine(item=cable, count=leaves, unit="cable", of="in-band network, between the leaves of a pair"),
    ]


def _rack_lines(request: BillRequest) -> list[BillLine]:
    compute, other = request.compute_racks, request.other_racks
    in_compute = request.feeds_per_rack or PDUS_PER_COMPUTE_RACK
    in_other = request.feeds_per_rack or PDUS_PER_OTHER_RACK
    return [
        BillLine(item="rack", count=compute, unit="rack", of="GPU servers"),
        BillLine(item="rack", count=other, unit="rack", of="network, storage and support"),
        BillLine(item="PDU", count=compute * in_compute, unit="piece", of="racks of GPU servers"),
        BillLine(item="PDU", count=other * in_other, unit="piece", of="other racks"),
    ]


def _oob_lines(request: BillRequest, lines: list[BillLine], catalogue: Catalogue) -> list[BillLine]:
    """One 1 Gb/s link for every machine, switch and PDU; an even number of switches with two uplinks each."""
    machines = gpu_nodes(request, catalogue) + support_machines(request)
    switches = sum(line.count for line in lines if line.unit == "switch")
    pdus = sum(line.count for line in lines if line.item == "PDU")
    links = machines + switches + pdus
    boxes = ceil(links / OOB_PORTS)
    boxes = boxes if boxes == 1 else 2 * ceil(boxes / 2)
    cable = "1 Gb/s cable"
    return [
        BillLine(item=request.oob_switch, count=boxes, unit="switch", of="out-of-band network"),
        BillLine(item=cable, count=machines, unit="cable", of="out-of-band network, machines"),
        BillLine(item=cable, count=switches, unit="cable", of="out-of-band network, switches"),
        BillLine(item=cable, count=pdus, unit="cable", of="out-of-band network, PDUs"),
        BillLine(item="in-band cable", count=2 * boxes, unit="cable", of="out-of-band network, uplinks"),
    ]
