"""Records of what a plan is made of beside machines that compute: rented instances, licences, service machines, lead
times, and how the share of people with a request in flight falls as their number grows."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Count, Entry, Named, Positive


class Instance(Named):
    """A shape of machine that a provider rents out; ``id`` is its name as the provider writes it. No prices.

    ``seat_in_eu``: the provider's ultimate seat is in the European Union. ``network_gb_per_s`` is of all adapters that
    carry traffic between GPUs of several instances, in one direction.
    """

    provider: str
    accelerator: str
    gpus: Count
    seat_in_eu: bool
    vcpus: Cited[Count] = UNKNOWN
    memory_gib: Cited[Positive] = UNKNOWN
    local_nvme_tb: Cited[Positive] = UNKNOWN
    network_gb_per_s: Cited[Positive] = UNKNOWN
    note: str | None = None


class Licence(Named):
    """Software or support that is bought by quantity. ``per`` says what is counted; where ``yearly``, times the years.

    ``when`` says which plans need it: ``always`` on own hardware, ``optional`` where a free way exists.
    """

    vendor: str
    per: Literal["gpu", "gpu_node", "machine", "switch", "storage_system"]
    yearly: bool = True
    when: Literal["always", "optional", "slurm", "kubernetes", "infiniband", "storage"]
    only_vendor: Literal["nvidia", "amd"] | None = None
    free_way: str | None = None
    sources: tuple[str, ...]


class Step(Frozen):
    """From so many GPU servers on: ``count`` machines, and one more for every ``per`` servers beyond the first."""

    gpu_servers: Count
    count: Count
    per: Count | None = None


class ServiceNode(Named):
    """Machines that stand beside the GPU servers for one duty, by the size of the site."""

    duty: str
    steps: tuple[Step, ...]
    machine: str = "mgmt-1u"
    why: str
    sources: tuple[str, ...]

    @model_validator(mode="after")
    def _ordered(self) -> ServiceNode:
        sizes = [step.gpu_servers for step in self.steps]
        if sizes != sorted(set(sizes)):
            raise ValueError("steps stand in order of size")
        return self


class LeadTime(Named):
    """Weeks from order to delivery, as published; the range spans the sources."""

    of: Literal["servers", "network", "storage", "power", "cooling", "connection", "site"]
    weeks: Cited[tuple[Positive, Positive]]
    when: Literal["always", "new_power", "new_cooling", "new_site"] = "always"
    note: str | None = None


class Anchor(Frozen):
    """At so many ``people`` the share is ``factor`` of that of a small group."""

    people: Positive
    factor: Positive


class Population(Entry):
    """How the share of people with a request in flight falls as their number grows: between anchors on a line in
    logarithms, constant beyond them."""

    anchors: tuple[Anchor, ...]
    why: str
    sources: tuple[str, ...]

    @model_validator(mode="after")
    def _falls(self) -> Population:
        people = [anchor.people for anchor in self.anchors]
        factors = [anchor.factor for anchor in self.anchors]
        if people != sorted(set(people)) or factors != sorted(factors, reverse=True):
            raise ValueError("anchors stand in order of people, with factors that fall")
        return self
