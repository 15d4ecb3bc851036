"""What a platform needs beside GPUs: gateway, vector database, workers on processors, and where they run."""

from __future__ import annotations

from math import ceil

from assistant.planning.count.count import Count
from assistant.planning.demands.demand import Demands
from assistant.planning.view import Answers
from assistant.sizing.storage.estimate import vector_index_gb
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

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

DIMENSIONS, DOCUMENT_KB = 1024, 50.0
"""Of the vectors and of a document's text, as the storage arithmetic assumes them."""


class Service(Frozen):
    """One service: machines of its own (0: none), where it runs, and why so many."""

    item: str
    count: int
    where: str
    why: str


def services_for(brief: Answers, demands: Demands, count: Count, catalogue: Catalogue) -> tuple[Service, ...]:
    """The services of a plan that serves people; nothing where GPUs only train."""
    if not demands.serving:
        return ()
    spare = str(brief.value("redundancy") or "n").lower() != "n"
    where = _where(count.units)
    documents = demands.documents or 0.0
    found = [_gateway(where, spare)]
    if (documents and demands.searches) or "rag" in demands.workloads:
        found += [_vectors(documents, count, where, spare, catalogue), _embedding(), _workers(documents, where)]
    return tuple(found)


OWN = "machines of their own"


def _where(units: int) -> str:
    """Where services run on a site of so many servers."""
    if units >= OWN_MACHINES_FROM:
        return OWN
    return "on the management machines" if units >= MANAGED_FROM else "on the processors of the GPU servers"


def _gateway(where: str, spare: bool) -> Service:
    why = "requests are authenticated, counted and spread over the replicas; " + ("one to spare" if spare else "one")
    return Service(item="gateway node", count=1 + spare if where == OWN else 0, where=where, why=why)


def _vectors(documents: float, count: Count, where: str, spare: bool, catalogue: Catalogue) -> Service:
    """The index in memory, twice while it is rebuilt."""
    memory_gb = 2 * vector_index_gb(documents, DOCUMENT_KB, DIMENSIONS)
    host = catalogue.server(count.choice.server).host_ram_gb.value if count.choice.server else None
    room = (host or 0.0) * count.units * HOST_SHARE
    why = (
        f"{memory_gb:,.0f} GB of index, one serving and one being rebuilt; 8-bit vectors take a quarter"
        if documents
        else "size not stated"
    )
    if where != OWN and memory_gb <= max(room, NODE_MEMORY_GB):
        return Service(item="vector database node", count=0, where="in the memory of the GPU servers", why=why)
    nodes = max(1 + spare, ceil(memory_gb / NODE_MEMORY_GB))
    return Service(item="vector database node", count=nodes, where=OWN, why=why)


def _embedding() -> Service:
    why = "models of up to a few billion parameters; one question takes milliseconds"
    return Service(item="embedding and reranking", count=0, where="on the GPUs that serve, in a share of one", why=why)


def _workers(documents: float, where: str) -> Service:
    why = f"read, cut and index documents; one for {DOCUMENTS_PER_WORKER:,} documents is assumed"
    nodes = max(1, ceil(documents / DOCUMENTS_PER_WORKER)) if where == OWN else 0
    return Service(item="worker node", count=nodes, where=where, why=why)
