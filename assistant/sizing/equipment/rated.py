"""Rated figures of equipment as ordered, and the nearest sourced stand-in where a figure is not published."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from knowledge.catalogue import Catalogue
from knowledge.evidence import Cited, Frozen
from knowledge.schema import Accelerator, Server, Switch

SAME_CLASS = 4.0
"""A switch stands in for another of up to this many times its total rate, either way: never a spine for a 1 GbE box."""

CARD_WORDS = ("pcie", "card")

Method = Literal["air", "direct_liquid", "immersion"]


class PowerStandIn(Frozen):
    """The nearest switch whose rated power is published, and what all switches would draw with it (kW)."""

    switch: str
    power_kw: float
    why: str


class Missing(Frozen):
    """A figure that is not published: of which item, and what stands in for it (None where nothing does)."""

    item: str
    field: str
    stand_in: str | None
    value: float | None
    why: str


class UnitPower(Frozen):
    """Rated power of one server with its GPUs as ordered, in kW; ``missing`` names the gap where it is a stand-in."""

    kw: float | None
    why: str
    missing: Missing | None = None
    as_shipped: bool = True


def method_of(server: Server) -> Method:
    """How the server gives off its heat: what it cannot run without, as its cooling is described."""
    text = (server.cooling.value or "").lower()
    if "immersion" in text:
        return "immersion"
    liquid = any(word in text for word in ("liquid", "dlc", "water")) and not text.startswith("air")
    return "direct_liquid" if liquid or server.liquid_fraction.value else "air"


def is_card(card: Accelerator) -> bool:
    """Whether the accelerator is a card for a slot, so that a server may hold fewer than it has room for."""
    return any(word in card.form.lower() for word in CARD_WORDS)


def unit_power(
    server: Server, catalogue: Catalogue, accelerator: str | None = None, gpus: int | None = None
) -> UnitPower:
    """Rated power of a server that holds ``gpus`` of ``accelerator`` (left out: as shipped, full).

    A box of cards draws its rated power less the cards that it was rated with plus those that it holds, each at its
    TDP. Modules of a board are never left out; hotter ones than the rating's add their difference.
    """
    missing = None if server.max_power_kw.value is not None else server_stand_in(server, "max_power_kw", catalogue)
    rated = missing.value if missing else server.max_power_kw.value
    slots, held = server.gpu_count or 0, gpus or server.gpu_count or 0
    own, put = _tdp_kw(server.accelerator, catalogue), _tdp_kw(accelerator or server.accelerator, catalogue)
    if rated is None or own is None or put is None or (held == slots and put == own):
        return UnitPower(kw=rated, why="" if rated is None else f"{rated:g} kW rated a unit", missing=missing)
    card = catalogue.entries("accelerators")[accelerator or server.accelerator or ""]
    change = held * put - slots * own if is_card(card) else max(0.0, slots * (put - own))
    kw = round(max(rated + change, held * put), 6)
    why = f"{kw:g} kW a unit: {rated:g} rated with {slots} x {server.accelerator}, with {held} x {card.id} instead"
    if put == own and held < slots:
        why = f"{kw:g} kW a unit: {rated:g} rated, less {slots - held} empty slots of {own:g}"
    shown = missing.model_copy(update={"value": kw}) if missing else None
    return UnitPower(kw=kw, why=why, missing=shown, as_shipped=change == 0)


def switch_power(count: int, switch: Switch, catalogue: Catalogue) -> tuple[float | None, PowerStandIn | None]:
    """Rated power in kW of ``count`` switches, or None with the nearest switch whose rated power is published."""
    rated = switch.max_power_w.value
    if rated is not None:
        return count * rated / 1000, None
    missing = switch_stand_in(switch, "max_power_w", catalogue)
    if missing.stand_in is None or missing.value is None:
        return None, None
    return None, PowerStandIn(switch=missing.stand_in, power_kw=count * missing.value / 1000, why=missing.why)


def switch_stand_in(switch: Switch, field: str, catalogue: Catalogue) -> Missing:
    """What stands in for ``field``: a switch of the same technology and class, else nothing.

    The class is the total rate, within ``SAME_CLASS`` times. For power, the switch's own typical power and a module in
    every cage come first, and no stand-in is below the typical power.
    """
    if field == "max_power_w" and (own := _typical_with_modules(switch)) is not None:
        why = f"no maximum power of {switch.id} is published; its typical power and {own[1]} stand in"
        return Missing(item=switch.id, field=field, stand_in=switch.id, value=own[0], why=why)
    others: Iterable[Switch] = catalogue.entries("switches").values()
    known = [o for o in others if _value(o, field) is not None and _ratio(switch, o) <= SAME_CLASS]
    near = min(known, key=lambda other: _switch_distance(switch, other), default=None)
    typical = switch.typical_power_w.value if field == "max_power_w" else None
    if typical is not None and (near is None or (_value(near, field) or 0.0) < typical):
        why = f"{field} of {switch.id} is not published; its typical power stands in, the least that it can be"
        return Missing(item=switch.id, field=field, stand_in=switch.id, value=typical, why=why)
    return _missing(switch.id, field, near, "of the same technology and class")


def _typical_with_modules(switch: Switch) -> tuple[float, str] | None:
    """Typical power with passive cables plus the largest module in every cage, in W, and the modules in words."""
    typical, each, cages = (c.value for c in (switch.typical_power_w, switch.optic_max_power_w, switch.cages))
    if typical is None or each is None or cages is None:
        return None
    return typical + cages * each, f"{cages} modules of {each:g} W"


def server_stand_in(server: Server, field: str, catalogue: Catalogue) -> Missing:
    """What stands in for ``field``: an estimate of its power, else a server with the nearest accelerators.

    That server's power is taken with its accelerators' TDP exchanged for those of ``server``, where both are known.
    """
    estimate = server.estimated_power_kw.value
    if field == "max_power_kw" and estimate is not None:
        why = f"no maximum power of {server.id} is published; a planning estimate for it stands in"
        return Missing(item=server.id, field=field, stand_in=server.id, value=estimate, why=why)
    others: Iterable[Server] = catalogue.entries("servers").values()
    known = [other for other in others if _value(other, field) is not None and other.unit == server.unit]
    if field == "max_power_kw":
        known = [other for other in known if _comparable(server, other, catalogue)]
    near = min(known, key=lambda other: _server_distance(server, other, catalogue), default=None)
    found = _missing(server.id, field, near, "with the nearest accelerators")
    if near is None or field != "max_power_kw" or found.value is None:
        return found
    own, other = _gpu_kw(server, catalogue), _gpu_kw(near, catalogue)
    if not own or not other or own == other:
        return found
    typical = server.typical_power_kw.value or 0.0
    value = round(max(found.value - other + own, own, typical), 6)
    return found.model_copy(update={"value": value, "why": f"{found.why}, its accelerators' TDP exchanged"})


def _comparable(server: Server, other: Server, catalogue: Catalogue) -> bool:
    """Whether one server's power says something of the other's: the same accelerator or none, or both TDPs known."""
    if other.accelerator == server.accelerator:
        return True
    return None not in (_tdp_kw(server.accelerator, catalogue), _tdp_kw(other.accelerator, catalogue))


def _missing(item: str, field: str, near: Server | Switch | None, how: str) -> Missing:
    if near is None:
        return Missing(item=item, field=field, stand_in=None, value=None, why=f"{field} of {item} is not published")
    why = f"{field} of {item} is not published; {near.id} is the one {how} that publishes it"
    return Missing(item=item, field=field, stand_in=near.id, value=_value(near, field), why=why)


def _value(record: Server | Switch, field: str) -> float | None:
    cited: Cited[float] = getattr(record, field)
    return cited.value


def _ratio(switch: Switch, other: Switch) -> float:
    ratio = (_rate(other) + 1) / (_rate(switch) + 1)
    return max(ratio, 1 / ratio)


def _switch_distance(switch: Switch, other: Switch) -> tuple[bool, float, str]:
    return (other.technology != switch.technology, _ratio(switch, other), other.id)


def _rate(switch: Switch) -> float:
    return (switch.ports.value or 0) * (switch.port_gb_per_s.value or 0)


def _server_distance(server: Server, other: Server, catalogue: Catalogue) -> tuple[bool, bool, float, str]:
    same = server.accelerator is not None and other.accelerator == server.accelerator
    counts = other.gpu_count != server.gpu_count
    return (not same, counts, abs(_gpu_kw(other, catalogue) - _gpu_kw(server, catalogue)), other.id)


def _tdp_kw(accelerator: str | None, catalogue: Catalogue) -> float | None:
    """TDP of one accelerator in kW; None where there is none or it is not published."""
    card: Accelerator | None = catalogue.entries("accelerators").get(accelerator or "")
    watts = card.tdp_w.value if card else None
    return None if watts is None else watts / 1000


def _gpu_kw(server: Server, catalogue: Catalogue) -> float:
    """Power of a server's accelerators in kW, for ranking only: 0 where it is not known."""
    return (server.gpu_count or 0) * (_tdp_kw(server.accelerator, catalogue) or 0.0)
