"""Counts of a bill that must agree with each other: ports, cable ends, adapters, machines."""

from __future__ import annotations

from collections import Counter

from assistant.sizing.bill.lines import BillLine, BillRequest, gpu_nodes, support_machines
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen


class Check(Frozen):
    """Two counts that must agree (or the first not exceed the second, where ``at_most``)."""

    name: str
    left: int
    right: int
    at_most: bool = False

    @property
    def holds(self) -> bool:
        """Whether they do."""
        return self.left <= self.right if self.at_most else self.left == self.right


def check_bill(request: BillRequest, lines: tuple[BillLine, ...], catalogue: Catalogue) -> tuple[Check, ...]:
    """Counts of the bill that must agree with each other."""
    checks = []
    for part in request.fabrics:
        name, result = part.purpose, part.result
        cables = _links_by_hop(lines, name)
        to_nodes = cables["node to leaf"] + cables["manager to leaf"]
        between = sum(cables[hop] for hop in ("leaf to leaf", "leaf to spine", "spine to core"))
        ends, used = to_nodes + 2 * between, result.switch_ports_used or 0
        nics = result.planes * (result.endpoints + result.management_ports)
        present = result.switch_ports_present or 0
        checks += [
            Check(name=f"{name}: cable ends at switches = switch ports used", left=ends, right=used),
            Check(name=f"{name}: cables to nodes = adapter ports and management ports", left=to_nodes, right=nics),
            Check(name=f"{name}: switch ports used <= present", left=used, right=present, at_most=True),
        ]
    if request.storage_fabric is not None:
        cables, used = _links_by_hop(lines, "storage"), request.storage_fabric.switch_ports_used
        ends = cables.total() + cables["leaf to leaf"] + cables["leaf to spine"]
        checks.append(Check(name="storage: cable ends at switches = switch ports used", left=ends, right=used))
    machines = gpu_nodes(request, catalogue) + support_machines(request)
    oob = sum(line.count for line in lines if line.of == "out-of-band network, machines")
    if request.inband:
        checks.append(Check(name="out-of-band cables to machines = machines", left=oob, right=machines))
    return tuple(checks)


def _links_by_hop(lines: tuple[BillLine, ...], purpose: str) -> Counter[str]:
    """Links of one fabric by hop, whatever their lengths."""
    found: Counter[str] = Counter()
    for line in lines:
        if line.unit == "cable" and line.of.startswith(f"{purpose} fabric, "):
            found[line.of.split(", ")[1]] += line.count if line.links is None else line.links
    return found
