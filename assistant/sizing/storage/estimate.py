"""``estimate_storage``: how much, and how fast, by tier, with what demanded each figure.

Tiers: ``node_nvme`` (weights and data caches in the servers), ``parallel_fs`` (what all nodes read and write while they
work), ``object`` (what must be kept but is not read at full speed). GB are 10^9 bytes.
"""

from __future__ import annotations

import math

from pydantic import Field

from assistant.sizing.amounts import Amount
from assistant.sizing.possible import Possible
from assistant.sizing.storage.staging import Nfs, Staging, staging_of, through_nfs
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Message, say
from knowledge.schema import StorageSystem

UNIT_GPUS = {"ra-gb200-standard": 576, "ra-gb200-enhanced": 576}
"""GPUs of one scalable unit where it is not the 256 of the HGX designs (8 racks of NVL72)."""
HGX_UNIT_GPUS = 256
"""GPUs of a scalable unit of HGX servers: 32 of eight, the rows of the storage guidelines."""
NODE_GPUS = 8
"""GPUs of a server where nothing else is said."""
GUIDELINES = {
    "ampere": {"text": "ra-h100-good", "images": "ra-h100-better", "video": "ra-h100-best"},
    "hopper": {"text": "ra-h100-good", "images": "ra-h100-better", "video": "ra-h100-best"},
    "blackwell": {"text": "ra-b200-standard", "images": "ra-b200-enhanced", "video": "ra-b200-enhanced"},
    "rack": {"text": "ra-gb200-standard", "images": "ra-gb200-enhanced", "video": "ra-gb200-enhanced"},
}
CHUNK_BYTES = 2_000.0
"""Text of one retrieval chunk: 400 to 500 tokens."""
GRAPH_BYTES = 256.0
"""Neighbour lists of an HNSW graph with 32 links a node, 8 bytes each."""
NODE_NVME_GB_PER_S = 25.0
"""Sequential read of the data drives of one server (eight PCIe 4 drives at 6.8 GB/s, half of it reached)."""


class StorageRequest(Frozen):
    """What is stored and who reads it. Everything left out is zero or the assumption stated in ``assumptions``."""

    gpu: str | None = Field(default=None, description="accelerator, for the reference design's guideline")
    gpus: int = Field(default=0, ge=0, le=10_000_000)
    nodes: int | None = Field(default=None, ge=0)
    data_kind: str = Field(default="text", description="text, images or video: sets the guideline row")
    training: bool = Field(default=False, description="whether the GPUs train (guideline and data loading apply)")
    weights_gb: float = Field(default=0.0, ge=0, description="weights of one model version")
    model_versions: int = Field(default=3, ge=1, description="versions kept of each model")
    models: int = Field(default=1, ge=1, description="models served")
    replica_nodes: int | None = Field(default=None, ge=1, description="nodes that load weights at a cold start")
    checkpoint_gb: float = Field(default=0.0, ge=0)
    checkpoints_kept: int = Field(default=10, ge=1, description="checkpoints on the fast tier")
    checkpoints_archived: int = Field(default=20, ge=0, description="checkpoints moved to object storage")
    checkpoint_window_s: float = Field(default=60.0, gt=0, description="time in which a checkpoint must be written")
    dataset_tb: float = Field(default=0.0, ge=0)
    dataset_cached: bool = Field(default=False, description="whether each node caches the data set on its own drives")
    tokens_per_s: float = Field(default=0.0, ge=0, description="training tokens a second over all GPUs")
    samples_gb_per_s: float = Field(default=0.0, ge=0, description="raw data read by training where it is not text")
    documents: Amount | None = Field(default=None, description="documents kept")
    searched: bool = Field(default=True, description="whether documents are found by meaning, through a vector index")
    document_kb: float = Field(default=50.0, gt=0, description="text of one document")
    embedding_dimensions: int = Field(default=1024, ge=1, le=100_000)
    vectors: Amount | None = Field(default=None, description="vectors of the index, in the place of documents")
    vector_bytes: float = Field(default=4.0, gt=0, le=8, description="bytes of one value of a vector")
    people: int = Field(default=0, ge=0, description="people with a home directory on the cluster")
    home_gb: float = Field(default=100.0, ge=0, description="home directory of one person")
    scratch_tb_per_node: float = Field(default=0.0, ge=0, description="room to work in for each server")
    backup: bool = Field(default=False, description="whether homes, models and the index are kept a second time")
    cold_start_target_s: float | None = Field(default=None, gt=0)
    read_gb_per_s: float | None = Field(default=None, gt=0, description="read bandwidth of the storage at hand")
    write_gb_per_s: float | None = Field(default=None, gt=0, description="write bandwidth of the storage at hand")
    growth: float = Field(default=0.3, ge=0, le=10, description="headroom on capacity")


