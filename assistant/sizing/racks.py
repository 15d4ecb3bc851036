"""Racks by power, height and weight."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from assistant.sizing.equipment import Item

ASSUMED_RACK_KW = 45.0
"""Without a limit a rack takes up to this: four DGX H100 (40.8 kW) as the SuperPOD design has them, with switches."""

RACK_TARE_KG = 150.0
"""An empty rack with its PDUs; assumed."""

HELD_BACK_UNITS = 2.0
"""Height kept for cable management and patch panels; assumed."""


@dataclass(frozen=True)
class RackRules:
    """What one rack may hold: kW (None: assumed), height units, kg of equipment and rack (None: any)."""

    limit_kw: float | None
    height_units: float
    limit_kg: float | None


@dataclass(frozen=True)
class RackPlan:
    """Racks in all, the fullest rack's rated kW and kg, units in a rack by item, and why one does not fit."""

    racks: int
    rack_kw: float
    rack_kg: float
    total_kg: float
    per_rack: dict[str, int]
    limit_kw: float | None
    problem: str | None = None
    fix: str | None = None


def plan_racks(items: tuple[Item, ...], others: tuple[tuple[float, float, float], ...], rules: RackRules) -> RackPlan:
    """Racks for servers, each type in racks of its own, and for switches, storage and support together.

    ``others`` are (kW, height units, kg) of equipment that is known only in total.
    """
    servers = [item for item in items if not item.is_switch]
    limit = rules.limit_kw or max([ASSUMED_RACK_KW, *(i.max_kw for i in servers)])
    per_rack = {item.id: units_in_rack(item, limit, rules) for item in servers}
    rest = [(i.count * i.max_kw, i.count * i.rack_units, i.count * i.weight_kg) for i in items if i.is_switch]
    kw, units, kg = (sum(column) for column in zip((0.0, 0.0, 0.0), *rest, *others, strict=True))
    rest_racks = _shared_racks(kw, units, kg, limit, rules)
    racks = rest_racks + sum(ceil(i.count / max(per_rack[i.id], 1)) for i in servers)
    fullest = [(min(i.count, max(per_rack[i.id], 1)), i) for i in servers]
    loads_kw = [n * i.max_kw for n, i in fullest] + ([kw / rest_racks] if rest_racks else [])
    tares = [0.0 if i.is_rack else RACK_TARE_KG for i in servers]
    loads_kg = [n * i.weight_kg + tare for (n, i), tare in zip(fullest, tares, strict=True)]
    loads_kg += [kg / rest_racks + RACK_TARE_KG] if rest_racks else []
    own = sum(ceil(i.count / max(per_rack[i.id], 1)) for i in servers if i.is_rack)
    total_kg = kg + sum(i.count * i.weight_kg for i in servers) + (racks - own) * RACK_TARE_KG
    assumed = limit if rules.limit_kw is None and any(not i.is_rack for i in servers) else None
    problem, fix = _too_big(servers, per_rack, rules)
    return RackPlan(racks, max(loads_kw), max(loads_kg), total_kg, per_rack, assumed, problem, fix)


def units_in_rack(item: Item, limit_kw: float, rules: RackRules) -> int:
    """How many of an item one rack holds; 0 where it exceeds a limit alone. A rack product is a rack of its own."""
    if item.is_rack:
        return int(rules.limit_kw is None or item.max_kw <= limit_kw + 1e-9)
    by_power = (limit_kw + 1e-9) // item.max_kw if item.max_kw else rules.height_units
    by_height = (rules.height_units - HELD_BACK_UNITS) // item.rack_units if item.rack_units else by_power
    by_weight = by_power
    if rules.limit_kg is not None and item.weight_kg:
        by_weight = rules.limit_kg // item.weight_kg
    return int(min(by_power, by_height, by_weight))


def _shared_racks(kw: float, units: float, kg: float, limit_kw: float, rules: RackRules) -> int:
    by_weight = kg / rules.limit_kg if rules.limit_kg else 0.0
    return ceil(max(kw / limit_kw, units / (rules.height_units - HELD_BACK_UNITS), by_weight) - 1e-9)


def _too_big(servers: list[Item], per_rack: dict[str, int], rules: RackRules) -> tuple[str | None, str | None]:
    over = next((item for item in servers if per_rack[item.id] == 0), None)
    if over is None:
        return None, None
    if rules.limit_kw is not None and over.max_kw > rules.limit_kw:
        why = f"one {over.id} is rated {over.max_kw:g} kW and a rack may draw {rules.limit_kw:g} kW"
        return why, f"rack_limit_kw {over.max_kw:g}, or a server with fewer or smaller GPUs"
    if over.rack_units > rules.height_units - HELD_BACK_UNITS:
        room = rules.height_units - HELD_BACK_UNITS
        return f"one {over.id} is {over.rack_units:g} units high and a rack has {room:g}", "rack_height_units 48"
    why = f"one {over.id} weighs {over.weight_kg:g} kg and a rack may hold {rules.limit_kg:g} kg"
    return why, f"rack_limit_kg {over.weight_kg:g}"
