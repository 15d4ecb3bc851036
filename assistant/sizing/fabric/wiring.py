"""Which switch is cabled to which: the links of a sized fabric, for layouts, pictures and checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assistant.sizing.fabric.estimate import FabricRequest, FabricResult


class Link(NamedTuple):
    """``parallel`` links between two ends, each named by kind, plane and number, such as ``leaf-0-3``."""

    low: str
    high: str
    parallel: int


def links(request: FabricRequest, result: FabricResult) -> Iterator[Link]:
    """All links of a fabric that fits, node links first in each plane. Yields nothing for one that does not fit."""
    if not result.fits or result.leaf is None:
        return
    for plane in range(result.planes):
        yield from _node_links(request, result, plane)
        if result.cables_leaf_leaf:
            yield Link(f"leaf-{plane}-0", f"leaf-{plane}-1", result.cables_leaf_leaf)
        yield from _leaf_links(result, plane)
        yield from _spine_links(result, plane)


def leaf_of(request: FabricRequest, result: FabricResult, node: int, rail: int) -> int:
    """The number of the leaf that rail ``rail`` of node ``node`` is cabled to, within a plane."""
    leaves = (result.leaf or 1) // result.planes
    if leaves == 1:
        return 0
    if result.cables_leaf_leaf:
        return (node * request.nics_per_node + rail) % 2
    if not request.rail_optimised:
        return _packed_leaf(request, result, node, rail)
    group = node // result.nodes_per_group
    first = group * result.leaves_per_group
    in_group = min(result.leaves_per_group, leaves - first)
    rails_on_leaf = -(-request.nics_per_node // in_group)
    return first + rail // rails_on_leaf


def _packed_leaf(request: FabricRequest, result: FabricResult, node: int, rail: int) -> int:
    down = result.down_links_per_leaf
    group, place = divmod(node, result.nodes_per_group)
    first = group * result.leaves_per_group
    fit = down // request.nics_per_node
    return first + (place // fit if fit else (place * request.nics_per_node + rail) // down)


def _node_links(request: FabricRequest, result: FabricResult, plane: int) -> Iterator[Link]:
    for node in range(request.nodes):
        for rail in range(request.nics_per_node):
            leaf = leaf_of(request, result, node, rail)
            yield Link(f"nic-{node}-{rail}", f"leaf-{plane}-{leaf}", 1)


def _leaf_links(result: FabricResult, plane: int) -> Iterator[Link]:
    if not result.spine:
        return
    each = result.uplinks_per_leaf // result.spines_per_pod
    for leaf in range((result.leaf or 0) // result.planes):
        pod = pod_of(result, leaf)
        without = leaf % result.spines_per_pod if leaf < result.uplinks_traded else None
        for position in range(result.spines_per_pod):
            parallel = each - (position == without)
            if parallel:
                yield Link(f"leaf-{plane}-{leaf}", f"spine-{plane}-{pod}-{position}", parallel)


def pod_of(result: FabricResult, leaf: int) -> int:
    """The pod that a leaf belongs to, within its plane."""
    if not result.rail_pods:
        return leaf // result.leaves_per_pod
    group, rail = divmod(leaf, result.leaves_per_group)
    return (group // result.leaves_per_pod) * result.leaves_per_group + rail


def _spine_links(result: FabricResult, plane: int) -> Iterator[Link]:
    if not result.core:
        return
    each = result.uplinks_per_spine // result.cores_per_group
    for pod in range(result.pods_per_plane):
        for position in range(result.spines_per_pod):
            for core in range(result.cores_per_group):
                yield Link(f"spine-{plane}-{pod}-{position}", f"core-{plane}-{position}-{core}", each)
