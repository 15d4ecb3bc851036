"""Servers chosen, replicas placed, and what one failure leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.sizing.equipment.nodes import (
    ServerLimits,
    after_one_failure,
    choose_server,
    nodes_for,
    place_replicas,
    support_nodes,
)
from assistant.sizing.equipment.servers import needs_liquid
from knowledge.catalogue import Catalogue
from knowledge.errors import UnknownName


def test_h100_come_eight_to_a_node(catalogue: Catalogue) -> None:
    choice = choose_server("h100-sxm-80gb", catalogue, 20)
    assert (choice.server, choice.count, choice.gpus_idle) == ("dgx-h100", 3, 4)
    assert choice.alternatives


def test_gb200_come_by_the_rack(catalogue: Catalogue) -> None:
    """72 GPUs on 18 trays of four: a tray is what fails."""
    choice = choose_server("gb200", catalogue, 100)
    assert (choice.server, choice.count, choice.gpus_per_domain, choice.failure_gpus) == ("gb200-nvl72", 2, 72, 4)


def test_a_department_gets_a_small_box_for_two_cards(catalogue: Catalogue) -> None:
    choice = choose_server("l40s", catalogue, 2)
    assert (choice.gpus_per_unit, choice.gpus_idle) == (2, 0)


@pytest.mark.parametrize(
    ("gpus", "each", "boxes"),
    [(1, 1, 1), (3, 4, 1), (8, 8, 1), (12, 4, 3), (16, 8, 2)],
)
def test_cards_fill_one_two_four_or_eight_slots(catalogue: Catalogue, gpus: int, each: int, boxes: int) -> None:
    choice = choose_server("h100-pcie-80gb", catalogue, gpus)
    assert (choice.gpus_per_unit, choice.count) == (each, boxes)
    assert choice.gpus_per_domain <= each


def test_a_card_without_a_product_gets_a_plain_box_with_a_stand_in_for_its_power(catalogue: Catalogue) -> None:
    offered = {s.accelerator for s in catalogue.entries("servers").values()}
    offered |= {option for s in catalogue.entries("servers").values() for option in s.accelerator_options}
    card = next(
        a for a in catalogue.entries("accelerators").values() if a.id not in offered and "pcie" in a.form.lower()
    )
    choice = choose_server(card.id, catalogue, 3)
    assert (choice.server, choice.gpus_per_unit, choice.max_power_kw) == (None, 4, None)
    assert card.name in choice.reason


def test_a_rack_limit_below_every_server_does_not_fit(catalogue: Catalogue) -> None:
    choice = choose_server("h100-sxm-80gb", catalogue, 8, ServerLimits(rack_limit_kw=5))
    assert not choice.fits
    assert "5" in (choice.why_not or "")
    assert choice.nearest_fix


def test_no_liquid_leaves_no_nvl72(catalogue: Catalogue) -> None:
    choice = choose_server("gb200", catalogue, 72, ServerLimits(liquid=False))
    assert not choice.fits
    assert "liquid" in (choice.why_not or "")


def test_a_named_server_is_never_exchanged(catalogue: Catalogue) -> None:
    """Racks of 10 kW and DGX H100 of 10.2 kW (user guide): it does not fit, nor does it become a tank of 7.38 kW."""
    choice = choose_server("H100", catalogue, 32, ServerLimits(rack_limit_kw=10, server="DGX H100"))
    assert (choice.server, choice.count, choice.fits, choice.alternatives) == ("dgx-h100", 4, False, ())
    assert "10.2 kW" in (choice.why_not or "")
    assert (choice.nearest_fix or "").startswith("racks of 10.2 kW")


@pytest.mark.parametrize("name", ["DGX H100", "dgx-h100", "NVIDIA DGX H100", "XE9680", "GB200 NVL72"])
def test_servers_go_by_the_names_that_people_use(catalogue: Catalogue, name: str) -> None:
    assert catalogue.resolve("servers", name).id in ("dgx-h100", "dell-xe9680", "gb200-nvl72")


def test_a_named_server_with_room_for_it_is_taken_though_another_would_win(catalogue: Catalogue) -> None:
    choice = choose_server("h100-sxm-80gb", catalogue, 16, ServerLimits(server="XE9680"))
    assert (choice.server, choice.count, choice.fits) == ("dell-xe9680", 2, True)
    tank = choose_server("h100-sxm-80gb", catalogue, 8, ServerLimits(server="smc-h100-immersed"))
    assert (tank.fits, tank.method, tank.liquid_required) == (True, "immersion", True)


def test_a_named_server_that_carries_another_accelerator_does_not_fit(catalogue: Catalogue) -> None:
    choice = choose_server("h100-sxm-80gb", catalogue, 8, ServerLimits(server="dgx-b200"))
    assert (choice.server, choice.fits) == ("dgx-b200", False)
    assert "b200-sxm" in (choice.nearest_fix or "")
    with pytest.raises(UnknownName):
        choose_server("h100-sxm-80gb", catalogue, 8, ServerLimits(server="dgx-z9"))


@pytest.mark.parametrize("liquid", [None, False])
@pytest.mark.parametrize("rack_kw", [None, 5.0, 8.0, 10.0, 11.0, 14.0, 200.0])
def test_air_comes_before_liquid_wherever_an_accelerator_comes_in_air(
    catalogue: Catalogue, liquid: bool | None, rack_kw: float | None
) -> None:
    """No limit turns an order for air-cooled servers into a tank or a cold plate that nobody has spoken of."""
    in_air = {
        accelerator
        for server in catalogue.entries("servers").values()
        if server.gpu_count and not needs_liquid(server)
        for accelerator in (server.accelerator, *server.accelerator_options)
    }
    assert {"h100-sxm-80gb", "b200-sxm", "b300-sxm"} <= in_air
    for accelerator in in_air:
        choice = choose_server(accelerator, catalogue, 8, ServerLimits(rack_limit_kw=rack_kw, liquid=liquid))
        assert (choice.method, choice.liquid_required) == ("air", False)


@pytest.mark.parametrize("accelerator", ["gb200", "gb300", "rubin"])
def test_what_comes_only_with_liquid_is_taken_where_liquid_is_not_ruled_out(
    catalogue: Catalogue, accelerator: str
) -> None:
    choice = choose_server(accelerator, catalogue, 72)
    assert (choice.fits, choice.method, choice.liquid_required) == (True, "direct_liquid", True)


@pytest.mark.parametrize(
    ("accelerator", "gpus", "kw"),
    [
        ("l40s", 4, 4.7 - 4 * 0.35),  # 4.7 kW with eight cards of 350 W
        ("rtx-pro-6000-server", 4, 6.53 - 4 * 0.6),  # 6.53 kW with eight of 600 W
        ("h100-sxm-80gb", 4, 10.2),  # a board comes full
        ("gaudi3", 8, 10.2 + 8 * 0.2),  # XE9680 is rated with 700 W modules, Gaudi 3 draws 900
    ],
)
def test_power_is_of_the_server_as_filled(catalogue: Catalogue, accelerator: str, gpus: int, kw: float) -> None:
    choice = choose_server(accelerator, catalogue, gpus)
    assert choice.planned_kw == pytest.approx(kw)
    assert f"{kw:g} kW" in choice.reason


def test_a_half_filled_box_fits_a_rack_that_the_full_one_does_not(catalogue: Catalogue) -> None:
    """8 x L40S 4.7 kW, 4 x 3.3 kW: a rack of 4 kW holds the half-filled one."""
    assert choose_server("l40s", catalogue, 4, ServerLimits(rack_limit_kw=4)).fits


def test_mi300x_is_not_planned_at_what_is_left_of_its_supplies(catalogue: Catalogue) -> None:
    """Three of six 3 kW supplies are 9 kW; DGX H100's 10.2 kW with 8 x 50 W more are 10.6."""
    assert choose_server("mi300x", catalogue, 8).max_power_kw == pytest.approx(10.6)


