"""What a building must bring: power, racks, cooling, air and coolant, floor, energy.

Nominal figures add up rated maxima (the EU quantity); the expected draw is what the load is likely to take. Where a
rated figure is not published, the figures that rest on it are None, ``unknown`` names the gap and its nearest sourced
stand-in, and ``with_stand_ins`` holds the same figures computed with the stand-ins.
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.sizing.equipment.servers import ServerChoice, choose_server
from assistant.sizing.equipment.units import Box, Counted, Item, items_of
from assistant.sizing.facility.building import broken_limits, building_of
from assistant.sizing.facility.cooling import choose_cooling, is_liquid
from assistant.sizing.facility.figures import figures_of, masked, pue_of
from assistant.sizing.facility.models import FacilityFigures, FacilityRequest, FacilityResult, Threshold
from assistant.sizing.facility.notes import assumptions, explain, heat_conflicts
from assistant.sizing.facility.racks import Lump, RackPlan, RackRules, plan_racks, rack_groups
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say
from knowledge.schema import CoolingMethod

__all__ = [
    "FacilityFigures",
    "FacilityRequest",
    "FacilityResult",
    "Threshold",
    "counted_of",
    "estimate_facility",
    "most_that",
    "most_units_within",
    "site_fix",
    "units_asked",
]


def estimate_facility(request: FacilityRequest, catalogue: Catalogue, trace: Trace | None = None) -> FacilityResult:
    """Size the site. Raises BadInput for an unknown server or switch, or for a request without equipment."""
    counted, boxes = _equipment(request, catalogue)
    items, missing = items_of(counted, request.switches, catalogue, boxes)
    if not items and not (request.storage_kw or request.support_kw):
        raise BadInput("servers", "nothing", "at least one server, switch or rated power")
    rules = RackRules(request.rack_limit_kw or request.rack_feed_kw, request.rack_height_units, request.rack_limit_kg)
    plan = plan_racks(items, _others(request), rules)
    method, reason = choose_cooling(request.cooling, plan.rack_kw, items, catalogue)
    filled = figures_of(request, items, plan, method)
    shown = masked(filled, missing)
    problem, fix = _problem(request, plan, method, items)
    unknown = next((gap for gap in missing if gap.field.startswith("max_power") and gap.value is None), None)
    if problem is None and request.site_limit_kw is not None and unknown is not None:
        problem = say("facility.short.open", why=unknown.why)
        fix = say("facility.fix.open", item=unknown.item)
    elif problem is None and _over_site(request, filled):
        problem, fix = _site_problem(request, filled, catalogue)
    result = FacilityResult(
        **dict(shown),
        fits=problem is None,
        why_not=problem,
        nearest_fix=fix,
        cooling=method.id,
        cooling_reason=reason,
        pue=pue_of(request, method),
        pue_low=None if request.pue else method.pue_low.value,
        pue_high=None if request.pue else method.pue_high.value,
        units_per_rack=plan.per_rack,
        rack_groups=rack_groups(plan, items),
        building=building_of(request, items, plan, filled, method, pue_of(request, method), catalogue),
        unknown=missing,
        conflicts=heat_conflicts(items),
        assumptions=assumptions(request, plan, method, items),
        with_stand_ins=filled if shown != filled and all(gap.value is not None for gap in missing) else None,
    )
    if trace is not None:
        with trace.call("facility"):
            explain(trace, request, items, method, result)
    return result


def _equipment(request: FacilityRequest, catalogue: Catalogue) -> tuple[tuple[Counted, ...], tuple[Box, ...]]:
    """Servers in whatever form the request names them, and boxes that the catalogue does not have."""
    servers, boxes = request.servers, request.boxes
    if request.server is not None:
        servers = (*servers, Counted(id=request.server, count=request.nodes or 1))
    if request.gpu is not None:
        more, other = counted_of(choose_server(request.gpu, catalogue, request.gpus or 1))
        servers, boxes = (*servers, *more), (*boxes, *other)
    return servers, boxes


def counted_of(choice: ServerChoice, units: int | None = None) -> tuple[tuple[Counted, ...], tuple[Box, ...]]:
    """``units`` (left out: the choice's count) of a chosen server with the GPUs that it holds, as server or as box.

    The power of a box that nobody lends stays unknown.
    """
    count = choice.count if units is None else units
    gpus, card = choice.gpus_per_unit, choice.accelerator
    if choice.server is not None:
        return (Counted(id=choice.server, count=count, gpus=gpus, accelerator=card),), ()
    stand_in, power_kw = choice.stand_in, choice.planned_kw
    box = Box(name=choice.name, power_kw=power_kw, stand_in=stand_in, count=count, gpus=gpus, accelerator=card)
    return (), (box,)


def _others(request: FacilityRequest) -> tuple[Lump, ...]:
    storage = (request.storage_kw, request.storage_rack_units, request.storage_kg)
    support = (request.support_kw, request.support_rack_units, request.support_kg)
    return (Lump("storage", *storage, request.storage_boxes), Lump("support", *support))


def _problem(
    request: FacilityRequest, plan: RackPlan, method: CoolingMethod, items: tuple[Item, ...]
) -> tuple[Message | None, Message | None]:
    """Why the site does not fit and the nearest fix, or (None, None)."""
    if plan.problem is not None:
        return plan.problem, plan.fix
    if (broken := next(broken_limits(request, items, plan), None)) is not None:
        return broken
    most = method.rack_kw_most.value
    if request.cooling is not None and most is not None and plan.rack_kw > max(most, _rack_products_kw(items)):
        why = say("facility.short.method", rack=plan.rack_kw, method=method.name, most=most)
        return why, say("facility.fix.method", most=most)
    wet = next((item for item in items if is_liquid(item)), None)
    if request.cooling in ("air", "rear_door") and wet is not None:
        fix = say("facility.fix.wet", method=wet.method.replace("_", " "), id=wet.method)
        return say("facility.short.wet", item=wet.id), fix
    return None, None


def _rack_products_kw(items: tuple[Item, ...]) -> float:
    return max((item.max_kw for item in items if item.is_rack), default=0.0)


def _over_site(request: FacilityRequest, figures: FacilityFigures) -> bool:
    return request.site_limit_kw is not None and (figures.energy_input_kw or 0.0) > request.site_limit_kw + 1e-9


def _site_problem(
    request: FacilityRequest, figures: FacilityFigures, catalogue: Catalogue
) -> tuple[Message | None, Message | None]:
    """Why the site's power is too little, and how many servers it carries."""
    demand, limit = figures.energy_input_kw or 0.0, request.site_limit_kw or 0.0
    units, most = units_asked(request, catalogue), most_units_within(request, catalogue)
    why = say("facility.short.site", limit=limit, need=shown_kw(demand))
    return why, site_fix(demand, most, units)


def site_fix(demand_kw: float, most: int, units: int) -> Message:
    """What a site without the power needs: a larger connection, or ``most`` of the ``units`` servers where any."""
    if not most:
        return say("facility.fix.site", need=shown_kw(demand_kw))
    return say("facility.fix.site_or_fewer", need=shown_kw(demand_kw), most=most, units=units)


def shown_kw(kw: float) -> float:
    """A power in kW as a sentence has it: whole from a megawatt on, else with four digits."""
    return round(kw) if kw >= 1000 else float(f"{kw:.4g}")


def units_asked(request: FacilityRequest, catalogue: Catalogue) -> int:
    """Units of the request's GPU server: the first that has GPUs, else the first box; 0 where there is none."""
    servers, boxes = _equipment(request, catalogue)
    at = _gpu_server(servers, catalogue)
    if at is not None:
        return servers[at].count
    return boxes[0].count if boxes else 0


def most_units_within(request: FacilityRequest, catalogue: Catalogue) -> int:
    """The most units of the request's GPU server that its power and rack limits carry, all else as asked; 0 for none.

    Raises BadInput without ``site_limit_kw`` (nothing else bounds the count) or without a GPU server.
    """
    limit = request.site_limit_kw
    if limit is None:
        raise BadInput("site_limit_kw", "nothing", "the power of the site in kW")
    if units_asked(request, catalogue) == 0:
        raise BadInput("servers", "nothing", "a server with GPUs")
    return most_that(lambda count: _carries(_with_units(request, count, catalogue), catalogue))


def most_that(holds: Callable[[int], bool]) -> int:
    """The largest count from 1 on for which ``holds`` is true, given that it is false from there on; 0 for none."""
    if not holds(1):
        return 0
    low = 1
    while holds(2 * low):
        low *= 2
    high = 2 * low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _carries(request: FacilityRequest, catalogue: Catalogue) -> bool:
    """Whether racks and power suffice. Power that is not known at all carries nothing: it would have no end."""
    unlimited = request.model_copy(update={"site_limit_kw": None})
    result = estimate_facility(unlimited, catalogue)
    demand = result.planned.energy_input_kw
    return result.fits and demand is not None and demand <= (request.site_limit_kw or 0.0) + 1e-9


def _gpu_server(servers: tuple[Counted, ...], catalogue: Catalogue) -> int | None:
    """Which of the servers has GPUs, the first."""
    return next((i for i, counted in enumerate(servers) if catalogue.server(counted.id).gpu_count), None)


def _with_units(request: FacilityRequest, count: int, catalogue: Catalogue) -> FacilityRequest:
    """The request with ``count`` units of its GPU server, whichever way it named them."""
    servers, boxes = _equipment(request, catalogue)
    at = _gpu_server(servers, catalogue)
    if at is not None:
        servers = (*servers[:at], servers[at].model_copy(update={"count": count}), *servers[at + 1 :])
    else:
        boxes = (boxes[0].model_copy(update={"count": count}), *boxes[1:])
    plain = {"servers": servers, "boxes": boxes, "server": None, "nodes": None, "gpu": None, "gpus": None}
    return request.model_copy(update=plain)
