"""What may be said of failures, checkpoints and spot capacity, wherever a training run is estimated or played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from assistant.sizing.spelled import Spelled
from knowledge.evidence import Frozen

Rate = Annotated[float, Field(ge=0, le=1e6)]
"""Events per 1,000 days of one node; the most is one in a minute and a half."""
Seconds = Annotated[float, Field(ge=0, le=1e6)]
Minutes = Annotated[float, Field(ge=0, le=100_000)]
Bandwidth = Annotated[float, Field(gt=0, le=1e6)]


class Saving(Spelled):
    """How a checkpoint is written: training waits for storage, or only for the copy to host memory."""

    SYNC = "sync"
    ASYNC = "async"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {"synchronous": "sync", "asynchronous": "async"}


class FailureOptions(Frozen):
    """Failures, checkpoints, spares and spot nodes of a run. Left-out rates are Llama 3's, intervals Daly's optimum.

    ``failures_per_1000_node_days`` is what the job sees, ``hardware_failures_per_1000_node_days`` what puts a node out
    of service. Rates of corruption and preemption are per 1,000 days of one node, like the others.
    """

    fleet: str | None = Field(default=None, description="published fleet whose failure rate is used")
    failures_per_1000_node_days: Rate | None = Field(default=None, description="every unplanned end of the job")
    hardware_failures_per_1000_node_days: Rate | None = Field(
        default=None, description="those that put a node out of service"
    )
    gpus_per_node: int = Field(default=8, ge=1, le=10_000)
    saving: Saving = Field(default=Saving.ASYNC, description="sync: training waits for storage; async: for the copy")
    checkpoint_write_s: Seconds | None = Field(default=None, description="seconds training stands still for one")
    checkpoint_drain_s: Seconds | None = Field(default=None, description="from there until it is safe in storage")
    write_gb_per_s: Bandwidth | None = Field(default=None, description="what the storage at hand writes")
    read_gb_per_s: Bandwidth | None = Field(default=None, description="what the storage at hand reads")
    checkpoint_interval_min: float | None = Field(
        default=None, ge=0.01, le=1e6, description="training between two checkpoints"
    )
    restart_min: Minutes | None = Field(default=None, description="from a failure until training goes on")
    corruptions_per_1000_node_days: Rate = Field(default=0.0, description="silent data corruption")
    corruption_found_after_min: Minutes | None = Field(default=None, description="until somebody notices")
    spot: str | None = Field(default=None, description="preemptible nodes of aws, gcp or other (then notice_s)")
    spot_share: float = Field(default=1.0, ge=0, le=1, description="share of the nodes that is preemptible")
    preemptions_per_1000_node_days: Rate | None = Field(default=None, description="of a spot node")
    notice_s: Seconds | None = Field(default=None, description="seconds between notice and end of a spot node")
    replacement_min: Minutes | None = Field(default=None, description="until a preempted node is replaced")
    deadline_days: float | None = Field(
        default=None, gt=0, le=100_000, description="days in which the run must be over"
    )
    availability_target: float = Field(default=0.99, gt=0, lt=1, description="share of time with enough nodes")
    repair_days: float = Field(default=3.0, ge=0, le=1000, description="until a failed node is back")
