"""Which server carries an accelerator, within what the site allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from assistant.sizing.equipment.rated import UnitPower, is_card, method_of, unit_power
from assistant.sizing.equipment.server_models import Rejected, ServerChoice, ServerLimits
from knowledge.catalogue import Catalogue
from knowledge.schema import Accelerator, Server

__all__ = [
    "Rejected",
    "ServerChoice",
    "ServerLimits",
    "choose_server",
    "domain_gpus",
    "failure_gpus",
    "needs_liquid",
]

SMALL_BOXES = (1, 2, 4, 8)
"""How many slots of a server of cards are filled, when not all."""


@dataclass(frozen=True)
class Filled:
    """One server for an order: ``each`` GPUs in it, ``boxes`` of them, and the power of one so filled."""

    server: Server
    each: int
    boxes: int
    power: UnitPower

    @property
    def empty(self) -> int:
        """Slots that stay empty."""
        return (self.server.gpu_count or 1) - self.each


@lru_cache(maxsize=4096)
def choose_server(
    accelerator: str, catalogue: Catalogue, gpus: int, limits: ServerLimits | None = None
) -> ServerChoice:
    """The server for ``gpus`` of an accelerator: one cooled by air before one that needs liquid, a tank last; then
    fewest idle GPUs and boxes, then published power, then least power.

    A server of PCIe cards may be ordered with 1, 2, 4 or all of its slots filled; others come full. Where no server
    keeps the limits, or the named one does not, the best is returned with ``fits`` False. Raises UnknownName for an
    accelerator or a named server that the catalogue does not know.
    """
    limits = limits or ServerLimits()
    card = catalogue.accelerator(accelerator)
    offered = [_fill(server, card, gpus, catalogue) for server in _offered(card, limits, catalogue)]
    if not offered:
        return _plain_box(card, gpus, catalogue, limits)
    dry = any(method_of(filled.server) == "air" for filled in offered)
    refused = {f.server.id: why for f in offered if (why := _refusal(f, card, limits, dry))}
    allowed = [filled for filled in offered if filled.server.id not in refused]
    ranked = sorted(allowed or offered, key=lambda filled: _rank(filled, card, gpus, limits))
    best, rest = ranked[0], ranked[1:]
    passed_over = [Rejected(server=f.server.id, reason=refused.get(f.server.id) or _passed_over(f, best)) for f in rest]
    ranked_ids = {filled.server.id for filled in ranked}
    rejected = [Rejected(server=name, reason=why) for name, why in refused.items() if name not in ranked_ids]
    choice = _choice(best, card, gpus, (*rejected, *passed_over))
    if allowed:
        return choice
    return choice.model_copy(
        update={
            "fits": False,
            "why_not": f"{best.server.name}: {refused[best.server.id]}",
            "nearest_fix": _limit_fix(best, card, limits, catalogue),
        }
    )


def _offered(card: Accelerator, limits: ServerLimits, catalogue: Catalogue) -> list[Server]:
    """The named server alone, else all that carry the accelerator."""
    if limits.server is not None:
        return [catalogue.server(limits.server)]
    servers: Iterable[Server] = catalogue.entries("servers").values()
    return [server for server in servers if server.gpu_count and _carries(server, card.id)]


def _carries(server: Server, accelerator: str) -> bool:
    return server.accelerator == accelerator or accelerator in server.accelerator_options


def _fill(server: Server, card: Accelerator, gpus: int, catalogue: Catalogue) -> Filled:
    each, boxes = _filled(server.gpu_count or 1, card, gpus)
    carried = card.id if _carries(server, card.id) else None
    return Filled(server=server, each=each, boxes=boxes, power=unit_power(server, catalogue, carried, each))


def _refusal(filled: Filled, card: Accelerator, limits: ServerLimits, dry: bool) -> str | None:
    """Why a server is not allowed, or None. ``dry``: some server with the accelerator is cooled by air."""
    server, power, weight = filled.server, filled.power.kw, filled.server.weight_kg.value
    if not server.gpu_count or not _carries(server, card.id):
        return f"carries {server.accelerator or 'no GPU'}, not {card.id}"
    if limits.vendor and limits.vendor.lower() not in server.vendor.lower():
        return f"not by {limits.vendor}"
    if limits.rack_limit_kw and power and power > limits.rack_limit_kw:
        return f"one draws {power:g} kW as rated, a rack may draw {limits.rack_limit_kw:g} kW"
    if limits.rack_limit_kg and weight and weight > limits.rack_limit_kg:
        return f"{weight:g} kg, a rack may hold {limits.rack_limit_kg:g}"
    if limits.whole_domain_gpus and domain_gpus(server) < limits.whole_domain_gpus:
        return f"joins {domain_gpus(server)} GPUs at full speed, {limits.whole_domain_gpus} are needed in one domain"
    return _wrong_cooling(server, limits, dry)


def _wrong_cooling(server: Server, limits: ServerLimits, dry: bool) -> str | None:
    method, named = method_of(server), limits.server is not None
    if limits.liquid is False and method != "air":
        return "needs an immersion tank" if method == "immersion" else "needs liquid at the rack"
    if limits.liquid is True and method == "air" and "dlc" not in (server.cooling.value or "").lower():
        return "is cooled by air"
    if named or not dry or method == "air":
        return None
    if method == "immersion":
        return "stands in an immersion tank, and others do not"
    return None if limits.liquid else "needs liquid at the rack, of which nothing is said; others run on air"


def needs_liquid(server: Server) -> bool:
    """Whether the server can't run on air alone."""
    return method_of(server) != "air"


