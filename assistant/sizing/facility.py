"""What a building must bring: power, racks, cooling, air and coolant, floor, energy.

Nominal figures add up rated maxima (the EU quantity); the expected draw is what the load is likely to take. Where a
rated figure is not published, the figures that rest on it are None, ``unknown`` names the gap and its nearest sourced
stand-in, and ``with_stand_ins`` holds the same figures computed with the stand-ins.
"""

from __future__ import annotations

from typing import Literal

from assistant.sizing.cooling import choose_cooling, coolant_flow, is_liquid
from assistant.sizing.equipment import Counted, Item, items_of
from assistant.sizing.facility_models import (
    BTU_PER_H_PER_KW,
    EXPECTED_SHARE,
    EXPECTED_SHARE_RANGE,
    HOURS_PER_YEAR,
    FacilityFigures,
    FacilityRequest,
    FacilityResult,
    Threshold,
)
from assistant.sizing.facility_notes import assumptions, explain, heat_conflicts
from assistant.sizing.racks import RackPlan, RackRules, plan_racks
from assistant.sizing.rated import Missing
from assistant.sizing.servers import choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.schema import CoolingMethod

__all__ = ["FacilityFigures", "FacilityRequest", "FacilityResult", "Threshold", "estimate_facility"]

FEED_FACTOR = {"N": 1.0, "N+1": 1.25, "2N": 2.0, "2N+1": 2.25}
"""Installed feed power over demand; N+1 is taken as one spare module beside four."""

NOMINAL_FIELDS = ("nominal_it_kw", "connection_kw", "energy_input_kw", "feed_kw", "rack_kw", "heat_btu_per_h")
FLOW_FIELDS = ("airflow_m3_per_h", "coolant_l_per_min", "heat_to_air_kw", "heat_to_liquid_kw")
DRAW_FIELDS = ("it_kw", "facility_kw", "annual_mwh")


def estimate_facility(request: FacilityRequest, catalogue: Catalogue, trace: Trace | None = None) -> FacilityResult:
    """Size the site. Raises BadInput for an unknown server or switch, or for a request without equipment."""
    counted = _servers(request, catalogue)
    items, missing = items_of(counted, request.switches, catalogue)
    if not items and not (request.storage_kw or request.support_kw):
        raise BadInput("servers", "nothing", "at least one server, switch or rated power")
    rules = RackRules(request.rack_limit_kw, request.rack_height_units, request.rack_limit_kg)
    plan = plan_racks(items, (*_others(request),), rules)
    method, reason = choose_cooling(request.cooling, plan.rack_kw, items, catalogue)
    filled = _figures(request, items, plan, method)
    shown = _masked(filled, missing)
    problem, fix = _problem(request, plan, filled, method, items)
    result = FacilityResult(
        **dict(shown),
        fits=problem is None,
        why_not=problem,
        nearest_fix=fix,
        cooling=method.id,
        cooling_reason=reason,
        pue=_pue(request, method),
        pue_low=None if request.pue else method.pue_low.value,
        pue_high=None if request.pue else method.pue_high.value,
        units_per_rack=plan.per_rack,
        unknown=missing,
        conflicts=heat_conflicts(items),
        assumptions=assumptions(request, plan, method),
        with_stand_ins=filled if shown != filled and all(gap.value is not None for gap in missing) else None,
    )
    if trace is not None:
        explain(trace, request, items, method, result)
    return result


def _servers(request: FacilityRequest, catalogue: Catalogue) -> tuple[Counted, ...]:
    servers = request.servers
    if request.server is not None:
        servers = (*servers, Counted(id=request.server, count=request.nodes or 1))
    if request.gpu is not None:
        choice = choose_server(request.gpu, catalogue, request.gpus or 1)
        if choice.server is None:
            near = tuple(sorted(catalogue.entries("servers"))[:3])
            raise BadInput("gpu", request.gpu, "an accelerator that a server of the catalogue carries", near)
        servers = (*servers, Counted(id=choice.server, count=choice.count))
    return servers


def _others(request: FacilityRequest) -> tuple[tuple[float, float, float], ...]:
    storage = (request.storage_kw, request.storage_rack_units, request.storage_kg)
    return (storage, (request.support_kw, request.support_rack_units, request.support_kg))


def _pue(request: FacilityRequest, method: CoolingMethod) -> float:
    return request.pue or method.pue_likely.value or 1.5


def _figures(
    request: FacilityRequest, items: tuple[Item, ...], plan: RackPlan, method: CoolingMethod
) -> FacilityFigures:
    rest_kw = request.storage_kw + request.support_kw
    nominal = sum(item.count * item.max_kw for item in items) + rest_kw
    pue = _pue(request, method)
    drawn = _draw(request, items, rest_kw, request.draw_share or EXPECTED_SHARE)
    low, high = (request.draw_share or share for share in EXPECTED_SHARE_RANGE)
    to_liquid = _to_liquid(items, rest_kw, method)
    total_input = nominal * pue
    figures = FacilityFigures(
        it_kw=drawn,
        it_kw_low=min(drawn, nominal * low),
        it_kw_high=max(drawn, nominal * high),
        nominal_it_kw=nominal,
        connection_kw=request.connection_limit_kw or total_input,
        energy_input_kw=total_input,
        facility_kw=drawn * pue,
        feed_kw=total_input * FEED_FACTOR[request.redundancy],
        racks=plan.racks,
        rack_kw=plan.rack_kw,
        rack_kg=plan.rack_kg,
        heat_btu_per_h=nominal * BTU_PER_H_PER_KW,
        heat_to_air_kw=nominal - to_liquid,
        heat_to_liquid_kw=to_liquid,
        airflow_m3_per_h=_airflow(items, nominal - to_liquid, method),
        coolant_l_per_min=coolant_flow(items, to_liquid, method),
        floor_kg=plan.total_kg,
        annual_mwh=drawn * pue * HOURS_PER_YEAR / 1000,
    )
    return figures.model_copy(update={"obligations": _thresholds(figures)})