class Demand(Frozen):
    """One thing that needs bandwidth: ``gb_per_s`` of reading or writing, and why."""

    name: str
    gb_per_s: float
    why: Message


class Holding(Frozen):
    """One thing that takes room on a tier, in TB without headroom."""

    name: str
    tier: str
    tb: float
    why: Message


class StorageResult(Possible):
    """Capacity by tier with headroom, bandwidth with its demands, and times."""

    capacity_tb: dict[str, float]
    holdings: tuple[Holding, ...]
    read_gb_per_s: float
    write_gb_per_s: float
    read_demands: tuple[Demand, ...]
    write_demands: tuple[Demand, ...]
    read_demanded_by: str | None
    write_demanded_by: str | None
    checkpoint_write_s: float | None
    cold_start_s: float | None
    guideline: str | None
    assumptions: tuple[Message, ...]
    staging: Staging | None = None
    if_nfs: Nfs | None = None


def vector_index_gb(documents: float, document_kb: float, dimensions: int) -> float:
    """Size of a vector index in GB: chunks of 2,000 bytes, FP32 vectors and graph links."""
    return index_gb(chunks_of(documents, document_kb), dimensions)


def chunks_of(documents: float, document_kb: float) -> float:
    """Pieces of 2,000 bytes that so many documents are cut into, one vector each."""
    return documents * max(1.0, document_kb * 1e3 / CHUNK_BYTES)


def index_gb(vectors: float, dimensions: int, value_bytes: float = 4.0) -> float:
    """Size of an index of so many vectors in GB: their values and the graph's links."""
    return vectors * (dimensions * value_bytes + GRAPH_BYTES) / 1e9


def _index_tb(r: StorageRequest) -> float:
    if r.vectors is not None:
        return index_gb(r.vectors, r.embedding_dimensions, r.vector_bytes) / 1e3
    indexed = (r.documents or 0.0) if r.searched else 0.0
    return vector_index_gb(indexed, r.document_kb, r.embedding_dimensions) / 1e3


def _holdings(r: StorageRequest, nodes: int) -> list[Holding]:
    weights_tb = r.weights_gb * r.models / 1e3
    text_tb = (r.documents or 0.0) * r.document_kb / 1e9
    index_tb, home_tb = _index_tb(r), r.people * r.home_gb / 1e3
    replicas = r.replica_nodes or nodes
    cache = r.dataset_tb * nodes if r.dataset_cached else 0.0
    versions = say("storage.holds.versions", models=r.models, versions=r.model_versions)
    found = [
        (
            "weights cached in the servers",
            "node_nvme",
            weights_tb * replicas,
            say("storage.holds.version_each", nodes=replicas),
        ),
        ("data set cached in the servers", "node_nvme", cache, say("storage.holds.each", nodes=nodes)),
        ("weights", "parallel_fs", weights_tb * r.model_versions, versions),
        (
            "checkpoints",
            "parallel_fs",
            r.checkpoint_gb * r.checkpoints_kept / 1e3,
            say("storage.holds.kept", count=r.checkpoints_kept),
        ),
        ("data set", "parallel_fs", r.dataset_tb, say("storage.holds.one")),
        ("vector index", "parallel_fs", 2.0 * index_tb, say("storage.holds.index")),
        ("home directories", "parallel_fs", home_tb, say("storage.holds.homes", people=r.people, each=r.home_gb)),
        (
            "scratch",
            "parallel_fs",
            r.scratch_tb_per_node * nodes,
            say("storage.holds.scratch", each=r.scratch_tb_per_node),
        ),
        ("documents", "object", text_tb, say("storage.holds.documents", each=r.document_kb)),
        (
            "backup",
            "object",
            home_tb + weights_tb + index_tb if r.backup else 0.0,
            say("storage.holds.backup"),
        ),
        ("weights, archived", "object", weights_tb * r.model_versions, say("storage.holds.archive")),
        (
            "checkpoints, archived",
            "object",
            r.checkpoint_gb * r.checkpoints_archived / 1e3,
            say("storage.holds.archived", count=r.checkpoints_archived),
        ),
        ("data set, raw", "object", 2.0 * r.dataset_tb, say("storage.holds.raw")),
    ]
    return [Holding(name=n, tier=t, tb=tb, why=why) for n, t, tb, why in found if tb > 0]


