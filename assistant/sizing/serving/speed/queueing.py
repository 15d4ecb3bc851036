"""Requests that arrive by themselves: how many are in flight, and how long one waits for a place.

Arrivals are Poisson. A replica has as many places as its cache holds sequences; the time in a place grows with those in
flight, so the mean number is the fixed point of Little's law, in flight = rate x time. The wait for a place is that of
M/M/c (Erlang C). Beyond the rate that full places serve, the queue grows without end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from assistant.sizing.serving.speed.roofline import Timing

ROUNDS = 60
"""Steps after which the fixed point is taken as it is; some ten are enough."""
NEAR = 1e-15
"""How close to Little's law the fixed point is: the precision of the numbers themselves."""
MOST_PLACES = 16_384
"""More requests in flight in one replica than any engine schedules."""
MOST_BUSY = 0.9999
"""Share of the places taken at most, so that the wait of a replica at its limit stays finite."""


@dataclass(frozen=True)
class OpenLoop:
    """One replica at an arrival rate: timing with the wait in it, mean requests in flight, share of capacity.

    ``served_per_s`` is the most it can serve, ``queued_share`` the part of those in flight that wait; at
    ``utilisation`` of one and beyond, ``timed`` is that of full places and its time to first token has no meaning.
    """

    timed: Timing
    in_flight: float
    utilisation: float
    served_per_s: float
    queued_share: float = 0.0

    @property
    def overloaded(self) -> bool:
        """Whether more arrives than can be served."""
        return self.utilisation >= 1


def erlang_b(places: int, offered: float) -> float:
    """Probability that all ``places`` are taken where nobody waits, by the usual recursion (Erlang's loss formula)."""
    blocked = 1.0
    for place in range(1, places + 1):
        blocked = offered * blocked / (place + offered * blocked)
    return blocked


def erlang_c(places: int, offered: float) -> float:
    """Probability of having to wait for one of ``places`` at ``offered`` erlangs; one at and beyond capacity."""
    if offered >= places:
        return 1.0
    blocked = erlang_b(places, offered)
    return blocked / (1 - offered / places * (1 - blocked))


def _waiting(timed: Timing, share: float) -> dict[str, float]:
    """The parts of a step, with the share of the time to first token that goes to waiting for a place."""
    return timed.parts | {"queue": share}


def _balance(arrived: Callable[[float], float], places: float) -> float:
    """Requests in flight where as many arrive while one is served, between none and ``places``, where fewer do.

    By the secant, held between two numbers that the answer lies between (the Illinois variant of regula falsi).
    """
    low, high = 0.0, places
    above, below = arrived(low), arrived(high) - high
    side = 0
    for _ in range(ROUNDS):
        middle = (low * below - high * above) / (below - above)
        if not low < middle < high:
            return high
        gap = arrived(middle) - middle
        if abs(gap) <= NEAR * middle:
            return middle
        if gap > 0:
            low, above = middle, gap
            below = below / 2 if side > 0 else below
        else:
            high, below = middle, gap
            above = above / 2 if side < 0 else above
        side = 1 if gap > 0 else -1
    return high


def open_loop(time: Callable[[float], Timing], capacity: float, outputs: float, rate_per_s: float) -> OpenLoop:
    """A replica with ``capacity`` places of which ``time`` gives the timing, at ``rate_per_s`` arrivals a second."""

    def service_s(in_flight: float) -> float:
        timed = time(max(in_flight, 1.0))
        return timed.ttft + (outputs - 1) * timed.tpot

    places = max(min(capacity, MOST_PLACES), 1.0)
    served = places / service_s(places)
    utilisation = rate_per_s / served
    if utilisation >= 1:
        return OpenLoop(time(places), math.inf, utilisation, served)
    balanced = _balance(lambda in_flight: rate_per_s * service_s(in_flight), places)
    taken_s = service_s(balanced)
    in_flight = rate_per_s * taken_s
    whole = max(int(places), 1)
    busy = min(in_flight, whole * MOST_BUSY)
    wait_s = erlang_c(whole, busy) * taken_s / (whole - busy)
    timed = time(max(balanced, 1.0))
    first = timed.ttft + wait_s
    parts = partial(_waiting, timed, wait_s / first)
    waiting = rate_per_s * wait_s
    total = in_flight + waiting
    return OpenLoop(Timing(first, timed.tpot, balanced, parts, wait_s), total, utilisation, served, waiting / total)
