"""Rollouts of reinforcement learning: how long a batch of responses takes, by the serving arithmetic.

All responses start together and end one by one. With a time per token of ``a + b c`` at ``c`` requests in flight, a
batch of ``n`` responses a replica, of ``mean`` tokens and at most ``longest``, takes ``a longest + b n mean``: the
integral of the time per token over the responses still running. The long tail costs ``a`` a token, however few remain.
Rollouts that run ahead of training start the next responses as places fall free: there ``longest`` is the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeRequest, ServeResult
from knowledge.architecture import ModelArchitecture
from knowledge.catalogue import Catalogue

MOST_TENSOR = 64
"""The widest replica that is tried for rollouts: eight servers of eight."""


@dataclass(frozen=True)
class Batch:
    """What one step generates: sequences, mean tokens of prompt and response, the longest response, shared prompts."""

    sequences: int
    prompt: float
    mean: float
    longest: float
    per_prompt: int


@dataclass(frozen=True)
class Rollout:
    """One step's generation: seconds, how it is laid out, and memory of one GPU in GiB."""

    seconds: float
    tensor: int
    replicas: int
    in_flight: float
    tpot_ms: float
    gib_per_gpu: float
    basis: str


def _asked(
    model: str | ModelArchitecture,
    gpu: str,
    tensor: int,
    batch: Batch,
    in_flight: float,
    dtype: str,
    catalogue: Catalogue,
) -> ServeResult:
    shared = (batch.per_prompt - 1) / batch.per_prompt
    request = ServeRequest(
        model=model,
        gpu=gpu,
        gpus=tensor,
        tensor_parallel=tensor,
        weight_dtype=dtype,
        input_tokens={"mean": batch.prompt},
        output_tokens={"mean": batch.mean, "p95": batch.longest, "max": batch.longest},
        concurrency=max(1.0, in_flight),
        prefix_cached_share=min(0.95, shared),
    )
    return estimate_serve(request, catalogue)


def smallest_tensor(
    model: str | ModelArchitecture, gpu: str, gpus: int, batch: Batch, dtype: str, catalogue: Catalogue
) -> int | None:
    """Fewest GPUs (1, 2, 4, ...) that hold the weights and one longest sequence; None where none do."""
    tensor = 1
    while tensor <= min(gpus, MOST_TENSOR):
        if _asked(model, gpu, tensor, batch, 1.0, dtype, catalogue).fits:
            return tensor
        tensor *= 2
    return None


def rollout(
    model: str | ModelArchitecture,
    gpu: str,
    gpus: int,
    tensor: int,
    batch: Batch,
    dtype: str,
    catalogue: Catalogue,
    refilled: bool = False,
) -> Rollout | None:
    """Seconds to generate ``batch`` on ``gpus`` in replicas of ``tensor`` each; None where a replica does not fit.

    ``refilled``: ended responses make place for the next batch's.
    """
    replicas = max(1, gpus // tensor)
    share = batch.sequences / replicas
    alone = _asked(model, gpu, tensor, batch, 1.0, dtype, catalogue)
    full = _asked(model, gpu, tensor, batch, share, dtype, catalogue)
    if not full.fits or alone.tpot_ms is None or full.tpot_ms is None:
        return None
    running = max(1.0, share * (1.0 - (full.queued_share or 0.0)))
    per_request = max(0.0, full.tpot_ms - alone.tpot_ms) / max(1.0, running - 1.0)
    tail = batch.mean if refilled else batch.longest
    seconds = ((alone.tpot_ms - per_request) * tail + per_request * share * batch.mean) / 1000.0
    held = (
        full.weights_gib_per_gpu + full.activation_gib_per_gpu + full.overhead_gib_per_gpu + full.kv_cache_gib_per_gpu
    )
    return Rollout(
        seconds=seconds + (alone.ttft_ms or 0.0) / 1000.0,
        tensor=tensor,
        replicas=replicas,
        in_flight=share,
        tpot_ms=full.tpot_ms,
        gib_per_gpu=held,
        basis=full.basis or "extrapolated",
    )