def _draw(request: FacilityRequest, items: tuple[Item, ...], rest_kw: float, share: float) -> float:
    """Expected IT draw in kW: typical power where it is published and no share was asked for, else rated x share."""
    asked = request.draw_share is not None
    known = sum(i.count * i.typical_kw for i in items if i.typical_kw is not None and not asked)
    return known + share * (rest_kw + sum(i.count * i.max_kw for i in items if asked or i.typical_kw is None))


def _to_liquid(items: tuple[Item, ...], rest_kw: float, method: CoolingMethod) -> float:
    """Heat to liquid in kW: all with immersion and rear doors, else the share that each server's liquid takes."""
    if method.id in ("immersion", "rear_door"):
        return sum(item.count * item.max_kw for item in items) + rest_kw
    return sum(item.count * item.max_kw * item.liquid_fraction for item in items)


def _airflow(items: tuple[Item, ...], to_air_kw: float, method: CoolingMethod) -> float | None:
    """Air that moves through the racks in m3/h; a rear door takes the heat out of the same air."""
    if method.id == "immersion":
        return None
    per_kw = method.airflow_m3_per_h_per_kw.value
    published = sum(item.count * item.airflow_m3_per_h for item in items if item.airflow_m3_per_h)
    covered = sum(i.count * i.max_kw * (1 - i.liquid_fraction) for i in items if i.airflow_m3_per_h)
    total = sum(i.count * i.max_kw * (1 - i.liquid_fraction) for i in items) if method.id == "rear_door" else to_air_kw
    if per_kw is None:
        return None
    return published + max(total - covered, 0.0) * per_kw


def _thresholds(figures: FacilityFigures) -> tuple[Threshold, ...]:
    rows: tuple[tuple[str, str, float | None, float, Literal[">=", ">"]], ...] = (
        ("eu_eed_data_centre", "nominal_it_kw", figures.nominal_it_kw, 500, ">="),
        ("eu_eed_waste_heat", "energy_input_kw", figures.energy_input_kw, 1000, ">"),
        ("de_enefg", "connection_kw", figures.connection_kw, 300, ">="),
    )
    return tuple(
        Threshold(id=i, quantity=q, value=v, threshold=t, op=op, reached=_reached(v, t, op)) for i, q, v, t, op in rows
    )


def _reached(value: float | None, threshold: float, op: str) -> bool | None:
    if value is None:
        return None
    return round(value, 6) >= threshold if op == ">=" else round(value, 6) > threshold


def _masked(figures: FacilityFigures, missing: tuple[Missing, ...]) -> FacilityFigures:
    """The same figures with None wherever a rated figure they rest on is not published."""
    gone: dict[str, object] = {}
    if any(gap.field.startswith("max_power") for gap in missing):
        gone |= dict.fromkeys((*NOMINAL_FIELDS, *FLOW_FIELDS))
        gone |= dict.fromkeys((*DRAW_FIELDS, "it_kw_low", "it_kw_high"))
    if any(gap.field == "weight_kg" for gap in missing):
        gone |= dict.fromkeys(("floor_kg", "rack_kg"))
    if not gone:
        return figures
    masked = figures.model_copy(update=gone)
    return masked.model_copy(update={"obligations": _thresholds(masked)})


def _problem(
    request: FacilityRequest,
    plan: RackPlan,
    figures: FacilityFigures,
    method: CoolingMethod,
    items: tuple[Item, ...],
) -> tuple[str | None, str | None]:
    """Why the site does not fit and the nearest fix, or (None, None)."""
    if plan.problem is not None:
        return plan.problem, plan.fix
    most = method.rack_kw_most.value
    if request.cooling is not None and most is not None and plan.rack_kw > max(most, _rack_products_kw(items)):
        why = f"{plan.rack_kw:g} kW a rack is more than {method.name} carries ({most:g} kW)"
        return why, f"rack_limit_kw {most:g}: the same servers in more racks, or denser cooling"
    if request.cooling == "air" and any(is_liquid(item) for item in items):
        return "servers cooled by liquid are asked for in an air-cooled room", "cooling direct_liquid"
    demand = figures.energy_input_kw or 0.0
    if request.site_limit_kw is not None and demand > request.site_limit_kw:
        why = f"the site brings {request.site_limit_kw:g} kW and {demand:g} kW are needed as rated, overhead included"
        return why, f"a connection of {demand:g} kW, or {request.site_limit_kw / demand:.0%} of the servers"
    return None, None


def _rack_products_kw(items: tuple[Item, ...]) -> float:
    return max((item.max_kw for item in items if item.is_rack), default=0.0)
