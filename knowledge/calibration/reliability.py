"""Published failure rates and times of checkpoints as typed records; their values are in the YAML."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from knowledge.calibration import calibration
from knowledge.evidence import Frozen


class PublishedRate(Frozen):
    """A published rate per 1,000 days of one node, in whose words, and where it was read."""

    id: str
    rate_per_1000_node_days: float
    says: str
    sources: tuple[str, ...]


class FleetRate(PublishedRate):
    """A failure rate; ``kind`` says what it counts."""

    kind: Literal["node_hardware", "job_observed"]


class Corruption(Frozen):
    """Silent data corruption: how often, and how long until it is found."""

    rate_per_1000_node_days: float
    found_after_min: float
    found_says: str
    sources: tuple[str, ...]


class Notice(Frozen):
    """Seconds from a provider's notice until a spot node is gone."""

    id: str
    notice_s: float
    sources: tuple[str, ...] = ()


class SpotConstants(Frozen):
    """Spot capacity: notices by provider, published rates (``default`` is taken), minutes until one is replaced."""

    notice: tuple[Notice, ...]
    rates: tuple[PublishedRate, ...]
    default: str
    replacement_min: float
    replacement_sources: tuple[str, ...]


class CheckpointConstants(Frozen):
    """Rates at which checkpoints are written (a GPU, at most), copied to host memory, and read."""

    write_gb_per_s_and_gpu: float
    write_gb_per_s_most: float
    staging_gb_per_s_and_gpu: float
    read_over_write: float
    sources: tuple[str, ...]


class RestartConstants(Frozen):
    """Minutes of a restart: the typical one, and what it takes beside reading the checkpoint."""

    typical_min: float
    without_restore_min: float
    says: str
    sources: tuple[str, ...]


class ReliabilityCalibration(Frozen):
    """All of it."""

    fleets: tuple[FleetRate, ...]
    corruption: Corruption
    spot: SpotConstants
    checkpoints: CheckpointConstants
    restart: RestartConstants


@lru_cache(maxsize=1)
def reliability_constants() -> ReliabilityCalibration:
    """The constants of ``reliability.yaml``. Raises BadInput where it cannot be read."""
    return ReliabilityCalibration.model_validate(calibration("reliability"))
