"""Where the models run, in words: each group of equal servers with what one of them holds."""

from __future__ import annotations

from assistant.planning.count.fleet import Held, ServerGroup
from assistant.result import Plan
from knowledge.message import Message, say


def fleet_lines(plan: Plan) -> tuple[Message, ...]:
    """One line a group of servers; nothing where a plan has no server."""
    return tuple(_group(group) for group in plan.fleet)


def _group(group: ServerGroup) -> Message:
    servers = {"servers": group.servers, "gpus": group.gpus}
    if not group.holds:
        return say("fleet.idle", **servers)
    holds = say("fleet.holds", holds=map(_held, group.holds))
    many = "several" if group.servers > 1 else "one"
    if group.free_gpus:
        return say(f"fleet.free.{many}", **servers, holds=holds, free=group.free_gpus)
    return say(f"fleet.full.{many}", **servers, holds=holds)


def _held(held: Held) -> Message:
    if held.servers_per_replica > 1:
        return say("fleet.part", model=held.model, gpus=held.gpus_per_replica, servers=held.servers_per_replica)
    if held.mig_profile:
        return say(
            "fleet.mig", instances=held.instances, model=held.model, profile=held.mig_profile, gpus=held.replicas
        )
    many = "several" if held.replicas > 1 else "one"
    return say(f"fleet.whole.{many}", replicas=held.replicas, model=held.model, gpus=held.gpus_per_replica)
