"""What a building must bring: power, racks, cooling, air and coolant, floor, energy.

Nominal figures add up rated maxima (the EU quantity); the expected draw is what the load is likely to take. Where a
rated figure is not published, the figures that rest on it are None, ``unknown`` names the gap and its nearest sourced
stand-in, and ``with_stand_ins`` holds the same figures computed with the stand-ins.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from assistant.sizing.cooling import choose_cooling, coolant_flow, is_liquid
from assistant.sizing.equipment import Counted, Item, NotNegative, Positive, items_of
from assistant.sizing.racks import RackPlan, RackRules, plan_racks
from assistant.sizing.rated import Missing
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema import CoolingMethod

BTU_PER_H_PER_KW = 3412.142
"""1 kWh is 3,412.142 Btu (international table)."""

HOURS_PER_YEAR = 8760

EXPECTED_SHARE = 0.70
"""Assumed draw of rated maximum: 8 x H100 7.02 of 10.2 kW and 8 x B200 9.6 to 10.0 of 14.3 kW in MLPerf training."""

EXPECTED_SHARE_RANGE = (0.45, 0.85)
"""H200 serving tuned for efficiency (4.6 of 10.2 kW), and the 95th percentile of H100 training (8.7 of 10.2 kW)."""

FEED_FACTOR = {"N": 1.0, "N+1": 1.25, "2N": 2.0, "2N+1": 2.25}
"""Installed feed power over demand; N+1 is taken as one spare module beside four."""

NOMINAL_FIELDS = ("nominal_it_kw", "connection_kw", "energy_input_kw", "feed_kw", "rack_kw", "heat_btu_per_h")
FLOW_FIELDS = ("airflow_m3_per_h", "coolant_l_per_min", "heat_to_air_kw", "heat_to_liquid_kw")
DRAW_FIELDS = ("it_kw", "facility_kw", "annual_mwh")

Method = Literal["air", "rear_door", "direct_liquid", "immersion"]


class FacilityRequest(Frozen):
    """What stands in the building. ``server`` with ``nodes`` is short for one entry of ``servers`` (counts are units).

    Left out: ``pue`` and ``cooling`` follow from the density, ``rack_limit_kw`` from the servers, ``draw_share`` is
    assumed. ``connection_limit_kw`` is the power agreed with the grid operator, where it is known.
    """

    servers: tuple[Counted, ...] = ()
    server: str | None = None
    nodes: Annotated[int, Field(ge=1)] | None = None
    switches: tuple[Counted, ...] = ()
    storage_kw: NotNegative = 0.0
    storage_rack_units: NotNegative = 0.0
    storage_kg: NotNegative = 0.0
    support_kw: NotNegative = 0.0
    support_rack_units: NotNegative = 0.0
    support_kg: NotNegative = 0.0
    draw_share: Annotated[float, Field(gt=0, le=1)] | None = None
    rack_limit_kw: Positive | None = None
    rack_height_units: Positive = 42.0
    rack_limit_kg: Positive | None = 1361.0
    cooling: Method | None = None
    pue: Annotated[float, Field(ge=1, le=5)] | None = None
    redundancy: Literal["N", "N+1", "2N", "2N+1"] = "N"
    connection_limit_kw: Positive | None = None
    site_limit_kw: Positive | None = None


class Threshold(Frozen):
    """A threshold of law and our figure for the quantity it names; ``reached`` is the comparison, not a judgement."""

    id: str
    quantity: str
    value: float | None
    threshold: float
    op: Literal[">=", ">"]
    reached: bool | None


class FacilityFigures(Frozen):
    """The figures of a site; None where a rated figure they rest on is not published.

    ``it_kw`` expected draw; ``nominal_it_kw`` servers, storage and network as rated; ``connection_kw`` non-redundant
    connection (IT, cooling, building); ``energy_input_kw`` total rated input; ``facility_kw`` expected draw with
    overhead; ``feed_kw`` installed feeds with redundancy. Heat, air and coolant are for the rated power.
    """

    it_kw: float | None
    it_kw_low: float | None
    it_kw_high: float | None
    nominal_it_kw: float | None
    connection_kw: float | None
    energy_input_kw: float | None
    facility_kw: float | None
    feed_kw: float | None
    racks: int
    rack_kw: float | None
    rack_kg: float | None
    heat_btu_per_h: float | None
    heat_to_air_kw: float | None
    heat_to_liquid_kw: float | None
    airflow_m3_per_h: float | None
    coolant_l_per_min: float | None
    floor_kg: float | None
    annual_mwh: float | None
    obligations: tuple[Threshold, ...] = ()


class FacilityResult(FacilityFigures):
    """A site that fits its racks and limits, or does not with the nearest fix; assumptions name field, value, range."""

    fits: bool
    why_not: str | None = None
    nearest_fix: str | None = None
    cooling: str
    cooling_reason: str
    pue: float
    pue_low: float | None
    pue_high: float | None
    units_per_rack: dict[str, int]
    unknown: tuple[Missing, ...] = ()
    conflicts: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    with_stand_ins: FacilityFigures | None = None

    @property
    def planned(self) -> FacilityFigures:
        """The figures to plan with: the stand-ins' where something is not published."""
        return self.with_stand_ins or self


