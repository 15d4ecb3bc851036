"""Checkpoints by way of the servers' drives, by hand."""

from __future__ import annotations

import pytest

from assistant.messages import render
from assistant.sizing.storage.estimate import StorageRequest, estimate_storage
from assistant.sizing.storage.staging import staging_of, through_nfs
from knowledge.catalogue import load_catalogue


def test_a_checkpoint_is_staged_on_all_servers_and_drained_after() -> None:
    """2,000 GB on 16 servers of 12.5 GB/s: 10 s; to storage at 20 GB/s: 100 s."""
    staging = staging_of(2000, 16, 20)
    assert staging is not None
    assert (staging.stall_s, staging.drain_s) == (10, 100)
    assert "for 100 s" in render(staging.at_risk)


def test_one_nfs_server() -> None:
    """2,000 GB at 5 GB/s take 400 s; 140 GB of weights on 8 servers 224 s; 40 GB/s were asked, eight times as much."""
    nfs = through_nfs(2000, 140, 8, 40)
    assert nfs is not None
    assert (nfs.checkpoint_write_s, nfs.cold_start_s, nfs.times_too_slow) == (400, 224, 8)


@pytest.mark.parametrize("request_", [StorageRequest(), StorageRequest(weights_gb=140)])
def test_nothing_asked_nothing_said(request_: StorageRequest) -> None:
    result = estimate_storage(request_, load_catalogue())
    assert result.staging is None
    assert result.if_nfs is None


def test_the_estimate_says_both() -> None:
    request = StorageRequest(gpu="h100", gpus=128, nodes=16, training=True, checkpoint_gb=2000, checkpoint_window_s=100)
    result = estimate_storage(request, load_catalogue())
    assert result.staging is not None
    assert result.staging.drain_s == pytest.approx(2000 / result.write_gb_per_s)
    assert result.if_nfs is not None
