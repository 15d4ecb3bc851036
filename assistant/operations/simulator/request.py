"""Request and result of ``simulate``: the public fields."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from assistant.operations.simulator.events import Moment
from assistant.sizing.reliability.request import RunSize
from assistant.sizing.training.parts.request import TrainRequest
from knowledge.evidence import Frozen


def _listed(value: Any) -> Any:
    """``5,10,20`` as a list; anything else is left for the model to judge."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Minutes = Annotated[
    tuple[Annotated[float, Field(ge=0.01, le=1e6)], ...], BeforeValidator(_listed), Field(max_length=20)
]
Counts = Annotated[tuple[Annotated[int, Field(ge=0, le=100_000)], ...], BeforeValidator(_listed), Field(max_length=20)]


class SimulateRequest(RunSize):
    """A run to play. ``job`` is what ``estimate train`` takes: GPUs, days, step and checkpoint follow from it where
    they are not stated here. Left out: 30 days on the nodes given, the rest as ``estimate reliability`` has it.
    """

    days: float | None = Field(default=None, ge=0.001, le=10_000, description="of training without any failure")
    step_time_s: float | None = Field(
        default=None, ge=0.001, le=1e6, description="of one step; a checkpoint follows one"
    )
    synchronise_s: float | None = Field(default=None, ge=0, le=1e6, description="of a step: exposed communication")
    load_min: float | None = Field(default=None, ge=0, le=100_000, description="until the first step (a restart)")
    spares: int | None = Field(default=None, ge=0, le=100_000, description="left out: what availability_target takes")
    seed: int = Field(default=1, ge=0, description="of the run that is told; the others follow it")
    seeds: int = Field(default=20, ge=1, le=1000, description="runs behind a percentile; fewer if they are long")
    compare_intervals_min: Minutes | None = Field(default=None, description="such as 10,20,40")
    compare_spares: Counts | None = Field(default=None, description="such as 0,2,4")
    job: TrainRequest | None = Field(default=None, description="a model and its layout, as estimate train takes it")


class Spread(Frozen):
    """A figure over the seeds."""

    mean: float
    p10: float
    p50: float
    p90: float


class Shares(Frozen):
    """Mean shares of wall-clock time; they add up to one."""

    useful: float
    saving: float
    lost_work: float
    restart: float
    waiting: float
    loading: float


class Variant(Frozen):
    """The same run with another checkpoint interval or number of spares; ``goodput_formula`` is the closed form.

    ``days`` is None where not every run finishes.
    """

    interval_min: float | None
    spares: int
    goodput: float
    goodput_formula: float
    days: Spread | None
    work_lost_h: float
    shares: Shares
    chosen: bool


class Slice(Frozen):
    """A part of the told run's time: how often it was interrupted, and whether it waited for a node for most of it."""

    from_h: float
    waited: bool
    interruptions: int


class SimulateResult(Frozen):
    """What came of it. ``goodput`` counts all wall-clock time; ``ettr`` leaves out waiting for nodes, as the formula
    of Kokolis et al. does, which has no queue in it. ``days`` is None where a run does not finish.
    """

    nodes: int
    spares: int
    days_undisturbed: float
    step_time_s: float | None
    synchronise_s: float | None
    checkpoint_gb: float | None
    checkpoint_write_s: float
    checkpoint_drain_s: float
    checkpoint_interval_min: float | None
    checkpoint_interval_why: str
    restart_min: float
    failures_per_day: float
    mttf_h: float | None
    rate_says: str
    preemptions_per_day: float
    saves_on_notice: bool | None
    seed: int
    seeds: int
    finished_share: float
    days: Spread | None
    goodput: Spread
    goodput_formula: float
    ettr: Spread
    work_lost_h: Spread
    interruptions: Spread
    shares: Shares
    corruption_unnoticed_share: float
    deadline_days: float | None
    in_time_share: float | None
    node_days: float | None
    by_interval: tuple[Variant, ...]
    by_spares: tuple[Variant, ...]
    best_interval_min: float | None
    best_spares: int
    timeline: tuple[Moment, ...]
    strip: tuple[Slice, ...]
    assumptions: tuple[str, ...]
