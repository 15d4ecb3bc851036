"""Which server carries an accelerator, within what the site allows."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment import Positive
from assistant.sizing.rated import server_stand_in
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import Accelerator, Server

Whole = Annotated[int, Field(ge=1)]

SMALL_BOXES = (1, 2, 4, 8)
"""How many slots of a server of cards are filled, when not all."""

PCIE_WORDS = ("pcie", "card")


class ServerLimits(Frozen):
    """What the site allows a server; None allows anything. ``liquid`` False: none at the rack, True: only liquid."""

    rack_limit_kw: Positive | None = None
    rack_limit_kg: Positive | None = None
    liquid: bool | None = None
    vendor: str | None = None
    whole_domain_gpus: Whole | None = None


class Rejected(Frozen):
    """A server that was looked at and not taken, with the reason."""

    server: str
    reason: str


class ServerChoice(Frozen):
    """The server taken (None: a plain box that the catalogue has no product for) and how many units.

    ``gpus_idle`` are GPUs bought beyond those asked for. ``max_power_kw`` is of one unit, None where not published;
    ``stand_in_power_kw`` is then the nearest sourced figure, and ``stand_in`` says whose.
    """

    server: str | None
    name: str
    count: int
    gpus_per_unit: int
    gpus_per_domain: int
    failure_gpus: int
    gpus: int
    gpus_idle: int
    reason: str
    alternatives: tuple[Rejected, ...] = ()
    fits: bool = True
    why_not: str | None = None
    nearest_fix: str | None = None
    max_power_kw: float | None = None
    stand_in: str | None = None
    stand_in_power_kw: float | None = None
    compute_nics: int | None = None
    compute_nic_gb_per_s: float | None = None


def choose_server(
    accelerator: str, catalogue: Catalogue, gpus: int, limits: ServerLimits | None = None
) -> ServerChoice:
    """The server for ``gpus`` of an accelerator: fewest idle GPUs and boxes, then published power, then least power.

    A server of PCIe cards may be ordered with 1, 2, 4 or all of its slots filled; others come full. Raises UnknownName
    for an accelerator that the catalogue does not know.
    """
    limits = limits or ServerLimits()
    card = catalogue.accelerator(accelerator)
    servers: Iterable[Server] = catalogue.entries("servers").values()
    offered = [server for server in servers if server.gpu_count and _carries(server, card.id)]
    refused = {server.id: why for server in offered if (why := _refusal(server, limits))}
    allowed = [server for server in offered if server.id not in refused]
    if not allowed and not offered:
        return _plain_box(card, gpus, catalogue)
    ranked = sorted(allowed or offered, key=lambda server: _rank(server, card, gpus))
    best, rest = ranked[0], ranked[1:]
    passed_over = [Rejected(server=s.id, reason=_passed_over(s, best, card, gpus)) for s in rest]
    rejected = [Rejected(server=name, reason=why) for name, why in refused.items() if name != best.id]
    choice = _choice(best, card, gpus, catalogue, (*rejected, *passed_over))
    if allowed:
        return choice
    return choice.model_copy(
        update={"fits": False, "why_not": f"{best.id}: {refused[best.id]}", "nearest_fix": _limit_fix(best, limits)}
    )


def _carries(server: Server, accelerator: str) -> bool:
    return server.accelerator == accelerator or accelerator in server.accelerator_options


def _refusal(server: Server, limits: ServerLimits) -> str | None:
    power, weight = server.max_power_kw.value, server.weight_kg.value
    if limits.vendor and limits.vendor.lower() not in server.vendor.lower():
        return f"not by {limits.vendor}"
    if limits.rack_limit_kw and power and power > limits.rack_limit_kw:
        return f"{power:g} kW rated, a rack may draw {limits.rack_limit_kw:g}"
    if limits.rack_limit_kg and weight and weight > limits.rack_limit_kg:
        return f"{weight:g} kg, a rack may hold {limits.rack_limit_kg:g}"
    if limits.liquid is False and needs_liquid(server):
        return "needs liquid at the rack"
    if limits.liquid is True and not (needs_liquid(server) or "dlc" in (server.cooling.value or "").lower()):
        return "is cooled by air"
    if limits.whole_domain_gpus and domain_gpus(server) < limits.whole_domain_gpus:
        return f"joins {domain_gpus(server)} GPUs at full speed, {limits.whole_domain_gpus} are needed in one domain"
    return None


def needs_liquid(server: Server) -> bool:
    """Whether the server can't run on air alone."""
    text = (server.cooling.value or "").lower()
    return bool(server.liquid_fraction.value) or (
        any(word in text for word in ("liquid", "dlc", "water", "immersion")) and not text.startswith("air")
    )


