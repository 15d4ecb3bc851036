"""From units of servers to a site: networks, storage, support, facility, and the bill that names what demanded each."""

from __future__ import annotations

from typing import Any, Literal

from assistant.output import plain
from assistant.planning.building.networks import (
    Surroundings,
    compute_fabric,
    compute_switch,
    in_band_ports,
    storage_fabric,
    trays_of,
)
from assistant.sizing.bill.lines import BillLine, BillRequest, FabricPart, bill_of_materials, fabric_managers
from assistant.sizing.equipment.nodes import ServerChoice, SupportNodes, support_nodes
from assistant.sizing.equipment.units import Counted
from assistant.sizing.fabric.estimate import FabricResult
from assistant.sizing.facility.estimate import (
    FacilityRequest,
    FacilityResult,
    counted_of,
    estimate_facility,
    most_that,
    site_fix,
)
from assistant.sizing.physical.build import build_layout, with_cables
from assistant.sizing.physical.layout import Layout
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Text

MANAGEMENT_SERVER = "mgmt-1u"
FABRIC_MANAGER = "ufm-appliance"
STANDS_FOR = {"management node": MANAGEMENT_SERVER, "login node": MANAGEMENT_SERVER, "fabric manager": FABRIC_MANAGER}
"""Catalogue entries of the machines that the bill counts by what they do."""
MOST_LAID_OUT = 1024
"""Computers up to which every box gets a place: 32 scalable units, beyond which the same blocks repeat."""
ROUNDS = 4
"""Racks bring power strips, these management ports, these switches, and they racks: settled in a round or two."""

__all__ = [
    "Site",
    "Surroundings",
    "build_site",
    "compute_switch",
    "feeds_of",
    "furnished",
    "most_units_on_site",
]

Feeds = Literal["N", "N+1", "2N", "2N+1"]
FEEDS: dict[str, Feeds] = {"n": "N", "n+1": "N+1", "2n": "2N", "2n+1": "2N+1"}


class ServerCount(Frozen):
    """So many of one catalogue server."""

    id: str
    count: int
    name: str
    role: str = "gpu"


class Site(Frozen):
    """The physical side of one plan. ``bill_request`` is what the bill was made of, for ``bill.check_bill``."""

    choice: ServerChoice
    units: int
    place: Surroundings
    servers: tuple[ServerCount, ...]
    fabric: FabricResult | None
    network: dict[str, Any]
    storage: dict[str, Any]
    facility: FacilityResult
    bill: tuple[BillLine, ...]
    bill_request: BillRequest
    notes: tuple[Text, ...] = ()


def build_site(
    choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue, trace: Trace | None = None
) -> Site:
    """The site for ``units`` of the chosen server; the rules have decided the technology of its compute fabric.

    Where the power is too little, the facility's nearest fix says how many servers it carries, network and all.
    """
    site = _built(choice, units, place, catalogue, trace)
    demand = site.facility.planned.energy_input_kw
    if place.site_limit_kw is None or demand is None or demand <= place.site_limit_kw or site.facility.fits:
        return site
    most = most_units_on_site(choice, place, catalogue)
    fix = site_fix(demand, most, units)
    return site.model_copy(update={"facility": site.facility.model_copy(update={"nearest_fix": fix})})


def furnished(site: Site, catalogue: Catalogue) -> tuple[Layout | None, tuple[BillLine, ...]]:
    """Where everything stands, and the bill with its cables by length and medium, as the places make them.

    Apart from ``build_site``, which is asked for many sites of which few are built. Beyond ``MOST_LAID_OUT`` computers
    there is no layout, and the bill keeps its plain counts.
    """
    request = site.bill_request
    if site.units * trays_of(site.choice, catalogue) > MOST_LAID_OUT:
        return None, site.bill
    stands_for = STANDS_FOR | {line.item: MANAGEMENT_SERVER for line in request.services}
    groups, parts = site.facility.rack_groups, request.fabrics
    layout = build_layout(groups, site.bill, parts, catalogue, stands_for, request.storage_fabric)
    gaps = (gap.why for gap in site.facility.unknown)
    told = layout.model_copy(update={"assumed": (*layout.assumed, *gaps)})
    return told, with_cables(site.bill, layout)


def most_units_on_site(choice: ServerChoice, place: Surroundings, catalogue: Catalogue) -> int:
    """The most units of the chosen server that the site carries with the networks and support they bring; 0 for none.

    Storage stays as the surroundings have it. Raises BadInput without ``site_limit_kw``: nothing else bounds the count.
    """
    limit = place.site_limit_kw
    if limit is None:
        raise BadInput("site_limit_kw", "nothing", "the power of the site in kW")
    unlimited = place.model_copy(update={"site_limit_kw": None})

    def carried(units: int) -> bool:
        facility = _built(choice, units, unlimited, catalogue, None).facility
        demand = facility.planned.energy_input_kw
        return facility.fits and demand is not None and demand <= limit

    return most_that(carried)


def feeds_of(redundancy: str) -> Feeds:
    """The building's feeds for a brief's redundancy, whichever case it is written in. Raises BadInput for another."""
    found = FEEDS.get(redundancy.strip().lower())
    if found is None:
        raise BadInput("redundancy", redundancy, "n, n+1, 2n or 2n+1", tuple(FEEDS))
    return found


