"""Storage of a plan: what the arithmetic asks for, and the systems of the catalogue that give it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from assistant.demand import Demands
from assistant.interview.brief import Brief
from assistant.options import Count
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen


class StorageNeed(Frozen):
    """Figures of the storage estimate, and the systems that carry it with power and height."""

    figures: dict[str, Any] = Field(default_factory=dict)
    item: str | None = None
    units: int = 0
    power_kw: float = 0.0
    rack_units: float = 0.0


def storage_for(
    brief: Brief, demands: Demands, count: Count, catalogue: Catalogue, trace: Trace | None = None
) -> StorageNeed:
    """The storage of one plan."""
    return StorageNeed()