def domain_gpus(server: Server) -> int:
    """GPUs that reach each other without the network: all of a unit."""
    return server.gpu_count or 1


def failure_gpus(server: Server) -> int:
    """GPUs lost when one node fails: a whole server, or one tray of a rack."""
    return ceil((server.gpu_count or 1) / server.nodes_per_unit)


def _filled(slots: int, card: Accelerator, gpus: int) -> tuple[int, int]:
    """(GPUs in a box, boxes) with the fewest idle GPUs and boxes together, the larger box of equals."""
    sizes = [size for size in (*SMALL_BOXES, slots) if size <= slots] if is_card(card) else [slots]
    each = min(sizes, key=lambda size: (-gpus % size + ceil(gpus / size), -size))
    return each, ceil(gpus / each)


def _rank(filled: Filled, card: Accelerator, gpus: int, limits: ServerLimits) -> tuple[int | float | str, ...]:
    """Smaller is better. With liquid at the rack a server built for it is as good as another."""
    server = filled.server
    wetness = {"air": 0, "direct_liquid": 0 if limits.liquid else 1, "immersion": 2}[method_of(server)]
    known = server.max_power_kw.value is not None and server.rack_units.value is not None
    reference = server.vendor.lower() == "nvidia"
    spent = filled.boxes * filled.each - gpus + filled.boxes
    other = server.accelerator != card.id
    per_slot = (filled.power.kw or 99) / filled.each
    return (wetness, spent, other, not known, not reference, filled.empty, per_slot, server.id)


def _passed_over(filled: Filled, best: Filled) -> str:
    server, name = filled.server, best.server.id
    if method_of(server) != "air" and method_of(best.server) == "air":
        return f"needs {'a tank' if method_of(server) == 'immersion' else 'liquid at the rack'}; {name} runs on air"
    if (filled.each, filled.boxes) != (best.each, best.boxes):
        return f"{filled.boxes} x {filled.each} GPUs; {name} takes {best.boxes} x {best.each}"
    if server.max_power_kw.value is None:
        return "its maximum power is not published"
    return f"does the same; {name} is the reference, has fewer empty slots or draws less"


def _choice(filled: Filled, card: Accelerator, gpus: int, passed: tuple[Rejected, ...]) -> ServerChoice:
    server, each, power = filled.server, filled.each, filled.power
    idle = filled.boxes * each - gpus
    reason = f"{filled.boxes} x {each} GPUs for {gpus}, {idle or 'none'} idle"
    reason += f", {filled.empty} slots of each stay empty" if filled.empty else ""
    reason += f"; {power.why}" if power.why else ""
    gap = power.missing
    return ServerChoice(
        server=server.id,
        name=server.name,
        accelerator=card.id,
        count=filled.boxes,
        gpus_per_unit=each,
        gpus_per_domain=min(each, domain_gpus(server)),
        failure_gpus=min(each, failure_gpus(server)),
        gpus=gpus,
        gpus_idle=idle,
        reason=reason,
        alternatives=passed,
        max_power_kw=None if gap else power.kw,
        stand_in=gap.stand_in if gap else None,
        stand_in_power_kw=gap.value if gap else None,
        compute_nics=server.compute_nics.value,
        compute_nic_gb_per_s=server.compute_nic_gb_per_s.value,
        method=method_of(server),
        liquid_required=needs_liquid(server),
    )


