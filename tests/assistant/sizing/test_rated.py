"""Stand-ins for figures that nobody publishes."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.sizing.equipment.rated import SAME_CLASS, method_of, server_stand_in, switch_power, switch_stand_in
from assistant.sizing.equipment.units import Counted, items_of
from knowledge.catalogue import Catalogue


def test_a_management_switch_draws_no_more_than_its_supply(catalogue: Catalogue) -> None:
    """SN2201: 98 W typical, two supplies of at most 300 W, one enough."""
    power, stand_in = switch_power(1, catalogue.switch("sn2201"), catalogue)
    assert power is not None
    assert 0.098 <= power <= 0.3
    assert stand_in is None


def test_typical_power_and_a_module_in_every_cage_stand_in_first(catalogue: Catalogue) -> None:
    """SN4600C: 466 W with passive cables and 64 QSFP28 modules of 3.5 W."""
    found = switch_stand_in(catalogue.switch("sn4600c"), "max_power_w", catalogue)
    assert (found.stand_in, found.value) == ("sn4600c", 466 + 64 * 3.5)


def test_no_switch_takes_the_power_of_another_class(catalogue: Catalogue) -> None:
    for switch in catalogue.entries("switches").values():
        if switch.max_power_w.value is not None:
            continue
        found = switch_stand_in(switch, "max_power_w", catalogue)
        if found.stand_in in (None, switch.id):
            continue
        other = catalogue.switch(str(found.stand_in))
        rates = [(s.ports.value or 0) * (s.port_gb_per_s.value or 0) for s in (switch, other)]
        assert max(rates) / min(rates) <= SAME_CLASS * 1.01
        assert (found.value or 0) >= (switch.typical_power_w.value or 0)


def _switch(ident: str, ports: int, rate: float, **more: Any) -> dict[str, Any]:
    cited = {name: {"value": value, "sources": ["print"]} for name, value in more.items()}
    ports_and_rate = {
        "ports": {"value": ports, "sources": ["print"]},
        "port_gb_per_s": {"value": rate, "sources": ["print"]},
    }
    return {"id": ident, "name": ident, "vendor": "v", "technology": "ethernet", **ports_and_rate, **cited}


def test_without_a_switch_of_the_class_power_is_unknown_or_the_typical_one() -> None:
    entries = [
        _switch("spine", 64, 100.0, max_power_w=2000),
        _switch("small", 48, 0.125),
        _switch("typical", 48, 0.125, typical_power_w=90),
    ]
    catalogue = Catalogue({"switches": {entry["id"]: entry for entry in entries}}, "test")
    assert switch_power(2, catalogue.switch("small"), catalogue) == (None, None)
    assert switch_stand_in(catalogue.switch("typical"), "max_power_w", catalogue).value == 90
    _, missing = items_of((), (Counted(id="small", count=1),), catalogue)
    assert [gap.value for gap in missing if gap.field == "max_power_w"] == [None]


def test_a_desktop_does_not_lend_its_power_to_a_larger_one(catalogue: Catalogue) -> None:
    """DGX Spark is rated 0.24 kW; the GB300 of DGX Station publishes no TDP, so nothing says how much more it draws."""
    assert server_stand_in(catalogue.server("dgx-station-gb300"), "max_power_kw", catalogue).value is None


def test_a_neighbours_power_is_taken_with_ones_own_accelerators(catalogue: Catalogue) -> None:
    """Eight MI355X of 1.4 kW in the place of eight B300 of 1.1 kW: DGX B300's 14.5 kW and 2.4 more."""
    found = server_stand_in(catalogue.server("mi355x-dlc-generic"), "max_power_kw", catalogue)
    assert found.stand_in == "dgx-b300"
    assert found.value == pytest.approx(14.5 + 8 * 0.3)


@pytest.mark.parametrize(
    ("server", "method"),
    [
        ("dgx-h100", "air"),
        ("hpe-xd670", "air"),  # air or DLC
        ("sm-8126gs-nb3rt", "air"),  # air; a DLC version exists
        ("gb200-nvl72", "direct_liquid"),
        ("lenovo-sr780a-v3", "direct_liquid"),  # water to the plates
        ("smc-h100-immersed", "immersion"),
    ],
)
def test_cooling_as_described(catalogue: Catalogue, server: str, method: str) -> None:
    assert method_of(catalogue.server(server)) == method
