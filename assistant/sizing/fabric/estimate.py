"""Compute fabrics: switches, cables and transceivers of a leaf-spine network, from what the nodes ask of it."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.rated import PowerStandIn, switch_power
from assistant.sizing.fabric.clos import Ask, Clos, Leaves, design, most_nodes
from assistant.sizing.fabric.fixes import FASTEST_NIC_GB_PER_S, find_fix, most_in_one, ports_at, why_no_leaf
from assistant.sizing.possible import Possible
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say
from knowledge.schema import Switch

MOST_PLANES = 16
"""Twice the eight planes of the most divided adapters (eight of 100 Gb/s)."""

Whole = Annotated[int, Field(ge=1)]
NotNegative = Annotated[int, Field(ge=0)]


class FabricRequest(Frozen):
    """What a fabric must connect. ``link_gb_per_s`` is one link's rate in one direction (400 Gb/s is 50).

    ``tiers`` is the fewest tiers to build (for growth). ``nodes_per_pod``: nodes whose leaves of one rail share spines.
    ``leaf_pair``: two leaves joined to each other, as small redundant designs have.
    """

    nodes: Whole
    nics_per_node: Whole
    link_gb_per_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 50.0
    switch: str = "qm9700"
    planes: Annotated[int, Field(ge=1, le=MOST_PLANES)] = 1
    nodes_per_group: Whole | None = None
    management_ports: NotNegative = 0
    oversubscription: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    spare_ports_per_leaf: NotNegative = 0
    rail_optimised: bool = True
    tiers: Annotated[int, Field(ge=1, le=3)] = 1
    nodes_per_pod: Whole | None = None
    leaf_pair: bool = False


class FabricResult(Possible):
    """A fabric over all planes. Counts are None where nothing fits; ``power_kw`` is None where it is not published.

    Cables are counted as reference designs print them: a twin-plane adapter's two links leave in one cage and count as
    one cable. ``links_*`` count every link. ``switch_ports_used`` equals the cable ends at switches. In each plane the
    first ``uplinks_traded`` leaves have one uplink less than ``uplinks_per_leaf`` and a management port in its place.
    """

    fits: bool
    why_not: Text | None = None
    nearest_fix: Text | None = None
    fixes_tried: tuple[Text, ...] = ()
    tiers: int | None = None
    leaf: int | None = None
    spine: int | None = None
    core: int | None = None
    cables_node_leaf: int | None = None
    cables_leaf_spine: int | None = None
    cables_spine_core: int | None = None
    cables_leaf_leaf: int = 0
    links_node_leaf: int | None = None
    links_leaf_spine: int | None = None
    links_spine_core: int | None = None
    transceivers: int | None = None
    transceivers_switch: int | None = None
    transceivers_node: int | None = None
    switch_ports_used: int | None = None
    switch_ports_present: int | None = None
    endpoints: int
    management_ports: int = 0
    power_kw: float | None = None
    power_stand_in: PowerStandIn | None = None
    bisection_gb_per_s: float | None = None
    max_nodes_at_this_tier: int
    ports_per_switch: int
    switch: str
    planes: int = 1
    uplinks_per_leaf: int = 0
    uplinks_traded: int = 0
    leaves_per_group: int = 0
    nodes_per_group: int = 0
    pods_per_plane: int = 0
    leaves_per_pod: int = 0
    rail_pods: bool = False
    down_links_per_leaf: int = 0
    spines_per_pod: int = 0
    uplinks_per_spine: int = 0
    cores_per_group: int = 0
    notes: tuple[Text, ...] = ()


def needs_compute_fabric(gpus_per_replica: int, gpus_per_node: int) -> bool:
    """Whether a replica spans scale-up domains, so that its GPUs need a network between nodes."""
    return gpus_per_replica > gpus_per_node


def estimate_fabric(request: FabricRequest, catalogue: Catalogue, trace: Trace | None = None) -> FabricResult:
    """Size a fabric. Raises BadInput for a switch that is unknown or slower than the link."""
    switch = catalogue.switch(request.switch)
    request, notes = _plane_link(request)
    ask = ask_of(request, ports_at(switch, request.link_gb_per_s))
    plane = None if request.leaf_pair else design(ask)
    if request.leaf_pair:
        result = _pair(request, ask, switch, catalogue)
    elif plane is None:
        result = _no_fit(request, ask, switch, catalogue)
    else:
        result = _counts(request, ask, plane, switch, catalogue)
    result = result.model_copy(update={"notes": notes + result.notes})
    if trace is not None:
        with trace.call("fabric", switch.id, request.nodes):
            _explain(trace, request, ask, switch, result)
    return result


def ask_of(request: FabricRequest, ports: int) -> Ask:
    """The request as one plane's arithmetic sees it, on switches with ``ports`` links of the asked rate."""
    return Ask(
        nodes=request.nodes,
        rails=request.nics_per_node,
        ports=ports,
        group=request.nodes_per_group,
        management=request.management_ports,
        oversubscription=request.oversubscription,
        spare=request.spare_ports_per_leaf,
        rail_optimised=request.rail_optimised,
        tiers=request.tiers,
        pod_nodes=request.nodes_per_pod,
    )


