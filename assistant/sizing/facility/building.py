"""What the building must bring beside power: feeds, floor, way in, air and water, a start in steps, heat to reuse."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from assistant.sizing.equipment.units import Item
from assistant.sizing.facility.models import Building, FacilityFigures, FacilityRequest
from assistant.sizing.facility.racks import RACK_TARE_KG, RackPlan
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say
from knowledge.schema import CoolingMethod

FOOTPRINT_M2 = 0.6 * 1.2
"""Floor under one rack, the smaller of the common sizes, so that the load is the larger; assumed."""

START_APART_S = 30.0
"""Between servers of one rack that are switched on in turn; assumed, longer than fans and supplies take to settle."""

UNIT_M, FRAME_M = 0.04445, 0.15
"""A height unit (EIA-310), and what a rack has above and below its units; the frame is assumed."""

PRODUCT_RACK_UNITS = 48
"""Height units of a rack that is sold as one product: the 48 of the NVL72 systems."""

FEED_FACTORS = {"N": (1, 0), "N+1": (1, 1), "2N": (2, 0), "2N+1": (2, 1)}
"""Redundancy -> how often the feeds that carry a rack are laid, and how many more."""


def building_of(
    request: FacilityRequest,
    items: tuple[Item, ...],
    plan: RackPlan,
    figures: FacilityFigures,
    method: CoolingMethod,
    pue: float,
    catalogue: Catalogue,
) -> Building:
    """What the site's figures ask of the building.

    Heat counts as reusable where liquid takes it from the chips: its share of IT power, over the PUE, is the part of
    all energy that could be used again (the energy reuse factor of EN 50600-4-6).
    """
    coolant = _narrowest(items, "coolant_inlet_c", catalogue)
    in_turn = _most_in_a_rack(plan, items)
    chips = sum(item.count * item.max_kw * item.liquid_fraction for item in items)
    nominal = sum(item.count * item.max_kw for item in items) + request.storage_kw + request.support_kw
    share = chips / nominal / pue if nominal else 0.0
    energy = figures.annual_mwh
    return Building(
        feeds_per_rack=feeds_per_rack(request, plan.rack_kw),
        floor_kg_per_m2=plan.rack_kg / FOOTPRINT_M2,
        rack_height_m=rack_height_m(request, items),
        start_steps=in_turn,
        start_step_kw=_step_kw(plan, items),
        start_minutes=max(0, in_turn - 1) * START_APART_S / 60,
        supply_air_c=_narrowest(items, "inlet_c", catalogue),
        coolant_supply_c=coolant,
        coolant_return_c=None
        if coolant is None or method.coolant_rise_k.value is None
        else coolant[1] + method.coolant_rise_k.value,
        reusable_heat_mwh=None if energy is None else share * energy,
        reusable_share=share,
    )


def feeds_per_rack(request: FacilityRequest, rack_kw: float) -> int | None:
    """Feeds of the stated size that one rack takes; None where their size is not known. Supplies come in pairs."""
    if request.rack_feed_kw is None:
        return None
    times, more = FEED_FACTORS[request.redundancy]
    return max(2, times * ceil(rack_kw / request.rack_feed_kw - 1e-9) + more)


def rack_height_m(request: FacilityRequest, items: tuple[Item, ...]) -> float:
    """The tallest rack with its frame."""
    units = max(request.rack_height_units, *(PRODUCT_RACK_UNITS for item in items if item.is_rack), 0.0)
    return units * UNIT_M + FRAME_M


def _most_in_a_rack(plan: RackPlan, items: tuple[Item, ...]) -> int:
    """GPU servers of the fullest rack."""
    large = {item.id for item in items if not item.is_small}
    return max((sum(n for item, n in load.parts if item in large) for load in plan.loads), default=0)


def _step_kw(plan: RackPlan, items: tuple[Item, ...]) -> float:
    """Rated power that comes on at once where every rack starts one server."""
    kw = {item.id: item.max_kw for item in items if not item.is_small}
    return sum(load.count * max((kw.get(item, 0.0) for item, _ in load.parts), default=0.0) for load in plan.loads)


def _narrowest(items: tuple[Item, ...], field: str, catalogue: Catalogue) -> tuple[float, float] | None:
    """The range in degrees C that all servers take whose range is published; None where none is."""
    servers = catalogue.entries("servers")
    found = [getattr(servers[item.id], field).value for item in items if item.id in servers]
    ranges = [reach for reach in found if reach is not None]
    if not ranges:
        return None
    return max(low for low, _ in ranges), min(high for _, high in ranges)


def broken_limits(
    request: FacilityRequest, items: tuple[Item, ...], plan: RackPlan
) -> Iterator[tuple[Message, Message]]:
    """(why, nearest fix) of each stated limit of the building that the racks break."""
    floor, tallest = plan.rack_kg / FOOTPRINT_M2, rack_height_m(request, items)
    if request.floor_limit_kg_per_m2 is not None and floor > request.floor_limit_kg_per_m2:
        fit = request.floor_limit_kg_per_m2 * FOOTPRINT_M2
        yield (
            say("facility.short.floor", load=round(floor), limit=request.floor_limit_kg_per_m2),
            say("facility.fix.floor", weight=round(fit)),
        )
    heaviest = _heaviest_piece(items)
    if request.lift_limit_kg is not None and heaviest is not None and heaviest[1] > request.lift_limit_kg:
        name, kg = heaviest
        yield (
            say("facility.short.lift", item=name, weight=round(kg), limit=request.lift_limit_kg),
            say("facility.fix.lift", weight=round(kg)),
        )
    if request.door_height_m is not None and tallest > request.door_height_m:
        yield (
            say("facility.short.door", height=round(tallest, 2), door=request.door_height_m),
            say("facility.fix.door", height=round(tallest, 2), units=_units(request.door_height_m)),
        )


def _units(door_m: float) -> int:
    return max(1, int((door_m - FRAME_M) / UNIT_M))


def _heaviest_piece(items: tuple[Item, ...]) -> tuple[str, float] | None:
    """The heaviest thing that comes in one piece: a rack product, a server, or an empty rack."""
    pieces = [(item.weight_kg, item.id) for item in items if item.weight_kg]
    kg, name = max([*pieces, (RACK_TARE_KG, "an empty rack")])
    return name, kg
