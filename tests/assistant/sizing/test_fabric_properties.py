"""What must hold for every fabric: no port used twice, no adapter left over, bandwidth as asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

import networkx as nx  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from assistant.messages import render
from assistant.sizing.fabric.estimate import FabricRequest, FabricResult, estimate_fabric, needs_compute_fabric
from assistant.sizing.fabric.wiring import links
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput


def _switch(ident: str, ports: int, rate: float) -> dict[str, Any]:
    return {
        "id": ident,
        "name": ident,
        "vendor": "test",
        "technology": "ethernet",
        "ports": {"value": ports, "sources": ["test"]},
        "port_gb_per_s": {"value": rate, "sources": ["test"]},
        "cages": {"value": max(1, ports // 2), "sources": ["test"]},
    }


RADIX = {"r4": 4, "r8": 8, "r16": 16, "r36": 36, "r64": 64, "r144": 144}
CATALOGUE = Catalogue({"switches": {name: _switch(name, ports, 50.0) for name, ports in RADIX.items()}}, "test")

requests = st.builds(
    FabricRequest,
    nodes=st.integers(1, 700),
    nics_per_node=st.sampled_from([1, 2, 3, 4, 6, 8, 9, 16]),
    switch=st.sampled_from(sorted(RADIX)),
    planes=st.sampled_from([1, 1, 2]),
    nodes_per_group=st.one_of(st.none(), st.integers(1, 40)),
    management_ports=st.sampled_from([0, 0, 1, 4]),
    oversubscription=st.sampled_from([1.0, 1.0, 1.5, 2.0, 3.0, 7.0, 0.86]),
    spare_ports_per_leaf=st.sampled_from([0, 0, 1, 2]),
    rail_optimised=st.booleans(),
    tiers=st.sampled_from([1, 1, 2, 3]),
    leaf_pair=st.sampled_from([False, False, False, True]),
)


def _wired(request: FabricRequest, result: FabricResult) -> tuple[Counter[str], Counter[str], list[Any]]:
    """Ports used by end, links by pair of kinds, and all links."""
    wires = list(links(request, result))
    ends: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for wire in wires:
        ends[wire.low] += wire.parallel
        ends[wire.high] += wire.parallel
        kinds[f"{wire.low.split('-')[0]}-{wire.high.split('-')[0]}"] += wire.parallel
    return ends, kinds, wires


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(requests)
def test_every_port_cable_and_adapter_adds_up(request: FabricRequest) -> None:
    result = estimate_fabric(request, CATALOGUE)
    if not result.fits:
        assert result.why_not
        assert result.nearest_fix
        return
    ends, kinds, _ = _wired(request, result)
    used = {name: count for name, count in ends.items() if not name.startswith("nic")}
    assert all(count <= result.ports_per_switch for count in used.values())
    leaves = [count for name, count in used.items() if name.startswith("leaf")]
    assert all(count <= result.ports_per_switch - request.spare_ports_per_leaf for count in leaves)
    free = sum(result.ports_per_switch - request.spare_ports_per_leaf - count for count in leaves)
    assert request.planes * result.management_ports <= free
    nics = [count for name, count in ends.items() if name.startswith("nic")]
    assert nics == [request.planes] * (request.nodes * request.nics_per_node)
    assert kinds["nic-leaf"] + request.planes * result.management_ports == result.links_node_leaf
    assert kinds["leaf-spine"] == result.links_leaf_spine
    assert kinds["spine-core"] == result.links_spine_core
    assert sum(used.values()) + request.planes * result.management_ports == result.switch_ports_used
    assert result.switch_ports_used <= (result.switch_ports_present or 0)
    assert result.management_ports >= request.management_ports


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(requests)
def test_leaf_uplinks_carry_the_asked_share_of_every_leafs_load(request: FabricRequest) -> None:
    result = estimate_fabric(request, CATALOGUE)
    assume(result.fits and (result.tiers or 0) > 1)
    down: Counter[str] = Counter()
    up: Counter[str] = Counter()
    spine_down: Counter[str] = Counter()
    spine_up: Counter[str] = Counter()
    for low, high, parallel in links(request, result):
        if low.startswith("nic"):
            down[high] += parallel
        elif low.startswith("leaf"):
            up[low] += parallel
            spine_down[high] += parallel
        else:
            spine_up[low] += parallel
    given = {f"leaf-{plane}-{leaf}": 1 for plane in range(result.planes) for leaf in range(result.uplinks_traded)}
    carried = {leaf: (up[leaf] + given.get(leaf, 0)) * request.oversubscription for leaf in down}
    assert all(count <= carried[leaf] + 1e-9 for leaf, count in down.items())
    if result.core:
        assert all(count <= spine_up[spine] for spine, count in spine_down.items())
    asked = request.nodes * request.nics_per_node * request.planes * 50.0 / 2
    asked = asked / max(request.oversubscription, 1.0) - result.uplinks_traded * request.planes * 50.0 / 2
    assert (result.bisection_gb_per_s or 0) >= asked - 1e-6


@settings(max_examples=60, deadline=None)
@given(requests)
def test_more_nodes_never_fit_where_fewer_do_not(request: FabricRequest) -> None:
    result = estimate_fabric(request, CATALOGUE)
    most = result.max_nodes_at_this_tier
    if result.fits:
        assert request.nodes <= most
    else:
        assert request.nodes > most or request.nodes_per_group is not None or most == 0


@pytest.mark.parametrize(("nodes", "leaves", "spines"), [(33, 16, 8), (40, 16, 8), (63, 16, 8), (100, 32, 16)])
def test_beyond_one_group_every_group_has_a_leaf_for_each_rail(nodes: int, leaves: int, spines: int) -> None:
    """RA-11333: eight leaves for each scalable unit of 32 nodes, 8 spines for two and 16 for four; the managers' ports
    are in the unit that is not full."""
    request = FabricRequest(nodes=nodes, nics_per_node=8, switch="r64", management_ports=2)
    result = estimate_fabric(request, CATALOGUE)
    assert (result.leaf, result.spine, result.leaves_per_group) == (leaves, spines, 8)


@pytest.mark.parametrize(
    ("nodes", "leaves", "spines"), [(31, 8, 4), (32, 8, 4), (64, 16, 8), (128, 32, 16), (256, 64, 32)]
)
def test_full_blocks_with_two_managers_stay_in_two_tiers(nodes: int, leaves: int, spines: int) -> None:
    """RA-11333, tables 3 and 4: 8 leaves for 32 nodes; 32 + 16 switches for 128 and 64 + 32 for 256. A full block has
    64 - 32 - 32 = 0 ports left, so each of two managers takes one uplink of one leaf."""
    request = FabricRequest(nodes=nodes, nics_per_node=8, switch="r64", management_ports=2)
    result = estimate_fabric(request, CATALOGUE)
    assert (result.tiers, result.leaf, result.spine, result.core) == (2, leaves, spines, 0)
    assert result.uplinks_traded == (0 if nodes == 31 else 2)
    assert result.cables_leaf_spine == leaves * 32 - result.uplinks_traded
    assert result.cables_node_leaf == nodes * 8 + result.management_ports
    assert ("2 of" in " ".join(map(render, result.notes))) is bool(result.uplinks_traded)


def test_managers_get_leaves_of_their_own_where_an_even_spread_needs_the_ports() -> None:
    """Two groups of 31 nodes on 64-port leaves have 8 x (64 - 31 - 31) = 16 ports left with 31 uplinks, enough for 12,
    but 31 uplinks spread evenly over 31 spines only; with 32 or 33 uplinks the managers need a leaf of their own."""
    request = FabricRequest(nodes=62, nics_per_node=8, switch="r64", nodes_per_group=31, management_ports=12)
    result = estimate_fabric(request, CATALOGUE)
    assert (result.leaf, result.spine, result.management_ports) == (17, 11, 12)


CASES = [
    FabricRequest(nodes=8, nics_per_node=8, switch="r64"),
    FabricRequest(nodes=20, nics_per_node=8, switch="r64"),
    FabricRequest(nodes=127, nics_per_node=8, switch="r64", nodes_per_group=32, management_ports=4),
    FabricRequest(nodes=512, nics_per_node=8, switch="r64"),
    FabricRequest(nodes=288, nics_per_node=4, switch="r64", nodes_per_group=18, nodes_per_pod=144, tiers=3),
    FabricRequest(nodes=100, nics_per_node=3, switch="r16"),
    FabricRequest(nodes=64, nics_per_node=2, switch="r8", rail_optimised=False),
    FabricRequest(nodes=300, nics_per_node=8, switch="r144"),
]


@pytest.mark.parametrize("request_", CASES, ids=lambda r: f"{r.nodes}x{r.nics_per_node}-{r.switch}")
def test_graph_of_every_link(request_: FabricRequest) -> None:
    """The actual graph, links as capacities: rails, hops, and no cut below what was asked."""
    result = estimate_fabric(request_, CATALOGUE)
    graph = nx.Graph()
    for low, high, parallel in links(request_, result):
        graph.add_edge(low, high, capacity=parallel)
    assert nx.is_connected(graph)
    nics = [name for name in graph if name.startswith("nic")]
    assert len(nics) == request_.nodes * request_.nics_per_node <= 4096
    if request_.rail_optimised:
        _check_rails(graph, request_, result)
    hops = nx.single_source_shortest_path_length(graph, nics[0])
    assert max(hops[name] for name in nics) <= 2 * (result.tiers or 0)
    _check_cut(graph, nics)


def _check_rails(graph: Any, request: FabricRequest, result: FabricResult) -> None:
    """All adapters of one rail in one group share a leaf, so one hop joins them."""
    for rail in range(request.nics_per_node):
        for first in range(0, request.nodes, max(result.nodes_per_group, 1)):
            group = range(first, min(first + result.nodes_per_group, request.nodes))
            assert len({next(iter(graph[f"nic-{node}-{rail}"])) for node in group}) == 1


def _check_cut(graph: Any, nics: list[str]) -> None:
    """Half of the adapters can send to the other half at full rate: the maximum flow is one link each."""
    half = len(nics) // 2
    flow = graph.copy()
    for name in nics[:half]:
        flow.add_edge("source", name, capacity=1)
    for name in nics[half : 2 * half]:
        flow.add_edge(name, "sink", capacity=1)
    assert nx.maximum_flow_value(flow, "source", "sink") == half


@pytest.mark.parametrize(("ports", "endpoints"), [("r8", 128), ("r16", 1024), ("r64", 65_536)])
def test_three_tiers_carry_a_quarter_of_the_cube_of_the_radix(ports: str, endpoints: int) -> None:
    """A full three-tier fat tree of k-port switches has k^3 / 4 endpoints (65,536 for 64)."""
    fits = estimate_fabric(FabricRequest(nodes=endpoints, nics_per_node=1, switch=ports), CATALOGUE)
    over = estimate_fabric(FabricRequest(nodes=endpoints + 1, nics_per_node=1, switch=ports), CATALOGUE)
    assert (fits.fits, fits.tiers, fits.max_nodes_at_this_tier) == (True, 3, endpoints)
    # k^2/2 leaves, as many spines, k^2/4 cores
    k = RADIX[ports]
    assert (fits.leaf, fits.spine, fits.core) == (k * k // 2, k * k // 2, k * k // 4)
    assert not over.fits
    assert over.max_nodes_at_this_tier == endpoints


def test_beyond_three_tiers_names_the_nearest_fix() -> None:
    result = estimate_fabric(FabricRequest(nodes=8193, nics_per_node=8, switch="r64"), CATALOGUE)
    assert (result.fits, result.leaf) == (False, None)
    assert render(result.nearest_fix or "") == "switch r144"
    assert "65,536" in render(result.why_not or "")
    assert "oversubscription 2" in map(render, result.fixes_tried)


def test_a_group_larger_than_a_leaf_does_not_fit() -> None:
    request = FabricRequest(nodes=64, nics_per_node=8, switch="r64", nodes_per_group=40)
    result = estimate_fabric(request, CATALOGUE)
    assert not result.fits
    assert render(result.nearest_fix or "") == "leave out nodes_per_group"


def test_adapters_total_rate_over_two_planes_means_half_each() -> None:
    """800 Gb/s twin-plane adapters are two links of 400: the same fabric whichever way it is said."""
    fast = Catalogue({"switches": {"s": _switch("s", 64, 100.0)}}, "test")
    total = estimate_fabric(FabricRequest(nodes=64, nics_per_node=8, link_gb_per_s=100, switch="s", planes=2), fast)
    each = estimate_fabric(FabricRequest(nodes=64, nics_per_node=8, link_gb_per_s=50, switch="s", planes=2), fast)
    assert (total.leaf, total.spine, total.bisection_gb_per_s) == (each.leaf, each.spine, each.bisection_gb_per_s)
    assert total.notes
    assert not each.notes


def test_a_link_faster_than_the_port_is_bad_input() -> None:
    with pytest.raises(BadInput, match="link_gb_per_s"):
        estimate_fabric(FabricRequest(nodes=4, nics_per_node=8, link_gb_per_s=100, switch="r64"), CATALOGUE)


def test_replicas_within_a_node_need_no_compute_fabric() -> None:
    assert not needs_compute_fabric(gpus_per_replica=8, gpus_per_node=8)
    assert needs_compute_fabric(gpus_per_replica=16, gpus_per_node=8)


def test_every_traced_formula_exists() -> None:
    trace = Trace()
    catalogue = load_catalogue()
    result = estimate_fabric(FabricRequest(nodes=128, nics_per_node=8), catalogue, trace)
    assert {step.formula for step in trace.steps.values()} <= set(catalogue.entries("formulas"))
    assert trace.steps["leaf"].value == result.leaf == 32


@pytest.mark.parametrize(
    ("asked", "why", "fix"),
    [
        ({"nodes": 40, "management_ports": 10**7}, "10,000,000 management ports", "fewer"),
        ({"nodes": 40, "nics_per_node": 10**7}, "10,000,000 links a node", "fewer"),
        ({"nodes": 40, "spare_ports_per_leaf": 63}, "63 of 64 kept spare", "spare_ports_per_leaf 0"),
        ({"nodes": 40, "oversubscription": 1e-9}, "too few ports for one node", "oversubscription 1"),
        ({"nodes": 10**12}, "8,192 nodes of 8 links", "divide the cluster"),
    ],
)
def test_what_never_fits_names_its_own_reason(asked: dict[str, Any], why: str, fix: str) -> None:
    result = estimate_fabric(FabricRequest(**{"nics_per_node": 8, "switch": "r64"} | asked), CATALOGUE)
    assert not result.fits
    assert why in render(result.why_not or "")
    assert fix in render(result.nearest_fix or "")


@pytest.mark.parametrize(("link", "meant"), [(400, "50"), (60, "50")])
def test_a_link_in_gigabits_is_recognised(link: float, meant: str) -> None:
    """400 Gb/s is 50 GB/s; 60 GB/s is no rate in bits that this switch has, and the port's own is nearest."""
    with pytest.raises(BadInput) as raised:
        estimate_fabric(FabricRequest(nodes=4, nics_per_node=8, link_gb_per_s=link, switch="r64"), CATALOGUE)
    assert tuple(raised.value.nearest) == (meant,)


def test_two_switches_in_one_chassis_are_no_larger_radix() -> None:
    """Q3200-RA: two switches of 36 ports of 800 Gb/s. 72 GPUs at 800 Gb/s need leaves and spines of 36 ports."""
    result = estimate_fabric(
        FabricRequest(nodes=9, nics_per_node=8, link_gb_per_s=100, switch="q3200"), load_catalogue()
    )
    assert (result.tiers, result.ports_per_switch) == (2, 36)
