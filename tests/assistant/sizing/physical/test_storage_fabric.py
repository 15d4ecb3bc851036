"""The network to storage, against tables 7 and 8 of the 127-node DGX H100 SuperPOD (RA-11333-001)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.sizing.fabric.storage_fabric import StorageFabricRequest, estimate_storage_fabric, storage_links
from knowledge.catalogue import Catalogue, load_catalogue


def test_superpod_h100(catalogue: Catalogue) -> None:
    """Table 7: 16 QM9700. Table 8: 494 NDR cables (nodes to leaves, leaves to spines), 48 to storage, 254 modules in
    the nodes, 369 in switches; we count 368, of which 367 are (254 + 2 x 240) / 2 and one is the managers'."""
    fabric = estimate_storage_fabric(StorageFabricRequest(nodes=127, storage_ports=48), catalogue)
    assert fabric is not None
    assert fabric.leaf + fabric.spine == 16
    assert fabric.node_cables + fabric.leaf_spine_cables == 494
    assert fabric.transceivers_node == 254
    assert fabric.transceivers_switch == pytest.approx(369, rel=0.03)


@settings(max_examples=40, deadline=None)
@given(nodes=st.integers(1, 700), storage_ports=st.integers(1, 200))
def test_no_switch_has_more_links_than_ports(nodes: int, storage_ports: int) -> None:
    """Every end counted on the graph; storage keeps its full rate towards the spines, nodes at least three quarters."""
    fabric = estimate_storage_fabric(StorageFabricRequest(nodes=nodes, storage_ports=storage_ports), load_catalogue())
    if fabric is None:
        assert nodes + storage_ports > 400
        return
    ends: Counter[str] = Counter()
    for _, low, high, count in storage_links(fabric):
        ends[low] += count
        ends[high] += count
    assert all(count <= 64 for name, count in ends.items() if name.startswith(("leaf", "spine")))
    assert sum(n for name, n in ends.items() if name.startswith(("leaf", "spine"))) == fabric.switch_ports_used
    assert all(ends[f"node-{node}"] == 2 for node in range(nodes))
    if fabric.spine:
        assert fabric.storage_leaf * fabric.storage_uplinks >= storage_ports
        assert fabric.node_leaf * fabric.node_uplinks >= 0.75 * fabric.node_cables
