"""Throughput without users waiting: the most a layout yields, and work sized by its deadline.

An offline engine keeps its batch full. Output grows with the sequences in flight until cache or the engine's own limit
stops them; the best of a ladder of concurrencies is the peak (formula ``serving.throughput``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from pydantic import Field

from assistant.sizing.load import Lengths
from assistant.sizing.possible import Possible
from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.serving.setup import Setup, resolve
from assistant.sizing.serving.speed.roofline import Timing
from assistant.sizing.serving.timer import timer
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

SECONDS_PER_HOUR = 3600.0
"""Of one hour."""
MOST_IN_FLIGHT = 16_384
"""More requests in flight in one replica than any engine schedules."""
HEADROOM = 1.2
"""More than the arithmetic asks for, since a run that misses its deadline by an hour has missed it."""


class Peak(Possible):
    """The most that ``gpus`` yield: output tokens and requests a second of all replicas, with the P10-P90 band."""

    gpus: int
    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    concurrency: float
    output_tokens_per_s: float
    output_tokens_per_s_p10: float
    output_tokens_per_s_p90: float
    requests_per_s: float
    basis: str


class BatchJob(Frozen):
    """So many requests of given lengths (tokens) to be done within ``deadline_h`` hours."""

    requests: float = Field(gt=0)
    deadline_h: float = Field(gt=0)
    input_tokens: Lengths
    output_tokens: Lengths
    prefix_cached_share: float = Field(default=0.0, ge=0, lt=1)


class BatchPlan(Frozen):
    """GPUs that finish in time, and when they will have: likely and at the slow end of the band."""

    gpus: int
    replicas: int
    peak: Peak
    hours: float
    hours_p90: float


def _ladder(most: float) -> Iterator[float]:
    """Concurrencies by steps of the square root of two up to ``most``."""
    at = 1.0
    while at < most:
        yield at
        at *= math.sqrt(2)
    yield most


def _within(timed: Timing, ttft_ms: float | None, tpot_ms: float | None) -> bool:
    return (ttft_ms is None or timed.ttft * 1e3 <= ttft_ms) and (tpot_ms is None or timed.tpot * 1e3 <= tpot_ms)


def _layouts(request: ServeRequest, catalogue: Catalogue) -> Iterator[Setup]:
    """The stated layout; else each power of two of tensor ranks that divides the GPUs, the rest as replicas."""
    if request.tensor_parallel is not None or request.gpus is None:
        yield resolve(request, catalogue)
        return
    tensor = 1
    while tensor <= request.gpus:
        if request.gpus % tensor == 0:
            changed = {"tensor_parallel": tensor, "data_parallel": request.gpus // tensor}
            yield resolve(request.model_copy(update=changed), catalogue)
        tensor *= 2


def peak_rate(
    request: ServeRequest, catalogue: Catalogue, ttft_ms: float | None = None, tpot_ms: float | None = None
) -> Peak | None:
    """The most output tokens a second of ``request``'s GPUs within targets (ms); None where nothing fits or meets them.

    Tensor parallel left out: the best of the powers of two with replicas on the rest. ``concurrency`` is ignored.
    """
    if request.input_tokens is None or request.output_tokens is None:
        raise BadInput("input_tokens", None, "input and output lengths in tokens")
    found = [
        peak for setup in _layouts(request, catalogue) if (peak := _peak(request, setup, catalogue, ttft_ms, tpot_ms))
    ]
    return max(found, key=lambda peak: peak.output_tokens_per_s, default=None)


def _peak(
    request: ServeRequest, setup: Setup, catalogue: Catalogue, ttft_ms: float | None, tpot_ms: float | None
) -> Peak | None:
    time = timer(request, setup, catalogue)
    if not setup.fits or time is None:
        return None
    outputs, band = time.outputs, time.cell
    most = min(time.capacity, MOST_IN_FLIGHT)
    rates = []
    for concurrency in _ladder(most):
        timed = time(concurrency)
        if _within(timed, ttft_ms, tpot_ms):
            rates.append(
                (timed.running * outputs / (timed.ttft - timed.wait + (outputs - 1) * timed.tpot), concurrency, timed)
            )
    if not rates:
        return None
    rate, concurrency, timed = max(rates, key=lambda r: r[0])
    total = rate * setup.replicas
    return Peak(
        gpus=setup.layout.gpus * setup.replicas,
        tensor_parallel=setup.layout.tensor,
        pipeline_parallel=setup.layout.pipeline,
        replicas=setup.replicas,
        concurrency=concurrency * setup.replicas,
        output_tokens_per_s=total,
        output_tokens_per_s_p10=total / band.tpot.high,
        output_tokens_per_s_p90=total / band.tpot.low,
        requests_per_s=total / outputs,
        basis=band.basis,
    )


def plan_batch(
    model: str | ModelArchitecture, gpu: str, job: BatchJob, catalogue: Catalogue, *, weight_dtype: str | None = None,
    kv_dtype: str = "auto", engine: str = "vllm", headroom: float = HEADROOM,
) -> BatchPlan | None:  # fmt: skip
    """The fewest GPUs that finish ``job`` by its deadline with ``headroom``; None where no node of the GPU holds it.

    Replicas = requests x headroom / (deadline x requests a second of one replica at its peak); the layout whose
    replicas need the fewest GPUs is taken.
    """
    seconds = job.deadline_h * SECONDS_PER_HOUR
    best: BatchPlan | None = None
    for tensor in (1, 2, 4, 8):
        request = ServeRequest(
            model=model, gpu=gpu, tensor_parallel=tensor, weight_dtype=weight_dtype, kv_dtype=kv_dtype, engine=engine,
            input_tokens=job.input_tokens, output_tokens=job.output_tokens,
            prefix_cached_share=job.prefix_cached_share,
        )  # fmt: skip
        peak = peak_rate(request, catalogue)
        if peak is None:
            continue
        replicas = max(1, math.ceil(job.requests * headroom / (seconds * peak.requests_per_s) - 1e-9))
        hours = job.requests / (replicas * peak.requests_per_s) / SECONDS_PER_HOUR
        slow = hours * peak.output_tokens_per_s / peak.output_tokens_per_s_p10
        plan = BatchPlan(gpus=replicas * peak.gpus, replicas=replicas, peak=peak, hours=hours, hours_p90=slow)
        if best is None or plan.gpus < best.gpus:
            best = plan
    return best
