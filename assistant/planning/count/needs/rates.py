"""Needs by a published rate: speech, embeddings and reranking; and the smallest unit where nothing is published."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from assistant.output import plain
from assistant.planning.count.needs.need import Level, Need, level
from assistant.planning.demands.serving import Batch, ServingDemand
from assistant.sizing.load import Band
from assistant.sizing.serving.loads.encoders import EncoderRate, EncoderRequest, estimate_encoder
from assistant.sizing.serving.loads.media import MediaRate, MediaRequest, estimate_media
from assistant.sizing.serving.parts.mig import Slice, sliced_gpu
from knowledge.catalogue import Catalogue
from knowledge.message import Message, say
from knowledge.schema import Accelerator

MEMORY_SHARE = 0.8
"""Share of a card's memory that the weights of encoders and speech models may take beside what they work on."""

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True)
class Asked:
    """One demand of one accelerator, at one end of the load's range times a factor."""

    demand: ServingDemand
    at: Level
    factor: float
    card: Accelerator
    per_unit: int
    catalogue: Catalogue

    def amount(self, band: Band | None) -> float | None:
        """A band at this end, times the factor."""
        return None if band is None else level(band, self.at) * self.factor

    def batch_rate(self, batch: Batch) -> float:
        """Requests a second with which a batch is done in time."""
        return level(batch.requests, self.at) * self.factor / (batch.hours * SECONDS_PER_HOUR)


def unit(part: Slice | None) -> Message:
    """What one replica runs on."""
    return say("planning.one_instance", profile=part.profile) if part else say("planning.one_gpu")


def encoder_need(asked: Asked, part: Slice | None) -> Need | None:
    """Embedding and reranking by the rate of an encoder; None where the rate is not known or the card too small."""
    demand = asked.demand
    rate, origin = _texts_per_s(asked)
    if not rate or demand.model.architecture is None:
        return None
    dtype = demand.weight_dtype or "fp16"
    request = EncoderRequest(
        model=demand.model.architecture,
        gpu=asked.card.id,
        tokens_per_text=demand.input_tokens.mean,
        weight_dtype=dtype,
        mig_profile=part.profile if part else None,
    )
    found = estimate_encoder(request, asked.catalogue)
    if not _holds(asked, found.weights_gib, part):
        return None
    cause = say(
        "planning.encoder",
        model=demand.model.name,
        unit=unit(part),
        rate=found.texts_per_s,
        low=found.texts_per_s_p10,
        high=found.texts_per_s_p90,
        tokens=round(demand.input_tokens.mean),
        asked=say("planning.rate_from", rate=float(rate), origin=origin),
    )
    return _by_rate(asked, rate, found.texts_per_s, cause, found, dtype, part)


def _texts_per_s(asked: Asked) -> tuple[float | None, tuple[Message, ...]]:
    """Texts a second, and where they come from."""
    demand = asked.demand
    if demand.batch is not None:
        return asked.batch_rate(demand.batch), (say("planning.done_within", hours=demand.batch.hours),)
    rate, origin = asked.amount(demand.requests_per_s) or 0.0, list[Message]()
    if not rate and demand.in_flight is not None:
        seconds = _request_s(demand)
        rate = (asked.amount(demand.in_flight) or 0.0) / seconds
        origin.append(say("planning.flight_over_seconds", seconds=seconds))
    if demand.calls_per_request > 1:
        rate *= demand.calls_per_request
        origin.append(say("planning.passages", calls=demand.calls_per_request))
    return rate or None, tuple(origin)


def _request_s(demand: ServingDemand) -> float:
    """Seconds that a request of the system around it takes within its targets; one where it has none."""
    if demand.ttft_ms is None or demand.tpot_ms is None:
        return 1.0
    return max(1.0, (demand.ttft_ms + demand.output_tokens.mean * demand.tpot_ms) / 1000)


def audio_need(asked: Asked, part: Slice | None) -> Need:
    """Speech by the published rates of its task."""
    demand = asked.demand
    assert demand.audio is not None
    found = estimate_media(
        MediaRequest(
            task=demand.audio, params_b=demand.model.params_b, gpu=asked.card.id, family=demand.model.family,
            mig_profile=part.profile if part else None,
        ),
        asked.catalogue,
    )  # fmt: skip
    if not _holds(asked, found.weights_gib, part):
        return smallest_unit(asked)
    wanted = max(asked.amount(demand.in_flight) or 1.0, 1e-9)
    cause = say(
        "planning.audio",
        model=demand.model.name,
        unit=unit(part),
        rate=found.audio_s_per_s,
        task=demand.audio,
        low=found.audio_s_per_s_p10,
        high=found.audio_s_per_s_p90,
        points=len(found.points),
        wanted=float(wanted),
    )
    return _by_rate(asked, wanted, found.audio_s_per_s, cause, found, "fp16", part)


def _by_rate(
    asked: Asked,
    wanted: float,
    each: float,
    cause: Message,
    found: EncoderRate | MediaRate,
    dtype: str,
    part: Slice | None,
) -> Need:
    replicas = max(1, ceil(wanted / each))
    return Need(
        kind=asked.demand.kind,
        model=asked.demand.model.name,
        gpus_per_replica=1,
        replicas=replicas,
        binding="throughput" if replicas > 1 else "minimum unit",
        causes=(cause,),
        basis=found.basis,
        weight_dtype=dtype,
        figures=plain(found),
        carries=max(1, int(each)),
        mig_profile=part.profile if part else None,
    )


def _holds(asked: Asked, weights_gib: float, part: Slice | None) -> bool:
    gpu = sliced_gpu(asked.catalogue, asked.card.id, part.profile if part else None)
    return weights_gib * 2**30 <= MEMORY_SHARE * gpu.memory


def smallest_unit(asked: Asked) -> Need:
    """Memory and the smallest unit, where the arithmetic has no speed to offer; said so."""
    demand = asked.demand
    memory_gb = (asked.card.engine_visible_bytes.value or asked.card.memory_bytes.value or 0) / 1e9
    weights_gb = demand.model.params_b * 2
    gpus = max(1, ceil(weights_gb / (MEMORY_SHARE * memory_gb))) if memory_gb else 1
    cause = say("planning.by_memory", model=demand.model.name, weights=float(weights_gb), kind=demand.kind)
    return Need(
        kind=demand.kind,
        model=demand.model.name,
        gpus_per_replica=gpus,
        replicas=1,
        binding="minimum unit",
        causes=(cause,),
        basis="extrapolated",
        weight_dtype=demand.weight_dtype or "bf16",
    )
