"""What a platform needs beside GPUs: gateway, vector database, workers on processors, and where they run."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from assistant.planning.count.count import Count
from assistant.planning.demands.demand import Demands
from assistant.planning.view import Answers
from assistant.sizing.storage.estimate import chunks_of, index_gb
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, say
from knowledge.schema import ServiceNode

OWN_MACHINES_FROM = 9
"""Servers from which services get machines of their own, more than the eight of BasePOD."""

MANAGED_FROM = 4
"""Servers from which management machines are there, as in BasePOD; they carry the services of up to eight."""

NODE_MEMORY_GB = 256.0
"""Memory of one management-class server that a vector index may take, of 384 GB; assumed."""

HOST_SHARE = 0.25
"""Part of the GPU servers' own memory that services may take; assumed."""

DOCUMENTS_PER_WORKER = 5_000_000
"""Documents that one worker on CPUs keeps read, cut and indexed as they change; assumed."""

DIMENSIONS, BITS, DOCUMENT_KB = 1024, 32.0, 50.0
"""Of the vectors and of a document's text, as the storage arithmetic assumes them."""


class Service(Frozen):
    """One service: machines of its own (0: none), where it runs, and why so many."""

    item: str
    count: int
    where: Text
    why: Text


def services_for(brief: Answers, demands: Demands, count: Count, catalogue: Catalogue) -> tuple[Service, ...]:
    """The machines of the site's own services, and of a plan that serves people what it needs beside GPUs."""
    return (*_site_services(count.units, catalogue), *_serving_services(brief, demands, count, catalogue))


SITE_SERVICES = ("observability", "backup", "firewall")
"""Duties of the catalogue that the management machines do not do."""


def _site_services(units: int, catalogue: Catalogue) -> Iterator[Service]:
    """Monitoring, backup and firewall by the size of the site; small sites use what is there, which is said."""
    for ident in SITE_SERVICES:
        duty = catalogue.entries("service_nodes")[ident]
        nodes = machines_of(duty, units)
        where = OWN if nodes else say("services.site_has")
        yield Service(item=duty.name, count=nodes, where=where, why=f"{duty.duty}; {duty.why}")


def machines_of(duty: ServiceNode, units: int) -> int:
    """Machines of one duty for so many GPU servers, 0 below its first step."""
    step = max((step for step in duty.steps if step.gpu_servers <= units), key=lambda s: s.gpu_servers, default=None)
    if step is None:
        return 0
    return step.count + ((units - step.gpu_servers) // step.per if step.per else 0)


def _serving_services(brief: Answers, demands: Demands, count: Count, catalogue: Catalogue) -> tuple[Service, ...]:
    if not demands.serving:
        return ()
    spare = str(brief.value("redundancy") or "n").lower() != "n"
    where = _where(count.units)
    documents, index = demands.documents or 0.0, index_of(brief, demands.documents if demands.searches else None)
    found = [_gateway(where, spare)]
    if index.vectors or "rag" in demands.workloads:
        found += [_vectors(index, count, where, spare, catalogue), _embedding(), _workers(documents, where)]
    return tuple(found)


OWN = say("services.own")
"""Where a service has machines of its own."""


def _where(units: int) -> Message:
    """Where services run on a site of so many servers."""
    if units >= OWN_MACHINES_FROM:
        return OWN
    return say("services.management" if units >= MANAGED_FROM else "services.processors")


def _gateway(where: Message, spare: bool) -> Service:
    why = say("services.gateway_spare" if spare else "services.gateway")
    return Service(item="gateway node", count=1 + spare if where == OWN else 0, where=where, why=why)


class Index(Frozen):
    """A vector index: vectors, values of each and bits of a value, and whether somebody said how many there are."""

    vectors: float
    dimensions: int
    bits: float

    @property
    def gb(self) -> float:
        """Memory of one copy."""
        return index_gb(self.vectors, self.dimensions, self.bits / 8)

    @property
    def words(self) -> Message:
        """What it was worked out from."""
        return say("services.index", vectors=round(self.vectors), dimensions=self.dimensions, bits=self.bits)


def index_of(brief: Answers, documents: float | None) -> Index:
    """The index as stated, else of the documents as the storage arithmetic assumes; empty where neither is known."""
    dimensions = int(brief.value("vector_dimensions") or DIMENSIONS)
    bits = float(brief.value("vector_bits") or BITS)
    vectors = float(brief.value("vectors") or 0.0) or chunks_of(documents or 0.0, DOCUMENT_KB)
    return Index(vectors=vectors, dimensions=dimensions, bits=bits)


def _vectors(index: Index, count: Count, where: Message, spare: bool, catalogue: Catalogue) -> Service:
    """The index in memory, twice while it is rebuilt."""
    memory_gb = 2 * index.gb
    host = catalogue.server(count.choice.server).host_ram_gb.value if count.choice.server else None
    room = (host or 0.0) * count.units * HOST_SHARE
    smaller = "services.vectors_quarter" if index.bits > 8 else "services.vectors"
    why = say(smaller, memory=float(memory_gb), index=index.words) if index.vectors else say("services.size_not_stated")
    if where != OWN and memory_gb <= max(room, NODE_MEMORY_GB):
        return Service(item="vector database node", count=0, where=say("services.memory"), why=why)
    nodes = max(1 + spare, ceil(memory_gb / NODE_MEMORY_GB))
    return Service(item="vector database node", count=nodes, where=OWN, why=why)


def _embedding() -> Service:
    item, where = "embedding and reranking", say("services.serving_gpus")
    return Service(item=item, count=0, where=where, why=say("services.embedding"))


def _workers(documents: float, where: Message) -> Service:
    why = say("services.workers", documents=DOCUMENTS_PER_WORKER)
    nodes = max(1, ceil(documents / DOCUMENTS_PER_WORKER)) if where == OWN else 0
    return Service(item="worker node", count=nodes, where=where, why=why)
