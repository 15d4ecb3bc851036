"""The figures of a site from its equipment, racks and cooling; what rests on an unpublished figure can be masked."""

from __future__ import annotations

from typing import Literal

from assistant.sizing.equipment.rated import Missing
from assistant.sizing.equipment.units import Item
from assistant.sizing.facility.cooling import coolant_flow
from assistant.sizing.facility.models import (
    BTU_PER_H_PER_KW,
    EXPECTED_SHARE,
    EXPECTED_SHARE_RANGE,
    HOURS_PER_YEAR,
    IDLE_SHARE,
    OFFICE_HOURS,
    FacilityFigures,
    FacilityRequest,
    Threshold,
)
from assistant.sizing.facility.racks import RackPlan
from knowledge.schema import CoolingMethod

FEED_FACTOR = {"N": 1.0, "N+1": 1.25, "2N": 2.0, "2N+1": 2.25}
"""Installed feed power over demand; N+1 is taken as one spare module beside four."""

NOMINAL_FIELDS = ("nominal_it_kw", "connection_kw", "energy_input_kw", "feed_kw", "rack_kw", "heat_btu_per_h")
FLOW_FIELDS = ("airflow_m3_per_h", "coolant_l_per_min", "heat_to_air_kw", "heat_to_liquid_kw")
DRAW_FIELDS = ("it_kw", "idle_kw", "facility_kw", "annual_mwh")


def pue_of(request: FacilityRequest, method: CoolingMethod) -> float:
    """The PUE asked for, else the likely one of the cooling method."""
    return request.pue or method.pue_likely.value or 1.5


def figures_of(
    request: FacilityRequest, items: tuple[Item, ...], plan: RackPlan, method: CoolingMethod
) -> FacilityFigures:
    """All figures, unknown ones counted with their stand-ins."""
    rest_kw = request.storage_kw + request.support_kw
    nominal = sum(item.count * item.max_kw for item in items) + rest_kw
    pue = pue_of(request, method)
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
        compute_racks=plan.compute_racks,
        rack_kw=plan.rack_kw,
        rack_kg=plan.rack_kg,
        heat_btu_per_h=nominal * BTU_PER_H_PER_KW,
        heat_to_air_kw=nominal - to_liquid,
        heat_to_liquid_kw=to_liquid,
        airflow_m3_per_h=_airflow(items, nominal - to_liquid, method),
        coolant_l_per_min=coolant_flow(items, to_liquid, method),
        floor_kg=plan.total_kg,
        annual_mwh=_energy_mwh(request, drawn, min(drawn, nominal * IDLE_SHARE), pue),
        idle_kw=min(drawn, nominal * IDLE_SHARE),
    )
    return figures.model_copy(update={"obligations": _thresholds(figures)})


def _energy_mwh(request: FacilityRequest, drawn_kw: float, idle_kw: float, pue: float) -> float:
    """Energy of a year: at the expected draw all of it, or in office hours and at rest beyond them."""
    if request.operating_hours == "24x7":
        return drawn_kw * pue * HOURS_PER_YEAR / 1000
    return (drawn_kw * OFFICE_HOURS + idle_kw * (HOURS_PER_YEAR - OFFICE_HOURS)) * pue / 1000


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


def masked(figures: FacilityFigures, missing: tuple[Missing, ...]) -> FacilityFigures:
    """The same figures with None wherever a rated figure they rest on is not published."""
    gone: dict[str, object] = {}
    if any(gap.field.startswith("max_power") for gap in missing):
        gone |= dict.fromkeys((*NOMINAL_FIELDS, *FLOW_FIELDS))
        gone |= dict.fromkeys((*DRAW_FIELDS, "it_kw_low", "it_kw_high"))
    if any(gap.field == "weight_kg" for gap in missing):
        gone |= dict.fromkeys(("floor_kg", "rack_kg"))
    if not gone:
        return figures
    hidden = figures.model_copy(update=gone)
    return hidden.model_copy(update={"obligations": _thresholds(hidden)})
