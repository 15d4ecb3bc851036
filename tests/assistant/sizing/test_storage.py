"""Storage against reference designs, published checkpoints and hand calculations."""

from __future__ import annotations

import pytest

from assistant.sizing.storage.estimate import (
    StorageRequest,
    cold_start_s,
    estimate_storage,
    index_gb,
    vector_index_gb,
)
from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput

CATALOGUE = load_catalogue()


@pytest.mark.parametrize(
    ("gpus", "kind", "read", "write"),
    [
        (256, "text", 15, 7),  # SuperPOD H100 reference architecture, one scalable unit
        (256, "images", 40, 20),
        (256, "video", 125, 62),
        (1024, "text", 60, 30),  # four units
        (1024, "images", 160, 80),
        (1024, "video", 500, 250),
        (8, "text", 4, 2),  # a single node
        (8, "images", 8, 4),
        (8, "video", 40, 20),
        (512, "text", 30, 7 + 23 / 3),  # by hand: a third of the way from 7 to 30
        (4096, "text", 240, 120),  # four times four units
    ],
)
def test_guideline_of_the_h100_superpod(gpus: int, kind: str, read: float, write: float) -> None:
    request = StorageRequest(gpu="h100-sxm-80gb", gpus=gpus, training=True, data_kind=kind)
    result = estimate_storage(request, CATALOGUE)
    assert result.read_gb_per_s == pytest.approx(read)
    assert result.write_gb_per_s == pytest.approx(write)
    assert result.read_demanded_by == "reference design"


@pytest.mark.parametrize(
    ("gpus", "kind", "read", "write"),
    [(576, "text", 40, 20), (2304, "text", 160, 80), (576, "video", 125, 62), (2304, "video", 500, 250)],
)
def test_guideline_of_a_rack_scale_design(gpus: int, kind: str, read: float, write: float) -> None:
    """SuperPOD GB200, standard and enhanced, one and four units."""
    result = estimate_storage(StorageRequest(gpu="gb200", gpus=gpus, training=True, data_kind=kind), CATALOGUE)
    assert (result.read_gb_per_s, result.write_gb_per_s) == pytest.approx((read, write))


def test_bloom_checkpoint_write() -> None:
    """2.3 TB in 40 s is 57.5 GB/s (BLOOM chronicles)."""
    request = StorageRequest(checkpoint_gb=2300, checkpoint_window_s=40)
    result = estimate_storage(request, CATALOGUE)
    assert result.write_gb_per_s == pytest.approx(57.5)
    assert result.checkpoint_write_s == pytest.approx(40)


@pytest.mark.parametrize(("rate", "seconds"), [(200, 28.4), (50, 113.6), (2000, 2.84)])
def test_llama_405b_checkpoint_by_hand(rate: float, seconds: float) -> None:
    """405.85 B x 14 bytes = 5.68 TB."""
    request = StorageRequest(checkpoint_gb=405.85 * 14, write_gb_per_s=rate)
    assert estimate_storage(request, CATALOGUE).checkpoint_write_s == pytest.approx(seconds, rel=0.01)


def test_capacity_adds_up_by_hand() -> None:
    request = StorageRequest(
        nodes=2, weights_gb=140, model_versions=3, checkpoint_gb=1000, checkpoints_kept=5, dataset_tb=10, growth=0.0
    )
    capacity = estimate_storage(request, CATALOGUE).capacity_tb
    assert capacity["node_nvme"] == pytest.approx(2 * 0.14)
    assert capacity["parallel_fs"] == pytest.approx(3 * 0.14 + 5 + 10)
    assert capacity["object"] == pytest.approx(3 * 0.14 + 20 + 20)


def test_headroom_scales_every_tier() -> None:
    bare = estimate_storage(StorageRequest(nodes=2, weights_gb=140, growth=0.0), CATALOGUE).capacity_tb
    roomy = estimate_storage(StorageRequest(nodes=2, weights_gb=140, growth=0.5), CATALOGUE).capacity_tb
    assert all(roomy[tier] == pytest.approx(1.5 * bare[tier]) for tier in bare)


def test_vector_index_by_hand() -> None:
    """A million documents of 2 kB are a million chunks of 1,024 x 4 + 256 bytes: 4.35 GB."""
    assert vector_index_gb(1e6, 2.0, 1024) == pytest.approx(4.352)


def test_cold_start_is_bound_by_the_shared_path() -> None:
    assert cold_start_s(1000, 10, 100, local=False) == pytest.approx(100)
    assert cold_start_s(1000, 1, 1000, local=False) == pytest.approx(1000 / 25)


def test_every_demand_says_why() -> None:
    request = StorageRequest(
        gpu="h100",
        gpus=1024,
        training=True,
        checkpoint_gb=988,
        weights_gb=140,
        cold_start_target_s=60,
        tokens_per_s=1e6,
    )
    result = estimate_storage(request, CATALOGUE)
    names = {demand.name for demand in (*result.read_demands, *result.write_demands)}
    assert names == {"reference design", "data loading", "restart from a checkpoint", "cold start", "checkpoint"}
    assert all(demand.why for demand in (*result.read_demands, *result.write_demands))


def test_nothing_stored_needs_nothing() -> None:
    result = estimate_storage(StorageRequest(), CATALOGUE)
    assert set(result.capacity_tb.values()) == {0.0}
    assert result.checkpoint_write_s is None
    assert result.cold_start_s is None


def test_unknown_kind_of_data() -> None:
    request = StorageRequest(gpu="h100", gpus=8, training=True, data_kind="smells")
    with pytest.raises(BadInput) as caught:
        estimate_storage(request, CATALOGUE)
    assert caught.value.field == "data_kind"


def test_documents_that_are_only_worked_off_have_no_vector_index() -> None:
    """1,000,000 pages of 50 kB with 30 % headroom are 0.065 TB of objects; OCR looks none of them up again."""
    result = estimate_storage(StorageRequest(documents=1e6, searched=False), CATALOGUE)
    assert result.capacity_tb == pytest.approx({"node_nvme": 0.0, "parallel_fs": 0.0, "object": 0.065})


def test_storage_by_purpose() -> None:
    """20 people x 100 GB = 2 TB of homes; 8 servers x 5 TB of scratch; 50 million vectors of 1,024 values in 32 bits
    with 256 bytes of links are 217.6 GB, two copies; the backup holds homes, 141 GB of weights and the index once."""
    request = StorageRequest(
        nodes=8, people=20, scratch_tb_per_node=5, vectors=50e6, embedding_dimensions=1024, weights_gb=141, backup=True
    )
    held = {holding.name: holding.tb for holding in estimate_storage(request, load_catalogue()).holdings}
    assert held["home directories"] == pytest.approx(2.0)
    assert held["scratch"] == pytest.approx(40.0)
    assert held["vector index"] == pytest.approx(2 * 0.2176)
    assert held["backup"] == pytest.approx(2.0 + 0.141 + 0.2176)


@pytest.mark.parametrize(("value_bytes", "gb"), [(4.0, 217.6), (2.0, 115.2), (1.0, 64.0)])
def test_index_by_precision(value_bytes: float, gb: float) -> None:
    assert index_gb(50e6, 1024, value_bytes) == pytest.approx(gb)
