"""Sites as a whole: counts that agree, steps that stay small, nothing unknown passed off as nothing."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.planning.building.build import Site, Surroundings, build_site, feeds_of, most_units_on_site
from assistant.sizing.bill.checks import check_bill
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.equipment.nodes import choose_server
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

INFINIBAND = Surroundings(technology="infiniband")


def _site(catalogue: Catalogue, accelerator: str, units: int, place: Surroundings = INFINIBAND) -> Site:
    each = choose_server(accelerator, catalogue, 8).gpus_per_unit
    return build_site(choose_server(accelerator, catalogue, units * each), units, place, catalogue)


def _nominal(site: Site) -> float:
    return site.facility.planned.nominal_it_kw or 0.0


@pytest.mark.parametrize("rack_kw", [None, 15.0])
@pytest.mark.parametrize("units", [1, 2, 4, 9, 32, 40, 127])
@pytest.mark.parametrize("technology", ["none", "infiniband", "roce"])
def test_the_bill_agrees_with_itself_and_with_the_facility(
    catalogue: Catalogue, technology: str, units: int, rack_kw: float | None
) -> None:
    site = _site(catalogue, "h100-sxm-80gb", units, Surroundings(technology=technology, rack_limit_kw=rack_kw))
    lines = tuple(BillLine.model_validate(line.model_dump()) for line in site.bill)
    checks = check_bill(site.bill_request, lines, catalogue)
    assert all(check.holds for check in checks), [check.name for check in checks if not check.holds]
    billed = sum(line.count for line in lines if line.unit == "switch")
    assert billed == sum(site.network["switches"].values())
    assert sum(line.count for line in lines if line.unit == "rack") == site.facility.racks
    # the facility powers what the bill orders: servers, support, switches
    powered = sum(row.count * kw for row, kw in zip(site.servers, _rated(site, catalogue), strict=True))
    powered += sum(n * _switch_kw(name, catalogue) for name, n in site.network["switches"].items())
    assert _nominal(site) == pytest.approx(powered)


def _rated(site: Site, catalogue: Catalogue) -> list[float]:
    return [catalogue.server(row.id).max_power_kw.value or 0.0 for row in site.servers]


def _switch_kw(name: str, catalogue: Catalogue) -> float:
    # SN4600C: 466 W typical and 64 modules of 3.5 W, no maximum being published
    return 0.690 if name == "sn4600c" else (catalogue.switch(name).max_power_w.value or 0.0) / 1000


def test_four_dgx_h100_are_a_base_pod(catalogue: Catalogue) -> None:
    """A public reading of BasePOD has 45.3 kW for four DGX H100 with two QM9700, two SN4600C and SN2201, without the
    control plane; one QM9700 carries four nodes here."""
    site = _site(catalogue, "h100-sxm-80gb", 4)
    control = sum(row.count for row in site.servers if row.role in ("management", "login")) * 0.702
    assert _nominal(site) - control + 1.72 == pytest.approx(45.3, abs=1.0)


def test_the_fourth_server_brings_management_and_little_else(catalogue: Catalogue) -> None:
    """10.2 kW and six support servers of 0.702 more than one: 14.4 kW; three servers have the same switches."""
    three, four = (_nominal(_site(catalogue, "h100-sxm-80gb", units)) for units in (3, 4))
    assert four - three == pytest.approx(10.2 + 6 * 0.702)


def test_forty_dgx_h100(catalogue: Catalogue) -> None:
    """408 kW of servers, 24 QM9700 as RA-11333 has them for two scalable units (41.28), and 9 kW of all else."""
    site = _site(catalogue, "h100-sxm-80gb", 40)
    assert site.fabric is not None
    assert (site.fabric.leaf, site.fabric.spine) == (16, 8)
    assert _nominal(site) == pytest.approx(408 + 41.28 + 9, abs=1.0)


def test_a_part_filled_server_is_billed_and_powered_by_what_it_holds(catalogue: Catalogue) -> None:
    choice = choose_server("l40s", catalogue, 4)
    site = build_site(choice, 1, Surroundings(), catalogue)
    assert choice.server == "l40s-8gpu-generic"
    assert site.facility.nominal_it_kw == pytest.approx(4.7 - 4 * 0.35 + 0.3)  # and one SN2201
    assert [line.count for line in site.bill if line.item == "l40s"] == [4]


def test_an_option_is_billed_as_itself(catalogue: Catalogue) -> None:
    """The XE9680 is listed with H100; ordered with Gaudi 3 it brings eight Gaudi 3."""
    items = {line.item: line.count for line in _site(catalogue, "gaudi3", 2).bill}
    assert items["gaudi3"] == 16
    assert "h100-sxm-80gb" not in items


def test_plain_boxes_are_in_bill_and_facility(catalogue: Catalogue) -> None:
    choice = choose_server("a10", catalogue, 2)
    assert choice.server is None
    site = build_site(choice, 2, Surroundings(), catalogue)
    assert [line.count for line in site.bill if line.item == "a10"] == [2 * choice.gpus_per_unit]
    assert site.facility.nominal_it_kw is None
    # two boxes as estimated, one management server and two SN2201
    assert site.facility.planned.nominal_it_kw == pytest.approx(2 * (choice.stand_in_power_kw or 0) + 0.702 + 2 * 0.3)


def test_power_that_nobody_knows_stays_unknown(catalogue: Catalogue) -> None:
    choice = choose_server("a10", catalogue, 2).model_copy(update={"stand_in_power_kw": None, "stand_in": None})
    site = build_site(choice, 1, Surroundings(site_limit_kw=100), catalogue)
    assert site.facility.planned.nominal_it_kw is None
    assert any(gap.field == "max_power_kw" and gap.value is None for gap in site.facility.unknown)
    assert not site.facility.fits


def test_the_most_servers_are_counted_with_their_networks(catalogue: Catalogue) -> None:
    """300 kW at a PUE of 1.2 are 250 kW: 24 DGX H100 alone, fewer with switches, management and storage."""
    choice = choose_server("h100-sxm-80gb", catalogue, 8)
    place = INFINIBAND.model_copy(update={"site_limit_kw": 300.0, "pue": 1.2, "storage_kw": 5.0})
    most = most_units_on_site(choice, place, catalogue)
    assert 18 <= most < 24
    assert build_site(choice, most, place, catalogue).facility.fits
    over = build_site(choice, most + 1, place, catalogue).facility
    assert not over.fits
    assert f"{most} servers instead of {most + 1}" in render(over.nearest_fix or "")
    with pytest.raises(BadInput, match="site_limit_kw"):
        most_units_on_site(choice, INFINIBAND, catalogue)


@pytest.mark.parametrize(
    ("brief", "feeds"), [("n", "N"), ("N", "N"), ("n+1", "N+1"), ("2n", "2N"), ("2N", "2N"), ("2n+1", "2N+1")]
)
def test_feeds_of_a_briefs_redundancy(catalogue: Catalogue, brief: str, feeds: str) -> None:
    assert feeds_of(brief) == feeds
    site = _site(catalogue, "h100-sxm-80gb", 1, Surroundings(redundancy=brief))
    factor = {"N": 1.0, "N+1": 1.25, "2N": 2.0, "2N+1": 2.25}[feeds]
    assert site.facility.feed_kw == pytest.approx(factor * (site.facility.energy_input_kw or 0))


def test_unknown_redundancy_is_bad_input() -> None:
    with pytest.raises(BadInput, match="redundancy"):
        feeds_of("3n")


def test_racks_of_the_site_follow_the_servers_cooling(catalogue: Catalogue) -> None:
    assert _site(catalogue, "gb200", 1).facility.cooling == "direct_liquid"


@pytest.mark.parametrize(("units", "leaf", "spine"), [(64, 16, 8), (256, 64, 32)])
def test_b300_on_ethernet_has_two_planes(catalogue: Catalogue, units: int, leaf: int, spine: int) -> None:
    """DGX SuperPOD B300 with Spectrum-X (RA-11337-001): 16 leaves and 8 spines for 64 nodes, two tiers up to 1,024."""
    fabric = _site(catalogue, "b300-sxm", units, Surroundings(technology="roce")).fabric
    assert fabric is not None
    assert (fabric.planes, fabric.tiers, fabric.leaf, fabric.spine) == (2, 2, leaf, spine)
