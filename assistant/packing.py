"""Replicas of several sizes on equal servers: how many servers, what has a place, and what one failure leaves."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from assistant.needs import Need
from assistant.result import AfterFailure


def units_for(needs: Sequence[Need], per_unit: int) -> int:
    """Servers that hold all replicas: those larger than a server take whole ones, the others share, largest first."""
    whole, small = 0, []
    for need in needs:
        if need.gpus_per_replica >= per_unit:
            whole += need.replicas * ceil(need.gpus_per_replica / per_unit)
        else:
            small.extend([need.gpus_per_replica] * need.replicas)
    return whole + _packed(sorted(small, reverse=True), per_unit)


def _packed(sizes: Sequence[int], per_unit: int) -> int:
    """Servers used when each replica goes into the first that has room."""
    free: list[int] = []
    for size in sizes:
        for index, room in enumerate(free):
            if room >= size:
                free[index] -= size
                break
        else:
            free.append(per_unit - size)
    return len(free)


def placed(needs: Sequence[Need], servers: Sequence[int], most: Sequence[int]) -> list[int]:
    """Replicas of each need that find a place on ``servers`` (free GPUs of each), at most ``most`` of each.

    The needs take turns, the largest replicas first, so that none is starved while another has many.
    """
    free, whole = list(servers), max(servers, default=0)
    counts = [0] * len(needs)
    order = sorted(range(len(needs)), key=lambda i: -needs[i].gpus_per_replica)
    progress = True
    while progress:
        progress = False
        for index in order:
            if counts[index] < most[index] and _take(free, needs[index].gpus_per_replica, whole):
                counts[index] += 1
                progress = True
    return counts


def _take(free: list[int], size: int, whole: int) -> bool:
    """Take ``size`` GPUs out of the fullest server with room, or whole servers; whether there was room."""
    if size > whole:
        empty = [i for i, room in enumerate(free) if room == whole]
        span = ceil(size / whole) if whole else len(free) + 1
        if len(empty) < span:
            return False
        for index in empty[:span]:
            free[index] = 0
        return True
    fitting = [i for i, room in enumerate(free) if room >= size]
    if not fitting:
        return False
    free[min(fitting, key=lambda i: free[i])] -= size
    return True


def after_failure(needs: Sequence[Need], servers: Sequence[int], lost_gpus: int) -> AfterFailure:
    """One node fails (``lost_gpus`` of the fullest server, or one tray of a rack); all replicas are placed again.

    Serving replicas keep what still has a place, the scarcest model deciding; a training job restarts on what is left.
    """
    if not servers or not needs:
        return AfterFailure(share_of_required_load=0.0, what_is_lost="there is no server")
    lost_gpus = min(lost_gpus, max(servers))
    serving = [need for need in needs if not need.training]
    reserved = sum(need.gpus for need in needs if need.training)
    before = _without(servers, reserved)
    left = _without(_one_failed(servers, lost_gpus), min(reserved, sum(servers) - lost_gpus))
    wanted = [need.required or need.replicas for need in serving]
    had, kept = placed(serving, before, wanted), placed(serving, left, wanted)
    shares = [k / w for k, w in zip(kept, wanted, strict=True)]
    shares += [min(1.0, (sum(servers) - lost_gpus) / need.gpus) for need in needs if need.training]
    return AfterFailure(
        share_of_required_load=min(shares), what_is_lost=_lost(serving, had, kept, lost_gpus, reserved > 0)
    )


def _one_failed(servers: Sequence[int], lost_gpus: int) -> list[int]:
    largest = max(range(len(servers)), key=lambda i: servers[i])
    return [room - lost_gpus if i == largest else room for i, room in enumerate(servers)]


def _without(servers: Sequence[int], gpus: int) -> list[int]:
    """Free GPUs of each server once a training job has taken ``gpus``, the last servers first."""
    free = list(servers)
    for index in reversed(range(len(free))):
        taken = min(gpus, free[index])
        free[index] -= taken
        gpus -= taken
    return free


def _lost(serving: Sequence[Need], had: Sequence[int], kept: Sequence[int], lost_gpus: int, trains: bool) -> str:
    parts = [f"{h - k} of {h} replicas of {need.model}" for need, h, k in zip(serving, had, kept, strict=True) if k < h]
    if trains:
        parts.append("the training job restarts from its last checkpoint on the GPUs left")
    node = f"one node with {lost_gpus} GPU{'s' if lost_gpus > 1 else ''}"
    return f"{node}: {'; '.join(parts) or 'no replica, the others have room'}"
