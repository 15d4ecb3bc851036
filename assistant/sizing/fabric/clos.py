"""Arithmetic of leaf-spine fabrics (folded Clos networks) of one, two and three tiers.

All counts are of one plane. A leaf's uplinks spread evenly over its spines, as the published SuperPOD designs do: this
is why 72 uplinks that 16 spines could hold get 18 spines, and 768 links that 12 could hold get 16. In three tiers
leaves form pods, each with its own spines; the spines in the same position of every pod share a group of cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from math import ceil

LEAST_UPLINKS_TO_TRADE = 16
"""A leaf of at least so many uplinks may give one of them to a manager: a sixteenth of its bandwidth at the most."""

MOST_EXTRA_SPINES = 1.5
"""Uplinks stay equal to the downlinks asked for unless an even spread then takes this many times the fewest spines."""


@dataclass(frozen=True)
class Ask:
    """What one plane must carry. ``ports`` of a switch count links of the asked speed; each leaf keeps ``spare``."""

    nodes: int
    rails: int
    ports: int
    group: int | None = None
    management: int = 0
    oversubscription: float = 1.0
    spare: int = 0
    rail_optimised: bool = True
    tiers: int = 1
    pod_nodes: int | None = None

    @property
    def usable(self) -> int:
        """Ports of a leaf that may carry a link."""
        return self.ports - self.spare


@dataclass(frozen=True)
class Leaves:
    """The lowest tier: ``uplinks`` and ``uplinks_most`` bound the uplinks of one leaf, ``down`` its links to nodes.

    The first ``traded`` leaves have one uplink less than the others and a management port in its place.
    """

    count: int
    groups: int
    per_group: int
    nodes_per_group: int
    management: int
    uplinks: int
    uplinks_most: int
    down: int = 0
    traded: int = 0


@dataclass(frozen=True)
class Clos:
    """One plane. ``cores_per_group`` cores serve each of the ``spines_per_pod`` positions of a spine in its pod."""

    tiers: int
    leaves: Leaves
    uplinks: int = 0
    pods: int = 1
    leaves_per_pod: int = 1
    rail_pods: bool = False
    spines_per_pod: int = 0
    spine_uplinks: int = 0
    cores_per_group: int = 0

    @property
    def spine(self) -> int:
        """Spine switches."""
        return self.pods * self.spines_per_pod

    @property
    def core(self) -> int:
        """Core switches."""
        return self.spines_per_pod * self.cores_per_group

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaves.count + self.spine + self.core


@cache
def divisors(number: int) -> tuple[int, ...]:
    """Divisors, smallest first."""
    return tuple(d for d in range(1, number + 1) if number % d == 0)


@cache
def most_downlinks(usable: int, oversubscription: float) -> int:
    """The most links to nodes that one leaf carries while its uplinks keep the asked ratio."""
    return max((d for d in range(usable + 1) if d + ceil(d / oversubscription) <= usable), default=0)


@cache
def even_spread(least: int, most: int, members: int, ports: int) -> tuple[int, int] | None:
    """(uplinks of each member, upper switches) such that the uplinks divide evenly and no upper switch is overfull."""
    parallel = ports // members
    if not parallel or least > most:
        return None
    as_asked = next(uppers for uppers in divisors(least) if least // uppers <= parallel)
    if as_asked <= MOST_EXTRA_SPINES * ceil(members * least / ports):
        return least, as_asked
    fewest = ceil(least / parallel)
    return next((u * ceil(least / u), u) for u in range(fewest, as_asked + 1) if u * ceil(least / u) <= most)


def leaf_layers(ask: Ask) -> tuple[Leaves, ...]:
    """The leaves in one way or two, none where no leaf carries the asked group.

    Management takes ports that leaves have left, leaves of its own (an even spread of uplinks may need those ports), or
    one uplink each of a few leaves: full blocks of 32 nodes then stay in the tiers that they fill.
    """
    down = most_downlinks(ask.usable, ask.oversubscription)
    if down == 0 or (ask.rail_optimised and ask.group is not None and ask.group > down):
        return ()
    if not ask.rail_optimised:
        return (_packed_leaves(ask, down),)
    group = ask.group or min(down, ask.nodes)
    shared = _rail_leaves(ask, down, group)
    if not ask.management:
        return (shared,)
    bare = _rail_leaves(replace(ask, management=0), down, group)
    apart = _with_own_leaves(ask, bare)
    if shared.management >= ask.management:
        return shared, apart
    if ask.management <= bare.count and bare.uplinks >= LEAST_UPLINKS_TO_TRADE:
        return apart, replace(bare, management=ask.management, traded=ask.management)
    return (apart,)


def _with_own_leaves(ask: Ask, layer: Leaves) -> Leaves:
    own = ceil(ask.management / (ask.usable - layer.uplinks))
    most = min(layer.uplinks_most, ask.usable - ceil(ask.management / own))
    return replace(layer, count=layer.count + own, management=ask.management, uplinks_most=most)


def _rail_leaves(ask: Ask, down: int, group: int) -> Leaves:
    """One leaf a rail and group; a group small enough for it puts several rails on a leaf.

    Beyond one group the group is a building block, as scalable units are: the last one gets its leaves even if it is
    not full, so that a leaf of the fabric serves the same rail in every group. A single group takes what it fills.
    """
    groups = ceil(ask.nodes / group)
    full, last = groups - 1, ask.nodes - (groups - 1) * group
    per_group = ceil(ask.rails / min(ask.rails, down // group))
    downs = ceil(ask.rails / per_group) * group
    uplinks = ceil(downs / ask.oversubscription)
    count, ports = groups * per_group, per_group * (ask.usable - uplinks)
    sizes = ((group, full), (last, 1))
    kept = [(nodes, t) for nodes, t in sizes if t and ports - nodes * ask.rails >= ask.management]
    room = (ask.usable - ceil((nodes * ask.rails + ask.management) / per_group) for nodes, _ in kept)
    most = max(uplinks, min((ask.usable - downs, *room)))
    managed = ask.management * sum(t for _, t in kept)
    return Leaves(count, groups, per_group, group, managed, uplinks, most, downs)


def _packed_leaves(ask: Ask, down: int) -> Leaves:
    """Without rails a node's links go to one leaf where they fit, and leaves fill up in turn."""
    group = min(ask.group or ask.nodes, ask.nodes)
    fit = down // ask.rails
    per_group = ceil(group / fit) if fit else ceil(group * ask.rails / down)
    groups = ceil(ask.nodes / group)
    count = groups * per_group if ask.group else per_group
    downs = min(down, group * ask.rails, fit * ask.rails or down)
    uplinks = ceil(downs / ask.oversubscription)
    room = count * (ask.usable - uplinks) - ask.nodes * ask.rails
    if room < ask.management:
        count += ceil((ask.management - room) / (ask.usable - uplinks))
    most = max(uplinks, ask.usable - downs - ceil(ask.management / count))
    return Leaves(count, groups, per_group, group, ask.management, uplinks, most, down)