def estimate_facility(request: FacilityRequest, catalogue: Catalogue, trace: Trace | None = None) -> FacilityResult:
    """Size the site. Raises BadInput for an unknown server or switch, or for a request without equipment."""
    counted = _servers(request)
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
        conflicts=_heat_conflicts(items),
        assumptions=_assumptions(request, plan, method),
        with_stand_ins=filled if shown != filled and all(gap.value is not None for gap in missing) else None,
    )
    if trace is not None:
        _explain(trace, request, items, method, result)
    return result


def _servers(request: FacilityRequest) -> tuple[Counted, ...]:
    if request.server is None:
        return request.servers
    return (*request.servers, Counted(id=request.server, count=request.nodes or 1))


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


def _heat_conflicts(items: tuple[Item, ...]) -> tuple[str, ...]:
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


def _assumptions(request: FacilityRequest, plan: RackPlan, method: CoolingMethod) -> tuple[str, ...]:
    notes = []
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
    if request.rack_limit_kg is not None:
        notes.append(
            f"rack_limit_kg {request.rack_limit_kg:g}, a common static rating (3,000 lb); the floor may carry less"
        )
    return tuple(notes)


def _explain(
    trace: Trace, request: FacilityRequest, items: tuple[Item, ...], method: CoolingMethod, result: FacilityResult
) -> None:
    sources = tuple(source for item in items for source in item.sources)
    counts = {item.id: item.count for item in items}
    rated = {item.id: item.max_kw for item in items}
    figures = result.planned
    pue = (*method.pue_likely.sources,)
    trace.note("nominal_it_kw", result.nominal_it_kw, "nominal_it", sources, (), counts=counts, max_kw=rated)
    share = request.draw_share or EXPECTED_SHARE
    assumed = () if request.draw_share else ("draw_share",)
    trace.note("it_kw", result.it_kw, "expected_draw", sources, assumed, counts=counts, share=share)
    for name in ("facility_kw", "connection_kw", "energy_input_kw"):
        trace.note(name, getattr(result, name), "facility_power", pue, ("pue",), pue=result.pue)
    trace.note("heat_btu_per_h", result.heat_btu_per_h, "heat", sources, nominal_it_kw=figures.nominal_it_kw)
    trace.note("airflow_m3_per_h", result.airflow_m3_per_h, "airflow", method.airflow_m3_per_h_per_kw.sources)
    trace.note("coolant_l_per_min", result.coolant_l_per_min, "coolant_flow", method.coolant_rise_k.sources)
    trace.note("racks", result.racks, "racks", sources, (), per_rack=result.units_per_rack)
    trace.note("annual_mwh", result.annual_mwh, "annual_energy", pue, (), facility_kw=figures.facility_kw)
