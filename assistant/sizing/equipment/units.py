"""Servers and switches as the building sees them: power, size, weight and heat of one unit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.rated import (
    Method,
    Missing,
    is_card,
    method_of,
    server_stand_in,
    switch_stand_in,
    unit_power,
)
from knowledge.catalogue import Catalogue
from knowledge.evidence import Cited, Frozen
from knowledge.schema import Server, Switch

NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

RACK_PRODUCT_LIQUID_SHARE = 0.85
"""Share of heat to liquid assumed where a server is liquid-cooled and no share is published (GB200 NVL72: 0.87)."""

PLAIN_BOX_RACK_UNITS = 4.0
"""Height of a server with PCIe cards where the catalogue has no product: the PCIe servers that it has take 2 to 5."""


class Counted(Frozen):
    """So many units of a catalogue entry; ``gpus`` of ``accelerator`` is what a server holds, left out: as shipped."""

    id: str
    count: Annotated[int, Field(ge=0)]
    gpus: Annotated[int, Field(ge=1)] | None = None
    accelerator: str | None = None


class Box(Frozen):
    """Servers without a catalogue entry: ``power_kw`` of one is an estimate (None: unknown) after ``stand_in``."""

    name: str
    count: Annotated[int, Field(ge=0)]
    power_kw: Positive | None = None
    stand_in: str | None = None
    gpus: Annotated[int, Field(ge=1)] | None = None
    accelerator: str | None = None
    rack_units: Positive = PLAIN_BOX_RACK_UNITS


class Item(Frozen):
    """One kind of equipment. Figures are of one unit; stand-ins replace what is not published.

    ``is_small`` gear (switches, servers without GPUs) may share the racks of others. ``method`` is how it is cooled;
    ``as_filled`` says how the power of a server that is not as shipped came about.
    """

    id: str
    count: int
    max_kw: float
    typical_kw: float | None = None
    rack_units: float
    weight_kg: float
    is_rack: bool = False
    is_small: bool = False
    method: Method = "air"
    liquid_fraction: float = 0.0
    airflow_m3_per_h: float | None = None
    coolant_l_per_min: float | None = None
    heat_btu_per_h: float | None = None
    power_is_stand_in: bool = False
    as_filled: str | None = None
    sources: tuple[str, ...] = ()


def items_of(
    servers: tuple[Counted, ...],
    switches: tuple[Counted, ...],
    catalogue: Catalogue,
    boxes: tuple[Box, ...] = (),
) -> tuple[tuple[Item, ...], tuple[Missing, ...]]:
    """The equipment, and what is not published about it. Raises UnknownName for a name the catalogue does not know.

    A figure without any stand-in counts as nothing in the item, and is in the second result: its sums are masked.
    """
    missing: list[Missing] = []
    items = [_server_item(catalogue.server(c.id), c, catalogue, missing) for c in servers if c.count]
    items += [_box_item(box, catalogue, missing) for box in boxes if box.count]
    items += [_switch_item(catalogue.switch(c.id), c.count, catalogue, missing) for c in switches if c.count]
    return tuple(items), tuple(dict.fromkeys(missing))


def _server_item(server: Server, counted: Counted, catalogue: Catalogue, missing: list[Missing]) -> Item:
    def known(field: str) -> float:
        cited: Cited[float] = getattr(server, field)
        return cited.value or _noted(server_stand_in(server, field, catalogue), missing)

    accelerator = None if counted.accelerator is None else catalogue.accelerator(counted.accelerator).id
    power = unit_power(server, catalogue, accelerator, counted.gpus)
    if power.missing is not None:
        missing.append(power.missing)
    is_rack = server.unit == "rack"
    return Item(
        id=server.id,
        count=counted.count,
        max_kw=power.kw or 0.0,
        typical_kw=server.typical_power_kw.value if power.as_shipped else None,
        rack_units=0.0 if is_rack else known("rack_units"),
        weight_kg=known("weight_kg"),
        is_rack=is_rack,
        is_small=not server.gpu_count,
        method=method_of(server),
        liquid_fraction=_liquid_fraction(server),
        airflow_m3_per_h=server.airflow_m3_per_h.value,
        coolant_l_per_min=server.coolant_l_per_min.value,
        heat_btu_per_h=_stated_heat(server) if power.as_shipped else None,
        power_is_stand_in=server.max_power_kw.value is None,
        as_filled=None if power.as_shipped else power.why,
        sources=(*server.max_power_kw.sources, *server.weight_kg.sources),
    )


def _noted(gap: Missing, missing: list[Missing]) -> float:
    missing.append(gap)
    return gap.value or 0.0


def _liquid_fraction(server: Server) -> float:
    """Share of the heat that goes to liquid: as published, all of it in a tank, or assumed for liquid at the chips."""
    if server.liquid_fraction.value is not None:
        return server.liquid_fraction.value
    return {"air": 0.0, "direct_liquid": RACK_PRODUCT_LIQUID_SHARE, "immersion": 1.0}[method_of(server)]


def _stated_heat(server: Server) -> float | None:
    """The vendor's heat figure that differs from the rated power, from the value or from a conflict beside it."""
    stated = [server.heat_btu_per_h.value, *(conflict.value for conflict in server.heat_btu_per_h.conflicts)]
    rated = server.max_power_kw.value
    values = [value for value in stated if value is not None]
    if not values or rated is None:
        return values[0] if values else None
    return max(values, key=lambda value: abs(value - rated * 3412.142))


def _box_item(box: Box, catalogue: Catalogue, missing: list[Missing]) -> Item:
    whose = f"; {box.stand_in} lends the power of its host" if box.stand_in else ""
    why = f"no product of the catalogue is a {box.name}{whose}"
    missing.append(Missing(item=box.name, field="max_power_kw", stand_in=box.stand_in, value=box.power_kw, why=why))
    weight, lender = max(_card_servers_kg(catalogue), default=(None, None))
    missing.append(Missing(item=box.name, field="weight_kg", stand_in=lender, value=weight, why=why))
    return Item(
        id=box.name,
        count=box.count,
        max_kw=box.power_kw or 0.0,
        rack_units=box.rack_units,
        weight_kg=weight or 0.0,
        power_is_stand_in=True,
    )


def _card_servers_kg(catalogue: Catalogue) -> list[tuple[float, str]]:
    """Published weights of the servers that hold cards, in kg."""
    servers: Iterable[Server] = catalogue.entries("servers").values()
    cards = catalogue.entries("accelerators")
    held = [s for s in servers if s.unit == "node" and s.accelerator in cards and is_card(cards[s.accelerator or ""])]
    return [(server.weight_kg.value, server.id) for server in held if server.weight_kg.value is not None]


def _switch_item(switch: Switch, count: int, catalogue: Catalogue, missing: list[Missing]) -> Item:
    def known(field: str) -> float:
        cited: Cited[float] = getattr(switch, field)
        return cited.value or _noted(switch_stand_in(switch, field, catalogue), missing)

    typical = switch.typical_power_w.value
    return Item(
        id=switch.id,
        count=count,
        max_kw=known("max_power_w") / 1000,
        typical_kw=None if typical is None else typical / 1000,
        rack_units=known("rack_units"),
        weight_kg=known("weight_kg"),
        is_small=True,
        power_is_stand_in=switch.max_power_w.value is None,
        sources=(*switch.max_power_w.sources, *switch.weight_kg.sources),
    )
