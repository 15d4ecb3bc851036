"""Which cooling a density asks for, and how much coolant it moves."""

from __future__ import annotations

from assistant.sizing.equipment.units import Item
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say
from knowledge.schema import CoolingMethod

WATER_KJ_PER_KG_K = 4.186
"""Specific heat of water; a glycol mix carries about a tenth less."""


def is_liquid(item: Item) -> bool:
    """Whether the item cannot run on air alone."""
    return item.method != "air"


def choose_cooling(
    asked: str | None, rack_kw: float, items: tuple[Item, ...], catalogue: Catalogue
) -> tuple[CoolingMethod, Message]:
    """The method asked for, or the mildest that carries ``rack_kw``, with the reason in a sentence."""
    methods: dict[str, CoolingMethod] = dict(catalogue.entries("cooling"))
    if asked is not None:
        return methods[asked], say("facility.cooling.asked")
    wet = next((i for i in sorted(items, key=lambda i: i.method != "immersion") if is_liquid(i)), None)
    if wet is not None:
        method = methods[wet.method]
        return method, say("facility.cooling.built", item=wet.id, method=method.name)
    for name in ("air", "rear_door"):
        most = methods[name].rack_kw_most.value
        if most is not None and rack_kw <= most:
            method = methods[name]
            return method, say("facility.cooling.within", rack=rack_kw, most=most, method=method.name)
    door = methods["rear_door"].rack_kw_most.value
    return methods["direct_liquid"], say("facility.cooling.beyond", rack=rack_kw, most=door)


def coolant_flow(items: tuple[Item, ...], to_liquid_kw: float, method: CoolingMethod) -> float | None:
    """Coolant in l/min: published flows, else heat over specific heat and rise. None where nothing goes to liquid."""
    if to_liquid_kw <= 0:
        return None
    published = sum(i.count * i.coolant_l_per_min for i in items if i.coolant_l_per_min)
    covered = sum(i.count * i.max_kw * i.liquid_fraction for i in items if i.coolant_l_per_min)
    rise = method.coolant_rise_k.value
    if rise is None:
        return published or None
    return published + max(to_liquid_kw - covered, 0.0) * 60 / (WATER_KJ_PER_KG_K * rise)
