"""The bill of materials: what is ordered, how much of it, and what demanded each line.

Counts come from the sized parts; ``bill_checks`` compares the ones that must agree (ports, cable ends, adapters).
"""

from __future__ import annotations

from assistant.sizing.bill.ethernet import (
    UFM_PER_FABRIC,
    fabric_managers,
    gpu_nodes,
    inband_lines,
    oob_lines,
    support_machines,
)
from assistant.sizing.bill.hosts import host_lines
from assistant.sizing.bill.models import BillLine, BillRequest, FabricPart
from assistant.sizing.equipment.units import Box, Counted
from assistant.sizing.fabric.storage_fabric import MANAGER_LINKS, StorageFabric
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

__all__ = [
    "UFM_PER_FABRIC",
    "BillLine",
    "BillRequest",
    "FabricPart",
    "bill_of_materials",
    "fabric_managers",
    "gpu_nodes",
    "support_machines",
]

PDUS_PER_COMPUTE_RACK = 3
"""96 power distribution units in 32 compute racks of the H100 SuperPOD."""
PDUS_PER_OTHER_RACK = 2
"""12 in 6 management racks of the H100 SuperPOD."""


def bill_of_materials(request: BillRequest, catalogue: Catalogue) -> tuple[BillLine, ...]:
    """All lines, servers first. Raises UnknownName for a server that the catalogue does not know."""
    lines = [line for counted in request.servers for line in _server_lines(counted, catalogue)]
    lines += [line for box in request.boxes for line in _box_lines(box, catalogue)]
    for part in request.fabrics:
        lines += _fabric_lines(part)
    if request.storage_fabric is not None:
        lines += _storage_fabric_lines(request.storage_fabric, catalogue)
    lines += request.storage
    lines += _support_lines(request)
    if request.inband:
        lines += inband_lines(request, catalogue)
    lines += _rack_lines(request)
    if request.inband:
        lines += oob_lines(request, lines, catalogue)
    return tuple(line for line in lines if line.count)


def _server_lines(counted: Counted, catalogue: Catalogue) -> list[BillLine]:
    server = catalogue.server(counted.id)
    lines = [BillLine(item=server.id, count=counted.count, unit=server.unit, of="GPUs of the plan")]
    accelerator = counted.accelerator or server.accelerator or "accelerator"
    each: tuple[tuple[str, int | None], ...] = (
        (accelerator, counted.gpus or server.gpu_count),
        ("compute tray", server.nodes_per_unit if server.unit == "rack" else None),
        ("NVLink switch tray", server.nvlink_switch_trays.value),
        ("power shelf", server.power_shelves.value),
        ("compute adapter", server.compute_nics.value),
        ("storage and in-band adapter", server.storage_nics.value),
    )
    lines += [
        BillLine(item=item, count=counted.count * count, unit="piece", of=server.id, included=True)
        for item, count in each
        if count
    ]
    gpus = counted.gpus or server.gpu_count or 0
    return lines + host_lines(server.id, counted.count, gpus, accelerator, server, catalogue)


def _box_lines(box: Box, catalogue: Catalogue) -> list[BillLine]:
    lines = [BillLine(item=box.name, count=box.count, unit="node", of="GPUs of the plan")]
    if box.gpus:
        accelerator = box.accelerator or "accelerator"
        gpus = box.count * box.gpus
        lines.append(BillLine(item=accelerator, count=gpus, unit="piece", of=box.name, included=True))
        lines += host_lines(box.name, box.count, box.gpus, accelerator, None, catalogue)
    return lines


def _fabric_lines(part: FabricPart) -> list[BillLine]:
    result, purpose = part.result, f"{part.purpose} fabric"
    if not result.fits:
        raise BadInput("fabrics", part.purpose, "a fabric that fits")
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


def _support_lines(request: BillRequest) -> list[BillLine]:
    managers = fabric_managers(request)
    return [
        BillLine(item="management node", count=request.management, unit="node", of="scheduler and cluster management"),
        BillLine(item="login node", count=request.login, unit="node", of="users"),
        BillLine(item="fabric manager", count=managers, unit="node", of="management ports of fabrics"),
        *request.services,
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
