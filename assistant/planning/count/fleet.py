"""Which model stands on which servers, and what shares one: the placement behind a plan, in groups of equal servers.

Counted by groups, so that a million servers are as quick as ten. The order is that of the packing: jobs first, then the
largest replicas, each on the fullest server that has room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from assistant.planning.count.needs.need import Need
from assistant.planning.count.packing import Rooms
from knowledge.evidence import Frozen


class Held(Frozen):
    """What one server of a group holds of a model.

    ``replicas`` are whole on it (GPUs divided into ``instances`` of a MIG profile, where one is named); none where a
    replica or job spans ``servers_per_replica`` servers, of which this is one.
    """

    model: str
    kind: str
    replicas: int
    gpus_per_replica: int
    servers_per_replica: int = 1
    mig_profile: str | None = None
    instances: int = 0


class ServerGroup(Frozen):
    """Equal servers: how many, their GPUs, what each holds, and the GPUs left free on each."""

    servers: int
    gpus: int
    free_gpus: int
    holds: tuple[Held, ...]


Holding = tuple[tuple[int, int, int], ...]
"""Of one server: (place of the need, replicas that are whole on it, servers that a replica spans)."""


class _Fleet:
    """Servers by their free GPUs and what they hold."""

    def __init__(self, servers: Rooms) -> None:
        self.groups: Counter[tuple[int, int, Holding]] = Counter()
        for gpus, count in servers.items():
            self.groups[gpus, gpus, ()] += count
        self.whole = max((gpus for gpus, count in servers.items() if count), default=0)

    def put(self, key: tuple[int, int, Holding], servers: int, gpus: int, held: tuple[int, int, int]) -> None:
        """``servers`` of a group give up ``gpus`` each and hold one thing more."""
        if servers <= 0:
            return
        size, free, holding = key
        self.groups[key] -= servers
        self.groups[size, free - gpus, (*holding, held)] += servers

    def spread(self, index: int, gpus: int) -> None:
        """One job over whole servers, the rest of it on a part of one."""
        empty = (self.whole, self.whole, ())
        full, rest = divmod(gpus, self.whole) if self.whole else (0, 0)
        span = full + (1 if rest else 0)
        taken = min(full, self.groups[empty])
        self.put(empty, taken, self.whole, (index, 0 if span > 1 else 1, span))
        roomy = [key for key, count in self.groups.items() if count and key[1] >= rest]
        if rest and roomy:
            self.put(min(roomy, key=lambda key: key[1]), 1, rest, (index, 0 if span > 1 else 1, span))

    def place(self, index: int, size: int, count: int) -> None:
        """``count`` replicas of ``size`` GPUs, fullest servers first; those larger than a server take whole ones."""
        if size > self.whole:
            span = ceil(size / self.whole) if self.whole else 0
            empty = (self.whole, self.whole, ())
            fits = min(count, self.groups[empty] // span) if span else 0
            self.put(empty, fits * span, self.whole, (index, 0, span))
            return
        for key in sorted((key for key, n in self.groups.items() if n and key[1] >= size), key=lambda key: key[1]):
            each = key[1] // size
            here = min(count, self.groups[key] * each)
            full, rest = divmod(here, each)
            self.put(key, full, each * size, (index, each, 1))
            self.put(key, 1 if rest else 0, rest * size, (index, rest, 1))
            count -= here


def fleet_of(needs: Sequence[Need], servers: Rooms) -> tuple[ServerGroup, ...]:
    """The groups of ``servers`` with what each server of a group holds, the fullest first; idle ones stand by last."""
    fleet = _Fleet(servers)
    order = sorted(range(len(needs)), key=lambda i: (not needs[i].training, -needs[i].gpus_per_replica))
    for index in order:
        need = needs[index]
        if need.training:
            fleet.spread(index, need.gpus)
        else:
            fleet.place(index, need.gpus_per_replica, need.replicas)
    groups = [
        ServerGroup(servers=count, gpus=size, free_gpus=free, holds=tuple(_held(needs[i], n, s) for i, n, s in holding))
        for (size, free, holding), count in fleet.groups.items()
        if count > 0
    ]
    return tuple(sorted(groups, key=lambda group: (not group.holds, group.free_gpus, -group.servers)))


def _held(need: Need, replicas: int, span: int) -> Held:
    return Held(
        model=need.model,
        kind=need.kind,
        replicas=replicas,
        gpus_per_replica=need.gpus_per_replica,
        servers_per_replica=span,
        mig_profile=need.mig_profile,
        instances=replicas * need.instances_per_gpu,
    )
