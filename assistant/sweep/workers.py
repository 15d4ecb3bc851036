"""Many points, their results in the order of the points: in this process, on all cores, or on a Dask cluster."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

from assistant.sweep.evaluate import evaluate_all
from assistant.sweep.space import Space
from knowledge.errors import BadInput, SizewrightError

CHUNK = 8
"""Points a worker is given at a time: enough to pay for the way there and back."""
AHEAD = 4
"""Chunks a worker has waiting for it."""

Rows = list[dict[str, Any]]


class Later(Protocol):
    """A result that is on its way."""

    def result(self) -> Rows:
        """Wait for it."""
        ...


def in_process(space: Space, skip: int, overlay: str | None, full: bool) -> Iterator[dict[str, Any]]:
    """One point after the other, here."""
    for point in space.points(skip):
        yield from evaluate_all(space, [point], overlay, full)


def on_cores(
    space: Space, skip: int, overlay: str | None, full: bool, workers: int | None = None
) -> Iterator[dict[str, Any]]:
    """On ``workers`` processes of this machine (left out: one a core)."""
    count = workers or os.cpu_count() or 1
    if count == 1 or space.total - skip <= 1:
        yield from in_process(space, skip, overlay, full)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=count) as pool:
        try:
            yield from _in_order(space, skip, lambda *given: pool.submit(evaluate_all, *given), count, overlay, full)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def on_dask(space: Space, skip: int, overlay: str | None, full: bool, scheduler: str) -> Iterator[dict[str, Any]]:
    """On the cluster of a scheduler. Raises BadInput without the package, and where the scheduler does not answer."""
    try:
        from distributed import Client
    except ImportError:
        wanted = "the optional package dask.distributed: pip install 'sizewright[dask]'"
        raise BadInput("--scheduler", scheduler, wanted) from None
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput("--scheduler", scheduler, f"the address of a Dask scheduler that answers: {error}") from None
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise SizewrightError(f"the Dask scheduler at {scheduler} has no workers")
        submit = partial(client.submit, evaluate_all, pure=False)
        yield from _in_order(space, skip, submit, count, overlay, full)


def _in_order(
    space: Space, skip: int, submit: Callable[..., Later], workers: int, overlay: str | None, full: bool
) -> Iterator[dict[str, Any]]:
    """Results in the order of the points, with only so many under way that memory stays small."""
    points = space.points(skip)
    size = max(1, min(CHUNK, (space.total - skip) // (2 * workers)))
    under_way: deque[Later] = deque()
    while chunk := list(itertools.islice(points, size)):
        under_way.append(submit(space, chunk, overlay, full))
        if len(under_way) >= AHEAD * workers:
            yield from under_way.popleft().result()
    while under_way:
        yield from under_way.popleft().result()