def one_tier(ask: Ask) -> Clos | None:
    """A single switch that carries every link."""
    links = ask.nodes * ask.rails + ask.management
    if links > ask.usable:
        return None
    return Clos(1, Leaves(1, 1, 1, ask.nodes, ask.management, 0, 0))


def two_tiers(ask: Ask, leaves: Leaves) -> Clos | None:
    """Every leaf reaches every spine."""
    spread = even_spread(leaves.uplinks, leaves.uplinks_most, leaves.count, ask.ports)
    if spread is None:
        return None
    uplinks, spines = spread
    return Clos(2, leaves, uplinks, 1, leaves.count, False, spines)


def three_tiers(ask: Ask, leaves: Leaves) -> Clos | None:
    """Pods of leaves and spines under core switches: the division into pods that takes the fewest switches."""
    designs = list(filter(None, (_pods(ask, leaves, *pod) for pod in _pod_choices(ask, leaves))))
    if not designs and ask.pod_nodes is None:
        wide = ((m, ceil(leaves.count / m), False) for m in range(ask.ports // 2, 0, -1))
        designs = list(filter(None, (_pods(ask, leaves, *pod) for pod in wide)))
    return min(designs, key=lambda d: (d.switches, d.spine * d.spine_uplinks, -d.leaves_per_pod), default=None)


def _pod_choices(ask: Ask, leaves: Leaves) -> Iterator[tuple[int, int, bool]]:
    """(leaves of a pod, pods, whether a pod holds one rail): whole groups, or one rail's leaves of several groups."""
    by_rail = ask.rail_optimised and leaves.count == leaves.groups * leaves.per_group
    if ask.pod_nodes is None:
        for groups in range(1, ask.ports // (2 * leaves.per_group) + 1):
            members = groups * leaves.per_group
            yield members, ceil(leaves.count / members), False
    sizes = range(1, ask.ports // 2 + 1)
    if ask.pod_nodes is not None:
        sizes = range(1, 2)
    for size in sizes if by_rail else ():
        groups = size if ask.pod_nodes is None else ceil(ask.pod_nodes / leaves.nodes_per_group)
        yield groups, leaves.per_group * ceil(leaves.groups / groups), True


def _pods(ask: Ask, leaves: Leaves, members: int, pods: int, rail_pods: bool) -> Clos | None:
    up = even_spread(leaves.uplinks, leaves.uplinks_most, members, ask.ports // 2)
    if up is None:
        return None
    uplinks, spines = up
    down = members * uplinks // spines
    top = even_spread(down, ask.ports - down, pods, ask.ports)
    if top is None:
        return None
    return Clos(3, leaves, uplinks, pods, members, rail_pods, spines, *top)


def design(ask: Ask) -> Clos | None:
    """The plane with the fewest tiers (at least ``ask.tiers``) that carries what is asked, or None beyond three."""
    if ask.tiers <= 1 and ask.pod_nodes is None and (single := one_tier(ask)):
        return single
    layers = leaf_layers(ask)
    pods_asked = ask.pod_nodes is not None and ask.nodes > ask.pod_nodes
    if ask.tiers <= 2 and not pods_asked and (double := _smallest(two_tiers(ask, leaves) for leaves in layers)):
        return double
    return _smallest(three_tiers(ask, leaves) for leaves in layers)


def _smallest(designs: Iterable[Clos | None]) -> Clos | None:
    """The design with the fewest switches, the first of equals."""
    return min(filter(None, designs), key=lambda plane: plane.switches, default=None)


def most_nodes(ask: Ask, tiers: int) -> int:
    """The most nodes that ``tiers`` tiers of this switch carry under the same conditions; 0 where none fits."""
    if tiers == 1:
        return (ask.usable - ask.management) // ask.rails
    leaf_limit = ask.ports if tiers == 2 else ask.ports * (ask.ports // 2)
    low, high = 0, leaf_limit * ask.ports
    while low < high:
        middle = (low + high + 1) // 2
        carried = any(layer.count <= leaf_limit for layer in leaf_layers(_with_nodes(ask, middle)))
        low, high = (middle, high) if carried else (low, middle - 1)
    return low


def _with_nodes(ask: Ask, nodes: int) -> Ask:
    return replace(ask, nodes=nodes)
