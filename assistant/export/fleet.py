"""Where the models run, in words: each group of equal servers with what one of them holds."""

from __future__ import annotations

from assistant.planning.count.fleet import Held, ServerGroup
from assistant.result import Plan


def fleet_lines(plan: Plan) -> tuple[str, ...]:
    """One line a group of servers; nothing where a plan has no server."""
    return tuple(_group(group) for group in plan.fleet)


def _group(group: ServerGroup) -> str:
    servers = f"{group.servers:,} server{'s' if group.servers != 1 else ''} of {_gpus(group.gpus)}"
    if not group.holds:
        return f"{servers}: none of the load, stands by"
    each = ", on each" if group.servers > 1 else ""
    free = f"; {_gpus(group.free_gpus)} free{each}" if group.free_gpus else ""
    return f"{servers}{each}: {'; '.join(map(_held, group.holds))}{free}"


def _held(held: Held) -> str:
    if held.servers_per_replica > 1:
        return f"a part of {held.model} ({_gpus(held.gpus_per_replica)} over {held.servers_per_replica} servers)"
    if held.mig_profile:
        return f"up to {held.instances} x {held.model} on MIG {held.mig_profile}, {_gpus(held.replicas)} divided"
    return f"{held.replicas} x {held.model} on {_gpus(held.gpus_per_replica)}{' each' if held.replicas > 1 else ''}"


def _gpus(count: int) -> str:
    return f"{count:,} GPU{'s' if count != 1 else ''}"
