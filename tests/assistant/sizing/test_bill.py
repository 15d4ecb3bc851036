"""Bill of materials, against the published bill of the 127-node DGX H100 SuperPOD (RA-11333-001, tables 7 and 8)."""

from __future__ import annotations

import pytest

from assistant.sizing.bill.checks import check_bill
from assistant.sizing.bill.lines import BillLine, BillRequest, FabricPart, bill_of_materials
from assistant.sizing.equipment.units import Counted
from assistant.sizing.fabric.estimate import FabricRequest, estimate_fabric
from assistant.sizing.fabric.storage_fabric import StorageFabricRequest, estimate_storage_fabric
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput


def _superpod(catalogue: Catalogue) -> tuple[BillRequest, tuple[BillLine, ...]]:
    asked = FabricRequest(nodes=127, nics_per_node=8, nodes_per_group=32, management_ports=4)
    part = FabricPart(purpose="compute", request=asked, result=estimate_fabric(asked, catalogue))
    servers = (Counted(id="dgx-h100", count=127),)
    storage = estimate_storage_fabric(StorageFabricRequest(nodes=127, storage_ports=48), catalogue)
    request = BillRequest(
        servers=servers, fabrics=(part,), storage_fabric=storage, management=4, compute_racks=32, other_racks=6
    )
    return request, bill_of_materials(request, catalogue)


def _count(lines: tuple[BillLine, ...], item: str, of: str = "") -> int:
    return sum(line.count for line in lines if line.item == item and line.of.startswith(of))


@pytest.mark.parametrize(
    ("item", "of", "printed"),
    [
        ("dgx-h100", "", 127),
        ("qm9700", "compute", 48),
        ("qm9700", "storage", 16),
        ("node transceiver 400 Gb/s", "storage", 254),
        ("400 Gb/s cable", "storage fabric, storage to leaf", 48),
        ("1 Gb/s cable", "out-of-band network, switches", 64 + 8),
        ("1 Gb/s cable", "out-of-band network, machines", 127 + 8),
        ("sn4600c", "", 8),
        ("rack", "", 38),
        ("PDU", "racks of GPU servers", 96),
        ("PDU", "other racks", 12),
        ("sn2201", "", 8),
        ("node transceiver 400 Gb/s", "compute", 508),
        ("in-band cable", "in-band network, GPU nodes", 254),
        ("in-band cable", "in-band network, support nodes", 8),
        ("in-band cable", "in-band network, leaf to core", 24),
        ("in-band cable", "in-band network, between", 6),
        ("in-band cable", "out-of-band network, uplinks", 16),
        ("1 Gb/s cable", "out-of-band network, PDUs", 108),
    ],
)
def test_superpod_component_counts(catalogue: Catalogue, item: str, of: str, printed: int) -> None:
    _, lines = _superpod(catalogue)
    assert _count(lines, item, of) == printed


@pytest.mark.parametrize(
    ("item", "of", "printed"),
    [
        ("400 Gb/s cable", "compute", 2040 + 4),
        ("switch transceiver 400 Gb/s", "compute", 1536),
        ("400 Gb/s cable", "storage", 494 + 48 + 2),
        ("switch transceiver 400 Gb/s", "storage", 369),
    ],
)
def test_superpod_cables_within_three_per_cent(catalogue: Catalogue, item: str, of: str, printed: int) -> None:
    """Table 8: 2,040 NDR cables and 4 links to UFM; 1,536 modules count the 8 leaf ports that stay empty."""
    _, lines = _superpod(catalogue)
    assert _count(lines, item, of) == pytest.approx(printed, rel=0.03)


def test_counts_check_each_other(catalogue: Catalogue) -> None:
    request, lines = _superpod(catalogue)
    checks = check_bill(request, lines, catalogue)
    assert len(checks) == 5
    assert all(check.holds for check in checks), [check.name for check in checks if not check.holds]


def test_a_lost_cable_is_noticed(catalogue: Catalogue) -> None:
    request, lines = _superpod(catalogue)
    cut = tuple(
        line.model_copy(update={"count": line.count - 1}) if line.of == "compute fabric, leaf to spine" else line
        for line in lines
    )
    assert not all(check.holds for check in check_bill(request, cut, catalogue))


def test_every_line_says_what_demanded_it(catalogue: Catalogue) -> None:
    _, lines = _superpod(catalogue)
    assert all(line.of and line.count > 0 for line in lines)


def test_a_single_box_needs_no_network(catalogue: Catalogue) -> None:
    request = BillRequest(servers=(Counted(id="dgx-h100", count=1),), compute_racks=1, inband=False)
    lines = bill_of_materials(request, catalogue)
    assert not any(line.unit in ("switch", "cable") for line in lines)


def test_a_fabric_that_does_not_fit_has_no_bill(catalogue: Catalogue) -> None:
    asked = FabricRequest(nodes=9000, nics_per_node=8)
    part = FabricPart(purpose="compute", request=asked, result=estimate_fabric(asked, catalogue))
    request = BillRequest(servers=(Counted(id="dgx-h100", count=9000),), fabrics=(part,))
    with pytest.raises(BadInput, match="fabrics"):
        bill_of_materials(request, catalogue)
