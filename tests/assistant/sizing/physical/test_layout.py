"""Layouts: every box once, nothing overlaps, and cables whose ends are counted twice over."""

from __future__ import annotations

from collections import Counter

import pytest

from assistant.planning.building.build import Surroundings, build_site, furnished
from assistant.sizing.bill.checks import check_bill
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.equipment.nodes import choose_server
from assistant.sizing.physical.cabling import EDGE_HOPS, MODULAR, Spot, length_m, made_length_m
from assistant.sizing.physical.elevation import row_name
from assistant.sizing.physical.layout import Layout
from knowledge.catalogue import Catalogue

STORED = {"storage_item": "ddn-ai400x2t", "storage_units": 3, "storage_kw": 6.3, "storage_rack_units": 6.0}


def _laid_out(
    catalogue: Catalogue, accelerator: str, units: int, technology: str, rack_kw: float | None = None
) -> tuple[Layout, tuple[BillLine, ...], int]:
    each = choose_server(accelerator, catalogue, 8).gpus_per_unit
    place = Surroundings(technology=technology, rack_limit_kw=rack_kw, **STORED)
    site = build_site(choose_server(accelerator, catalogue, units * each), units, place, catalogue)
    layout, bill = furnished(site, catalogue)
    assert layout is not None
    lines = tuple(BillLine.model_validate(line.model_dump()) for line in bill)
    failed = [check.name for check in check_bill(site.bill_request, lines, catalogue) if not check.holds]
    assert not failed
    return layout, lines, site.facility.racks


CASES = [
    ("h100-sxm-80gb", 1, "none", None),
    ("h100-sxm-80gb", 2, "infiniband", 15.0),
    ("h100-sxm-80gb", 8, "roce", None),
    ("h100-sxm-80gb", 33, "infiniband", 15.0),
    ("h100-sxm-80gb", 127, "infiniband", None),
    ("mi300x", 16, "roce", None),
    ("gb200", 4, "infiniband", None),
    ("b300-sxm", 40, "roce", None),
    ("l40s", 3, "none", 8.0),
]


@pytest.mark.parametrize(("accelerator", "units", "technology", "rack_kw"), CASES)
def test_every_box_of_the_bill_stands_once_and_nothing_overlaps(
    catalogue: Catalogue, accelerator: str, units: int, technology: str, rack_kw: float | None
) -> None:
    layout, lines, racks = _laid_out(catalogue, accelerator, units, technology, rack_kw)
    assert len(layout.racks) == racks
    boxes = [device for rack in layout.racks for device in rack.devices]
    assert len({device.name for device in boxes}) == len(boxes)
    kinds = ("node", "switch", "system")
    billed = sum(line.count for line in lines if line.unit in kinds or (line.unit == "rack" and line.item != "rack"))
    assert len(boxes) == billed
    for rack in layout.racks:
        taken = Counter(unit for box in rack.devices for unit in range(box.u, box.u + box.height))
        assert max(taken.values()) == 1
        assert min(taken) >= 1
        assert max(taken) <= rack.height
        assert sum(box.kw for box in rack.devices) == pytest.approx(rack.kw)


@pytest.mark.parametrize(("accelerator", "units", "technology", "rack_kw"), CASES)
def test_links_ports_and_modules_check_each_other(
    catalogue: Catalogue, accelerator: str, units: int, technology: str, rack_kw: float | None
) -> None:
    """Ports used = cable ends at switches; a module for every optical end, one for the links of a cage."""
    layout, lines, _ = _laid_out(catalogue, accelerator, units, technology, rack_kw)
    used = {part.purpose: part.result.switch_ports_used or 0 for part in layout.fabrics}
    if layout.storage_fabric is not None:
        used["storage"] = layout.storage_fabric.switch_ports_used
    for purpose, ports in used.items():
        runs = [run for run in layout.cables if run.purpose == purpose]
        assert sum(run.links * (1 if run.hop in EDGE_HOPS else 2) for run in runs) == ports
        optical = sum(run.links * (1 if run.hop in EDGE_HOPS else 2) for run in runs if run.medium in MODULAR)
        modules = sum(m.switch for m in layout.modules if m.purpose == purpose)
        assert modules <= optical <= 2 * modules
    billed = sum(line.count for line in lines if line.unit == "module")
    assert billed == sum(m.switch + m.node for m in layout.modules)


def test_four_dgx_in_a_rack_of_45_kw(catalogue: Catalogue) -> None:
    """8 U each from the floor: 1, 9, 17, 25."""
    layout, _, _ = _laid_out(catalogue, "h100-sxm-80gb", 127, "infiniband")
    first = next(rack for rack in layout.racks if any(box.name == "node-001" for box in rack.devices))
    servers = {box.name: box.u for box in first.devices if box.role == "GPU server"}
    assert servers == {"node-001": 1, "node-002": 9, "node-003": 17, "node-004": 25}
    assert len({box.name for rack in layout.racks for box in rack.devices if box.role == "GPU server"}) == 127


