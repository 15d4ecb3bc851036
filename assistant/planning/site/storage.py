"""Storage of a plan: what the arithmetic asks for, and the system of the catalogue that gives it."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

from pydantic import Field

from assistant.output import plain
from assistant.planning.count.count import Count
from assistant.planning.demands.demand import Demands
from assistant.planning.site.services import index_of
from assistant.planning.view import Answers
from assistant.sizing.storage.estimate import StorageRequest, StorageResult, estimate_storage
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import StorageSystem

COLD_START_S = 300.0
"""Weights are to be in the GPUs within five minutes of a start; our judgement, replaceable."""

WRITE_SHARE = 0.5
"""Where a write rate is not published, half the read rate is counted on, as in the reference guidelines."""

PEOPLE_WHO_TRAIN = 20
"""People with a home directory on a cluster that trains, where nobody said how many; 5 to 100, assumed."""

SCRATCH_TB_PER_NODE = 5.0
"""Room to work in for each server of a cluster that trains, beside data sets and checkpoints; 2 to 20, assumed."""

MOST_BLOCKS = 5
"""Building blocks that are named, the one taken first."""

SHARED = ("parallel_file_system", "nfs")
"""Choices of the storage decision for which a system is bought with the cluster."""


class StorageNeed(Frozen):
    """Figures of the storage estimate, and the systems that carry it with power and height."""

    figures: dict[str, Any] = Field(default_factory=dict)
    item: str | None = None
    units: int = 0
    power_kw: float = 0.0
    rack_units: float = 0.0


def storage_of(request: StorageRequest, kind: str, catalogue: Catalogue, trace: Trace | None = None) -> StorageNeed:
    """The storage of one plan; ``kind`` is what the rules decided."""
    result = estimate_storage(request, catalogue, trace)
    figures = {"kind": kind, **plain(result)}
    if kind not in SHARED:
        return StorageNeed(figures=figures)
    reached = _reaching(result, catalogue)
    if not reached:
        return StorageNeed(figures=figures)
    system, units = reached[0]
    figures |= {
        "system": system.id,
        "systems": units,
        "reached_by": [_block(*found) for found in reached[:MOST_BLOCKS]],
    }
    return StorageNeed(
        figures=figures,
        item=system.id,
        units=units,
        power_kw=units * (system.max_power_w.value or 0.0) / 1000,
        rack_units=units * (system.rack_units.value or 2.0),
    )


def storage_request(brief: Answers, demands: Demands, count: Count) -> StorageRequest:
    """What is asked of the storage of one plan."""
    training = [need for need in count.needs if need.training]
    weights = [
        float(n.figures.get("weights_gib_per_gpu") or 0.0) * n.gpus_per_replica * 2**30 / 1e9 for n in count.needs
    ]
    rate = sum(float(n.figures.get("tokens_per_s_per_gpu") or 0.0) * n.gpus for n in training)
    nodes = max(1, count.units)
    return StorageRequest(
        gpu=count.accelerator,
        gpus=count.gpus,
        nodes=nodes,
        training=bool(training),
        weights_gb=max(weights, default=0.0) or max((m.params_b * 2 for m in demands.models), default=0.0),
        models=max(1, len(demands.models)),
        checkpoint_gb=max((float(n.figures.get("checkpoint_gb") or 0.0) for n in training), default=0.0),
        dataset_tb=float(brief.value("dataset_tb") or 0.0) or sum(d.tokens.likely * 4 / 1e12 for d in demands.training),
        tokens_per_s=rate,
        documents=demands.documents,
        searched=demands.searches,
        people=PEOPLE_WHO_TRAIN if training else 0,
        scratch_tb_per_node=SCRATCH_TB_PER_NODE if training else 0.0,
        backup=True,
        **_vectors(brief),
        cold_start_target_s=COLD_START_S if demands.serving else None,
        replica_nodes=nodes,
    )


def _vectors(brief: Answers) -> dict[str, Any]:
    """A stated index in the place of the documents."""
    if brief.value("vectors") is None:
        return {}
    index = index_of(brief, None)
    return {"vectors": index.vectors, "embedding_dimensions": index.dimensions, "vector_bytes": index.bits / 8}


def _reaching(result: StorageResult, catalogue: Catalogue) -> list[tuple[StorageSystem, int]]:
    """Products that reach capacity and both rates, least power first; only those that publish their power."""
    systems: Iterable[StorageSystem] = catalogue.entries("storage").values()
    fitting = [(s, units) for s in systems if (units := _units(s, result)) is not None]
    return sorted(fitting, key=lambda f: (f[1] * (f[0].max_power_w.value or 0.0), f[0].id))


def _block(system: StorageSystem, units: int) -> dict[str, Any]:
    """One building block and how many of it reach what is asked."""
    power_kw = units * (system.max_power_w.value or 0.0) / 1000
    read = units * (system.read_gb_per_s.value or 0.0)
    return {"system": system.id, "units": units, "read_gb_per_s": plain(read), "power_kw": plain(power_kw)}


def _units(system: StorageSystem, result: StorageResult) -> int | None:
    read, capacity = system.read_gb_per_s.value, _capacity_tb(system)
    if system.what != "product" or read is None or capacity is None or system.max_power_w.value is None:
        return None
    write = system.write_gb_per_s.value or read * WRITE_SHARE
    needed = max(
        result.capacity_tb["parallel_fs"] / capacity, result.read_gb_per_s / read, result.write_gb_per_s / write, 1.0
    )
    return max(ceil(needed), _least(system))


def _capacity_tb(system: StorageSystem) -> float | None:
    """Usable capacity of one unit; where only that of a full cluster is published, its share."""
    if system.capacity_tb.value is not None:
        return system.capacity_tb.value
    cluster = system.facts.get("cluster_8_usable_tb")
    return float(cluster.value) / 8 if cluster is not None and isinstance(cluster.value, int | float) else None


def _least(system: StorageSystem) -> int:
    """The smallest cluster that the vendor sells."""
    text = system.facts.get("minimum")
    words = str(text.value).split() if text is not None else []
    return int(words[0]) if words and words[0].isdigit() else 1