def domain_gpus(server: Server) -> int:
    """GPUs that reach each other without the network: all of a unit."""
    return server.gpu_count or 1


def failure_gpus(server: Server) -> int:
    """GPUs lost when one node fails: a whole server, or one tray of a rack."""
    return ceil((server.gpu_count or 1) / server.nodes_per_unit)


def is_card(card: Accelerator) -> bool:
    """Whether the accelerator is a card for a slot, so that a server may hold fewer than it has room for."""
    return any(word in card.form.lower() for word in PCIE_WORDS)


def _filled(slots: int, card: Accelerator, gpus: int) -> tuple[int, int]:
    """(GPUs in a box, boxes) with the fewest idle GPUs and boxes together, the larger box of equals."""
    sizes = [size for size in (*SMALL_BOXES, slots) if size <= slots] if is_card(card) else [slots]
    each = min(sizes, key=lambda size: (-gpus % size + ceil(gpus / size), -size))
    return each, ceil(gpus / each)


def _rank(server: Server, card: Accelerator, gpus: int) -> tuple[int, bool, bool, bool, int, float, str]:
    slots = server.gpu_count or 1
    each, boxes = _filled(slots, card, gpus)
    power = server.max_power_kw.value or server.estimated_power_kw.value
    known = server.max_power_kw.value is not None and server.rack_units.value is not None
    reference = server.vendor.lower() == "nvidia"
    spent = boxes * each - gpus + boxes
    other = server.accelerator != card.id
    return (spent, other, not known, not reference, slots - each, (power or 99) / slots, server.id)


def _passed_over(server: Server, best: Server, card: Accelerator, gpus: int) -> str:
    each, boxes = _filled(server.gpu_count or 1, card, gpus)
    best_each, best_boxes = _filled(best.gpu_count or 1, card, gpus)
    if (each * boxes, boxes) != (best_each * best_boxes, best_boxes):
        return f"{boxes} x {each} GPUs; {best.id} takes {best_boxes} x {best_each}"
    if server.max_power_kw.value is None:
        return "its maximum power is not published"
    return f"does the same; {best.id} is the reference, has fewer empty slots or draws less"


def _choice(
    server: Server, card: Accelerator, gpus: int, catalogue: Catalogue, passed: tuple[Rejected, ...]
) -> ServerChoice:
    slots = server.gpu_count or 1
    each, count = _filled(slots, card, gpus)
    power = server.max_power_kw.value
    gap = None if power is not None else server_stand_in(server, "max_power_kw", catalogue)
    idle = count * each - gpus
    reason = f"{count} x {each} GPUs for {gpus}, {idle or 'none'} idle"
    reason += f", {slots - each} slots of each stay empty" if each < slots else ""
    reason += f"; {power:g} kW rated a unit" if power is not None else ""
    return ServerChoice(
        server=server.id,
        name=server.name,
        count=count,
        gpus_per_unit=each,
        gpus_per_domain=min(each, domain_gpus(server)),
        failure_gpus=min(each, failure_gpus(server)),
        gpus=gpus,
        gpus_idle=idle,
        reason=reason,
        alternatives=passed,
        max_power_kw=power,
        stand_in=gap.stand_in if gap else None,
        stand_in_power_kw=gap.value if gap else None,
        compute_nics=server.compute_nics.value,
        compute_nic_gb_per_s=server.compute_nic_gb_per_s.value,
    )


def _limit_fix(server: Server, limits: ServerLimits) -> str:
    power = server.max_power_kw.value
    if limits.rack_limit_kw and power and power > limits.rack_limit_kw:
        return f"rack_limit_kw {power:g}, or an accelerator that comes in smaller servers"
    if limits.liquid is False:
        return "coolant at the rack, or an accelerator that comes in air-cooled servers"
    return "another accelerator, or the limit that refuses every server lifted"


def _plain_box(card: Accelerator, gpus: int, catalogue: Catalogue) -> ServerChoice:
    """A box of up to 8 cards that no product of the catalogue stands for; other forms come by 8."""
    each, count = _filled(max(SMALL_BOXES), card, gpus)
    overhead, whose = _host_overhead(each, catalogue)
    watts = card.tdp_w.value
    power = None if watts is None or overhead is None else each * watts / 1000 + overhead
    return ServerChoice(
        server=None,
        name=f"server with {each} x {card.name}",
        count=count,
        gpus_per_unit=each,
        gpus_per_domain=each,
        failure_gpus=each,
        gpus=gpus,
        gpus_idle=count * each - gpus,
        reason=f"the catalogue has no server with {card.name}; {count} x {each} cards in plain boxes carry {gpus}",
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
