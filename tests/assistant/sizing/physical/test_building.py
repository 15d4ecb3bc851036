"""What the building must bring, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.messages import render
from assistant.sizing.facility.estimate import FacilityRequest, FacilityResult, estimate_facility
from assistant.sizing.facility.models import Building
from knowledge.catalogue import Catalogue


def _site(
    catalogue: Catalogue, server: str = "dgx-h100", nodes: int = 4, **more: Any
) -> tuple[FacilityResult, Building]:
    result = estimate_facility(FacilityRequest(server=server, nodes=nodes, **more), catalogue)
    assert result.building is not None
    return result, result.building


@pytest.mark.parametrize(("redundancy", "feeds"), [("N", 2), ("N+1", 3), ("2N", 4), ("2N+1", 5)])
def test_feeds_of_32_ampere(catalogue: Catalogue, redundancy: str, feeds: int) -> None:
    """sqrt(3) x 400 V x 32 A = 22.17 kW a feed; 40.8 kW of four DGX H100 take two."""
    _, building = _site(catalogue, rack_limit_kw=45, rack_feed_kw=22.17, redundancy=redundancy)
    assert building.feeds_per_rack == feeds


def test_a_feed_bounds_the_rack_so_that_the_other_can_stand_in(catalogue: Catalogue) -> None:
    """Two servers of 10.2 kW on 22.17 kW, so two racks for four."""
    result, building = _site(catalogue, rack_feed_kw=22.17)
    assert result.racks == 2
    assert result.rack_kw == pytest.approx(20.4)
    assert building.feeds_per_rack == 2


def test_the_floor_carries_a_rack_on_its_own_feet(catalogue: Catalogue) -> None:
    """Four DGX H100 of 130.45 kg and 150 kg of rack on 0.72 m2."""
    _, building = _site(catalogue)
    assert building.floor_kg_per_m2 == pytest.approx((4 * 130.45 + 150) / 0.72)


@pytest.mark.parametrize(
    ("limit", "server", "why", "fix"),
    [
        ({"floor_limit_kg_per_m2": 500.0}, "dgx-h100", "loads the floor", "rack_limit_kg 360"),
        ({"lift_limit_kg": 1000.0}, "gb200-nvl72", "the lift carries 1,000", "1,360 kg"),
        ({"door_height_m": 1.9}, "dgx-h100", "the door 1.9 m", "rack_height_units 39"),
    ],
)
def test_a_limit_of_the_building_that_is_broken_does_not_fit(
    catalogue: Catalogue, limit: dict[str, float], server: str, why: str, fix: str
) -> None:
    result, _ = _site(catalogue, server, 1 if server == "gb200-nvl72" else 4, **limit)
    assert not result.fits
    assert why in render(result.why_not or "")
    assert fix in render(result.nearest_fix or "")


def test_limits_that_hold_change_nothing(catalogue: Catalogue) -> None:
    result, _ = _site(catalogue, floor_limit_kg_per_m2=1500, lift_limit_kg=2000, door_height_m=2.2)
    assert result.fits


def test_servers_start_in_turn(catalogue: Catalogue) -> None:
    """Two full racks of four: four turns of two servers, three pauses of half a minute."""
    _, building = _site(catalogue, nodes=8)
    assert (building.start_steps, building.start_minutes) == (4, 1.5)
    assert building.start_step_kw == pytest.approx(20.4)


def test_office_hours_take_less_energy(catalogue: Catalogue) -> None:
    """One DGX H100 at a PUE of 1.5: 0.7 x 10.2 = 7.14 kW for 2,600 h, 0.23 x 10.2 = 2.346 kW for 6,160 h."""
    always, _ = _site(catalogue, nodes=1, pue=1.5, draw_share=0.7)
    office, _ = _site(catalogue, nodes=1, pue=1.5, draw_share=0.7, operating_hours="office")
    assert always.annual_mwh == pytest.approx(7.14 * 1.5 * 8.76)
    assert office.annual_mwh == pytest.approx((7.14 * 2600 + 2.346 * 6160) * 1.5 / 1000)
    assert office.idle_kw == pytest.approx(2.346)


def test_heat_to_reuse_is_what_liquid_takes(catalogue: Catalogue) -> None:
    """GB200 NVL72: 115 of 132 kW go to liquid; at a PUE of 1.2 that is 72.6 % of all energy. Air hands on nothing."""
    result, building = _site(catalogue, "gb200-nvl72", 1, pue=1.2)
    assert building.reusable_share == pytest.approx(0.871 / 1.2, abs=0.001)
    assert building.reusable_heat_mwh == pytest.approx(building.reusable_share * (result.annual_mwh or 0))
    _, dry = _site(catalogue)
    assert dry.reusable_share == 0


def test_temperatures_are_those_of_the_servers(catalogue: Catalogue) -> None:
    """GB300 NVL72: coolant of 25 to 45 degrees C, 10 K warmer on its way back."""
    _, building = _site(catalogue, "gb300-nvl72", 1)
    assert building.coolant_supply_c == (25, 45)
    assert building.coolant_return_c == 55