def _built(choice: ServerChoice, units: int, place: Surroundings, catalogue: Catalogue, trace: Trace | None) -> Site:
    fabric = compute_fabric(choice, units, place, catalogue, trace)
    support = support_nodes(units if choice.server else min(units, 3))
    request, facility, lines = _settled(choice, units, support, fabric, place, catalogue)
    if trace is not None:
        facility = estimate_facility(_facility_request(request, _switches(lines), place), catalogue, trace)
    return Site(
        choice=choice,
        units=units,
        place=place,
        servers=_servers(choice, units, support, request),
        fabric=fabric.result if fabric else None,
        network=_network(fabric, _switches(lines), place.technology),
        storage=place.storage,
        facility=facility,
        bill=lines,
        bill_request=request,
    )


def _settled(
    choice: ServerChoice,
    units: int,
    support: SupportNodes,
    fabric: FabricPart | None,
    place: Surroundings,
    catalogue: Catalogue,
) -> tuple[BillRequest, FacilityResult, tuple[BillLine, ...]]:
    """Bill and facility that agree with each other on racks and switches."""
    request = _bill_request(choice, units, support, fabric, place, catalogue)
    lines = bill_of_materials(request, catalogue)
    facility = estimate_facility(_facility_request(request, _switches(lines), place), catalogue)
    for _ in range(ROUNDS):
        sealed = sum(group.count for group in facility.rack_groups if group.sealed)  # products bring rack and power
        racks: dict[str, int | None] = {
            "compute_racks": facility.compute_racks - sealed,
            "other_racks": facility.racks - facility.compute_racks,
            "feeds_per_rack": facility.building.feeds_per_rack if facility.building else None,
        }
        request = request.model_copy(update=racks)
        before, lines = _switches(lines), bill_of_materials(request, catalogue)
        if _switches(lines) == before:
            break
        facility = estimate_facility(_facility_request(request, _switches(lines), place), catalogue)
    return request, facility, lines


def _bill_request(
    choice: ServerChoice,
    units: int,
    support: SupportNodes,
    fabric: FabricPart | None,
    place: Surroundings,
    catalogue: Catalogue,
) -> BillRequest:
    storage: tuple[BillLine, ...] = ()
    if place.storage_item and place.storage_units:
        storage = (BillLine(item=place.storage_item, count=place.storage_units, unit="system", of="shared storage"),)
    servers, boxes = counted_of(choice, units)
    fabric_for_storage = storage_fabric(choice, units, place, catalogue)
    return BillRequest(
        servers=servers,
        boxes=boxes,
        fabrics=(fabric,) if fabric and fabric.result.fits else (),
        storage_fabric=fabric_for_storage,
        storage=storage,
        management=support.management,
        login=support.login,
        services=place.services,
        storage_ports=in_band_ports(fabric_for_storage, place),
    )


def _switches(lines: tuple[BillLine, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        if line.unit == "switch":
            counts[line.item] = counts.get(line.item, 0) + line.count
    return counts


def _servers(choice: ServerChoice, units: int, support: SupportNodes, request: BillRequest) -> tuple[ServerCount, ...]:
    managers = fabric_managers(request)
    rows = [ServerCount(id=choice.server or "plain-box", count=units, name=choice.name, role="gpu")]
    for role, count in (("management", support.management), ("login", support.login)):
        if count:
            rows.append(ServerCount(id=MANAGEMENT_SERVER, count=count, name=f"{role} server", role=role))
    rows += [
        ServerCount(id=MANAGEMENT_SERVER, count=line.count, name=line.item, role=line.item.removesuffix(" node"))
        for line in request.services
    ]
    if managers:
        rows.append(ServerCount(id=FABRIC_MANAGER, count=managers, name="fabric manager", role="fabric_manager"))
    return tuple(rows)


def _facility_request(request: BillRequest, switches: dict[str, int], place: Surroundings) -> FacilityRequest:
    general = request.management + request.login + sum(line.count for line in request.services)
    support = {MANAGEMENT_SERVER: general, FABRIC_MANAGER: fabric_managers(request)}
    return FacilityRequest(
        servers=(*request.servers, *(Counted(id=i, count=n) for i, n in support.items() if n)),
        boxes=request.boxes,
        switches=tuple(Counted(id=i, count=n) for i, n in switches.items()),
        storage_kw=place.storage_kw,
        storage_rack_units=place.storage_rack_units,
        storage_boxes=place.storage_units,
        rack_limit_kw=place.rack_limit_kw,
        pue=place.pue,
        cooling=place.cooling,
        redundancy=feeds_of(place.redundancy),
        site_limit_kw=place.site_limit_kw,
        rack_feed_kw=place.rack_feed_kw,
        operating_hours=place.operating_hours,
    )


def _network(fabric: FabricPart | None, switches: dict[str, int], technology: str) -> dict[str, Any]:
    if fabric is None:
        inside = technology == "nvlink_only"
        return {
            "technology": "nvlink_only" if inside else "none",
            "why": "no job or replica spans servers, so no compute fabric is needed",
            "switches": switches,
        }
    shown = {k: v for k, v in plain(fabric.result).items() if v is not None and v != []}
    return {"technology": technology, **shown, "switches": switches}
