"""Replicas of several sizes on equal servers: how many servers, and what one failure leaves."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from assistant.needs import Need
from assistant.result import AfterFailure


def units_for(needs: Sequence[Need], per_unit: int) -> int:
    """Servers that hold all replicas: those larger than a server take whole ones, the others share, largest first."""
    whole, small = _sizes(needs, per_unit)
    return whole + len(_pack(small, per_unit))


def _sizes(needs: Sequence[Need], per_unit: int) -> tuple[int, list[int]]:
    whole, small = 0, []
    for need in needs:
        if need.gpus_per_replica >= per_unit:
            whole += need.replicas * ceil(need.gpus_per_replica / per_unit)
        else:
            small.extend([need.gpus_per_replica] * need.replicas)
    return whole, sorted(small, reverse=True)


def _pack(sizes: Sequence[int], per_unit: int) -> list[int]:
    """Free GPUs of each server used, replicas put into the first that has room."""
    free: list[int] = []
    for size in sizes:
        for index, room in enumerate(free):
            if room >= size:
                free[index] -= size
                break
        else:
            free.append(per_unit - size)
    return free


def after_failure(needs: Sequence[Need], units: int, per_unit: int, lost_gpus: int) -> AfterFailure:
    """One node fails (``lost_gpus`` of a server, or of one tray of a rack) and all replicas are placed again.

    Serving replicas keep what still has a place, the scarcest model deciding; a training job restarts on what is left.
    """
    if units < 1 or not needs:
        return AfterFailure(share_of_required_load=0.0, what_is_lost="there is no server")
    shares = [_training_share(need, units * per_unit - lost_gpus) if need.training else None for need in needs]
    left = _replicas_left([n for n in needs if not n.training], units, per_unit, lost_gpus, needs)
    shares += [kept / need.replicas for need, kept in left]
    share = min(s for s in shares if s is not None)
    lost = "; ".join(
        f"{need.replicas - kept} of {need.replicas} replicas of {need.model}"
        for need, kept in left
        if kept < need.replicas
    )
    if any(need.training for need in needs):
        lost = "; ".join(filter(None, (lost, "the training job restarts from its last checkpoint on the GPUs left")))
    return AfterFailure(
        share_of_required_load=share,
        what_is_lost=f"one node with {lost_gpus} GPUs: {lost or 'no replica, the others have room'}",
    )


def _training_share(need: Need, gpus_left: int) -> float:
    return min(1.0, max(0, gpus_left) / need.gpus)


def _replicas_left(
    serving: Sequence[Need], units: int, per_unit: int, lost_gpus: int, needs: Sequence[Need]
) -> list[tuple[Need, int]]:
    """Replicas of each model that find a place on the servers left, given in turn so that none is starved."""
    training = sum(ceil(n.gpus_per_replica / per_unit) for n in needs if n.training)
    servers = [per_unit] * max(0, units - training)
    if servers:
        servers[-1] -= min(lost_gpus, servers[-1])
    kept = dict.fromkeys(range(len(serving)), 0)
    order = sorted(range(len(serving)), key=lambda i: -serving[i].gpus_per_replica)
    placed = True
    while placed:
        placed = False
        for index in order:
            need = serving[index]
            if kept[index] < need.replicas and _take(servers, need.gpus_per_replica, per_unit):
                kept[index] += 1
                placed = True
    return [(need, kept[i]) for i, need in enumerate(serving)]


def _take(servers: list[int], size: int, per_unit: int) -> bool:
    """Take ``size`` GPUs out of the fullest server with room, or whole servers; whether there was room."""
    if size >= per_unit:
        span = ceil(size / per_unit)
        whole = [i for i, room in enumerate(servers) if room == per_unit]
        if len(whole) < span:
            return False
        for index in whole[:span]:
            servers[index] = 0
        return True
    fitting = [i for i, room in enumerate(servers) if room >= size]
    if not fitting:
        return False
    best = min(fitting, key=lambda i: servers[i])
    servers[best] -= size
    return True
