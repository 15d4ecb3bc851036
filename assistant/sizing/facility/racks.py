"""Racks by power, height and weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, floor

from assistant.sizing.equipment.units import Item
from assistant.sizing.facility.models import RackGroup, RackPart
from knowledge.message import Message, say

ASSUMED_RACK_KW = 45.0
"""Without a limit a rack takes up to this: four DGX H100 (40.8 kW) as the SuperPOD design has them, with switches."""

RACK_TARE_KG = 150.0
"""An empty rack with its PDUs; assumed."""

HELD_BACK_UNITS = 2.0
"""Height kept for cable management and patch panels; assumed."""

LUMP_UNITS = 2.0
"""Equipment known only in total goes into racks in pieces of this height, as storage enclosures have."""

SLACK = 1e-9
"""So that a sum of decimal fractions that is meant to be whole counts as whole."""


@dataclass(frozen=True)
class RackRules:
    """What one rack may hold: kW (None: assumed), height units, kg of equipment and rack (None: any)."""

    limit_kw: float | None
    height_units: float
    limit_kg: float | None


@dataclass(frozen=True)
class RackPlan:
    """Racks in all and with GPU servers, the fullest's rated kW and kg, servers in a rack, and why one is too big."""

    racks: int
    compute_racks: int
    rack_kw: float
    rack_kg: float
    total_kg: float
    per_rack: dict[str, int]
    limit_kw: float | None
    loads: tuple[Load, ...] = ()
    problem: Message | None = None
    fix: Message | None = None


@dataclass(frozen=True)
class Load:
    """What ``count`` equal racks hold, or things bring, each: kW, height units, kg. ``sealed`` racks are products.

    ``parts`` are the (item, how many) of one rack, in the order in which they were put there.
    """

    count: int
    kw: float = 0.0
    units: float = 0.0
    kg: float = 0.0
    sealed: bool = False
    parts: tuple[tuple[str, int], ...] = ()

    def with_more(self, thing: Load, times: int) -> Load:
        """One such rack with ``times`` of a thing in it."""
        parts = (*self.parts, *((item, times * each) for item, each in thing.parts))
        kw, units, kg = self.kw + times * thing.kw, self.units + times * thing.units, self.kg + times * thing.kg
        return Load(1, kw, units, kg, parts=parts)


@dataclass(frozen=True)
class Lump:
    """Equipment known only in total (kW, height units, kg), of ``boxes`` equal boxes where that is known."""

    name: str
    kw: float
    units: float
    kg: float
    boxes: int = 0

    def sliced(self, limit_kw: float) -> Load:
        """Its boxes, else equal pieces that racks can hold."""
        pieces = self.boxes or max(1, ceil(self.units / LUMP_UNITS), ceil(self.kw / limit_kw))
        return Load(pieces, self.kw / pieces, self.units / pieces, self.kg / pieces, parts=((self.name, 1),))


def plan_racks(items: tuple[Item, ...], others: tuple[Lump, ...], rules: RackRules) -> RackPlan:
    """Racks for GPU servers, each type in racks of its own, and for the small gear beside them.

    Small gear fills racks of its own; what would leave the last of these part empty stands in the room that the GPU
    racks have, where all of it fits there. ``others`` are known only in total.
    """
    large = [item for item in items if not item.is_small]
    limit = rules.limit_kw or max([ASSUMED_RACK_KW, *(i.max_kw for i in items if not i.is_rack)])
    per_rack = {item.id: units_in_rack(item, limit, rules) for item in items}
    compute = [load for item in large for load in _server_racks(item, max(per_rack[item.id], 1))]
    gear = [Load(i.count, i.max_kw, i.rack_units, i.weight_kg, parts=((i.id, 1),)) for i in items if i.is_small]
    gear += [lump.sliced(limit) for lump in others if lump.kw or lump.units or lump.kg]
    racks = _with_gear(compute, gear, limit, rules)
    tare = sum(load.count for load in racks if not load.sealed) * RACK_TARE_KG
    problem, fix = _too_big(items, per_rack, rules)
    return RackPlan(
        racks=sum(load.count for load in racks),
        compute_racks=sum(load.count for load in compute),
        rack_kw=max((load.kw for load in racks), default=0.0),
        rack_kg=max((load.kg + (0.0 if load.sealed else RACK_TARE_KG) for load in racks), default=0.0),
        total_kg=sum(load.count * load.kg for load in racks) + tare,
        per_rack={item.id: per_rack[item.id] for item in large},
        limit_kw=limit if rules.limit_kw is None and any(not i.is_rack for i in items) else None,
        loads=tuple(racks),
        problem=problem,
        fix=fix,
    )


def rack_groups(plan: RackPlan, items: tuple[Item, ...]) -> tuple[RackGroup, ...]:
    """The plan's racks as data, with the figures of what stands in each."""
    known = {item.id: item for item in items}
    return tuple(
        RackGroup(
            count=load.count,
            kw=load.kw,
            kg=load.kg + (0.0 if load.sealed else RACK_TARE_KG),
            compute=any(item in known and not known[item].is_small for item, _ in load.parts),
            sealed=load.sealed,
            parts=tuple(_part(item, count, load, known) for item, count in load.parts),
        )
        for load in plan.loads
    )


