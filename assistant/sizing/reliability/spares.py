"""Spare nodes for an availability target, by the binomial distribution."""

from __future__ import annotations

import math

from knowledge.errors import BadInput

FAR = 12.0
"""Standard deviations beyond which nothing counts: less than 10^-30 of a normal distribution."""


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
    """Binomial P(X <= most), each term from the last; what lies twelve standard deviations off the mean is left out."""
    mean = count * probability
    reach = FAR * math.sqrt(mean * (1.0 - probability)) + FAR
    if most > mean + reach:
        return 1.0
    first, last = max(0, math.floor(mean - reach)), min(most, count)
    if last < first:
        return 0.0
    odds = math.log(probability) - math.log1p(-probability)
    term = _log_choices(count, first) + first * math.log(probability) + (count - first) * math.log1p(-probability)
    total = math.exp(term)
    for k in range(first + 1, last + 1):
        term += math.log(count - k + 1) - math.log(k) + odds
        total += math.exp(term)
    return min(1.0, total)


def _log_choices(count: int, of: int) -> float:
    return math.lgamma(count + 1) - math.lgamma(of + 1) - math.lgamma(count - of + 1)
