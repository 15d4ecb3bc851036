"""What a saved sizing says of the cluster that it is for: its fabric, and what a node of it holds."""

from __future__ import annotations

from typing import NamedTuple

from assistant.result import Sizing
from knowledge.catalogue import Catalogue

RDMA = ("infiniband", "roce")
"""Fabrics with adapters that have settings of their own; on any other only those of a node's inside hold."""


class Design(NamedTuple):
    """The compute fabric, GPUs a node, and active fabric ports a node (0: not known, or none)."""

    fabric: str
    gpus: int
    ports: int


def design_of(sizing: Sizing, catalogue: Catalogue) -> Design | None:
    """The recommended plan's design; None where the plan has no server with GPUs."""
    plan = next((plan for plan in sizing.plans if plan.name == "recommended"), None)
    gpu_servers = [server.id for server in plan.servers if server.role == "gpu"] if plan else []
    if plan is None or not gpu_servers or gpu_servers[0] not in catalogue.entries("servers"):
        return None
    server = catalogue.entry("servers", gpu_servers[0])
    nodes = server.nodes_per_unit or 1
    technology = str(plan.network.get("technology", "none"))
    fabric = technology if technology in RDMA else "nvlink_only"
    nics = server.compute_nics.value if server.compute_nics and fabric != "nvlink_only" else 0
    return Design(fabric, server.gpu_count // nodes, (nics or 0) // nodes)