def test_an_nvl72_rack_is_one_product_of_18_computers(catalogue: Catalogue) -> None:
    layout, lines, _ = _laid_out(catalogue, "gb200", 4, "infiniband")
    assert not any(line.of in ("GPU servers", "racks of GPU servers") for line in lines)
    racks = [box for rack in layout.racks for box in rack.devices if box.role == "GPU server"]
    assert [(box.u, box.height, box.nodes) for box in racks] == [(1, 48, 18)] * 4
    # 4 racks x 18 trays x 4 adapters
    nodes = sum(run.links for run in layout.cables if (run.purpose, run.hop) == ("compute", "node to leaf"))
    assert nodes == 288


def test_lengths_by_hand() -> None:
    """Inside a rack: 35 units of 44.45 mm and 1 m. Between racks: up 1 m and 0.8 m to the tray, 3 x 0.7 m, 1 m over."""
    low, high = Spot(0, 0, 0, 0.2, 1.0), Spot(0, 0, 0, 0.2 + 35 * 0.04445, 0.5)
    assert length_m(low, high) == pytest.approx(35 * 0.04445 + 1)
    other = Spot(3, 0, 3, 1.0, 0.8)
    assert length_m(low, other) == pytest.approx(1.0 + 0.8 + 3 * 0.7 + 1)
    across = other._replace(row=2)
    assert length_m(low, across) == pytest.approx(1.0 + 0.8 + 3 * 0.7 + 2 * 2.4 + 1)
    assert [made_length_m(metres) for metres in (0.4, 2.0, 2.01, 31, 201)] == [0.5, 2.0, 3.0, 40.0, 300.0]


def test_copper_stays_inside_racks(catalogue: Catalogue) -> None:
    """MCP4Y10 reaches 2 m and the split cable to nodes 3 m (NVIDIA's LinkX list); between racks all is optical."""
    layout, _, _ = _laid_out(catalogue, "h100-sxm-80gb", 33, "infiniband")
    copper = [run for run in layout.cables if run.medium in ("dac", "acc")]
    assert copper
    assert all(run.in_rack for run in copper)
    assert all(run.length_m <= 3 for run in copper if run.medium == "dac")
    assert all(run.cables == -(-run.links // 2) for run in copper)


def test_127_nodes_are_all_optical_as_the_reference_design(catalogue: Catalogue) -> None:
    """Table 8 of RA-11333-001: 2,040 cables between nodes, leaves and spines, 508 modules in the nodes and 1,536 in
    switches; two links to managers and 8 empty leaf ports are the difference of ours."""
    layout, lines, _ = _laid_out(catalogue, "h100-sxm-80gb", 127, "infiniband")
    assert {run.medium for run in layout.cables} == {"transceiver"}
    compute = [run for run in layout.cables if run.purpose == "compute" and run.hop != "manager to leaf"]
    assert sum(run.cables for run in compute) == 2040
    modules = {m.purpose: (m.switch, m.node) for m in layout.modules}
    assert modules["compute"] == (1533, 508)
    assert modules["storage"][1] == 254
    assert any("within copper's reach" in note for note in layout.assumed)
    assert sum(line.count for line in lines if line.item == "qm9700") == 48 + 16


def test_rows_are_lettered() -> None:
    assert [row_name(row) for row in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_leaves_say_their_rails_and_racks_their_pdus(catalogue: Catalogue) -> None:
    """Leaf r + 1 of a block carries rail r of its 32 nodes; three PDUs a rack of GPU servers, as RA-11333 orders."""
    layout, lines, _ = _laid_out(catalogue, "h100-sxm-80gb", 127, "infiniband")
    places = layout.places
    assert places["leaf-03"][1].carries == "rail 2 of node-001 to node-032"
    assert places["leaf-32"][1].carries == "rail 7 of node-097 to node-127"
    assert {rack.pdus for rack in layout.racks if rack.kind == "compute"} == {3}
    assert sum(rack.pdus for rack in layout.racks) == sum(line.count for line in lines if line.item == "PDU")


def test_very_large_sites_keep_plain_counts(catalogue: Catalogue) -> None:
    choice = choose_server("h100-sxm-80gb", catalogue, 8 * 2000)
    site = build_site(choice, 2000, Surroundings(technology="infiniband"), catalogue)
    assert furnished(site, catalogue) == (None, site.bill)


def test_stand_ins_are_named_beside_the_racks(catalogue: Catalogue) -> None:
    layout, _, _ = _laid_out(catalogue, "h100-sxm-80gb", 8, "infiniband")
    assert any("sn4600c" in note and "stand in" in note for note in layout.assumed)
