"""Request and result of ``estimate reliability``: the public fields."""

from __future__ import annotations

import math

from pydantic import Field

from assistant.sizing.possible import Possible
from assistant.sizing.reliability.deadline import DeadlineCost, SpotOutcome
from assistant.sizing.reliability.goodput import IntervalLoss
from assistant.sizing.reliability.options import FailureOptions
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Message

MOST_DAYS = 100_000
"""More days are taken for a slip."""


class RunSize(FailureOptions):
    """How large a run is, and what its checkpoints weigh."""

    gpus: int | None = Field(default=None, ge=1, le=10_000_000_000)
    nodes: int | None = Field(default=None, ge=1, le=1_000_000, description="servers, instead of gpus")
    checkpoint_gb: float | None = Field(default=None, ge=0.001, le=1e9, description="one checkpoint, in 10^9 bytes")


class ReliabilityRequest(RunSize):
    """What to judge. Left-out rates are Llama 3's; left-out intervals are Daly's optimum.

    ``failures_per_1000_node_days`` overrides the job-observed rate, ``hardware_failures_per_1000_node_days`` the rate
    that spares are planned for. ``checkpoint_write_s`` is the time that training stands still for one checkpoint:
    with asynchronous saving only the copy to host memory, and ``checkpoint_drain_s`` is then the time until the copy
    is safe, below which no interval can go and which a failure costs on top of half an interval. Either follows from
    ``checkpoint_gb`` where it is left out.
    """

    days: float | None = Field(default=None, ge=0, le=MOST_DAYS, description="of training without any failure")
    restore_nodes: int | None = Field(default=None, ge=1, le=1_000_000, description="nodes to read a checkpoint on")


class RestoreTime(Frozen):
    """Seconds to read one checkpoint on so many nodes."""

    nodes: int
    restore_s: float


class ReliabilityResult(Possible):
    """Failures of the job and what to do about them; ``_low`` and ``_high`` span the published fleets."""

    nodes: int
    failures_per_day: float
    failures_per_day_low: float
    failures_per_day_high: float
    mttf_h: float | None
    hardware_failures_per_day: float
    hardware_mttf_h: float | None
    rate_says: Message
    rate_dissent: tuple[Message, ...]
    checkpoint_write_s: float
    checkpoint_drain_s: float
    checkpoint_says: Message
    checkpoint_interval_min: float | None
    checkpoint_interval_young_min: float | None
    checkpoint_interval_why: Message
    restart_min: float
    restores: tuple[RestoreTime, ...]
    goodput: float
    goodput_exact: float
    goodput_formula: str
    days_with_failures: float | None
    spare_nodes: int
    spare_why: Message
    silent_corruptions_per_day: float
    silent_corruption_costs_min: float
    interval_table: tuple[IntervalLoss, ...]
    spot: SpotOutcome | None
    deadline: DeadlineCost | None
    assumptions: tuple[Message, ...]


class RunFailures(Frozen):
    """What failures do to a run that was estimated: the main figures of ``estimate reliability`` for it."""

    goodput: float
    failures_per_day: float
    rate_says: Message
    checkpoint_write_s: float
    checkpoint_drain_s: float
    checkpoint_interval_min: float | None
    restart_min: float
    spare_nodes: int
    spot: SpotOutcome | None
    deadline: DeadlineCost | None


def nodes_of(request: RunSize) -> int:
    """Nodes of a request. Raises BadInput where neither they nor GPUs are given, or they disagree."""
    if request.nodes is not None:
        if request.gpus is not None and math.ceil(request.gpus / request.gpus_per_node) != request.nodes:
            raise BadInput(
                "nodes",
                request.nodes,
                f"{request.gpus} GPUs at {request.gpus_per_node} a node",
                [str(math.ceil(request.gpus / request.gpus_per_node))],
            )
        return request.nodes
    if request.gpus is None:
        raise BadInput("gpus", None, "a number of GPUs or of nodes")
    return math.ceil(request.gpus / request.gpus_per_node)
