"""Checkpoints by way of the servers' own drives, and what a single NFS server would make of the same demands."""

from __future__ import annotations

from knowledge.evidence import Frozen
from knowledge.message import Message, say

NODE_WRITE_GB_PER_S = 12.5
"""What one server writes to its own drives: half of the 25 GB/s that it reads; assumed."""

NFS_GB_PER_S = 5.0
"""One NFS server on 100 Gb/s, of which four tenths arrive; assumed (2 to 10)."""


class Staging(Frozen):
    """A checkpoint written to the servers' drives first and copied to shared storage while training goes on.

    ``stall_s`` is how long training stands still, ``drain_s`` until the copy is complete: before that a lost server
    takes its part with it, and the job falls back to the checkpoint before.
    """

    stall_s: float
    drain_s: float
    at_risk: Message


class Nfs(Frozen):
    """The same reads and writes through one NFS server: times, and how much slower than asked."""

    gb_per_s: float
    checkpoint_write_s: float | None
    cold_start_s: float | None
    times_too_slow: float


def staging_of(checkpoint_gb: float, nodes: int, write_gb_per_s: float) -> Staging | None:
    """Staging of one checkpoint over all nodes; None without a checkpoint or a rate to drain it at."""
    if checkpoint_gb <= 0 or write_gb_per_s <= 0 or nodes < 1:
        return None
    drain = checkpoint_gb / write_gb_per_s
    return Staging(
        stall_s=checkpoint_gb / (nodes * NODE_WRITE_GB_PER_S),
        drain_s=drain,
        at_risk=say("storage.at_risk", seconds=drain),
    )


def through_nfs(checkpoint_gb: float, weights_gb: float, loading_nodes: int, asked_gb_per_s: float) -> Nfs | None:
    """What one NFS server gives; None where nothing is asked of storage."""
    if asked_gb_per_s <= 0:
        return None
    return Nfs(
        gb_per_s=NFS_GB_PER_S,
        checkpoint_write_s=checkpoint_gb / NFS_GB_PER_S if checkpoint_gb else None,
        cold_start_s=weights_gb * max(1, loading_nodes) / NFS_GB_PER_S if weights_gb else None,
        times_too_slow=max(1.0, asked_gb_per_s / NFS_GB_PER_S),
    )
