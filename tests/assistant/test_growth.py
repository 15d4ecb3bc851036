"""Growth: what a fabric still takes, and what the next steps rebuild, against the tables of RA-11333-001."""

from __future__ import annotations

from assistant.messages import render
from assistant.planning.building.build import Surroundings, build_site
from assistant.planning.site.growth import AS_IS, Growth, growth_of
from assistant.sizing.equipment.nodes import choose_server
from knowledge.catalogue import Catalogue

INFINIBAND = Surroundings(technology="infiniband")


def _growth(catalogue: Catalogue, units: int, place: Surroundings = INFINIBAND) -> dict[str, Growth]:
    choice = choose_server("h100-sxm-80gb", catalogue, 8 * units)
    return {render(step.step): step for step in growth_of(build_site(choice, units, place, catalogue), catalogue)}


def test_one_scalable_unit(catalogue: Catalogue) -> None:
    """31 nodes: 8 leaves of 32 uplinks on 4 spines. Two units have 16 leaves and 8 spines (table 4 of RA-11333): with
    twice the spines a leaf keeps half of its uplinks where they are, 128 of 256 move. Two tiers of 64 ports end at
    2,048 endpoints, 256 nodes, where two leaves give an uplink each to the managers."""
    steps = _growth(catalogue, 31)
    double = steps["one block more"]
    assert (double.servers, double.added_servers, double.tiers) == (62, 31, 2)
    assert double.moved_links == 128
    assert double.added_switches >= 8 + 4
    assert steps["the most with leaves and spines"].servers == 256


def test_free_ports_are_named_first(catalogue: Catalogue) -> None:
    """40 nodes have the leaves of two blocks of 32; the managers' ports leave room for 63; 64 would move uplinks."""
    first = next(iter(_growth(catalogue, 40).values()))
    assert render(first.step) == "ports that are free now"
    assert first.servers == 63
    assert (first.moved_links, first.rebuilt) == (0, AS_IS)


def test_a_single_switch_becomes_a_leaf(catalogue: Catalogue) -> None:
    """Eight nodes fill the 64 ports of one QM9700; for 16 every one of their 64 links is cabled anew."""
    steps = _growth(catalogue, 8)
    assert "ports that are free now" not in steps
    assert (steps["one block more"].servers, steps["one block more"].moved_links) == (16, 64)


def test_a_third_tier_turns_half_of_the_spines_ports(catalogue: Catalogue) -> None:
    """255 nodes: 64 leaves of 32 uplinks; half of these 2,048 links move under twice as many."""
    double = _growth(catalogue, 255)["twice as many"]
    assert (double.tiers, double.moved_links) == (3, 1024)


def test_power_ends_growth(catalogue: Catalogue) -> None:
    steps = _growth(catalogue, 4, INFINIBAND.model_copy(update={"site_limit_kw": 150.0, "pue": 1.2}))
    last = list(steps.values())[-1]
    assert render(last.step) == "the most that 150 kW carry"
    assert all(step.servers <= last.servers for step in steps.values())
    assert last.added_kw is not None
    assert last.added_kw >= 10.2 * last.added_servers


def test_without_a_fabric_nothing_is_rebuilt(catalogue: Catalogue) -> None:
    steps = _growth(catalogue, 2, Surroundings())
    assert [step.servers for step in steps.values()] == [3, 4, 8]
    assert all(step.moved_links == 0 for step in steps.values())


def test_a_plan_that_does_not_fit_does_not_grow(catalogue: Catalogue) -> None:
    assert _growth(catalogue, 2, Surroundings(rack_limit_kw=5.0)) == {}