def test_unknown_accelerator_is_bad_input(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownName):
        choose_server("h999", catalogue, 8)


@pytest.mark.parametrize(
    ("per_replica", "required", "domains", "placed", "share", "left"),
    [
        (8, 2, (8, 8), 2, 0.5, 1),  # one node of two fails: half the load
        (8, 2, (8, 8, 8), 2, 1.0, 2),  # a spare node takes the replica
        (4, 3, (8, 8), 3, 2 / 3, 2),  # four places on two nodes, two left on one
        (16, 2, (8, 8, 8, 8), 2, 0.5, 1),  # a replica over two nodes dies with either
        (16, 2, (8, 8, 8, 8, 8), 2, 1.0, 2),
        (3, 4, (8, 8), 4, 0.5, 2),  # two of 3 GPUs in 8
        (8, 1, (8,), 1, 0.0, 0),
    ],
)
def test_one_failure(
    per_replica: int, required: int, domains: tuple[int, ...], placed: int, share: float, left: int
) -> None:
    placement = place_replicas(per_replica, required, domains)
    assert placement.placed == placed
    after = after_one_failure(placement)
    assert after.share_of_required_load == pytest.approx(share)
    assert after.replicas_left == left


def test_one_tray_of_an_nvl72() -> None:
    """72 GPUs hold 9 replicas of 8; without one tray of 4, 68 hold 8."""
    after = after_one_failure(place_replicas(8, 9, (72,), failure_gpus=4))
    assert after.replicas_left == 8
    assert "4 GPUs" in after.what_is_lost


def test_the_worst_node_is_the_one_that_counts() -> None:
    """Nodes of 8 and 4 GPUs, replicas of 4: losing the larger leaves one place of three."""
    assert after_one_failure(place_replicas(4, 3, (8, 4))).replicas_left == 1


def test_too_few_nodes_say_how_many_more() -> None:
    placement = place_replicas(8, 5, (8, 8, 8))
    assert (placement.fits, placement.placed, placement.nearest_fix) == (False, 3, "2 more nodes")


@given(st.integers(1, 40), st.integers(1, 30), st.sampled_from([1, 2, 4, 8, 72]))
def test_nodes_for_is_enough_and_one_less_is_not(per_replica: int, replicas: int, each: int) -> None:
    count = nodes_for(per_replica, replicas, each)
    assert place_replicas(per_replica, replicas, (each,) * count).fits
    assert count == 1 or not place_replicas(per_replica, replicas, (each,) * (count - 1)).fits


@given(st.integers(1, 20), st.integers(1, 12), st.lists(st.sampled_from([4, 8]), min_size=1, max_size=12))
def test_failure_never_helps(per_replica: int, required: int, domains: list[int]) -> None:
    placement = place_replicas(per_replica, required, tuple(domains))
    after = after_one_failure(placement)
    assert 0 <= after.replicas_left <= placement.placed
    assert 0 <= after.share_of_required_load <= 1


def test_support_nodes_of_the_published_designs() -> None:
    """BasePOD: 5 for 4 and for 8 systems; B200 SuperPOD: 7 for 127."""
    assert [support_nodes(count).management for count in (1, 4, 8, 127)] == [0, 5, 5, 7]
