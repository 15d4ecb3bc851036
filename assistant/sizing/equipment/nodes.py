"""Where replicas stand, what is left after one failure, and the machines beside the GPU nodes."""

from __future__ import annotations

from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.servers import Rejected, ServerChoice, ServerLimits, choose_server
from knowledge.evidence import Frozen

__all__ = [
    "AfterFailure",
    "Placement",
    "Rejected",
    "ServerChoice",
    "ServerLimits",
    "SupportNodes",
    "after_one_failure",
    "choose_server",
    "nodes_for",
    "place_replicas",
    "support_nodes",
]

Whole = Annotated[int, Field(ge=1)]


class Placement(Frozen):
    """Replicas on scale-up domains. ``domains`` holds each domain's GPUs, ``held`` the replicas that start in it.

    A replica larger than a domain takes ``domains_per_replica`` whole ones. ``required`` is what the load needs.
    """

    gpus_per_replica: Whole
    required: Whole
    placed: int
    domains: tuple[int, ...]
    held: tuple[int, ...]
    domains_per_replica: int = 1
    failure_gpus: int
    fits: bool
    why_not: str | None = None
    nearest_fix: str | None = None


def place_replicas(
    gpus_per_replica: int, required: int, domains: tuple[int, ...], failure_gpus: int | None = None
) -> Placement:
    """Put replicas on domains: as many in a domain as whole replicas fit, or whole domains for a larger replica."""
    span = ceil(gpus_per_replica / max(domains, default=1))
    room = _room(gpus_per_replica, domains, span)
    most = sum(room)
    held, left = [], min(required, most)
    for places in room:
        held.append(min(places, left))
        left -= held[-1]
    short = required - min(required, most)
    largest = max(domains, default=0)
    more = ceil(short / max(1, largest // gpus_per_replica)) if span == 1 else short * span
    return Placement(
        gpus_per_replica=gpus_per_replica,
        required=required,
        placed=min(required, most),
        domains=domains,
        held=tuple(held),
        domains_per_replica=span,
        failure_gpus=failure_gpus or largest or 1,
        fits=short == 0,
        why_not=f"{most} of {required} replicas of {gpus_per_replica} GPUs have a place" if short else None,
        nearest_fix=f"{more} more nodes" if short else None,
    )


def _room(gpus_per_replica: int, domains: tuple[int, ...], span: int) -> tuple[int, ...]:
    """Replicas that each domain can start; a spanning replica is counted at the first of its whole domains."""
    if span == 1:
        return tuple(gpus // gpus_per_replica for gpus in domains)
    largest = max(domains)
    whole = [index for index, gpus in enumerate(domains) if gpus == largest]
    starts = {whole[i] for i in range(0, len(whole) - span + 1, span)}
    return tuple(int(index in starts) for index in range(len(domains)))


class AfterFailure(Frozen):
    """What is left when the worst node fails and all replicas are placed again on what remains."""

    share_of_required_load: float
    replicas_left: int
    what_is_lost: str


def after_one_failure(placement: Placement) -> AfterFailure:
    """Remove each kind of node in turn, place everything again, and report the worst case; nothing is clipped away."""
    worst = min(range(len(placement.domains)), key=lambda index: _left(placement, index), default=None)
    if worst is None:
        return AfterFailure(share_of_required_load=0.0, replicas_left=0, what_is_lost="there is no node")
    left = min(_left(placement, worst), placement.required)
    lost = placement.placed - left
    gpus = min(placement.failure_gpus, placement.domains[worst])
    replicas = f"{lost} of {placement.placed} replicas" if lost else "no replica; the rest have room"
    return AfterFailure(
        share_of_required_load=left / placement.required,
        replicas_left=left,
        what_is_lost=f"one node with {gpus} GPUs: {replicas}",
    )


def _left(placement: Placement, failed: int) -> int:
    gpus = max(placement.domains[failed] - placement.failure_gpus, 0)
    domains = (*placement.domains[:failed], gpus, *placement.domains[failed + 1 :])
    if placement.domains_per_replica == 1:
        return sum(_room(placement.gpus_per_replica, domains, 1))
    whole = max(placement.domains)
    remaining = sum(1 for size in domains if size >= whole)
    return remaining // placement.domains_per_replica


def nodes_for(gpus_per_replica: int, replicas: int, gpus_per_domain: int) -> int:
    """Domains that hold the replicas, none divided between domains that it could avoid."""
    if gpus_per_replica <= gpus_per_domain:
        return ceil(replicas / (gpus_per_domain // gpus_per_replica))
    return replicas * ceil(gpus_per_replica / gpus_per_domain)


class SupportNodes(Frozen):
    """Machines beside the GPU nodes, with what demands them."""

    management: int
    login: int
    reasons: tuple[str, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return self.management + self.login


def support_nodes(gpu_nodes: int, users_log_in: bool = True) -> SupportNodes:
    """Management and login nodes: five as BasePOD has them from four nodes on, seven from the SuperPOD's size on.

    One node manages itself; two or three share one machine. The B200 SuperPOD has 7 for 127 nodes and BasePOD 5 for 4
    to 8.
    """
    if gpu_nodes <= 1:
        return SupportNodes(management=0, login=0, reasons=("one node carries its own management",))
    if gpu_nodes <= 3:
        return SupportNodes(management=1, login=0, reasons=("one head node for two or three nodes",))
    if gpu_nodes <= 64:
        management, why = 5, "five management nodes, as the BasePOD design has for 4 to 8 systems"
    else:
        extra = ceil(gpu_nodes / 127)
        management, why = 7 * extra, f"seven for each of {extra} blocks of up to 127 nodes, as the B200 SuperPOD has"
    login = 2 if users_log_in and gpu_nodes >= 4 else 0
    return SupportNodes(management=management, login=login, reasons=(why, f"{login} login nodes, one to spare"))
