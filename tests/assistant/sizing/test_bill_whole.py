"""The rest of a bill: networks from one server up, hosts, cooling gear, power plant, spares, licences."""

from __future__ import annotations

import pytest

from assistant.sizing.bill.extras import (
    Extras,
    cooling_lines,
    installation_lines,
    licence_lines,
    plant_lines,
    spare_lines,
)
from assistant.sizing.bill.lines import BillLine, BillRequest, bill_of_materials
from assistant.sizing.equipment.instances import rented_instances
from assistant.sizing.equipment.units import Counted
from assistant.sizing.facility.power_train import PowerTrainRequest, estimate_power_train
from assistant.sizing.load import population_factor
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import UnknownName


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def _bill(catalogue: Catalogue, count: int, **parts: int) -> tuple[BillLine, ...]:
    return bill_of_materials(BillRequest(servers=(Counted(id="dgx-h100", count=count),), **parts), catalogue)


def _count(lines: tuple[BillLine, ...] | list[BillLine], item: str, of: str = "") -> int:
    return sum(line.count for line in lines if line.item.startswith(item) and line.of.startswith(of))


@pytest.mark.parametrize(
    ("servers", "management", "switches", "links"),
    [(1, 0, 1, 1), (2, 0, 2, 4), (4, 5, 2, 8)],
)
def test_every_plan_has_a_network(
    catalogue: Catalogue, servers: int, management: int, switches: int, links: int
) -> None:
    """One server: one SN2201 with 48 ports of 1 Gb/s and four of 100 Gb/s. Two: a pair, each with a link to both, to
    the other and up, four of four. Four DGX: BasePOD's pair of SN4600C, 8 in-band cables (table 4.2)."""
    lines = _bill(catalogue, servers, management=management, compute_racks=1)
    item = "sn2201" if servers < 3 else "sn4600c"
    assert _count(lines, item, "in-band") == switches
    assert _count(lines, "in-band cable", "in-band network, GPU nodes") == links
    assert _count(lines, "in-band cable", "in-band network, uplink") == (2 if servers < 3 else 4)
    assert _count(lines, "1 Gb/s cable", "out-of-band network, machines") == servers + management


def test_a_dgx_h100_is_delivered_with_its_host(catalogue: Catalogue) -> None:
    """User guide: two Xeon 8480C, 2 TB of memory, 8 x 3.84 TB of NVMe."""
    lines = _bill(catalogue, 3)
    assert _count(lines, "CPU, Xeon Platinum 8480C") == 6
    assert _count(lines, "host memory") == 3 * 2048
    assert _count(lines, "local NVMe") == 92  # 3 x 30.72


def test_storage_on_the_in_band_network_has_ports(catalogue: Catalogue) -> None:
    lines = _bill(catalogue, 8, management=5, compute_racks=2, storage_ports=8)
    assert _count(lines, "in-band cable", "in-band network, storage") == 8


def _extras(**given: object) -> Extras:
    base: dict[str, object] = {
        "cooling": "air", "racks": 9, "compute_racks": 8, "rack_kw": 10.0, "heat_to_air_kw": 100.0,
        "heat_to_liquid_kw": 0.0, "gpus": 64, "gpu_nodes": 8, "machines": 16,
    }  # fmt: skip
    return Extras.model_validate(base | given)


def test_cooling_gear_by_method() -> None:
    assert cooling_lines(_extras()) == []  # 10 kW a rack: the room's air reaches it
    assert _count(cooling_lines(_extras(rack_kw=40.0)), "in-row cooler") == 5  # 100 / 30 -> 4, and one
    doors = cooling_lines(_extras(cooling="rear_door", rack_kw=40.0, heat_to_air_kw=320.0))
    assert _count(doors, "rear-door") == 8
    assert _count(doors, "coolant distribution unit") == 3  # 320 / 250 -> 2, and one
    liquid = cooling_lines(_extras(cooling="direct_liquid", heat_to_liquid_kw=2 * 1350.0, heat_to_air_kw=0.0))
    assert _count(liquid, "coolant distribution unit (CDU) 1350 kW") == 3


