"""From units of servers to a site: networks, storage, support, facility, and the bill that names what demanded each."""

from __future__ import annotations

from math import ceil
from typing import Any

from pydantic import Field

from assistant.output import plain
from assistant.result import BillLine, ServerCount
from assistant.sizing.bill import BillLine as SizedLine
from assistant.sizing.bill import BillRequest, FabricPart, bill_of_materials
from assistant.sizing.equipment import Counted
from assistant.sizing.fabric import FabricRequest, FabricResult, estimate_fabric
from assistant.sizing.facility import FacilityRequest, FacilityResult, estimate_facility
from assistant.sizing.nodes import ServerChoice, SupportNodes, support_nodes
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

ETHERNET_SWITCH = "sn5600"
MANAGEMENT_SERVER = "mgmt-1u"
INFINIBAND_SWITCHES = {50.0: "qm9700", 100.0: "q3400"}
SINGLE_SWITCH_PORTS = {"qm9700": 64, "q3400": 144}
"""Ports of the managed InfiniBand switches; a fabric of one of them needs no manager of its own."""
FABRIC_MANAGER_PORTS = 2
"""Ports that an InfiniBand fabric keeps for its managers, one for each of two."""
OWN_SWITCHES_FROM = 3
"""Up to so many servers use the switches that the site has; more have in-band switches of their own."""
PLAIN_BOX_RACK_UNITS = 4.0
"""Height of a server with PCIe cards where the catalogue has no product: the PCIe servers that it has take 2 to 5."""


class Surroundings(Frozen):
    """What the brief says of the place, and what the rules decided of the network."""

    rack_limit_kw: float | None = None
    pue: float | None = None
    redundancy: str = "N"
    site_limit_kw: float | None = None
    technology: str = "none"
    oversubscription: float = 1.0
    storage_kw: float = 0.0
    storage_rack_units: float = 0.0
    storage_item: str | None = None
    storage_units: int = 0
    storage: dict[str, Any] = Field(default_factory=dict)


class Site(Frozen):
    """The physical side of one plan."""

    servers: tuple[ServerCount, ...]
    fabric: FabricResult | None
    network: dict[str, Any]
    storage: dict[str, Any]
    facility: FacilityResult
    bill: tuple[BillLine, ...]
    notes: tuple[str, ...] = ()


def build_site(
    choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue, trace: Trace | None = None
) -> Site:
    """The site for ``units`` of the chosen server; the rules have decided the technology of its compute fabric."""
    fabric = _compute_fabric(choice, units, place, catalogue, trace)
    support = support_nodes(units if choice.server else min(units, 3))
    request = _bill_request(choice, units, support, fabric, place)
    switches = _switches(bill_of_materials(request, catalogue))
    facility = estimate_facility(_facility_request(choice, units, support.total, switches, place), catalogue, trace)
    compute = ceil(units / max(1, facility.units_per_rack.get(choice.server or "", 1))) if choice.server else 0
    racks = {"compute_racks": min(compute, facility.racks), "other_racks": max(0, facility.racks - compute)}
    lines = bill_of_materials(request.model_copy(update=racks), catalogue)
    return Site(
        servers=_servers(choice, units, support),
        fabric=fabric.result if fabric else None,
        network=_network(fabric, switches, place.technology),
        storage=place.storage,
        facility=facility,
        bill=tuple(_plain_box(choice, units)) + tuple(BillLine(**line.model_dump()) for line in lines),
    )


def compute_switch(technology: str, link_gb_per_s: float) -> str:
    """The switch a first sizing takes for a technology and a link rate."""
    if technology == "infiniband":
        return INFINIBAND_SWITCHES.get(link_gb_per_s, "q3400" if link_gb_per_s > 50 else "qm9700")
    return ETHERNET_SWITCH


def _compute_fabric(
    choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue, trace: Trace | None
) -> FabricPart | None:
    technology = place.technology
    if units < 2 or technology in ("none", "nvlink_only"):
        return None
    link = choice.compute_nic_gb_per_s or 50.0
    request = FabricRequest(
        nodes=units,
        nics_per_node=choice.compute_nics or choice.gpus_per_unit,
        link_gb_per_s=link,
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


def _bill_request(
    choice: ServerChoice, units: int, support: SupportNodes, fabric: FabricPart | None, place: Surroundings
) -> BillRequest:
    storage: tuple[SizedLine, ...] = ()
    if place.storage_item and place.storage_units:
        storage = (SizedLine(item=place.storage_item, count=place.storage_units, unit="system", of="shared storage"),)
    return BillRequest(
        servers=(Counted(id=choice.server, count=units),) if choice.server else (),
        fabrics=(fabric,) if fabric and fabric.result.fits else (),
        storage=storage,
        management=support.management,
        login=support.login,
        inband=units > OWN_SWITCHES_FROM,
    )


def _switches(lines: tuple[SizedLine, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        if line.unit == "switch":
            counts[line.item] = counts.get(line.item, 0) + line.count
    return counts


def _servers(choice: ServerChoice, units: int, support: SupportNodes) -> tuple[ServerCount, ...]:
    rows = [ServerCount(id=choice.server or "plain-box", count=units, name=choice.name, role="gpu")]
    for role, count in (("management", support.management), ("login", support.login)):
        if count:
            rows.append(ServerCount(id=MANAGEMENT_SERVER, count=count, name=f"{role} server", role=role))
    return tuple(rows)


def _facility_request(
    choice: ServerChoice, units: int, support: int, switches: dict[str, int], place: Surroundings
) -> FacilityRequest:
    servers = [Counted(id=MANAGEMENT_SERVER, count=support)] if support else []
    box_kw = 0.0
    if choice.server is not None:
        servers.insert(0, Counted(id=choice.server, count=units))
    else:
        box_kw = units * (choice.max_power_kw or choice.stand_in_power_kw or 0.0)
    return FacilityRequest(
        servers=tuple(servers),
        switches=tuple(Counted(id=i, count=n) for i, n in switches.items()),
        storage_kw=place.storage_kw,
        storage_rack_units=place.storage_rack_units,
        support_kw=box_kw,
        support_rack_units=PLAIN_BOX_RACK_UNITS * units if box_kw else 0.0,
        rack_limit_kw=place.rack_limit_kw,
        pue=place.pue,
        redundancy="2N" if place.redundancy == "2n" else "N",
        site_limit_kw=place.site_limit_kw,
    )


def _network(fabric: FabricPart | None, switches: dict[str, int], technology: str) -> dict[str, Any]:
    if fabric is None:
        inside = technology == "nvlink_only"
        return {
            "technology": "nvlink_only" if inside else "none",
            "why": "no job or replica spans servers, so no compute fabric is needed",
            "switches": switches,
        }
    shown = {k: v for k, v in plain(fabric.result).items() if v is not None and v not in ([], 0)}
    return {"technology": technology, **shown, "switches": switches}


def _plain_box(choice: ServerChoice, units: int) -> list[BillLine]:
    if choice.server is not None:
        return []
    return [BillLine(item=choice.name, count=units, unit="node", of="GPUs of the plan")]
