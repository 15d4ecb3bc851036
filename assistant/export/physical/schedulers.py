"""What schedulers read of a layout: Slurm's topology.conf and gres.conf, and Kueue's topology with node labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from assistant.export.physical.subject import Subject
from assistant.result import Sizing
from assistant.sizing.bill.lines import FabricPart
from assistant.sizing.physical.layout import Device, Layout
from assistant.sizing.physical.links import by_number

BLOCK_LABEL = "cloud.provider.com/topology-block"
RACK_LABEL = "cloud.provider.com/topology-rack"
HOST_LABEL = "kubernetes.io/hostname"
"""The labels that Kueue's own examples use; a cloud or Topograph writes others."""

AUTODETECT = {"nvidia": "nvml", "amd": "rsmi", "intel": "oneapi"}
"""The library by which Slurm finds the GPUs of a vendor (gres.conf, AutoDetect)."""


class Host(NamedTuple):
    """One computer as the scheduler names it, with its rack and its block of the fabric."""

    name: str
    rack: str
    block: int


def hosts_of(layout: Layout) -> tuple[Host, ...]:
    """Every GPU computer in the order of its number; the trays of a rack product are numbered within it."""
    compute = next((part for part in layout.fabrics if part.purpose == "compute"), None)
    each = max(1, compute.result.nodes_per_group) if compute else 0
    places = layout.places
    found: list[Host] = []
    for device in by_number(layout.devices("GPU server")):
        rack = places[device.name][0].name
        found += [Host(name, rack, len(found) // each if each else 0) for name in _computers(device)]
    return tuple(found)


def _computers(device: Device) -> tuple[str, ...]:
    if device.nodes == 1:
        return (device.name,)
    return tuple(f"{device.name}-tray-{tray:02}" for tray in range(1, device.nodes + 1))


def hostlist(names: Sequence[str]) -> str:
    """Slurm's short form of names that differ in a number at their end: node-[001-031,033]."""
    parts = []
    for stem, group in groupby(names, key=lambda name: name.rpartition("-")[0]):
        numbers = [name.rpartition("-")[2] for name in group]
        parts.append(f"{stem}-{numbers[0]}" if len(numbers) == 1 else f"{stem}-[{','.join(_ranges(numbers))}]")
    return ",".join(parts)


def _ranges(numbers: Sequence[str]) -> Iterator[str]:
    for _, run in groupby(enumerate(numbers), key=lambda pair: int(pair[1]) - pair[0]):
        members = [number for _, number in run]
        yield members[0] if len(members) == 1 else f"{members[0]}-{members[-1]}"


def _blocks(layout: Layout) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for host in hosts_of(layout):
        found.setdefault(host.block, []).append(host.name)
    return found


def topology_conf(of: Subject) -> str:
    """Slurm's topology/tree: nodes that share a set of leaves are one switch, whatever their rails.

    Racks that are one NVLink domain are blocks of topology/block instead.
    """
    layout, head = of.layout, [f"# {line}" for line in of.title.splitlines()]
    if any(device.nodes > 1 for device in layout.devices("GPU server")):
        return "\n".join((*head, *_nvlink_blocks(layout))) + "\n"
    compute = next((part for part in layout.fabrics if part.purpose == "compute"), None)
    blocks = _blocks(layout)
    lines = [*head, "# slurm.conf: TopologyPlugin=topology/tree"]
    width = len(str(len(blocks)))
    names = [f"block-{number + 1:0{width}}" for number in blocks]
    lines += [f"SwitchName={name} Nodes={hostlist(hosts)}" for name, hosts in zip(names, blocks.values(), strict=True)]
    lines += _upper(names, compute) if len(names) > 1 else []
    return "\n".join(lines) + "\n"


def _upper(blocks: list[str], compute: FabricPart | None) -> Iterator[str]:
    """Pods of blocks where the fabric has three tiers, and the switch above all."""
    names = blocks
    if compute is not None and compute.result.core and not compute.result.rail_pods:
        each = max(1, compute.result.leaves_per_pod // max(1, compute.result.leaves_per_group))
        pods = [blocks[start : start + each] for start in range(0, len(blocks), each)]
        if 1 < len(pods) < len(blocks):
            names = [f"pod-{number:0{len(str(len(pods)))}}" for number in range(1, len(pods) + 1)]
            yield from (f"SwitchName={n} Switches={hostlist(pod)}" for n, pod in zip(names, pods, strict=True))
    yield f"SwitchName=top Switches={hostlist(names)}"


def _nvlink_blocks(layout: Layout) -> Iterator[str]:
    yield "# slurm.conf: TopologyPlugin=topology/block"
    racks = by_number(layout.devices("GPU server"))
    yield from (f"BlockName={device.name} Nodes={hostlist(_computers(device))}" for device in racks)
    yield f"BlockSizes={racks[0].nodes}"


def gres_conf(of: Subject) -> str:
    """Slurm's gres.conf, with the node lines that slurm.conf needs as comments."""
    layout, sizing, plan = of.layout, of.sizing, of.sizing.plan()
    hosts = [host.name for host in hosts_of(layout)]
    each = _gpus_of(sizing, layout)
    vendor = str(sizing.facts.get("vendor_stated") or "").lower()
    detect = AUTODETECT.get(vendor) or ("rsmi" if plan.accelerator.startswith("mi") else "nvml")
    kind = plan.accelerator.partition("-")[0]
    lines = [
        *(f"# {line}" for line in of.title.splitlines()),
        "# slurm.conf: GresTypes=gpu",
        f"# slurm.conf: NodeName={hostlist(hosts)} Gres=gpu:{kind}:{each}",
        f"AutoDetect={detect}",
        f"NodeName={hostlist(hosts)} Name=gpu Type={kind} Count={each}",
    ]
    return "\n".join(lines) + "\n"


def _gpus_of(sizing: Sizing, layout: Layout) -> int:
    """GPUs of one computer, from the bill's count inside the servers."""
    plan = sizing.plan()
    gpus = sum(line.count for line in plan.bill_of_materials if line.included and line.item == plan.accelerator)
    return max(1, round(gpus / max(1, len(hosts_of(layout)))))


def kueue(of: Subject) -> str:
    """Kueue's Topology and ResourceFlavor, and every node with the labels that they read."""
    docs = [
        "\n".join(f"# {line}" for line in of.title.splitlines()),
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Topology\nmetadata:\n  name: cluster\nspec:\n  levels:\n"
        f"  - nodeLabel: {BLOCK_LABEL}\n  - nodeLabel: {RACK_LABEL}\n  - nodeLabel: {HOST_LABEL}",
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata:\n  name: gpu\nspec:\n"
        "  nodeLabels:\n    cloud.provider.com/node-group: gpu\n  topologyName: cluster",
    ]
    docs += [
        f"apiVersion: v1\nkind: Node\nmetadata:\n  name: {host.name}\n  labels:\n    {HOST_LABEL}: {host.name}\n"
        f"    cloud.provider.com/node-group: gpu\n    {BLOCK_LABEL}: block-{host.block + 1}\n"
        f"    {RACK_LABEL}: rack-{host.rack.lower()}"
        for host in hosts_of(of.layout)
    ]
    return "\n---\n".join(docs) + "\n"