def test_power_plant_by_hand() -> None:
    """100 kW at PUE 1.3: the UPS loses 100 / 0.96 - 100 = 4.167, the rest of the overhead is 25.833, times 1.3 is
    33.583: 137.75 kW, 145 kVA at 0.95, a transformer of 181.25 kVA, generators of 165.3 kW. 2N has everything twice."""
    plant = estimate_power_train(PowerTrainRequest(nominal_it_kw=100, pue=1.3, redundancy="2N"))
    assert plant.design_day_kw == pytest.approx(137.75, abs=0.01)
    assert plant.transformer_kva == pytest.approx(181.25, abs=0.05)
    assert plant.generator_kw == pytest.approx(165.3, abs=0.05)
    assert (plant.ups_units, plant.generator_units, plant.transformer_units) == (2, 2, 2)
    assert [line.count for line in plant_lines(plant)] == [2, 2, 2]
    single = estimate_power_train(PowerTrainRequest(nominal_it_kw=100, pue=1.3))
    assert single.transformer_units == 1


def test_spares_and_installation() -> None:
    lines = [BillLine(item="400 Gb/s cable", count=2040, unit="cable", of="compute fabric, node to leaf")]
    assert _count(spare_lines(lines), "400 Gb/s cable, spare") == 41  # 2 % of 2,040, rounded up
    assert _count(spare_lines([lines[0].model_copy(update={"count": 8})]), "400") == 2
    assert installation_lines(9)[0].count == 9


def test_licences_are_quantities_over_the_years(catalogue: Catalogue) -> None:
    lines = licence_lines(_extras(years=3.0, scheduler="kubernetes"), 4, catalogue)
    assert _count(lines, "NVIDIA AI Enterprise") == 64 * 3
    assert _count(lines, "switch support") == 12
    assert _count(lines, "Slurm") == 0
    assert _count(lines, "storage") == 0
    assert _count(licence_lines(_extras(vendor="amd"), 0, catalogue), "NVIDIA") == 0


@pytest.mark.parametrize(
    ("people", "factor"), [(1, 1.0), (1000, 1.0), (31_622.7766, 0.141421), (1e6, 0.02), (1e8, 0.007), (1e9, 0.007)]
)
def test_population_factor_by_hand(catalogue: Catalogue, people: float, factor: float) -> None:
    """Half way in logarithms between 1,000 (1) and 1,000,000 (0.02) lies the square root of 0.02."""
    curve = catalogue.entries("populations")["registered"]
    anchors = tuple((anchor.people, anchor.factor) for anchor in curve.anchors)
    assert population_factor(people, anchors) == pytest.approx(factor, rel=1e-4)


def test_more_people_never_make_less_load(catalogue: Catalogue) -> None:
    curve = catalogue.entries("populations")["registered"]
    anchors = tuple((anchor.people, anchor.factor) for anchor in curve.anchors)
    people = [10 ** (n / 10) for n in range(91)]
    loads = [n * population_factor(n, anchors) for n in people]
    assert loads == sorted(loads)


@pytest.mark.parametrize(
    ("gpus", "replica", "expected"),
    [
        (8, 2, ("p5.48xlarge", 1)),
        (16, 2, ("p5.48xlarge", 2)),
        (1, 1, ("p5.4xlarge", 1)),
        (16, 16, ("p5.48xlarge", 2)),
        # A replica over two servers and a spare server: three.
        (24, 16, ("p5.48xlarge", 3)),
    ],
)
def test_instances_of_aws(catalogue: Catalogue, gpus: int, replica: int, expected: tuple[str, int]) -> None:
    found = rented_instances("h100-sxm-80gb", gpus, replica, catalogue, provider="AWS")
    assert (found.id, found.count) == expected


def test_a_named_shape_and_a_european_host(catalogue: Catalogue) -> None:
    named = rented_instances("h100-sxm-80gb", 10, 2, catalogue, named="p5.48xlarge")
    assert (named.count, named.gpus) == (2, 16)
    european = rented_instances("h100-sxm-80gb", 8, 8, catalogue, seat_in_eu=True)
    assert european.provider in ("Nebius", "Scaleway")
    with pytest.raises(UnknownName):
        rented_instances("h100-sxm-80gb", 8, 8, catalogue, named="p9.96xlarge")
    assert rented_instances("mi300x", 8, 8, catalogue, provider="Hetzner").id is None


def test_an_nvl72_is_one_rack_of_trays_switches_and_shelves(catalogue: Catalogue) -> None:
    """18 trays with two Grace and four GPUs each, nine switch trays, eight shelves of 33 kW; 17 TB of host memory."""
    lines = bill_of_materials(BillRequest(servers=(Counted(id="gb200-nvl72", count=2),)), catalogue)
    counted = {"compute tray": 36, "NVLink switch tray": 18, "power shelf": 16, "gb200": 144, "CPU, Grace": 72}
    assert {item: _count(lines, item, "gb200-nvl72") for item in counted} == counted
    assert _count(lines, "host memory") == 34_560