def _limit_fix(filled: Filled, card: Accelerator, limits: ServerLimits, catalogue: Catalogue) -> str:
    """The change that lets the best server in, and another server that keeps the rack's limit where one does."""
    server, power = filled.server, filled.power.kw
    if not _carries(server, card.id):
        return f"{server.accelerator or 'no accelerator'} with {server.name}, or a server that carries {card.id}"
    if limits.rack_limit_kw and power and power > limits.rack_limit_kw:
        other = _under(card, filled.each, limits.rack_limit_kw, limits, catalogue)
        other = other or "an accelerator that comes in smaller servers"
        return f"racks of {power:g} kW (rack_limit_kw {power:g}), or {other}"
    if limits.liquid is False and method_of(server) != "air":
        return "coolant at the rack, or an accelerator that comes in air-cooled servers"
    if limits.liquid is True:
        return f"{server.name} cooled by air, or an accelerator that comes in servers built for liquid"
    return "another accelerator, or the limit that refuses every server lifted"


def _under(card: Accelerator, gpus: int, rack_kw: float, limits: ServerLimits, catalogue: Catalogue) -> str | None:
    """The server with the accelerator that draws least of those that a rack carries, with what it needs."""
    free = limits.model_copy(update={"server": None})
    every = [_fill(server, card, gpus, catalogue) for server in _offered(card, free, catalogue)]
    under = [f for f in every if f.power.kw and f.power.kw <= rack_kw]
    if limits.liquid is False:
        under = [f for f in under if method_of(f.server) == "air"]
    least = min(under, key=lambda f: (method_of(f.server) == "immersion", f.power.kw or 0.0), default=None)
    if least is None:
        return None
    needs = {"air": "", "direct_liquid": ", with liquid at the rack", "immersion": ", in an immersion tank"}
    return f"{least.server.name} ({least.power.kw:g} kW{needs[method_of(least.server)]})"


def _plain_box(card: Accelerator, gpus: int, catalogue: Catalogue, limits: ServerLimits) -> ServerChoice:
    """A box of up to 8 cards that no product of the catalogue stands for; other forms come by 8."""
    each, count = _filled(max(SMALL_BOXES), card, gpus)
    overhead, whose = _host_overhead(each, catalogue)
    watts = card.tdp_w.value
    power = None if watts is None or overhead is None else round(each * watts / 1000 + overhead, 6)
    over = bool(power and limits.rack_limit_kw and power > limits.rack_limit_kw)
    reason = f"the catalogue has no server with {card.name}; {count} x {each} cards in plain boxes carry {gpus}"
    reason += f"; {power:g} kW a unit: {each} cards at their TDP and the host of {whose}" if power else ""
    return ServerChoice(
        server=None,
        name=f"server with {each} x {card.name}",
        accelerator=card.id,
        count=count,
        gpus_per_unit=each,
        gpus_per_domain=each,
        failure_gpus=each,
        gpus=gpus,
        gpus_idle=count * each - gpus,
        reason=reason,
        fits=not over,
        why_not=f"one draws {power:g} kW, a rack may draw {limits.rack_limit_kw:g} kW" if over else None,
        nearest_fix=f"racks of {power:g} kW (rack_limit_kw {power:g}), or fewer cards in a box" if over else None,
        stand_in=whose,
        stand_in_power_kw=power,
    )


def _host_overhead(cards: int, catalogue: Catalogue) -> tuple[float | None, str | None]:
    """Rated power of a card server beyond its cards (kW), from the one of nearest size that publishes its maximum."""
    servers: Iterable[Server] = catalogue.entries("servers").values()
    found = []
    for server in servers:
        power, count = server.max_power_kw.value, server.gpu_count or 1
        if power is None or count < 2 or server.accelerator is None or server.unit == "rack":
            continue
        card: Accelerator = catalogue.entries("accelerators")[server.accelerator]
        if is_card(card) and card.tdp_w.value:
            found.append((abs(count - cards), server.id, power - count * card.tdp_w.value / 1000))
    rest = min((row for row in found if row[2] > 0), default=None)
    return (None, None) if rest is None else (rest[2], rest[1])
