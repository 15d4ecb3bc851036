"""The nodes of a run: those it needs, its spares, those in repair, and spot nodes that were taken."""

from __future__ import annotations

import heapq
import math

from assistant.sizing.reliability.conditions import Conditions
from assistant.sizing.reliability.rates import MINUTES_PER_DAY


class Pool:
    """``nodes`` and ``spares`` machines. A failed one comes back after its repair, a preempted one once replaced."""

    def __init__(self, at: Conditions) -> None:
        self.at = at
        self.away: list[tuple[float, bool]] = []

    @property
    def healthy(self) -> int:
        """Nodes that could work."""
        return self.at.nodes + self.at.spares - len(self.away)

    @property
    def enough(self) -> bool:
        """Whether the job can run."""
        return self.healthy >= self.at.nodes

    @property
    def idle(self) -> int:
        """Spares that stand ready."""
        return max(0, self.healthy - self.at.nodes)

    @property
    def taken(self) -> int:
        """Spot nodes that are away."""
        return sum(1 for _, spot in self.away if spot)

    @property
    def next_return(self) -> float:
        """When the next node is back."""
        return self.away[0][0] if self.away else math.inf

    def lose(self, now: float, spot: bool = False) -> float:
        """A node goes; returns when it, or another in its place, is there again."""
        back = now + (self.at.replacement_min if spot else self.at.repair_days * MINUTES_PER_DAY)
        heapq.heappush(self.away, (back, spot))
        return back

    def take_back(self) -> None:
        """The node that is due is back."""
        heapq.heappop(self.away)
