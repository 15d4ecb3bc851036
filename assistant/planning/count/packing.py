"""Replicas of several sizes on equal servers: how many servers, what has a place, and what one failure leaves.

Servers are counted by their free GPUs, so that a million of them are as quick as ten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from assistant.planning.count.needs.need import Need
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say


class AfterFailure(Frozen):
    """What is left when the worst node is gone and every replica has been placed again."""

    share_of_required_load: float
    what_is_lost: Text


Rooms = Mapping[int, int]
"""Free GPUs of a server -> number of such servers."""

TURNS = 200
"""Turns in which models share servers that do not hold them all; each takes a share of what it still wants."""


def units_for(needs: Sequence[Need], per_unit: int) -> int:
    """Servers that hold all replicas: those larger than a server take whole ones, the others share, largest first."""
    whole, free = 0, Counter[int]()
    used = 0
    for need in sorted((n for n in needs if not n.in_turn), key=lambda need: -need.gpus_per_replica):
        if need.gpus_per_replica >= per_unit:
            whole += need.replicas * ceil(need.gpus_per_replica / per_unit)
            continue
        left = need.replicas - _take(free, need.gpus_per_replica, need.replicas, per_unit)
        new = ceil(left / (per_unit // need.gpus_per_replica))
        free[per_unit] += new
        used += new
        _take(free, need.gpus_per_replica, left, per_unit)
    return whole + used


def _take(free: Counter[int], size: int, count: int, whole: int) -> int:
    """Place up to ``count`` replicas of ``size`` GPUs, fullest servers first; how many found a place."""
    if size > whole:
        span = ceil(size / whole) if whole else 0
        fits = min(count, free[whole] // span) if span else 0
        free[whole] -= fits * span
        return fits
    placed = 0
    for room in sorted(room for room in free if room >= size):
        each = room // size
        here = min(count - placed, free[room] * each)
        full, rest = divmod(here, each)
        free[room] -= full + (1 if rest else 0)
        free[room - each * size] += full
        if rest:
            free[room - rest * size] += 1
        placed += here
    return placed


def placed(needs: Sequence[Need], servers: Rooms, most: Sequence[int]) -> list[int]:
    """Replicas of each need that find a place on ``servers``, at most ``most`` of each.

    The needs take turns, the largest replicas first, so that none is starved while another has many.
    """
    free, whole = Counter(servers), max((room for room, n in servers.items() if n), default=0)
    counts = [0] * len(needs)
    order = sorted(range(len(needs)), key=lambda i: -needs[i].gpus_per_replica)
    progress = True
    while progress:
        progress = False
        for index in order:
            wanted = most[index] - counts[index]
            step = wanted if len(needs) == 1 else min(wanted, max(1, most[index] // TURNS))
            got = _take(free, needs[index].gpus_per_replica, step, whole) if step > 0 else 0
            counts[index] += got
            progress = progress or got > 0
    return counts


def after_failure(needs: Sequence[Need], servers: Rooms, lost_gpus: int) -> AfterFailure:
    """One node fails (``lost_gpus`` of the fullest server, or one tray of a rack); all replicas are placed again.

    Serving replicas keep what still has a place, the scarcest model deciding; a training job restarts on what is left.
    """
    total = sum(room * n for room, n in servers.items())
    if not total or not needs:
        return AfterFailure(share_of_required_load=0.0, what_is_lost=say("planning.no_server"))
    lost_gpus = min(lost_gpus, max(room for room, n in servers.items() if n))
    serving = [need for need in needs if not need.training]
    reserved = sum(need.gpus for need in needs if need.training)
    before = without(servers, reserved)
    left = without(_one_failed(servers, lost_gpus), min(reserved, total - lost_gpus))
    wanted = [need.required or need.replicas for need in serving]
    had, kept = placed(serving, before, wanted), placed(serving, left, wanted)
    shares = [k / w for k, w in zip(kept, wanted, strict=True)]
    shares += [min(1.0, (total - lost_gpus) / need.gpus) for need in needs if need.training and not need.in_turn]
    return AfterFailure(
        share_of_required_load=min(shares), what_is_lost=_lost(serving, had, kept, lost_gpus, reserved > 0)
    )


def _one_failed(servers: Rooms, lost_gpus: int) -> Rooms:
    largest = max(room for room, n in servers.items() if n)
    left = Counter(servers)
    left[largest] -= 1
    left[largest - lost_gpus] += 1
    return left


def without(servers: Rooms, gpus: int) -> Rooms:
    """The servers once a training job has taken ``gpus``: whole servers first, then a part of one."""
    free = Counter(servers)
    for room in sorted(servers, reverse=True):
        whole = min(free[room], gpus // room) if room else 0
        free[room] -= whole
        gpus -= whole * room
        if 0 < gpus < room and free[room]:
            free[room] -= 1
            free[room - gpus] += 1
            gpus = 0
    return free


def _lost(serving: Sequence[Need], had: Sequence[int], kept: Sequence[int], lost_gpus: int, trains: bool) -> Message:
    parts = [
        say("planning.lost_replicas", lost=h - k, had=h, model=need.model)
        for need, h, k in zip(serving, had, kept, strict=True)
        if k < h
    ]
    if trains:
        parts.append(say("planning.job_restarts"))
    return say("planning.lost", gpus=lost_gpus, parts=parts or [say("planning.nothing_lost")])
