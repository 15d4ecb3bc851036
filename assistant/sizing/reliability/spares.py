"""Spare nodes for an availability target, by the binomial distribution."""

from __future__ import annotations

import math

from knowledge.errors import BadInput


def unavailable_share(rate_times_absence: float) -> float:
    """Share of time that one node is out of service: up for 1 / r, then away for D, so r D / (1 + r D)."""
    return rate_times_absence / (1.0 + rate_times_absence)


def spare_nodes(nodes: int, unavailable: float, target: float) -> int:
    """Fewest spares with which ``nodes`` machines work at any moment with probability ``target``.

    Each machine is out of service independently with probability ``unavailable``: of n + s machines at most s may be.
    """
    if unavailable <= 0:
        return 0
    if unavailable >= 1:
        raise BadInput("repair_days", unavailable, "a repair time short enough for nodes to work at all")
    low, high = -1, 1
    while at_most(nodes + high, unavailable, high) < target:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if at_most(nodes + middle, unavailable, middle) < target:
            low = middle
        else:
            high = middle
    return high


def at_most(count: int, probability: float, most: int) -> float:
    """Binomial P(X <= most), each term from the last in logarithms, so that large counts do not underflow."""
    odds = math.log(probability) - math.log1p(-probability)
    term = count * math.log1p(-probability)
    total = math.exp(term)
    for k in range(1, most + 1):
        term += math.log(count - k + 1) - math.log(k) + odds
        total += math.exp(term)
    return total