def _guideline(r: StorageRequest, catalogue: Catalogue) -> StorageSystem | None:
    """The reference design's row for this GPU and kind of data, None where no training or no GPU is named."""
    if not r.training or not r.gpu:
        return None
    gpu = catalogue.accelerator(r.gpu)
    rack = (gpu.scale_up_domain_gpus.value or 0) > 8
    family = "rack" if rack else gpu.generation.split("-")[0]
    rows = GUIDELINES.get(family, GUIDELINES["hopper"])
    if r.data_kind not in rows:
        raise BadInput("data_kind", r.data_kind, "text, images or video", list(rows))
    found: StorageSystem | None = catalogue.entries("storage").get(rows[r.data_kind])
    return found


def _guideline_demand(row: StorageSystem, r: StorageRequest, reading: bool) -> Demand | None:
    """What the reference design asks for: printed for one and for four units, and at least what one node shall reach.

    The aggregate is read between the two printed sizes in a straight line, and scaled beyond them.
    """
    way = "read_gb_per_s" if reading else "write_gb_per_s"
    one = row.read_gb_per_s.value if reading else row.write_gb_per_s.value
    if one is None or not r.gpus:
        return None
    unit = UNIT_GPUS.get(row.id, HGX_UNIT_GPUS)
    four, units = _printed(row, f"four_units_{way}") or 4.0 * one, r.gpus / unit
    small = min(units, 1.0) * one + (four - one) * (min(max(units, 1.0), 4.0) - 1.0) / 3.0
    rate = small * max(units / 4.0, 1.0)
    to_node = (_printed(row, f"node_{way}") or 0.0) * min(r.gpus / NODE_GPUS, 1.0)
    if to_node > rate:
        single = say("storage.asks.to_node", design=row.name, rate=to_node)
        return Demand(name="reference design", gb_per_s=to_node, why=single)
    scaled = say(
        "storage.asks.design", design=row.name, one=one, unit=unit, four=four, gpus_of_four=4 * unit, gpus=r.gpus
    )
    return Demand(name="reference design", gb_per_s=rate, why=scaled)


def _printed(row: StorageSystem, fact: str) -> float | None:
    cited = row.facts.get(fact)
    return None if cited is None or not isinstance(cited.value, (int, float)) else float(cited.value)


def _read_demands(r: StorageRequest, nodes: int, row: StorageSystem | None) -> list[Demand]:
    found: list[Demand] = []
    if row is not None and (guide := _guideline_demand(row, r, True)):
        found.append(guide)
    if r.tokens_per_s:
        # Four bytes a token id, read twice over for shuffling and document boundaries.
        rate = r.tokens_per_s * 8.0 / 1e9
        found.append(
            Demand(name="data loading", gb_per_s=rate, why=say("storage.asks.tokens", tokens=round(r.tokens_per_s)))
        )
    if r.samples_gb_per_s:
        found.append(Demand(name="data loading", gb_per_s=r.samples_gb_per_s, why=say("storage.asks.samples")))
    if r.checkpoint_gb:
        restart_s = 300.0
        why = say("storage.asks.restart", size=round(r.checkpoint_gb), seconds=restart_s)
        found.append(Demand(name="restart from a checkpoint", gb_per_s=r.checkpoint_gb / restart_s, why=why))
    if r.weights_gb and r.cold_start_target_s:
        loading = (r.replica_nodes or nodes or 1) * r.weights_gb
        why = say("storage.asks.cold_start", size=round(loading), seconds=r.cold_start_target_s)
        found.append(Demand(name="cold start", gb_per_s=loading / r.cold_start_target_s, why=why))
    return found


def _write_demands(r: StorageRequest, row: StorageSystem | None) -> list[Demand]:
    found: list[Demand] = []
    if row is not None and (guide := _guideline_demand(row, r, False)):
        found.append(guide)
    if r.checkpoint_gb:
        why = say("storage.asks.checkpoint", size=round(r.checkpoint_gb), seconds=r.checkpoint_window_s)
        found.append(Demand(name="checkpoint", gb_per_s=r.checkpoint_gb / r.checkpoint_window_s, why=why))
    return found


def _capacity(holdings: list[Holding], growth: float) -> dict[str, float]:
    tiers = {"node_nvme": 0.0, "parallel_fs": 0.0, "object": 0.0}
    for holding in holdings:
        tiers[holding.tier] += holding.tb * (1.0 + growth)
    return tiers


