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
from knowledge.message import Message, say
from knowledge.schema import CoolingMethod


def heat_conflicts(items: tuple[Item, ...]) -> tuple[Message, ...]:
    """Vendors' heat figures that differ from the rated power by more than 2 %: heat equals power."""
    found = []
    for item in items:
        stated = item.heat_btu_per_h
        if stated and abs(stated / BTU_PER_H_PER_KW / item.max_kw - 1) > 0.02 and not item.power_is_stand_in:
            kw = stated / BTU_PER_H_PER_KW
            power, heat = round(kw, 1), round(stated)
            found.append(say("facility.conflict", item=item.id, heat=heat, power=power, rated=item.max_kw))
    return tuple(found)


def assumptions(
    request: FacilityRequest, plan: RackPlan, method: CoolingMethod, items: tuple[Item, ...]
) -> tuple[Message, ...]:
    """What was taken where the request says nothing, each with its range, and servers that are not as shipped."""
    notes = [say("facility.assumed.as_filled", item=item.id, how=item.as_filled) for item in items if item.as_filled]
    if request.draw_share is None:
        low, high = EXPECTED_SHARE_RANGE
        notes.append(say("facility.assumed.draw_share", share=EXPECTED_SHARE, low=low, high=high))
    if request.pue is None:
        likely, low_pue, high_pue = method.pue_likely.value, method.pue_low.value, method.pue_high.value
        notes.append(say("facility.assumed.pue", likely=likely, low=low_pue, high=high_pue, method=method.name))
    if request.rack_limit_kw is None and plan.limit_kw is not None:
        notes.append(say("facility.assumed.rack_limit_kw", limit=plan.limit_kw))
    if request.connection_limit_kw is None:
        notes.append(say("facility.assumed.connection_kw"))
    if request.operating_hours == "office":
        notes.append(say("facility.assumed.annual_mwh", hours=OFFICE_HOURS))
    notes.append(say("facility.assumed.idle_kw", share=IDLE_SHARE))
    if request.rack_limit_kg is not None:
        notes.append(say("facility.assumed.rack_limit_kg", limit=request.rack_limit_kg))
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
