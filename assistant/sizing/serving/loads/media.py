"""Speech: how much audio one GPU reads or speaks, from published rates of other models and cards.

Decoders of speech read their weights for every few tokens, so rates follow memory bandwidth over parameters: published
rates x parameters / bandwidth agree within a factor of two where the manner of working is the same, while it moves by
ten between a file at a time and batches (formula ``serving.published_rate``).
"""

from __future__ import annotations

import statistics
from functools import lru_cache
from typing import Literal

from pydantic import Field

from assistant.sizing.serving.parts.mig import sliced_gpu
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.schema import Throughput

Task = Literal["asr_batch", "asr_file", "asr_live", "tts_live"]
FEW = 4
"""Published points below which their spread says little; our judgement."""
WIDER = 2.0
"""Where fewer than ``FEW`` published points speak, the band reaches this much beyond them; our judgement."""

SPOKEN: dict[str, str] = {
    "asr_batch": "hours of recorded speech an hour, many pieces at once",
    "asr_file": "hours of recorded speech an hour, a file at a time",
    "asr_live": "live streams of speech to text",
    "tts_live": "streams of text to speech in real time",
}


class MediaRequest(Frozen):
    """How much audio ``params_b`` x 1e9 parameters on one ``gpu`` (or MIG instance) work through."""

    task: Task
    params_b: float = Field(gt=0, le=1000)
    gpu: str
    family: str | None = None
    mig_profile: str | None = None


class MediaRate(Frozen):
    """Seconds of audio a second (streams, where they are live) of one GPU, with the band and the points behind it."""

    audio_s_per_s: float
    audio_s_per_s_p10: float
    audio_s_per_s_p90: float
    weights_gib: float
    points: tuple[str, ...]
    sources: tuple[str, ...]
    basis: str


def estimate_media(request: MediaRequest, catalogue: Catalogue) -> MediaRate:
    """The rate of one GPU from the published points of the same task, of the same family where there are any.

    Raises BadInput for a GPU whose memory bandwidth is not known, and for unknown names.
    """
    gpu = sliced_gpu(catalogue, request.gpu, request.mig_profile)
    if not gpu.bandwidth:
        raise BadInput("gpu", request.gpu, "an accelerator whose memory bandwidth is known")
    points = _points(catalogue, request.task)
    kin = [p for p in points if p.family == (request.family or "").lower()] or list(points)
    constants = sorted(_constant(point, catalogue) for point in kin)
    wider = WIDER if len(kin) < FEW else 1.0
    scale = gpu.bandwidth / 1e12 / request.params_b
    measured = any(p.gpu == gpu.id and abs(p.params_b / request.params_b - 1) < 0.05 for p in kin)
    return MediaRate(
        audio_s_per_s=scale * statistics.median(constants),
        audio_s_per_s_p10=scale * constants[0] / wider,
        audio_s_per_s_p90=scale * constants[-1] * wider,
        weights_gib=request.params_b * 2e9 / 2**30,
        points=tuple(p.id for p in kin),
        sources=tuple(dict.fromkeys(source for p in kin for source in p.rate.sources)),
        basis="calibrated" if measured and gpu.slice is None else "extrapolated",
    )


@lru_cache(maxsize=64)
def _points(catalogue: Catalogue, task: str) -> tuple[Throughput, ...]:
    return tuple(point for point in catalogue.entries("throughputs").values() if point.task == task)


def _constant(point: Throughput, catalogue: Catalogue) -> float:
    """Rate x parameters (1e9) / bandwidth (TB/s) of a published point."""
    bandwidth = catalogue.accelerator(point.gpu).bandwidth_gb_per_s.value
    if bandwidth is None or point.rate.value is None:
        raise BadInput("throughputs", point.id, "a rate, and an accelerator whose memory bandwidth is known")
    return point.rate.value * point.params_b / (bandwidth / 1000)
