"""The Ethernet networks of a site: in-band with its uplinks, and out-of-band, from one server up.

Up to two GPU servers a pair of switches with 48 ports of 1 Gb/s and four of 100 Gb/s is both networks; beyond, in-band
leaves stand in pairs as in NVIDIA's designs and the out-of-band network has switches of its own.
"""

from __future__ import annotations

from math import ceil

from assistant.sizing.bill.models import BillLine, BillRequest
from knowledge.catalogue import Catalogue

INBAND_UPLINKS_PER_LEAF = 4
"""The H100 SuperPOD has 24 leaf-core cables for six in-band leaves."""

INBAND_PORTS = 64
"""Ports of the in-band switch of NVIDIA's designs (SN4600C or SN5600)."""
OOB_PORTS = 48
"""Ports of the in-band and out-of-band switches of NVIDIA's designs (SN4600C or SN5600, SN2201)."""

INBAND_LINKS_PER_NODE = 2
"""254 in-band cables for 127 nodes in the H100 SuperPOD."""

INBAND_LINKS_PER_SUPPORT_NODE = 2
"""8 in-band cables for four management servers in the H100 SuperPOD, 10 for five in BasePOD."""

UFM_PER_FABRIC = 2
"""Fabric managers of one InfiniBand fabric, one to spare; 4 for two fabrics in the H100 SuperPOD."""

SITE_UPLINKS = 4
"""Four cables to the core of the data centre in table 8 of the H100 SuperPOD; two where one pair of switches is all."""

TOP_OF_RACK_FAST_PORTS = 4
"""Ports of 100 Gb/s of the small switch (SN2201), beside its 48 of 1 Gb/s."""


def fabric_managers(request: BillRequest) -> int:
    """Machines that manage InfiniBand fabrics: those whose fabrics keep ports for them."""
    managed = sum(part.request.management_ports > 0 for part in request.fabrics)
    return UFM_PER_FABRIC * (managed + (request.storage_fabric is not None))


def gpu_nodes(request: BillRequest, catalogue: Catalogue) -> int:
    """Computers with GPUs: servers, boxes, and the trays of rack products."""
    boxes = sum(box.count for box in request.boxes)
    return boxes + sum(counted.count * catalogue.server(counted.id).nodes_per_unit for counted in request.servers)


def support_machines(request: BillRequest) -> int:
    """Machines without GPUs: management, login, fabric managers and the platform's services."""
    return request.management + request.login + fabric_managers(request) + _service_nodes(request)


def _service_nodes(request: BillRequest) -> int:
    return sum(line.count for line in request.services)


def inband_lines(request: BillRequest, catalogue: Catalogue) -> list[BillLine]:
    """Leaves in pairs with four uplinks each; two cores once there is more than one pair; uplinks to the site."""
    if top_of_rack(request, catalogue):
        return _top_of_rack_lines(request, catalogue)
    nodes, support = gpu_nodes(request, catalogue), support_machines(request) - fabric_managers(request)
    support_links = support * INBAND_LINKS_PER_SUPPORT_NODE
    links = nodes * INBAND_LINKS_PER_NODE + support_links + request.storage_ports
    leaves = 2 * ceil(links / (2 * (INBAND_PORTS - INBAND_UPLINKS_PER_LEAF)))
    cores = 2 if leaves > 2 else 0
    uplinks = leaves * INBAND_UPLINKS_PER_LEAF if cores else 0
    item, cable = request.inband_switch, "in-band cable"
    return [
        BillLine(item=item, count=leaves, unit="switch", of="in-band network, leaf"),
        BillLine(item=item, count=cores, unit="switch", of="in-band network, core"),
        BillLine(item=cable, count=nodes * INBAND_LINKS_PER_NODE, unit="cable", of="in-band network, GPU nodes"),
        BillLine(item=cable, count=support_links, unit="cable", of="in-band network, support nodes"),
        BillLine(item=cable, count=request.storage_ports, unit="cable", of="in-band network, storage"),
        BillLine(item=cable, count=uplinks, unit="cable", of="in-band network, leaf to core"),
        BillLine(item=cable, count=leaves, unit="cable", of="in-band network, between the leaves of a pair"),
        BillLine(item=cable, count=SITE_UPLINKS, unit="cable", of="in-band network, uplink to the site"),
    ]


def top_of_rack(request: BillRequest, catalogue: Catalogue) -> bool:
    """Whether a pair of small switches carries everything: each with a fast link to every GPU server, to the other and
    up; a head node is joined at 1 Gb/s."""
    return gpu_nodes(request, catalogue) + 2 <= TOP_OF_RACK_FAST_PORTS and not request.storage_ports


def _top_of_rack_lines(request: BillRequest, catalogue: Catalogue) -> list[BillLine]:
    nodes, support = gpu_nodes(request, catalogue), support_machines(request)
    switches = 1 if nodes == 1 else 2
    of, cable = "in-band and out-of-band network", "in-band cable"
    joined = 0 if switches == 1 else 1
    return [
        BillLine(item=request.oob_switch, count=switches, unit="switch", of=f"{of}, top of rack"),
        BillLine(item=cable, count=nodes * switches, unit="cable", of="in-band network, GPU nodes"),
        BillLine(item="1 Gb/s cable", count=support * switches, unit="cable", of="in-band network, support nodes"),
        BillLine(item=cable, count=joined, unit="cable", of="in-band network, between the leaves of a pair"),
        BillLine(item=cable, count=2, unit="cable", of="in-band network, uplink to the site"),
    ]


def oob_lines(request: BillRequest, lines: list[BillLine], catalogue: Catalogue) -> list[BillLine]:
    """One 1 Gb/s link for every machine, switch and PDU; an even number of switches with two uplinks each."""
    machines = gpu_nodes(request, catalogue) + support_machines(request)
    switches = sum(line.count for line in lines if line.unit == "switch")
    pdus = sum(line.count for line in lines if line.item == "PDU")
    boxes = ceil((machines + switches + pdus) / OOB_PORTS)
    boxes = boxes if boxes == 1 else 2 * ceil(boxes / 2)
    if top_of_rack(request, catalogue):
        boxes = 0
    cable = "1 Gb/s cable"
    return [
        BillLine(item=request.oob_switch, count=boxes, unit="switch", of="out-of-band network"),
        BillLine(item=cable, count=machines, unit="cable", of="out-of-band network, machines"),
        BillLine(item=cable, count=switches, unit="cable", of="out-of-band network, switches"),
        BillLine(item=cable, count=pdus, unit="cable", of="out-of-band network, PDUs"),
        BillLine(item="in-band cable", count=2 * boxes, unit="cable", of="out-of-band network, uplinks"),
    ]
