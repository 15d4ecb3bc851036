"""What would make a fabric fit that does not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from assistant.sizing.fabric.clos import Ask, design, most_downlinks, most_nodes
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.schema import Switch

FASTEST_NIC_GB_PER_S = 100.0
"""No network adapter in the catalogue is faster than 800 Gb/s; a faster plane link is the adapter's total."""

MOST_LANES_SPLIT = 4
"""The finest split of one switch port that counts here: 800 Gb/s into four of 200."""

OVERSUBSCRIPTIONS = (2, 3, 4, 7)
"""Ratios tried in turn; 7 is what Meta's 24,576-GPU RoCE cluster has above its second tier."""


class Fix(NamedTuple):
    """The first change that fits, gentlest first (None: none does), and the names of all that were tried."""

    fitting: str | None
    tried: tuple[str, ...]


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


def why_no_leaf(ask: Ask, switch: Switch) -> str:
    """Why not even one node fits."""
    if most_nodes(replace(ask, management=0), 3):
        return f"{ask.management:,} management ports are more than three tiers of {ask.ports}-port switches have left"
    if ask.group is None and most_downlinks(ask.usable, ask.oversubscription):
        return f"{ask.rails:,} links a node are more than three tiers of {ask.ports}-port switches carry"
    nodes = f"a group of {ask.group} nodes" if ask.group else "one node"
    kept = f", {ask.spare:,} of {ask.ports} kept spare" if ask.spare else ""
    return f"one {switch.id} leaf has too few ports for {nodes} and its uplinks{kept}"


def most_in_one(nodes: int) -> str:
    """The fix where no change of switch, planes or ratio is enough."""
    if nodes:
        return f"at most {nodes} nodes in one fabric: divide the cluster"
    return "fewer links a node, or fewer management ports"


def find_fix(ask: Ask, link_gb_per_s: float, planes: int, switch: Switch, catalogue: Catalogue) -> Fix:
    """Try a larger radix, planes and oversubscription on an ask that does not fit."""
    options: list[tuple[str, Ask]] = []
    if ask.group is not None:
        options.append(("leave out nodes_per_group", replace(ask, group=None)))
    if ask.oversubscription < 1:
        options.append(("oversubscription 1", replace(ask, oversubscription=1.0)))
    if ask.spare:
        options.append(("spare_ports_per_leaf 0", replace(ask, spare=0)))
    wider = _wider(ask, link_gb_per_s, switch, catalogue)
    options.extend((f"switch {other.id}", replace(ask, ports=ports)) for ports, other in wider)
    halved = ports_at(switch, link_gb_per_s / 2)
    if planes == 1 and halved > ask.ports:
        options.append((f"planes 2 with link_gb_per_s {link_gb_per_s / 2:g}", replace(ask, ports=halved)))
    options.extend((f"oversubscription {o}", replace(ask, oversubscription=o)) for o in OVERSUBSCRIPTIONS)
    fitting = next((name for name, changed in options if design(changed) is not None), None)
    return Fix(fitting, tuple(name for name, _ in options))


def _wider(ask: Ask, link_gb_per_s: float, switch: Switch, catalogue: Catalogue) -> list[tuple[int, Switch]]:
    """Switches of the same technology that carry more links of the asked rate, fewest first."""
    others: Iterable[Switch] = catalogue.entries("switches").values()
    found = []
    for other in others:
        rate = other.port_gb_per_s.value
        if other.technology == switch.technology and other.ports.value and rate and rate >= link_gb_per_s:
            found.append((ports_at(other, link_gb_per_s), other))
    return sorted((pair for pair in found if pair[0] > ask.ports), key=lambda pair: (pair[0], pair[1].id))
