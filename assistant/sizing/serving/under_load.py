"""One replica at its share of a load."""

from __future__ import annotations

from typing import NamedTuple

from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.serving.setup import Setup
from assistant.sizing.serving.speed.cells import Cell
from assistant.sizing.serving.speed.queueing import OpenLoop, open_loop
from assistant.sizing.serving.timer import Timer, timer
from knowledge.catalogue import Catalogue


class UnderLoad(NamedTuple):
    """Timing of one replica, and the cell of its band. ``longest`` is the prompt at p95, in tokens."""

    loop: OpenLoop
    cell: Cell
    timer: Timer
    longest: float | None

    @property
    def later_s(self) -> float:
        """Seconds by which a prompt of p95 length is later to its first token; asked of the chosen layout alone."""
        return 0.0 if self.longest is None else self.timer.longer_s(self.longest)

    def tokens_per_s(self, request: ServeRequest, replicas: int) -> float:
        """Output tokens a second of all replicas; under arrivals those that full places would serve."""
        outputs = request.output_tokens.mean if request.output_tokens else 1.0
        if request.requests_per_s:
            return self.loop.served_per_s * replicas * outputs
        timed = self.loop.timed
        return timed.running * replicas * outputs / (timed.ttft - timed.wait + (outputs - 1) * timed.tpot)


def under_load(request: ServeRequest, setup: Setup, catalogue: Catalogue) -> UnderLoad | None:
    """One replica at its share of the concurrency or of the arriving requests; None where there is no load, or
    nothing that can be timed.
    """
    if not request.concurrency and not request.requests_per_s:
        return None
    time = timer(request, setup, catalogue)
    if time is None:
        return None
    longest = request.input_tokens.p95 if request.input_tokens else None
    if request.requests_per_s:
        loop = open_loop(time, time.capacity, time.outputs, request.requests_per_s / setup.replicas)
        return UnderLoad(loop, time.cell, time, longest)
    in_flight = (request.concurrency or 0.0) / setup.replicas
    timed = time(in_flight)
    queued = max(1 - timed.running / in_flight, 0.0)
    return UnderLoad(OpenLoop(timed, in_flight, in_flight / time.capacity, 0.0, queued), time.cell, time, longest)
