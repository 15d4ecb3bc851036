"""Servers and switches as the building sees them: power, size, weight and heat of one unit."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assistant.sizing.rated import Missing, server_stand_in, switch_stand_in
from knowledge.catalogue import Catalogue
from knowledge.evidence import Cited, Frozen
from knowledge.schema import Server, Switch

NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]

RACK_PRODUCT_LIQUID_SHARE = 0.85
"""Share of heat to liquid assumed where a server is liquid-cooled and no share is published (GB200 NVL72: 0.87)."""


class Counted(Frozen):
    """So many units of a catalogue entry."""

    id: str
    count: Annotated[int, Field(ge=0)]


class Item(Frozen):
    """One kind of equipment. Figures are of one unit; stand-ins replace what is not published."""

    id: str
    count: int
    max_kw: float
    typical_kw: float | None = None
    rack_units: float
    weight_kg: float
    is_rack: bool = False
    is_switch: bool = False
    liquid_fraction: float = 0.0
    airflow_m3_per_h: float | None = None
    coolant_l_per_min: float | None = None
    heat_btu_per_h: float | None = None
    power_is_stand_in: bool = False
    sources: tuple[str, ...] = ()


def items_of(
    servers: tuple[Counted, ...], switches: tuple[Counted, ...], catalogue: Catalogue
) -> tuple[tuple[Item, ...], tuple[Missing, ...]]:
    """The equipment, and what is not published about it. Raises UnknownName for a name the catalogue does not know."""
    missing: list[Missing] = []
    items = [_server_item(catalogue.server(c.id), c.count, catalogue, missing) for c in servers if c.count]
    items += [_switch_item(catalogue.switch(c.id), c.count, catalogue, missing) for c in switches if c.count]
    return tuple(items), tuple(dict.fromkeys(missing))


def _server_item(server: Server, count: int, catalogue: Catalogue, missing: list[Missing]) -> Item:
    def known(field: str) -> float:
        cited: Cited[float] = getattr(server, field)
        if cited.value is not None:
            return cited.value
        gap = server_stand_in(server, field, catalogue)
        missing.append(gap)
        return gap.value or 0.0

    is_rack = server.unit == "rack"
    return Item(
        id=server.id,
        count=count,
        max_kw=known("max_power_kw"),
        typical_kw=server.typical_power_kw.value,
        rack_units=0.0 if is_rack else known("rack_units"),
        weight_kg=known("weight_kg"),
        is_rack=is_rack,
        liquid_fraction=_liquid_fraction(server),
        airflow_m3_per_h=server.airflow_m3_per_h.value,
        coolant_l_per_min=server.coolant_l_per_min.value,
        heat_btu_per_h=_stated_heat(server),
        power_is_stand_in=server.max_power_kw.value is None,
        sources=(*server.max_power_kw.sources, *server.weight_kg.sources),
    )


def _liquid_fraction(server: Server) -> float:
    if server.liquid_fraction.value is not None:
        return server.liquid_fraction.value
    text = (server.cooling.value or "").lower()
    liquid = any(word in text for word in ("liquid", "dlc")) and not text.startswith("air")
    return RACK_PRODUCT_LIQUID_SHARE if liquid else 0.0


def _stated_heat(server: Server) -> float | None:
    """The vendor's heat figure that differs from the rated power, from the value or from a conflict beside it."""
    stated = [server.heat_btu_per_h.value, *(conflict.value for conflict in server.heat_btu_per_h.conflicts)]
    rated = server.max_power_kw.value
    values = [value for value in stated if value is not None]
    if not values or rated is None:
        return values[0] if values else None
    return max(values, key=lambda value: abs(value - rated * 3412.142))


def _switch_item(switch: Switch, count: int, catalogue: Catalogue, missing: list[Missing]) -> Item:
    def known(field: str) -> float:
        cited: Cited[float] = getattr(switch, field)
        if cited.value is not None:
            return cited.value
        gap = switch_stand_in(switch, field, catalogue)
        missing.append(gap)
        return gap.value or 0.0

    typical = switch.typical_power_w.value
    return Item(
        id=switch.id,
        count=count,
        max_kw=known("max_power_w") / 1000,
        typical_kw=None if typical is None else typical / 1000,
        rack_units=known("rack_units"),
        weight_kg=known("weight_kg"),
        is_switch=True,
        power_is_stand_in=switch.max_power_w.value is None,
        sources=(*switch.max_power_w.sources, *switch.weight_kg.sources),
    )