def _part(name: str, count: int, load: Load, known: dict[str, Item]) -> RackPart:
    """One line of a rack; of what is known only in total, the share that the rack has left for it."""
    if name in known:
        return RackPart(item=name, count=count, rack_units=known[name].rack_units, kw=known[name].max_kw)
    items = [(known[item], n) for item, n in load.parts if item in known]
    lumps = sum(n for item, n in load.parts if item not in known)
    units = (load.units - sum(n * item.rack_units for item, n in items)) / lumps
    kw = (load.kw - sum(n * item.max_kw for item, n in items)) / lumps
    return RackPart(item=name, count=count, rack_units=max(units, 0.0), kw=max(kw, 0.0))


def units_in_rack(item: Item, limit_kw: float, rules: RackRules) -> int:
    """How many of an item one rack holds; 0 where it exceeds a limit alone. A rack product is a rack of its own."""
    if item.is_rack:
        return int(rules.limit_kw is None or item.max_kw <= limit_kw + SLACK)
    return _fitting(Load(1), Load(1, item.max_kw, item.rack_units, item.weight_kg), limit_kw, rules)


def _fitting(rack: Load, thing: Load, limit_kw: float, rules: RackRules) -> int:
    """How many of a thing the rest of a rack takes."""
    rests = [(limit_kw - rack.kw, thing.kw), (rules.height_units - HELD_BACK_UNITS - rack.units, thing.units)]
    if rules.limit_kg is not None:
        rests.append((rules.limit_kg - rack.kg, thing.kg))
    most = [floor(rest / each + SLACK) for rest, each in rests if each > 0]
    return max(0, min(most)) if most else ceil(rules.height_units)


def _server_racks(item: Item, per_rack: int) -> list[Load]:
    """Full racks of one type of server, and the last one."""
    full, rest = divmod(item.count, per_rack)
    sizes = [(full, per_rack), (1, rest)]
    return [
        Load(racks, n * item.max_kw, n * item.rack_units, n * item.weight_kg, item.is_rack, ((item.id, n),))
        for racks, n in sizes
        if racks and n
    ]


def _with_gear(compute: list[Load], gear: list[Load], limit_kw: float, rules: RackRules) -> list[Load]:
    """All racks once the gear stands: whole racks of gear, the rest beside the GPU servers if all of it fits there."""
    things = sorted((load for load in gear if load.count), key=lambda load: (-load.kw, -load.units))
    own = max((_share(column, limit) for column, limit in _totals(things, limit_kw, rules)), default=0.0)
    racks, left = _placed([Load(floor(own + SLACK)), *compute], things, limit_kw, rules)
    if left:
        apart, left = _placed([Load(floor(own + SLACK))], things, limit_kw, rules)
        racks = [*compute, *apart]
    while left:
        first, each = left[0], _fitting(Load(1), left[0], limit_kw, rules)
        if each:
            extra, left = _placed([Load(ceil(first.count / each))], left, limit_kw, rules)
        else:  # a thing too big for any rack takes one; the plan says that it does not fit
            extra, left = [first], left[1:]
        racks = [*racks, *extra]
    return [load for load in racks if load.count and (load.kw or load.units or load.kg)]


def _totals(things: list[Load], limit_kw: float, rules: RackRules) -> list[tuple[float, float | None]]:
    return [
        (sum(t.count * t.kw for t in things), limit_kw),
        (sum(t.count * t.units for t in things), rules.height_units - HELD_BACK_UNITS),
        (sum(t.count * t.kg for t in things), rules.limit_kg),
    ]


def _share(total: float, limit: float | None) -> float:
    return total / limit if limit and limit > 0 else 0.0


def _placed(
    racks: Iterable[Load], things: list[Load], limit_kw: float, rules: RackRules
) -> tuple[list[Load], list[Load]]:
    """The racks with as many of the things as fit, first racks first, and the things that are left."""
    after, left = [load for load in racks if load.count], []
    for thing in things:
        rest, filled = thing.count, []
        for rack in after:
            each = 0 if rack.sealed else _fitting(rack, thing, limit_kw, rules)
            full = min(rack.count, rest // each) if each else 0
            part = rest - full * each if each and full < rack.count else 0
            rest -= full * each + part
            untouched = rack.count - full - (1 if part else 0)
            filled += [replace(rack.with_more(thing, each), count=full)] if full else []
            filled += [rack.with_more(thing, part)] if part else []
            filled += [replace(rack, count=untouched)] if untouched else []
        after = filled
        left += [replace(thing, count=rest)] if rest else []
    return after, left


def _too_big(
    items: Iterable[Item], per_rack: dict[str, int], rules: RackRules
) -> tuple[Message | None, Message | None]:
    over = next((item for item in items if per_rack.get(item.id) == 0), None)
    if over is None:
        return None, None
    if rules.limit_kw is not None and over.max_kw > rules.limit_kw:
        why = say("facility.short.rack_kw", item=over.id, power=over.max_kw, limit=rules.limit_kw)
        return why, say("facility.fix.rack_kw", power=over.max_kw)
    if over.rack_units > rules.height_units - HELD_BACK_UNITS:
        room = rules.height_units - HELD_BACK_UNITS
        high = say("facility.short.rack_units", item=over.id, height=over.rack_units, room=room)
        return high, say("facility.fix.rack_units")
    why = say("facility.short.rack_kg", item=over.id, weight=over.weight_kg, limit=rules.limit_kg)
    return why, say("facility.fix.rack_kg", weight=over.weight_kg)
