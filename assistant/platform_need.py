"""What a platform needs beside GPUs: gateway, vector database, workers on processors, and where they run."""

from __future__ import annotations

from math import ceil

from assistant.demand import Demands
from assistant.interview.brief import Brief
from assistant.options import Count
from assistant.sizing.storage import vector_index_gb
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

OWN_MACHINES_FROM = 4
"""Servers from which services get machines of their own; fewer carry them on their own processors."""

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


def services_for(brief: Brief, demands: Demands, count: Count, catalogue: Catalogue) -> tuple[Service, ...]:
    """The services of a plan that serves people; nothing where GPUs only train."""
    if not demands.serving:
        return ()
    spare = str(brief.value("redundancy") or "n").lower() != "n"
    apart = count.units >= OWN_MACHINES_FROM
    documents = float(brief.value("documents") or 0.0)
    found = [_gateway(apart, spare)]
    if documents or brief.value("workload") == "rag":
        found += [_vectors(documents, count, apart, spare, catalogue), _embedding(), _workers(documents, apart)]
    return tuple(found)


def _gateway(apart: bool, spare: bool) -> Service:
    why = "requests are authenticated, counted and spread over the replicas; " + ("one to spare" if spare else "one")
    if not apart:
        return Service(item="gateway node", count=0, where="on the processors of the GPU servers", why=why)
    return Service(item="gateway node", count=1 + spare, where="machines of their own", why=why)


def _vectors(documents: float, count: Count, apart: bool, spare: bool, catalogue: Catalogue) -> Service:
    """The index in memory, twice while it is rebuilt."""
    memory_gb = 2 * vector_index_gb(documents, DOCUMENT_KB, DIMENSIONS)
    host = catalogue.server(count.choice.server).host_ram_gb.value if count.choice.server else None
    room = (host or 0.0) * count.units * HOST_SHARE
    why = (
        f"{memory_gb:,.0f} GB of index, one serving and one being rebuilt; 8-bit vectors take a quarter"
        if documents
        else "size not stated"
    )
    if not apart and memory_gb <= max(room, NODE_MEMORY_GB):
        return Service(item="vector database node", count=0, where="in the memory of the GPU servers", why=why)
    nodes = max(1 + spare, ceil(memory_gb / NODE_MEMORY_GB))
    return Service(item="vector database node", count=nodes, where="machines of their own", why=why)


def _embedding() -> Service:
    why = "models of up to a few billion parameters; one question takes milliseconds"
    return Service(item="embedding and reranking", count=0, where="on the GPUs that serve, in a share of one", why=why)


def _workers(documents: float, apart: bool) -> Service:
    why = f"read, cut and index documents; one for {DOCUMENTS_PER_WORKER:,} documents is assumed"
    if not apart:
        return Service(item="worker node", count=0, where="on the processors of the GPU servers", why=why)
    nodes = max(1, ceil(documents / DOCUMENTS_PER_WORKER))
    return Service(item="worker node", count=nodes, where="machines of their own", why=why)
