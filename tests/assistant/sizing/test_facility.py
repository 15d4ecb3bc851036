"""What a building must bring, against published figures and figures worked by hand."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.requests.fields import build
from assistant.sizing.equipment.units import Box, Counted
from assistant.sizing.facility.estimate import FacilityRequest, FacilityResult, estimate_facility, most_units_within
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput


def _dgx(catalogue: Catalogue, count: int, **asked: object) -> FacilityResult:
    request = FacilityRequest.model_validate({"server": "dgx-h100", "nodes": count, **asked})
    return estimate_facility(request, catalogue)


def _reached(result: FacilityResult, ident: str) -> bool | None:
    return next(row.reached for row in result.obligations if row.id == ident)


def test_four_dgx_h100(catalogue: Catalogue) -> None:
    """10.2 kW each (user guide): 40.8 kW, four in a rack as the SuperPOD design has them."""
    result = _dgx(catalogue, 4)
    assert result.nominal_it_kw == pytest.approx(40.8)
    assert (result.racks, result.units_per_rack) == (1, {"dgx-h100": 4})
    assert result.rack_kw == pytest.approx(40.8)
    # 40.8 kW x 3,412.142 BTU/h per kW; air 4 x 1,105 CFM x 1.699 m3/h per CFM
    assert result.heat_btu_per_h == pytest.approx(139_215, rel=1e-4)
    assert result.airflow_m3_per_h == pytest.approx(4 * 1105 * 1.699, rel=2e-3)


@pytest.mark.parametrize(("count", "nominal", "eed"), [(49, 499.8, False), (50, 510.0, True)])
def test_eu_threshold_is_nominal_it_power(catalogue: Catalogue, count: int, nominal: float, eed: bool) -> None:
    """Directive (EU) 2023/1791 Art. 12: from 500 kW of installed IT power."""
    result = _dgx(catalogue, count)
    assert result.nominal_it_kw == pytest.approx(nominal)
    assert _reached(result, "eu_eed_data_centre") is eed


@pytest.mark.parametrize(
    ("count", "pue", "reached"), [(29, 1.0, False), (30, 1.0, True), (24, 1.2, False), (25, 1.2, True)]
)
def test_german_threshold_is_connection_power(catalogue: Catalogue, count: int, pue: float, reached: bool) -> None:
    """EnEfG s. 3 no. 24: from 300 kW with cooling and building; 25 x 10.2 x 1.2 = 306 kW."""
    assert _reached(_dgx(catalogue, count, pue=pue), "de_enefg") is reached


def test_contract_with_the_grid_operator_replaces_the_estimate(catalogue: Catalogue) -> None:
    result = _dgx(catalogue, 4, connection_limit_kw=300)
    assert result.connection_kw == 300
    assert _reached(result, "de_enefg") is True


def test_redundant_feeds_do_not_count_towards_connection_power(catalogue: Catalogue) -> None:
    single, double = (_dgx(catalogue, 25, redundancy=kind) for kind in ("N", "2N"))
    assert double.connection_kw == single.connection_kw
    assert double.feed_kw == pytest.approx(2 * (single.feed_kw or 0))


def test_nvl72_is_planned_at_132_kw_with_115_to_liquid(catalogue: Catalogue) -> None:
    """HPE QuickSpecs of the GB200 NVL72: 132 kW, 115 to liquid and 17 to air."""
    result = estimate_facility(FacilityRequest(server="gb200-nvl72", nodes=1), catalogue)
    assert result.nominal_it_kw == pytest.approx(132)
    assert result.heat_to_liquid_kw == pytest.approx(115, abs=0.5)
    assert result.heat_to_air_kw == pytest.approx(17, abs=0.5)
    assert (result.cooling, result.racks, result.rack_kw) == ("direct_liquid", 1, 132)


def test_b200_at_two_a_rack_of_30_kw(catalogue: Catalogue) -> None:
    """Data centre best practices with DGX B200: two a rack are 28.6 kW; a scalable unit of 32 needs 458 kW."""
    request = FacilityRequest(server="dgx-b200", nodes=32, rack_limit_kw=30)
    result = estimate_facility(request, catalogue)
    assert result.racks == 16
    assert result.rack_kw == pytest.approx(28.6)
    assert result.nominal_it_kw == pytest.approx(458, abs=1)


@pytest.mark.parametrize(
    ("server", "kw", "cfm", "kg"),
    [
        ("dgx-h100", 10.2, 1105, 130.45),
        ("dgx-h200", 10.2, 1105, 130.45),
        ("dgx-b200", 14.3, 1550, 142.4),
        ("dgx-b300", 14.5, 1500, 168.0),
    ],
)
def test_vendors_power_airflow_and_weight(catalogue: Catalogue, server: str, kw: float, cfm: float, kg: float) -> None:
    """User guides and datasheets; 1 CFM is 1.699 m3/h; a rack with PDUs is taken as 150 kg."""
    result = estimate_facility(FacilityRequest(server=server, nodes=2, rack_limit_kw=30), catalogue)
    assert result.nominal_it_kw == pytest.approx(2 * kw)
    assert result.airflow_m3_per_h == pytest.approx(2 * cfm * 1.699, rel=2e-3)
    assert result.floor_kg == pytest.approx(2 * kg + 150)
    assert result.heat_btu_per_h == pytest.approx(2 * kw * 3412.14, rel=1e-5)


def test_expected_draw_of_h100_lies_between_published_runs(catalogue: Catalogue) -> None:
    """MLPerf training, 80 nodes: 6.5 to 8.1 kW by file."""
    result = _dgx(catalogue, 1)
    assert result.it_kw is not None
    assert 6.5 <= result.it_kw <= 8.1
    assert result.annual_mwh == pytest.approx(result.it_kw * result.pue * 8.76)


def test_a_server_above_the_rack_limit_does_not_fit(catalogue: Catalogue) -> None:
    result = _dgx(catalogue, 4, rack_limit_kw=8)
    assert not result.fits
    assert "10.2 kW" in render(result.why_not or "")
    assert "rack_limit_kw 10.2" in render(result.nearest_fix or "")


def test_a_customers_rack_limit_spreads_the_servers(catalogue: Catalogue) -> None:
    result = _dgx(catalogue, 4, rack_limit_kw=25)
    assert (result.fits, result.racks, result.units_per_rack["dgx-h100"]) == (True, 2, 2)


def test_weight_limits_a_rack(catalogue: Catalogue) -> None:
    """130.45 kg each: 400 kg hold three."""
    assert _dgx(catalogue, 4, rack_limit_kg=400).units_per_rack["dgx-h100"] == 3


def test_height_limits_a_rack(catalogue: Catalogue) -> None:
    """8 U each: 20 U less 2 kept for cables hold two."""
    assert _dgx(catalogue, 4, rack_height_units=20).units_per_rack["dgx-h100"] == 2


def test_vendors_heat_above_the_electrical_power_is_a_conflict(catalogue: Catalogue) -> None:
    """DGX H100: 38,557 BTU/h is 11.3 kW beside 10.2 kW."""
    assert any("38,557" in text and "11.3" in text for text in map(render, _dgx(catalogue, 1).conflicts))


def test_unknown_switch_power_is_unknown_and_names_its_stand_in(catalogue: Catalogue) -> None:
    """A switch without a published maximum never counts as zero."""
    unrated = next(s.id for s in catalogue.entries("switches").values() if s.max_power_w.value is None)
    request = FacilityRequest.model_validate(
        {"server": "dgx-b300", "nodes": 4, "switches": [{"id": unrated, "count": 2}]}
    )
    result = estimate_facility(request, catalogue)
    assert result.nominal_it_kw is None
    gap = next(gap for gap in result.unknown if gap.field == "max_power_w")
    assert gap.stand_in is not None
    assert (result.planned.nominal_it_kw or 0) > 4 * 14.5
    assert _reached(result, "de_enefg") is None


def test_cooling_that_cannot_carry_the_density(catalogue: Catalogue) -> None:
    result = _dgx(catalogue, 4, cooling="air")
    assert not result.fits
    assert "20 kW" in render(result.why_not or "")


def test_a_site_too_small(catalogue: Catalogue) -> None:
    result = _dgx(catalogue, 4, site_limit_kw=30)
    assert not result.fits
    assert result.nearest_fix


def test_gpus_stand_for_the_servers_that_carry_them(catalogue: Catalogue) -> None:
    """20 H100 take three nodes of 10.2 kW; the brief names its limits rack_kw and site_power_kw."""
    asked = {"gpu": "H100", "gpus": 20, "rack_kw": 12, "site_power_kw": 30}
    result = estimate_facility(FacilityRequest.model_validate(asked), catalogue)
    assert result.nominal_it_kw == pytest.approx(30.6)
    assert (result.racks, result.fits) == (3, False)


@pytest.mark.parametrize(
    ("server", "method"),
    [("smc-h100-immersed", "immersion"), ("lenovo-sr780a-v3", "direct_liquid"), ("hpe-xd670", "air")],
)
def test_cooling_follows_the_server(catalogue: Catalogue, server: str, method: str) -> None:
    result = estimate_facility(FacilityRequest(server=server, nodes=1), catalogue)
    assert result.cooling == method
    assert (result.planned.heat_to_liquid_kw == 0) is (method == "air")


@pytest.mark.parametrize("asked", ["air", "rear_door"])
def test_a_server_for_liquid_in_a_room_of_air_does_not_fit(catalogue: Catalogue, asked: str) -> None:
    request = FacilityRequest.model_validate({"server": "gb200-nvl72", "nodes": 1, "cooling": asked, "rack_kw": 140})
    result = estimate_facility(request, catalogue)
    assert not result.fits
    assert result.nearest_fix


def test_empty_slots_draw_nothing(catalogue: Catalogue) -> None:
    """Eight L40S slots are 4.7 kW with cards of 350 W; four cards are 4.7 - 1.4."""
    half = Counted(id="l40s-8gpu-generic", count=2, gpus=4)
    result = estimate_facility(FacilityRequest(servers=(half,)), catalogue)
    assert result.nominal_it_kw == pytest.approx(2 * 3.3)
    assert any("empty slots" in render(note) for note in result.assumptions)
    asked = estimate_facility(FacilityRequest(gpu="l40s", gpus=4), catalogue)
    assert asked.nominal_it_kw == pytest.approx(3.3)


def test_a_box_that_nobody_lends_power_is_unknown_not_zero(catalogue: Catalogue) -> None:
    known = Box(name="box", count=3, power_kw=2.0, stand_in="l40s-8gpu-generic")
    result = estimate_facility(FacilityRequest(boxes=(known,)), catalogue)
    assert result.nominal_it_kw is None
    assert result.planned.nominal_it_kw == pytest.approx(6.0)
    unknown = known.model_copy(update={"power_kw": None, "stand_in": None})
    result = estimate_facility(FacilityRequest(boxes=(unknown,), site_limit_kw=100), catalogue)
    assert (result.planned.nominal_it_kw, result.fits) == (None, False)
    assert "open" in render(result.why_not or "")


@pytest.mark.parametrize(("limit", "pue", "most"), [(300, 1.2, 24), (306, 1.2, 25), (300, 1.0, 29), (12, 1.2, 0)])
def test_most_servers_that_a_site_carries(catalogue: Catalogue, limit: float, pue: float, most: int) -> None:
    """24 x 10.2 x 1.2 = 293.8 kW and 25 are 306; 29 x 10.2 = 295.8 and 30 are 306; one is 12.24."""
    request = FacilityRequest(server="dgx-h100", nodes=40, site_limit_kw=limit, pue=pue)
    assert most_units_within(request, catalogue) == most
    listed = FacilityRequest(servers=(Counted(id="dgx-h100", count=40),), site_limit_kw=limit, pue=pue)
    assert most_units_within(listed, catalogue) == most


def test_most_servers_leaves_room_for_what_else_stands_there(catalogue: Catalogue) -> None:
    """300 kW at a PUE of 1.2 are 250 kW; less 30 of storage leaves 220, 21 of 10.2 kW."""
    request = FacilityRequest(server="dgx-h100", storage_kw=30, site_limit_kw=300, pue=1.2)
    assert most_units_within(request, catalogue) == 21
    too_dense = request.model_copy(update={"rack_limit_kw": 8.0})
    assert most_units_within(too_dense, catalogue) == 0
    with pytest.raises(BadInput, match="site_limit_kw"):
        most_units_within(FacilityRequest(server="dgx-h100"), catalogue)
    with pytest.raises(BadInput, match="servers"):
        most_units_within(FacilityRequest(storage_kw=3, site_limit_kw=10), catalogue)


def test_too_little_power_is_said_in_servers(catalogue: Catalogue) -> None:
    """17 x 10.2 x 1.2 = 208.1 kW; 16 are 195.8."""
    result = _dgx(catalogue, 17, site_limit_kw=200, pue=1.2)
    assert not result.fits
    assert "16 servers instead of 17" in render(result.nearest_fix or "")


def test_nothing_to_power_is_bad_input(catalogue: Catalogue) -> None:
    with pytest.raises(BadInput, match="servers"):
        estimate_facility(FacilityRequest(), catalogue)


def test_a_server_as_filled_is_traced(catalogue: Catalogue) -> None:
    trace = Trace()
    estimate_facility(FacilityRequest(gpu="l40s", gpus=4), catalogue, trace)
    assert trace.steps["unit_power_kw"].formula in catalogue.entries("formulas")


def test_every_traced_formula_exists(catalogue: Catalogue) -> None:
    trace = Trace()
    estimate_facility(FacilityRequest(server="dgx-h100", nodes=4), catalogue, trace)
    assert {step.formula for step in trace.steps.values()} <= set(catalogue.entries("formulas"))
    assert trace.steps["nominal_it_kw"].value == pytest.approx(40.8)


def test_a_rack_with_one_server_starts_in_one_step(catalogue: Catalogue) -> None:
    """Racks of 45 kW take four DGX H100; one that holds a single server has nothing to wait for."""
    alone = estimate_facility(FacilityRequest(server="dgx-h100", nodes=1), catalogue).building
    five = estimate_facility(FacilityRequest(server="dgx-h100", nodes=5), catalogue).building
    assert alone is not None
    assert five is not None
    assert (alone.start_steps, alone.start_minutes) == (1, 0)
    assert five.start_steps == 4


@pytest.mark.parametrize("servers", ["dgx-h100", ["dgx-h100"], {"dgx-h100": 1}, [{"id": "dgx-h100", "count": 1}]])
def test_servers_in_every_form_and_limits_by_the_briefs_names(servers: object, catalogue: Catalogue) -> None:
    """10.2 kW is more than a rack of 10 kW; the brief calls the limits rack_kw and site_power_kw."""
    request = build(FacilityRequest, {"servers": servers, "rack_kw": 10, "site_power_kw": 50})
    assert (request.rack_limit_kw, request.site_limit_kw) == (10, 50)
    assert "10.2 kW" in render(estimate_facility(request, catalogue).why_not or "")
