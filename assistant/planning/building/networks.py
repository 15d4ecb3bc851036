"""The networks of a site: what the place is like, the switch of a technology, fabrics for compute and storage."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from assistant.sizing.bill.lines import BillLine, FabricPart
from assistant.sizing.equipment.nodes import ServerChoice
from assistant.sizing.fabric.busbw import ExpectedBusBandwidth, acceptance_points
from assistant.sizing.fabric.estimate import FabricRequest, estimate_fabric
from assistant.sizing.fabric.storage_fabric import StorageFabric, StorageFabricRequest, estimate_storage_fabric
from assistant.sizing.facility.models import Method
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

ETHERNET_SWITCH = "sn5600"
INFINIBAND_SWITCHES = {50.0: "qm9700", 100.0: "q3400"}
SINGLE_SWITCH_PORTS = {"qm9700": 64, "q3400": 144}
"""Ports of the managed InfiniBand switches; a fabric of one of them needs no manager of its own."""
FABRIC_MANAGER_PORTS = 2
"""Ports that an InfiniBand fabric keeps for its managers, one for each of two."""
TWIN_PLANE_ABOVE_GB_PER_S = 50.0
"""Faster Ethernet adapters are split over two planes, as in DGX SuperPOD B300 (RA-11337): 8,192 ports in two tiers."""
STORAGE_FABRIC_FROM = 31
"""From so many servers on, one scalable unit of SuperPOD, storage has an InfiniBand fabric of its own."""
STORAGE_LINKS = 4
"""Links of one storage system at 400 Gb/s, two for each of two controllers; assumed."""


class Surroundings(Frozen):
    """What the brief says of the place, and what the rules decided of the network and the cooling."""

    rack_limit_kw: float | None = None
    pue: float | None = None
    redundancy: str = "N"
    site_limit_kw: float | None = None
    cooling: Method | None = None
    technology: str = "none"
    oversubscription: float = 1.0
    storage_kw: float = 0.0
    storage_rack_units: float = 0.0
    storage_item: str | None = None
    storage_units: int = 0
    storage: dict[str, Any] = Field(default_factory=dict)
    rack_feed_kw: float | None = None
    operating_hours: Literal["24x7", "office"] = "24x7"
    services: tuple[BillLine, ...] = ()


def compute_switch(technology: str, link_gb_per_s: float) -> str:
    """The switch a first sizing takes for a technology and a link rate."""
    if technology == "infiniband":
        return INFINIBAND_SWITCHES.get(link_gb_per_s, "q3400" if link_gb_per_s > 50 else "qm9700")
    return ETHERNET_SWITCH


def compute_fabric(
    choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue, trace: Trace | None = None
) -> FabricPart | None:
    """The compute fabric of so many units; None where nothing spans them."""
    technology = place.technology
    if units < 2 or technology in ("none", "nvlink_only"):
        return None
    link, trays = choice.compute_nic_gb_per_s or 50.0, trays_of(choice, catalogue)
    planes = 2 if technology == "roce" and link > TWIN_PLANE_ABOVE_GB_PER_S else 1
    request = FabricRequest(
        nodes=units * trays,
        nics_per_node=(choice.compute_nics or choice.gpus_per_unit) // trays,
        nodes_per_group=trays if trays > 1 else None,
        link_gb_per_s=link / planes,
        planes=planes,
        switch=compute_switch(technology, link),
        oversubscription=place.oversubscription,
        management_ports=_manager_ports(choice, units, technology, link),
    )
    return FabricPart(purpose="compute", request=request, result=estimate_fabric(request, catalogue, trace))


def _manager_ports(choice: ServerChoice, units: int, technology: str, link_gb_per_s: float) -> int:
    """Ports kept for fabric managers; a single managed switch runs its own subnet manager."""
    endpoints = units * (choice.compute_nics or choice.gpus_per_unit)
    alone = endpoints <= SINGLE_SWITCH_PORTS.get(compute_switch(technology, link_gb_per_s), 0)
    return FABRIC_MANAGER_PORTS if technology == "infiniband" and not alone else 0


def storage_fabric(choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue) -> StorageFabric | None:
    """The fabric for storage that an InfiniBand cluster of SuperPOD's size has.

    Smaller ones have storage on the in-band Ethernet, as BasePOD does, and so have racks of trays (DGX SuperPOD GB200,
    RA-11338).
    """
    apart = place.technology == "infiniband" and trays_of(choice, catalogue) == 1 and units >= STORAGE_FABRIC_FROM
    if not apart or not place.storage_units:
        return None
    ports = STORAGE_LINKS * place.storage_units
    return estimate_storage_fabric(StorageFabricRequest(nodes=units, storage_ports=ports), catalogue)


def in_band_ports(fabric: StorageFabric | None, place: Surroundings) -> int:
    """Ports of storage on the in-band network: all of them where storage has no fabric of its own."""
    return 0 if fabric is not None else STORAGE_LINKS * place.storage_units


def trays_of(choice: ServerChoice, catalogue: Catalogue) -> int:
    """Computers in one unit of the chosen server: the trays of a rack, else one."""
    return catalogue.server(choice.server).nodes_per_unit if choice.server else 1


COLLECTIVES = ("all_reduce", "all_gather", "all_to_all")


def acceptance_of(
    choice: ServerChoice, units: int, technology: str, catalogue: Catalogue
) -> dict[str, dict[str, dict[str, Any]]]:
    """Bus bandwidth to accept by collective and number of nodes, where somebody measured or published one.

    ``least_gb_per_s`` is the expected value less its tolerance; ``floors`` are what clouds demand of a node. A count
    without a figure of its own says at how many nodes its figure was measured.
    """
    nodes = units * trays_of(choice, catalogue)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for collective in COLLECTIVES:
        points = acceptance_points(choice.accelerator, technology, nodes, catalogue, collective)
        if points:
            found[collective] = {str(count): _accepted(point) for count, point in points.items()}
    return found


def _accepted(point: ExpectedBusBandwidth) -> dict[str, Any]:
    return {
        "expected_gb_per_s": point.value_gb_per_s,
        "least_gb_per_s": point.low_gb_per_s,
        "kind": point.kind,
        "basis": point.basis,
        "floors": [f"{floor.value_gb_per_s:g} GB/s ({floor.platform})" for floor in point.floors],
        "sources": list(point.sources),
    }
