"""Published reference designs: the arithmetic lands on their tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from assistant.sizing.fabric.estimate import FabricRequest, estimate_fabric
from knowledge.catalogue import Catalogue

TABLES = Path(__file__).parents[2] / "data" / "fabrics" / "tables.yaml"


def _switch(ident: str, technology: str, ports: int, rate: float, watts: float | None) -> dict[str, Any]:
    cited = {"sources": ["print"]}
    return {
        "id": ident,
        "name": ident,
        "vendor": "test",
        "technology": technology,
        "ports": {"value": ports, **cited},
        "port_gb_per_s": {"value": rate, **cited},
        "cages": {"value": 32 if ident == "qm9700" else 72 if ident == "q3400" else 64, **cited},
        "max_power_w": {"value": watts, "sources": ["print"]} if watts else {"value": None},
    }


SWITCHES = (
    _switch("qm9700", "infiniband", 64, 50.0, 1720.0),
    _switch("q3400", "infiniband", 144, 100.0, None),
    _switch("sn5600", "ethernet", 64, 100.0, None),
    _switch("sn5610", "ethernet", 64, 100.0, 2080.0),
    _switch("th5", "ethernet", 64, 100.0, 1125.0),
)
CATALOGUE = Catalogue({"switches": {entry["id"]: entry for entry in SWITCHES}}, "test")
"""Port counts as the designs print them, so that these tests hold whatever the shipped catalogue says."""


def _rows() -> list[Any]:
    tables = yaml.safe_load(TABLES.read_text(encoding="utf-8"))
    return [
        pytest.param(table["ask"], row, id=f"{table['id']}-{row['nodes']}") for table in tables for row in table["rows"]
    ]


@pytest.mark.parametrize(("ask", "row"), _rows())
def test_table_row(ask: dict[str, Any], row: dict[str, Any]) -> None:
    request = FabricRequest(nodes=row["nodes"], **ask)
    result = estimate_fabric(request, CATALOGUE)
    printed = {key: value for key, value in row.items() if key not in ("nodes", "departs")}
    assert {key: getattr(result, key) for key in printed} == printed
    assert not set(row.get("departs", {})) & set(printed)


def test_superpod_127_transceivers() -> None:
    """Table 8 of the H100 design: 1,536 switch modules, 508 in the nodes, and UFM's four links on two more."""
    request = FabricRequest(nodes=127, nics_per_node=8, nodes_per_group=32)
    result = estimate_fabric(request, CATALOGUE)
    # 127 x 8 + 2 x 1,024 cable ends, two to a module; the table fills all 1,024 leaf ports: 1,536
    assert result.transceivers_switch == (1016 + 2048) // 2
    assert result.transceivers_node == 508
    with_ufm = estimate_fabric(request.model_copy(update={"management_ports": 4}), CATALOGUE)
    assert with_ufm.transceivers_switch == 1534


def test_power_of_a_switch_that_publishes_it() -> None:
    result = estimate_fabric(FabricRequest(nodes=128, nics_per_node=8), CATALOGUE)
    assert result.power_kw == pytest.approx(48 * 1.72)  # QM9700: 1,720 W with active cables
    assert result.power_stand_in is None


def test_unknown_power_is_unknown_with_a_stand_in() -> None:
    request = FabricRequest(nodes=64, nics_per_node=8, switch="sn5600", planes=2)
    result = estimate_fabric(request, CATALOGUE)
    assert result.power_kw is None
    assert result.power_stand_in is not None
    assert result.power_stand_in.switch in ("sn5610", "th5")
    assert result.power_stand_in.power_kw > 0
