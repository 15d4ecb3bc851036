"""Small gear beside GPU servers, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.messages import render
from assistant.sizing.equipment.units import Counted, Item
from assistant.sizing.facility.estimate import FacilityRequest, estimate_facility
from assistant.sizing.facility.racks import HELD_BACK_UNITS, RackPlan, RackRules, plan_racks
from knowledge.catalogue import Catalogue


def _plan(catalogue: Catalogue, limit_kw: float | None, servers: dict[str, int], switches: dict[str, int]) -> RackPlan:
    from assistant.sizing.equipment.units import items_of

    counted = tuple(Counted(id=name, count=count) for name, count in servers.items())
    items, _ = items_of(counted, tuple(Counted(id=n, count=c) for n, c in switches.items()), catalogue)
    return plan_racks(items, (), RackRules(limit_kw, 42.0, 1361.0))


def test_a_management_server_shares_the_rack_of_two_card_servers(catalogue: Catalogue) -> None:
    """2 x 5.2 + 0.702 kW in a rack of 15 kW."""
    plan = _plan(catalogue, 15, {"lenovo-sr675-v3": 2, "mgmt-1u": 1}, {})
    assert (plan.racks, plan.compute_racks) == (1, 1)
    assert plan.rack_kw == pytest.approx(11.102)


def test_two_dgx_with_a_switch_take_two_racks_of_15_kw(catalogue: Catalogue) -> None:
    """One of 10.2 kW a rack leaves 4.8: the switch (1.72) and the management server (0.702) stand there."""
    plan = _plan(catalogue, 15, {"dgx-h100": 2, "mgmt-1u": 1}, {"qm9700": 1})
    assert (plan.racks, plan.compute_racks) == (2, 2)
    assert plan.rack_kw == pytest.approx(10.2 + 1.72 + 0.702)


def test_gear_that_does_not_all_fit_beside_the_servers_stands_apart(catalogue: Catalogue) -> None:
    """Four DGX H100 (40.8 kW) leave 4.2 of 45 kW; four switches (6.88 kW) go to a rack of their own."""
    plan = _plan(catalogue, None, {"dgx-h100": 4}, {"qm9700": 4})
    assert (plan.racks, plan.compute_racks) == (2, 1)
    assert plan.rack_kw == pytest.approx(40.8)


def test_gear_fills_racks_of_its_own_first(catalogue: Catalogue) -> None:
    """24 switches of 1.72 kW are 41.28: two racks of 15 kW hold 16, and the GPU racks' 4.8 kW take the other eight."""
    plan = _plan(catalogue, 15, {"dgx-h100": 40}, {"qm9700": 24})
    assert (plan.racks, plan.compute_racks) == (42, 40)


def test_a_rack_product_takes_no_gear(catalogue: Catalogue) -> None:
    plan = _plan(catalogue, None, {"gb200-nvl72": 1}, {"qm9700": 4})
    assert (plan.racks, plan.compute_racks, plan.rack_kw) == (2, 1, 132)


def test_a_switch_that_no_rack_may_hold_does_not_fit(catalogue: Catalogue) -> None:
    """Q3400: 7 kW as the sum of its inlets."""
    plan = _plan(catalogue, 5, {}, {"q3400": 2})
    assert "Q3400" in render(plan.problem or "")


def test_gear_known_only_in_total_is_cut_into_pieces(catalogue: Catalogue) -> None:
    """10.2 kW of server and 6 kW of storage in 15 kW racks: the 4.8 kW left do not take it all."""
    request = FacilityRequest(server="dgx-h100", nodes=1, storage_kw=6, storage_rack_units=6, rack_limit_kw=15)
    assert estimate_facility(request, catalogue).racks == 2
    assert estimate_facility(request.model_copy(update={"storage_kw": 4.5}), catalogue).racks == 1


@pytest.mark.parametrize(("height", "racks"), [(42.0, 1_000_000), (2.5, 1_000_000), (1.0, 1_000_000)])
def test_a_million_of_small_things_are_counted_not_placed_one_by_one(
    catalogue: Catalogue, height: float, racks: int
) -> None:
    """One of 0.702 kW in a rack of 1 kW; in racks too low for it each stands in one, and that does not fit."""
    request = FacilityRequest(server="mgmt-1u", nodes=1_000_000, rack_limit_kw=1, rack_height_units=height)
    result = estimate_facility(request, catalogue)
    assert (result.racks, result.fits) == (racks, height > 3)


gear = st.builds(
    Item,
    id=st.sampled_from("abc"),
    count=st.integers(0, 60),
    max_kw=st.floats(0.1, 6),
    rack_units=st.sampled_from([1.0, 2.0, 4.0]),
    weight_kg=st.floats(1, 90),
    is_small=st.booleans(),
)


@given(st.lists(gear, max_size=5, unique_by=lambda item: item.id), st.floats(6, 60), st.integers(10, 52))
def test_racks_hold_what_they_may_and_lose_nothing(items: list[Item], limit_kw: float, height: int) -> None:
    plan = plan_racks(tuple(items), (), RackRules(limit_kw, height, 1000.0))
    kw = sum(item.count * item.max_kw for item in items)
    units = sum(item.count * item.rack_units for item in items)
    kg = sum(item.count * item.weight_kg for item in items)
    assert plan.rack_kw <= limit_kw + 1e-6
    assert plan.racks * limit_kw >= kw - 1e-6
    assert plan.racks * (height - HELD_BACK_UNITS) >= units - 1e-6
    assert plan.total_kg == pytest.approx(kg + plan.racks * 150.0)
    assert plan.compute_racks <= plan.racks