def cold_start_s(weights_gb: float, nodes: int, read_gb_per_s: float, local: bool) -> float:
    """Seconds until weights are read on every node: from the nodes' own drives, or all at once from shared storage."""
    if local or read_gb_per_s <= 0:
        return weights_gb / NODE_NVME_GB_PER_S
    return max(weights_gb / NODE_NVME_GB_PER_S, weights_gb * nodes / read_gb_per_s)


def _assumptions(r: StorageRequest) -> tuple[Message, ...]:
    texts = {
        "growth": say("storage.assumed.growth", share=r.growth),
        "checkpoint_window_s": say("storage.assumed.window", seconds=r.checkpoint_window_s),
        "checkpoints_kept": say("storage.assumed.kept", kept=r.checkpoints_kept, archived=r.checkpoints_archived),
        "model_versions": say("storage.assumed.versions", versions=r.model_versions),
        "document_kb": say("storage.assumed.document", size=r.document_kb),
        "embedding_dimensions": say("storage.assumed.vectors", values=r.embedding_dimensions),
        "home_gb": say("storage.assumed.homes", people=r.people, each=r.home_gb),
        "scratch": say("storage.assumed.scratch", each=r.scratch_tb_per_node),
    }
    relevant = {
        "checkpoint_window_s": r.checkpoint_gb > 0,
        "checkpoints_kept": r.checkpoint_gb > 0,
        "model_versions": r.weights_gb > 0,
        "document_kb": r.documents is not None,
        "home_gb": r.people > 0,
        "scratch": r.scratch_tb_per_node > 0,
        "embedding_dimensions": r.documents is not None and r.searched,
    }
    return tuple(t for name, t in texts.items() if name not in r.model_fields_set and relevant.get(name, True))


def estimate_storage(request: StorageRequest, catalogue: Catalogue, trace: Trace | None = None) -> StorageResult:
    """Capacity by tier in TB, read and write bandwidth with each demand, checkpoint and cold-start time.

    Bandwidth is that of the largest demand: they do not coincide (a restart reads while nothing trains). Raises
    BadInput for an unknown GPU or kind of data.
    """
    r = request
    nodes = r.nodes if r.nodes is not None else math.ceil(r.gpus / 8)
    row = _guideline(r, catalogue)
    holdings = _holdings(r, nodes)
    reads, writes = _read_demands(r, nodes, row), _write_demands(r, row)
    read = max(reads, key=lambda d: d.gb_per_s, default=None)
    write = max(writes, key=lambda d: d.gb_per_s, default=None)
    has_write = r.write_gb_per_s or (write.gb_per_s if write else 0.0)
    has_read = r.read_gb_per_s or (read.gb_per_s if read else 0.0)
    write_s = r.checkpoint_gb / has_write if r.checkpoint_gb and has_write else None
    start_s = None
    if r.weights_gb:
        start_s = cold_start_s(r.weights_gb, r.replica_nodes or max(1, nodes), has_read, not has_read)
    capacity = _capacity(holdings, r.growth)
    if trace is not None:
        cited = tuple(row.read_gb_per_s.sources) if row is not None else ()
        with trace.call("storage"):
            trace.note("capacity_tb", capacity, "storage_capacity", growth=r.growth)
            reading = trace.note("read_gb_per_s", read.gb_per_s if read else 0.0, "storage_bandwidth", cited)
            writing = trace.note("write_gb_per_s", write.gb_per_s if write else 0.0, "storage_bandwidth", cited)
            written_at = has_write if r.write_gb_per_s else writing
            trace.note("checkpoint_write_s", write_s, "checkpoint_write", gb=r.checkpoint_gb, gb_per_s=written_at)
            read_at = has_read if r.read_gb_per_s else reading
            trace.note("cold_start_s", start_s, "cold_start", weights_gb=r.weights_gb, gb_per_s=read_at)
    return StorageResult(
        capacity_tb=capacity,
        holdings=tuple(holdings),
        read_gb_per_s=read.gb_per_s if read else 0.0,
        write_gb_per_s=write.gb_per_s if write else 0.0,
        read_demands=tuple(reads),
        write_demands=tuple(writes),
        read_demanded_by=read.name if read else None,
        write_demanded_by=write.name if write else None,
        checkpoint_write_s=write_s,
        cold_start_s=start_s,
        guideline=row.id if row is not None else None,
        assumptions=_assumptions(r),
        staging=staging_of(r.checkpoint_gb, nodes, has_write),
        if_nfs=through_nfs(r.checkpoint_gb, r.weights_gb, r.replica_nodes or nodes, max(has_read, has_write)),
    )