def _plane_link(request: FabricRequest) -> tuple[FabricRequest, tuple[Message, ...]]:
    total = request.link_gb_per_s * request.planes
    if request.planes == 1 or total <= FASTEST_NIC_GB_PER_S * 1.0001:
        return request, ()
    link = request.link_gb_per_s / request.planes
    note = say(
        "fabric.plane_link",
        total=request.link_gb_per_s,
        planes=request.planes,
        link=link,
        fastest=FASTEST_NIC_GB_PER_S,
    )
    return request.model_copy(update={"link_gb_per_s": link}), (note,)


def _counts(
    request: FabricRequest, ask: Ask, plane: Clos, switch: Switch, catalogue: Catalogue, joined: int = 0
) -> FabricResult:
    """The counts of all planes; ``joined`` copper links join two leaves directly."""
    planes, layer = request.planes, plane.leaves
    node_links = request.nodes * request.nics_per_node + layer.management
    up_links = layer.count * plane.uplinks - layer.traded
    core_links = plane.spine * plane.spine_uplinks
    optical = planes * (node_links + 2 * up_links + 2 * core_links)
    at_switches = optical + 2 * planes * joined
    switches = planes * plane.switches
    power, stand_in = switch_power(switches, switch, catalogue)
    modules = ceil(optical / links_per_cage(switch, ask.ports))
    node_modules = _node_modules(request)
    narrowest = min([request.nodes * request.nics_per_node, *filter(None, (up_links, core_links, 2 * joined))])
    return FabricResult(
        fits=True,
        tiers=plane.tiers,
        leaf=planes * layer.count,
        spine=planes * plane.spine,
        core=planes * plane.core,
        cables_node_leaf=node_links,
        cables_leaf_spine=up_links,
        cables_spine_core=core_links,
        cables_leaf_leaf=joined,
        links_node_leaf=planes * node_links,
        links_leaf_spine=planes * up_links,
        links_spine_core=planes * core_links,
        transceivers=modules + node_modules,
        transceivers_switch=modules,
        transceivers_node=node_modules,
        switch_ports_used=at_switches,
        switch_ports_present=switches * ask.ports,
        endpoints=request.nodes * request.nics_per_node,
        management_ports=layer.management,
        power_kw=power,
        power_stand_in=stand_in,
        bisection_gb_per_s=narrowest / 2 * request.link_gb_per_s * planes,
        max_nodes_at_this_tier=most_nodes(ask, plane.tiers),
        ports_per_switch=ask.ports,
        switch=switch.id,
        planes=planes,
        uplinks_per_leaf=plane.uplinks,
        uplinks_traded=layer.traded,
        leaves_per_group=layer.per_group,
        nodes_per_group=layer.nodes_per_group,
        pods_per_plane=plane.pods,
        leaves_per_pod=plane.leaves_per_pod,
        rail_pods=plane.rail_pods,
        down_links_per_leaf=layer.down,
        spines_per_pod=plane.spines_per_pod,
        uplinks_per_spine=plane.spine_uplinks,
        cores_per_group=plane.cores_per_group,
        notes=_one_node_less(ask, plane, planes) + _traded(plane),
    )


def _one_node_less(ask: Ask, plane: Clos, planes: int) -> tuple[Message, ...]:
    """What full groups cost: managers' ports then need leaves of their own, where one node less would make room.

    This is why a scalable unit of RA-11333 has 31 nodes and not 32.
    """
    layer = plane.leaves
    if not ask.management or ask.nodes == 1 or layer.count == layer.groups * layer.per_group:
        return ()
    less = design(replace(ask, nodes=ask.nodes - 1))
    if less is None or less.switches >= plane.switches:
        return ()
    fewer, now = planes * less.switches, planes * plane.switches
    return (say("fabric.one_node_less", nodes=ask.nodes - 1, fewer=fewer, now=now),)


