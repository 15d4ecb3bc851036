"""The same job on other GPU counts, and in NVLink domains of a server instead of a rack."""

from __future__ import annotations

from dataclasses import replace

from assistant.sizing.training.job import SECONDS_PER_DAY, Job
from assistant.sizing.training.parts.request import Alternative, ScalePoint
from assistant.sizing.training.reasons import alternative
from assistant.sizing.training.search.layout import best
from assistant.sizing.training.search.wishes import Candidate, Wanted

SERVER_DOMAIN = 8
"""GPUs that NVLink joins within a server."""
FACTORS = (0.5, 1, 2, 4, 8)
"""GPU counts that the scaling shows, as multiples of the one asked for."""


def scaling(job: Job, found: Candidate) -> tuple[ScalePoint, ...]:
    """Speed of the job at the same global batch on half to eight times the GPUs; counts that do not fit are left out.

    ``efficiency`` is tokens/s and GPU against the count that was asked for.
    """
    base = found.tokens_per_s / found.plan.gpus
    points = []
    for factor in FACTORS:
        gpus = int(found.plan.gpus * factor)
        if gpus < 1:
            continue
        wanted = _free(job.wanted(gpus), gpus, found.plan.global_batch)
        ranked, _ = best(job.search(), wanted, found.plan.global_batch, keep=1)
        if ranked:
            points.append(_point(job, ranked[0], base))
    return tuple(points)


def _free(wanted: Wanted, gpus: int, batch: int) -> Wanted:
    """The layout open again at another count, the batch held."""
    return Wanted(gpus=gpus, sequence=wanted.sequence, global_batch=batch, sharding=wanted.sharding)


def _point(job: Job, found: Candidate, base: float) -> ScalePoint:
    rate = found.tokens_per_s
    return ScalePoint(
        gpus=found.plan.gpus,
        layout=alternative(found).layout,
        tokens_per_s_per_gpu=rate / found.plan.gpus,
        efficiency=rate / found.plan.gpus / base,
        days=job.request.tokens / (rate * SECONDS_PER_DAY) if job.request.tokens else None,
    )


def without_rack_domain(job: Job, found: Candidate) -> Alternative | None:
    """The best layout of the same GPUs in NVLink domains of eight; None where theirs are no larger, or it fits none."""
    if job.device.machine.domain <= SERVER_DOMAIN or found.plan.gpus <= SERVER_DOMAIN:
        return None
    search = replace(job.search(), machine=replace(job.device.machine, domain=SERVER_DOMAIN))
    ranked, _ = best(search, job.wanted(found.plan.gpus), job.default_batch(found.plan.gpus), keep=1)
    return alternative(ranked[0], found) if ranked else None
