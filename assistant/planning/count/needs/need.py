"""The record that all needs share: replicas of so many GPUs each, what demands them, and how it was reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from assistant.sizing.load import Band
from knowledge.evidence import Frozen
from knowledge.message import Message, Text

Level = Literal["low", "likely", "high"]


class Need(Frozen):
    """Replicas of so many GPUs each. A training job is one replica that may span servers.

    ``carries`` requests in flight go to one serving replica. ``required`` replicas carry the load where the hardware at
    hand has room for fewer (0: all of them). With a ``mig_profile`` a replica is a GPU of ``instances_per_gpu`` parts,
    and ``instances`` of them serve.
    """

    kind: str
    model: str
    gpus_per_replica: int
    replicas: int
    binding: str
    fits: bool = True
    why_not: Text | None = None
    nearest_fix: dict[str, Any] | None = None
    causes: tuple[Text, ...] = ()
    basis: str | None = None
    training: bool = False
    weight_dtype: str | None = None
    figures: Mapping[str, Any] = Field(default_factory=dict)
    carries: int = 0
    late: Message | None = None
    required: int = 0
    mig_profile: str | None = None
    instances: int = 0
    instances_per_gpu: int = 0
    caution: Text | None = None
    in_turn: bool = False
    group: str | None = None

    @property
    def gpus(self) -> int:
        """GPUs in all; none of its own for a training job that waits its turn on those of another."""
        return 0 if self.in_turn else self.gpus_per_replica * self.replicas

    def serves(self, group: str | None, model: str) -> bool:
        """Whether it is the need of this group for this model."""
        return self.group == group and self.model == model


def level(band: Band, at: Level) -> float:
    """A band at one of its three values."""
    return float({"low": band.low, "likely": band.likely, "high": band.high}[at])
