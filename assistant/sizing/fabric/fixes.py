"""What would make a fabric fit that does not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from assistant.sizing.fabric.clos import Ask, design, most_downlinks, most_nodes
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say
from knowledge.schema import Switch

FASTEST_NIC_GB_PER_S = 100.0
"""No network adapter in the catalogue is faster than 800 Gb/s; a faster plane link is the adapter's total."""

MOST_LANES_SPLIT = 4
"""The finest split of one switch port that counts here: 800 Gb/s into four of 200."""

OVERSUBSCRIPTIONS = (2, 3, 4, 7)
"""Ratios tried in turn; 7 is what Meta's 24,576-GPU RoCE cluster has above its second tier."""


class Fix(NamedTuple):
    """The first change that fits, gentlest first (None: none does), and the names of all that were tried."""

    fitting: Message | None
    tried: tuple[Message, ...]


def ports_at(switch: Switch, link_gb_per_s: float) -> int:
    """Links of this rate that the switch carries, ports split where the rate is half or a quarter of a port's.

    Raises BadInput where the switch's ports are unknown or slower than the link.
    """
    ports, rate = switch.ports.value, switch.port_gb_per_s.value
    if ports is None or rate is None:
        raise BadInput("switch", switch.id, "a switch whose port count and rate are known")
    if link_gb_per_s > rate * 1.0001:
        most = f"at most {rate:g} GB/s, the port rate of {switch.id} ({rate * 8:g} Gb/s)"
        in_bits = link_gb_per_s > FASTEST_NIC_GB_PER_S and link_gb_per_s / 8 <= rate
        raise BadInput("link_gb_per_s", link_gb_per_s, most, (f"{link_gb_per_s / 8 if in_bits else rate:g}",))
    split = 1
    while split < MOST_LANES_SPLIT and link_gb_per_s <= rate / (2 * split) * 1.0001:
        split *= 2
    return ports * split


def why_no_leaf(ask: Ask, switch: Switch) -> Message:
    """Why not even one node fits."""
    if most_nodes(replace(ask, management=0), 3):
        return say("fabric.short.managers", management=ask.management, ports=ask.ports)
    if ask.group is None and most_downlinks(ask.usable, ask.oversubscription):
        return say("fabric.short.rails", rails=ask.rails, ports=ask.ports)
    nodes = ask.group or 1
    if ask.spare:
        return say("fabric.short.leaf_spare", switch=switch.id, nodes=nodes, spare=ask.spare, ports=ask.ports)
    return say("fabric.short.leaf", switch=switch.id, nodes=nodes)


def most_in_one(nodes: int) -> Message:
    """The fix where no change of switch, planes or ratio is enough."""
    return say("fabric.fix.divide", most=nodes) if nodes else say("fabric.fix.fewer")


def find_fix(ask: Ask, link_gb_per_s: float, planes: int, switch: Switch, catalogue: Catalogue) -> Fix:
    """Try a larger radix, planes and oversubscription on an ask that does not fit."""
    options: list[tuple[Message, Ask]] = []
    if ask.group is not None:
        options.append((say("fabric.fix.no_group"), replace(ask, group=None)))
    if ask.oversubscription < 1:
        options.append((say("fabric.fix.ratio", ratio=1), replace(ask, oversubscription=1.0)))
    if ask.spare:
        options.append((say("fabric.fix.no_spare"), replace(ask, spare=0)))
    wider = _wider(ask, link_gb_per_s, switch, catalogue)
    options.extend((say("fabric.fix.switch", switch=other.id), replace(ask, ports=ports)) for ports, other in wider)
    halved = ports_at(switch, link_gb_per_s / 2)
    if planes == 1 and halved > ask.ports:
        options.append((say("fabric.fix.planes", link=link_gb_per_s / 2), replace(ask, ports=halved)))
    options.extend((say("fabric.fix.ratio", ratio=o), replace(ask, oversubscription=o)) for o in OVERSUBSCRIPTIONS)
    fitting = next((change for change, changed in options if design(changed) is not None), None)
    return Fix(fitting, tuple(change for change, _ in options))


def _wider(ask: Ask, link_gb_per_s: float, switch: Switch, catalogue: Catalogue) -> list[tuple[int, Switch]]:
    """Switches of the same technology that carry more links of the asked rate, fewest first."""
    others: Iterable[Switch] = catalogue.entries("switches").values()
    found = []
    for other in others:
        rate = other.port_gb_per_s.value
        if other.technology == switch.technology and other.ports.value and rate and rate >= link_gb_per_s:
            found.append((ports_at(other, link_gb_per_s), other))
    return sorted((pair for pair in found if pair[0] > ask.ports), key=lambda pair: (pair[0], pair[1].id))
