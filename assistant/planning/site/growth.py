"""How a plan grows: what the design as built still takes, the next steps, and what each would rebuild."""

from __future__ import annotations

from assistant.planning.building.build import Site, build_site, most_units_on_site
from assistant.planning.building.networks import Surroundings, compute_fabric, trays_of
from assistant.sizing.equipment.nodes import ServerChoice
from assistant.sizing.fabric.estimate import FabricResult
from assistant.sizing.facility.estimate import most_that
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say

AS_IS = say("growth.as_is")
"""Nothing is rebuilt."""


class Growth(Frozen):
    """One step: ``servers`` in all after it, what is bought for it, and what must be changed of what stands.

    ``added_kw`` is nominal IT power with networks and support, with stand-ins where a rated power is not published.
    """

    step: Text
    servers: int
    added_servers: int
    added_racks: int
    added_switches: int
    added_kw: float | None
    tiers: int | None
    moved_links: int
    rebuilt: Text


def growth_of(site: Site, catalogue: Catalogue) -> tuple[Growth, ...]:
    """The steps from a site, nearest first. Nothing for one that does not fit."""
    choice, units, place = site.choice, site.units, site.place
    if units < 1 or not site.facility.fits or (site.fabric is not None and not site.fabric.fits):
        return ()
    free = place.model_copy(update={"site_limit_kw": None})
    steps: dict[int, Message] = {}
    for servers, name in _steps(choice, units, free, site.fabric, catalogue):
        steps.setdefault(servers, name)
    if place.site_limit_kw is not None:
        most = most_units_on_site(choice, place, catalogue)
        steps = {servers: name for servers, name in steps.items() if servers <= most}
        steps[most] = say("growth.most_power", kw=place.site_limit_kw)
    return tuple(
        _step(name, units, servers, site, build_site(choice, servers, free, catalogue))
        for servers, name in sorted(steps.items())
        if servers > units
    )


def _steps(
    choice: ServerChoice, units: int, place: Surroundings, fabric: FabricResult | None, catalogue: Catalogue
) -> list[tuple[int, Message]]:
    """(servers, name) of each step; the first of those with equal counts gives the name."""
    if fabric is None:
        return [
            (units + 1, say("growth.one_more")),
            (2 * units, say("growth.twice")),
            (4 * units, say("growth.four_times")),
        ]
    trays = trays_of(choice, catalogue)
    block = max(1, fabric.nodes_per_group // trays)
    return [
        (units + _room(choice, units, place, fabric, catalogue), say("growth.free_ports")),
        ((units // block + 1) * block, say("growth.block_filled" if units % block else "growth.block_more")),
        (2 * units, say("growth.twice")),
        (fabric.max_nodes_at_this_tier // trays, say("growth.most_tiers", tiers=f"tier_{fabric.tiers or 1}")),
    ]


def _room(choice: ServerChoice, units: int, place: Surroundings, fabric: FabricResult, catalogue: Catalogue) -> int:
    """Servers that the fabric's switches take as they are cabled to each other."""

    def same(more: int) -> bool:
        part = compute_fabric(choice, units + more, place, catalogue)
        return part is not None and part.result.fits and _cabled(part.result) == _cabled(fabric)

    return most_that(same)


def _cabled(fabric: FabricResult) -> tuple[int | None, ...]:
    """What is cabled between switches."""
    return (
        fabric.leaf,
        fabric.spine,
        fabric.core,
        fabric.uplinks_per_leaf,
        fabric.uplinks_per_spine,
        fabric.uplinks_traded,
    )


def _step(name: Message, units: int, servers: int, before: Site, after: Site) -> Growth:
    now, then = before.facility.planned.nominal_it_kw, after.facility.planned.nominal_it_kw
    moved, rebuilt = _rebuilt(before.fabric, after.fabric)
    return Growth(
        step=name,
        servers=servers,
        added_servers=servers - units,
        added_racks=max(0, after.facility.racks - before.facility.racks),
        added_switches=max(0, _switches(after) - _switches(before)),
        added_kw=None if now is None or then is None else then - now,
        tiers=after.fabric.tiers if after.fabric else None,
        moved_links=moved,
        rebuilt=rebuilt,
    )


def _switches(site: Site) -> int:
    return sum(line.count for line in site.bill if line.unit == "switch")


def _rebuilt(now: FabricResult | None, then: FabricResult | None) -> tuple[int, Message]:
    """Links that must be moved, and the change in words: uplinks spread over more spines, or a tier is put on top."""
    if then is None:
        return 0, say("growth.nothing_spans")
    if now is None:
        return 0, say("growth.fabric_added")
    if not then.fits:
        return 0, say("growth.does_not_fit", why=then.why_not)
    if _cabled(now) == _cabled(then):
        return 0, AS_IS
    up, kept = now.links_leaf_spine or 0, min(1.0, now.spines_per_pod / max(1, then.spines_per_pod))
    if now.tiers == 1:
        return (
            now.links_node_leaf or 0,
            say("growth.switch_becomes_leaf"),
        )
    if now.tiers == then.tiers:
        moved = round(up * (1 - kept)) if now.tiers == 2 else _moved_to_cores(now, then)
        if not moved:
            return 0, say("growth.leaves_fit")
        return moved, say("growth.links_move", moved=moved)
    moved = up // 2
    return (
        moved,
        say("growth.third_tier", moved=moved, links=up),
    )


def _moved_to_cores(now: FabricResult, then: FabricResult) -> int:
    kept = min(1.0, now.cores_per_group / max(1, then.cores_per_group))
    return round((now.links_spine_core or 0) * (1 - kept))
