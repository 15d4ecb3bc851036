"""What replicas are planned for, and the plan: records of ``plan_replicas``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assistant.sizing.load import Lengths
from assistant.sizing.serving.request import NearestFix, ServeResult
from knowledge.evidence import Frozen
from knowledge.message import Message

Binding = Literal["memory", "TTFT", "TPOT", "throughput", "minimum unit"]


class ServeDemand(Frozen):
    """What must be served: lengths in tokens; requests in flight or a second at the peak; targets in ms or None."""

    input_tokens: Lengths
    output_tokens: Lengths
    context: int | None = None
    requests_in_flight: float | None = Field(default=None, gt=0)
    requests_per_s: float | None = Field(default=None, gt=0)
    ttft_ms: float | None = Field(default=None, gt=0)
    tpot_ms: float | None = Field(default=None, gt=0)
    prefix_cached_share: float = Field(default=0.0, ge=0, lt=1)
    draft_tokens: int | None = Field(default=None, ge=1, le=32)
    acceptance: float | None = Field(default=None, ge=0, lt=1)
    lora_adapters: int | None = Field(default=None, ge=1, le=10_000)
    lora_rank: int = Field(default=16, ge=1, le=1024)


class TriedLayout(Frozen):
    """One layout that was worked out: why it is out, or the most requests a replica carries and the GPUs in all."""

    tensor_parallel: int
    pipeline_parallel: int
    why_not: Message | None
    requests_per_replica: int | None = None
    replicas: int | None = None
    gpus: int | None = None


class ReplicaPlan(Frozen):
    """Replicas of one layout, what demands their number, and the estimate at the load."""

    fits: bool
    why_not: Message | None
    nearest_fix: NearestFix | None
    gpus_per_replica: int
    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    requests_per_replica: int
    binding: Binding
    serve: ServeResult
    tried: tuple[TriedLayout, ...]
    reasons: tuple[Message, ...]

    @property
    def gpus(self) -> int:
        """GPUs of all replicas."""
        return self.gpus_per_replica * self.replicas
