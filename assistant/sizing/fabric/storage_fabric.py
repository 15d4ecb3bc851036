"""The InfiniBand network between GPU nodes and shared storage, as the H100 SuperPOD has it beside the compute fabric.

Nodes reach it by two links on two leaves, 4:3 oversubscribed towards the spines; storage is joined without
oversubscription on leaves of its own, one for each block of nodes. A single block needs no spines: its two leaves
carry both.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.fabric.clos import divisors
from assistant.sizing.fabric.estimate import links_per_cage
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

Whole = Annotated[int, Field(ge=1)]

NODE_LINKS = 2
"""254 links for 127 nodes in table 8 of RA-11333."""

BLOCK_NODES = 32
"""Nodes of a scalable unit; each has two leaves for its nodes."""

DOWN_TO_UP = 4 / 3
"""Oversubscription between nodes and spines, as RA-11333 names it."""

MANAGER_LINKS = 2
"""Table 8 has two cables from the managers to the storage fabric."""


class StorageFabricRequest(Frozen):
    """Nodes and ports of storage to join, all at the switch's port rate."""

    nodes: Whole
    storage_ports: Whole
    switch: str = "qm9700"


class StorageFabric(Frozen):
    """The sized network. ``cross_links`` join the two leaves of a single block; larger ones have spines instead.

    Storage is joined by cables with modules of their own, and leaves are joined by copper: neither takes transceivers.
    """

    nodes: int
    storage_ports: int
    switch: str
    node_leaf: int
    storage_leaf: int
    spine: int
    node_uplinks: int
    storage_uplinks: int
    cross_links: int
    transceivers_switch: int
    transceivers_node: int

    @property
    def leaf(self) -> int:
        """All leaves, those of the nodes first."""
        return self.node_leaf + self.storage_leaf

    @property
    def node_cables(self) -> int:
        """Links from nodes to leaves."""
        return self.nodes * NODE_LINKS

    @property
    def leaf_spine_cables(self) -> int:
        """Links from leaves to spines."""
        return self.node_leaf * self.node_uplinks + self.storage_leaf * self.storage_uplinks

    @property
    def switch_ports_used(self) -> int:
        """Cable ends at switches."""
        edges = self.node_cables + self.storage_ports + MANAGER_LINKS
        return edges + 2 * (self.leaf_spine_cables + self.cross_links)


def estimate_storage_fabric(request: StorageFabricRequest, catalogue: Catalogue) -> StorageFabric | None:
    """Leaves, spines and links; None beyond what two tiers of the switch carry.

    Raises UnknownName for a switch that the catalogue does not know.
    """
    switch = catalogue.switch(request.switch)
    ports = switch.ports.value or 64
    blocks = ceil(request.nodes / BLOCK_NODES)
    cross = ceil(request.storage_ports / 2)
    if blocks == 1 and request.nodes + 2 * cross + 1 <= ports:
        counts = {"node_leaf": 2, "storage_leaf": 0, "spine": 0, "node_uplinks": 0, "storage_uplinks": 0}
    else:
        spread = _with_spines(blocks, request, ports)
        if spread is None:
            return None
        counts, cross = spread, 0
    found = StorageFabric(
        nodes=request.nodes,
        storage_ports=request.storage_ports,
        switch=switch.id,
        cross_links=cross,
        transceivers_switch=0,
        transceivers_node=request.nodes * NODE_LINKS,
        **counts,
    )
    optical = found.switch_ports_used - request.storage_ports - 2 * cross
    modules = ceil(optical / links_per_cage(switch, ports))
    return found.model_copy(update={"transceivers_switch": modules})


def _with_spines(blocks: int, request: StorageFabricRequest, ports: int) -> dict[str, int] | None:
    """The fewest spines among which all leaves divide their uplinks evenly, with more storage leaves if need be."""
    least = max(2, blocks, ceil(request.storage_ports / (ports // 2)))
    down = min(request.nodes, BLOCK_NODES)
    for node_up in range(ceil(down / DOWN_TO_UP), ports - down):
        for storage_leaf in range(least, 2 * least + 1):
            for spine in divisors(node_up)[1:]:
                found = _spread(blocks, node_up, storage_leaf, spine, request.storage_ports)
                held = ceil(request.storage_ports / storage_leaf) + found["storage_uplinks"]
                if held <= ports and _per_spine(found) <= ports:
                    return found
    return None


def _spread(blocks: int, node_up: int, storage_leaf: int, spine: int, storage_ports: int) -> dict[str, int]:
    """Counts with the storage leaves' uplinks rounded up to a multiple of the spines."""
    up = spine * ceil(ceil(storage_ports / storage_leaf) / spine)
    leaves = {"node_leaf": NODE_LINKS * blocks, "storage_leaf": storage_leaf, "spine": spine}
    return leaves | {"node_uplinks": node_up, "storage_uplinks": up}


def _per_spine(found: dict[str, int]) -> float:
    links = found["node_leaf"] * found["node_uplinks"] + found["storage_leaf"] * found["storage_uplinks"]
    return links / found["spine"]


def storage_links(fabric: StorageFabric) -> Iterator[tuple[str, str, str, int]]:
    """(hop, lower end, upper end, links): nodes and storage by number, switches by their tier and number."""
    for node in range(fabric.nodes):
        for rail in range(NODE_LINKS):
            yield "node to leaf", f"node-{node}", f"leaf-{NODE_LINKS * (node // BLOCK_NODES) + rail}", 1
    first, spread = (fabric.node_leaf, fabric.storage_leaf) if fabric.storage_leaf else (0, fabric.node_leaf)
    for port in range(fabric.storage_ports):
        yield "storage to leaf", f"storage-{port}", f"leaf-{first + port % spread}", 1
    for link in range(MANAGER_LINKS):
        yield "manager to leaf", f"manager-{link}", f"leaf-{link % fabric.node_leaf}", 1
    if fabric.cross_links:
        yield "leaf to leaf", "leaf-0", "leaf-1", fabric.cross_links
    for leaf in range(fabric.leaf if fabric.spine else 0):
        each = (fabric.node_uplinks if leaf < fabric.node_leaf else fabric.storage_uplinks) // fabric.spine
        yield from (("leaf to spine", f"leaf-{leaf}", f"spine-{spine}", each) for spine in range(fabric.spine))