def _traded(plane: Clos) -> tuple[Message, ...]:
    given, leaves = plane.leaves.traded, plane.leaves.count
    if not given:
        return ()
    return (say("fabric.traded", given=given, leaves=leaves, uplinks=plane.uplinks),)


def links_per_cage(switch: Switch, ports: int) -> int:
    """Links that leave the switch in one cage when it carries ``ports`` links; 1 where its cages are not published."""
    cages = switch.cages.value
    return max(1, ports // cages) if cages else 1


def _node_modules(request: FabricRequest) -> int:
    """Node-side modules: twin-port up to 400 Gb/s (two adapters in one cage), one an adapter above or with planes."""
    twin = request.link_gb_per_s <= 50 and request.planes == 1
    return request.nodes * (ceil(request.nics_per_node / 2) if twin else request.nics_per_node)


def _pair(request: FabricRequest, ask: Ask, switch: Switch, catalogue: Catalogue) -> FabricResult:
    """Two leaves joined to each other; every node's links are shared between them."""
    most = next((n for n in range(2 * ask.ports, 0, -1) if _pair_ports(ask, n) <= ask.usable), 0)
    if ask.nodes > most:
        why, fitting = say("fabric.short.pair", ports=ask.ports, most=most, rails=ask.rails), say("fabric.fix.no_pair")
        fix = {"why_not": why, "nearest_fix": fitting, "fixes_tried": (fitting,)}
        return _no_fit(request, ask, switch, catalogue).model_copy(update={**fix, "max_nodes_at_this_tier": most})
    half = ceil((ask.nodes * ask.rails + ask.management) / 2)
    leaves = Leaves(2, 1, 2, ask.nodes, ask.management, 0, 0, half)
    result = _counts(request, ask, Clos(1, leaves), switch, catalogue, _pair_ports(ask, ask.nodes) - half)
    note = say("fabric.copper_pair")
    return result.model_copy(update={"max_nodes_at_this_tier": most, "notes": (note,)})


def _pair_ports(ask: Ask, nodes: int) -> int:
    """Ports that each of two joined leaves needs: half of the links, and the links to the other leaf."""
    half = ceil((nodes * ask.rails + ask.management) / 2)
    return half + ceil(half / ask.oversubscription)


def _no_fit(request: FabricRequest, ask: Ask, switch: Switch, catalogue: Catalogue) -> FabricResult:
    most = most_nodes(ask, 3)
    fix = find_fix(ask, request.link_gb_per_s, request.planes, switch, catalogue)
    why = say(
        "fabric.short.tiers",
        ports=ask.ports,
        most=most,
        rails=ask.rails,
        links=most * ask.rails,
        nodes=ask.nodes,
    )
    if most == 0:
        why = why_no_leaf(ask, switch)
    return FabricResult(
        fits=False,
        why_not=why,
        nearest_fix=fix.fitting or most_in_one(most),
        fixes_tried=fix.tried,
        endpoints=request.nodes * request.nics_per_node,
        max_nodes_at_this_tier=most,
        ports_per_switch=ask.ports,
        switch=switch.id,
        planes=request.planes,
    )


def _explain(trace: Trace, request: FabricRequest, ask: Ask, switch: Switch, result: FabricResult) -> None:
    sources = (*switch.ports.sources, *switch.port_gb_per_s.sources)
    shape: dict[str, int] = {"nodes": request.nodes, "nics_per_node": request.nics_per_node, "ports": ask.ports}
    ratio, group = request.oversubscription, result.nodes_per_group
    trace.note("leaf", result.leaf, "fabric_leaf", sources, (), oversubscription=ratio, nodes_per_group=group, **shape)
    trace.note(
        "spine", result.spine, "fabric_spine", sources, (), uplinks=result.uplinks_per_leaf, leaf=result.leaf, **shape
    )
    trace.note(
        "core", result.core, "fabric_core", sources, (), uplinks=result.uplinks_per_spine, spine=result.spine, **shape
    )
    trace.note("cables_leaf_spine", result.cables_leaf_spine, "fabric_cables", sources, leaf=result.leaf)
    trace.note("switch_ports_used", result.switch_ports_used, "fabric_cable_ends", sources)
    trace.note("transceivers", result.transceivers, "fabric_transceivers", switch.cages.sources)
    trace.note("bisection_gb_per_s", result.bisection_gb_per_s, "fabric_bisection", link=request.link_gb_per_s)
    power = switch.max_power_w
    trace.note("power_kw", result.power_kw, "switch_power", power.sources, max_power_w=power.value)
