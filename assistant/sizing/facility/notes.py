"""What a facility result says beside its figures: conflicts, assumptions, and how the figures came about."""

from __future__ import annotations

from assistant.sizing.equipment.units import Item
from assistant.sizing.facility.models import (
    BTU_PER_H_PER_KW,
    EXPECTED_SHARE,
    EXPECTED_SHARE_RANGE,
    IDLE_SHARE,
    OFFICE_HOURS,
    FacilityRequest,
    FacilityResult,
)
from assistant.sizing.facility.racks import RackPlan
from assistant.sizing.trace import Trace
from knowledge.schema import CoolingMethod


def heat_conflicts(items: tuple[Item, ...]) -> tuple[str, ...]:
    """Vendors' heat figures that differ from the rated power by more than 2 %: heat equals power."""
    found = []
    for item in items:
        stated = item.heat_btu_per_h
        if stated and abs(stated / BTU_PER_H_PER_KW / item.max_kw - 1) > 0.02 and not item.power_is_stand_in:
            kw = stated / BTU_PER_H_PER_KW
            found.append(
                f"{item.id}: the vendor prints {stated:,.0f} BTU/h, which is {kw:.1f} kW, "
                f"beside {item.max_kw:g} kW electrical; heat equals power, so plan cooling with care"
            )
    return tuple(found)


def assumptions(
    request: FacilityRequest, plan: RackPlan, method: CoolingMethod, items: tuple[Item, ...]
) -> tuple[str, ...]:
    """What was taken where the request says nothing, each with its range, and servers that are not as shipped."""
    notes = [f"{item.id}: {item.as_filled}" for item in items if item.as_filled]
    if request.draw_share is None:
        low, high = EXPECTED_SHARE_RANGE
        notes.append(
            f"draw_share {EXPECTED_SHARE:g} ({low:g} to {high:g}) of rated power where no typical power is published"
        )
    if request.pue is None:
        notes.append(
            f"pue {method.pue_likely.value:g} ({method.pue_low.value:g} to {method.pue_high.value:g}) for {method.name}"
        )
    if request.rack_limit_kw is None and plan.limit_kw is not None:
        notes.append(f"rack_limit_kw {plan.limit_kw:g} (15 to 57): four DGX H100 of 10.2 kW a rack fit, with switches")
    if request.connection_limit_kw is None:
        notes.append("connection_kw is rated IT power x PUE; the power agreed with the grid operator replaces it")
    if request.operating_hours == "office":
        notes.append(f"annual_mwh with {OFFICE_HOURS:,} hours a year at the expected draw and at rest beyond them")
    notes.append(f"idle_kw {IDLE_SHARE:g} of rated power, as 8 x H200 draw between queries")
    if request.rack_limit_kg is not None:
        notes.append(
            f"rack_limit_kg {request.rack_limit_kg:g}, a common static rating (3,000 lb); the floor may carry less"
        )
    return tuple(notes)


def explain(
    trace: Trace, request: FacilityRequest, items: tuple[Item, ...], method: CoolingMethod, result: FacilityResult
) -> None:
    sources = tuple(source for item in items for source in item.sources)
    counts = {item.id: item.count for item in items}
    rated = {item.id: item.max_kw for item in items}
    figures = result.planned
    pue = (*method.pue_likely.sources,)
    # What rests on the figures of a like product says so at every figure that its power goes into.
    lent = {gap.item: gap.stand_in for gap in result.unknown if gap.field.startswith("max_power") and gap.stand_in}
    lending: dict[str, object] = {"stand_ins": lent} if lent else {}
    supposed = ("max_power_kw",) if lent else ()
    trace.note(
        "nominal_it_kw", figures.nominal_it_kw, "nominal_it", sources, supposed, counts=counts, max_kw=rated, **lending
    )
    for item in items:
        if item.as_filled:
            trace.note("unit_power_kw", item.max_kw, "server_as_filled", item.sources, (), server=item.id)
    share = request.draw_share or EXPECTED_SHARE
    assumed = () if request.draw_share else ("draw_share",)
    trace.note("it_kw", figures.it_kw, "expected_draw", sources, (*assumed, *supposed), counts=counts, share=share)
    for name in ("facility_kw", "connection_kw", "energy_input_kw"):
        trace.note(
            name, getattr(figures, name), "facility_power", pue, ("pue", *supposed), it_kw=figures.it_kw,
            nominal_it_kw=figures.nominal_it_kw, pue=result.pue,
        )  # fmt: skip
    trace.note("heat_btu_per_h", figures.heat_btu_per_h, "heat", sources, nominal_it_kw=figures.nominal_it_kw)
    trace.note("airflow_m3_per_h", figures.airflow_m3_per_h, "airflow", method.airflow_m3_per_h_per_kw.sources)
    trace.note("coolant_l_per_min", figures.coolant_l_per_min, "coolant_flow", method.coolant_rise_k.sources)
    trace.note("racks", figures.racks, "racks", sources, (), per_rack=result.units_per_rack)
    trace.note(
        "idle_kw",
        figures.idle_kw,
        "idle_draw",
        ("mlperf-inference-41-h200-power",),
        nominal_it_kw=figures.nominal_it_kw,
    )
    trace.note("annual_mwh", figures.annual_mwh, "annual_energy", pue, (), facility_kw=figures.facility_kw)
