"""What a search over layouts is given and what it weighs: wishes, candidates, and the arithmetic of one job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.sizing.training.arithmetic.memory import Recipe, TrainMemory, train_memory
from assistant.sizing.training.arithmetic.speed import Machine, StepTime, step_time
from assistant.sizing.training.parts.plan import Plan, Recompute, Schedule, Sharding
from assistant.sizing.training.parts.shape import Shape
from knowledge.calibration.training import TrainingCalibration


@dataclass(frozen=True)
class Wanted:
    """What the user stated of a layout; None is free."""

    gpus: int
    sequence: int
    tensor: int | None = None
    pipeline: int | None = None
    virtual: int | None = None
    schedule: Schedule | None = None
    context: int | None = None
    expert: int | None = None
    micro_batch: int | None = None
    global_batch: int | None = None
    sequence_parallel: bool | None = None
    sharding: Sharding | None = None
    recompute: Recompute | None = None
    chunked_loss: bool | None = None


@dataclass(frozen=True)
class Candidate:
    """One layout with what it needs and what it gives."""

    plan: Plan
    memory: TrainMemory
    time: StepTime

    @property
    def tokens_per_s(self) -> float:
        """Tokens a second over all GPUs."""
        return self.plan.global_batch * self.plan.sequence / self.time.total


@dataclass(frozen=True)
class Search:
    """All that a search needs: model, machine, recipe, bytes available, base plan and constants."""

    shape: Shape
    machine: Machine
    recipes: Mapping[Sharding, Recipe]
    available: float
    base: Plan
    constants: TrainingCalibration
    partial_recompute: bool = True

    def memory(self, plan: Plan, like: TrainMemory | None = None) -> TrainMemory:
        """Memory of a plan; ``like`` that of the same split with another batch, recomputation or loss."""
        return train_memory(self.shape, plan, self.recipes[plan.sharding], self.constants.memory, like)

    def candidate(self, plan: Plan, memory: TrainMemory | None = None) -> Candidate:
        """Memory and time of a plan."""
        time = step_time(self.shape, plan, self.machine, self.constants.speed)
        return Candidate(plan, memory or self.memory(plan), time)


def divisors(number: int) -> list[int]:
    """All divisors in order."""
    small = [i for i in range(1, int(number**0.5) + 1) if number % i == 0]
    return sorted({*small, *(number // i for i in small)})
