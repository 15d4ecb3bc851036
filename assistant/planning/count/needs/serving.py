"""What a serving demand needs of one accelerator: replicas and their size, instances of MIG, or GPUs of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from assistant.output import plain
from assistant.planning.count.needs.need import Level, Need, level
from assistant.planning.count.needs.rates import SECONDS_PER_HOUR, Asked, audio_need, encoder_need, smallest_unit
from assistant.planning.demands.serving import ServingDemand
from assistant.sizing.serving.loads.batch import BatchJob, plan_batch
from assistant.sizing.serving.loads.replica_models import ReplicaPlan, ServeDemand
from assistant.sizing.serving.loads.replicas import plan_replicas
from assistant.sizing.serving.parts.mig import Slice, slices_of
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, Text, say
from knowledge.schema import Accelerator

BY_RATE = frozenset({"embeddings", "reranking"})
WITHOUT_SPEED_MODEL = frozenset({"image_generation", "video"})
"""Workloads whose speed the arithmetic does not predict: they are sized by memory and by the smallest unit."""


def serving_need(
    demand: ServingDemand,
    at: Level,
    factor: float,
    card: Accelerator,
    per_unit: int,
    catalogue: Catalogue,
    trace: Trace | None = None,
) -> Need:
    """Replicas that carry the load at ``at`` times ``factor`` within the targets.

    On MIG instances where they are asked for and one holds the model; else on whole GPUs, and the causes say so.
    """
    if trace is None:
        return _remembered(demand, at, factor, card.id, per_unit, catalogue)
    return _worked_out(_Served(demand, at, factor, card, per_unit, catalogue), trace)


@lru_cache(maxsize=4096)
def _remembered(
    demand: ServingDemand, at: Level, factor: float, card: str, per_unit: int, catalogue: Catalogue
) -> Need:
    """What-ifs ask for the same need again and again: an answer seldom changes what a model must serve."""
    return _worked_out(_Served(demand, at, factor, catalogue.accelerator(card), per_unit, catalogue), None)


def _worked_out(asked: _Served, trace: Trace | None) -> Need:
    need = _best(asked, trace)
    return need.model_copy(update={"group": asked.demand.group}) if asked.demand.group else need


def _best(asked: _Served, trace: Trace | None) -> Need:
    demand = asked.demand
    found = list(asked.on_slices()) if demand.slices else []
    if found:
        return min(found, key=lambda need: (need.gpus, need.instances))
    need = asked.need(None, trace)
    return need.model_copy(update={"caution": asked.no_slice()}) if demand.slices else need


class _Served(Asked):
    """The demand served by an engine, as a batch, or by a rate."""

    def need(self, part: Slice | None, trace: Trace | None = None) -> Need:
        """The need on whole GPUs, or with each replica on one instance of ``part``."""
        demand = self.demand
        if demand.audio is not None:
            return audio_need(self, part)
        if demand.kind in BY_RATE and demand.model.architecture is not None:
            found = encoder_need(self, part)
            if found is not None:
                return found
        if demand.model.architecture is None or demand.kind in (*WITHOUT_SPEED_MODEL, *BY_RATE):
            return smallest_unit(self)
        if demand.batch is not None:
            return self._batch(part)
        return self._served(part, trace)

    def on_slices(self) -> Iterator[Need]:
        """The need on every profile of which an instance carries something."""
        for part in slices_of(self.card):
            try:
                need = self.need(part)
            except BadInput:
                continue
            if need.fits and need.gpus_per_replica == 1 and need.mig_profile == part.profile:
                yield _grouped(need, part, self.demand)

    def no_slice(self) -> Message:
        """Why MIG was asked for and is not used."""
        parts = slices_of(self.card)
        if not parts:
            return say("planning.cannot_be_divided", card=self.card.name)
        largest = max(parts, key=lambda part: (part.memory, part.compute_share))
        return say(
            "planning.fits_no_profile",
            model=self.demand.model.name,
            card=self.card.name,
            profile=largest.profile,
            memory=largest.memory / 2**30,
        )

    def _served(self, part: Slice | None, trace: Trace | None) -> Need:
        demand = self.demand
        in_flight = demand.in_flight and max(1.0, ceil(self.amount(demand.in_flight) or 0))
        rate = self.amount(demand.requests_per_s)
        if demand.batch is not None:
            in_flight, rate = None, self.batch_rate(demand.batch)
        rate = rate and rate / demand.engine_share
        plan, dropped = self._plan(self._within(in_flight or None, rate or None), part, trace)
        serve = plan.serve
        load = (
            say("planning.in_flight", requests=float(in_flight))
            if in_flight
            else say("planning.a_second", rate=float(rate or 0))
        )
        cause = say(
            "planning.served",
            model=demand.model.name,
            dtype=serve.weight_dtype,
            replicas=_replicas(plan.replicas, plan.gpus_per_replica, part),
            load=load,
            binding=plan.binding,
        )
        causes = (
            cause,
            *plan.reasons,
            *self._terms(serve.weights_gib_per_gpu),
            *dropped,
        )
        return Need(
            kind=demand.kind,
            model=demand.model.name,
            gpus_per_replica=plan.gpus_per_replica,
            replicas=plan.replicas,
            binding=plan.binding,
            fits=plan.fits,
            why_not=plan.why_not,
            nearest_fix=plain(plan.nearest_fix) if plan.nearest_fix else None,
            causes=causes,
            basis=serve.basis,
            weight_dtype=serve.weight_dtype,
            figures=plain(serve),
            carries=plan.requests_per_replica,
            mig_profile=part.profile if part else None,
        )

    def _within(self, in_flight: float | None, rate: float | None) -> ServeDemand:
        demand = self.demand
        prompts = demand.prompts(self.at)
        return ServeDemand(
            input_tokens=prompts,
            output_tokens=demand.output_tokens,
            context=demand.context,
            requests_in_flight=in_flight,
            requests_per_s=rate,
            ttft_ms=demand.patience(prompts),
            tpot_ms=demand.tpot_ms,
            prefix_cached_share=demand.prefix_cached_share,
            draft_tokens=demand.draft_tokens,
            acceptance=demand.acceptance,
            lora_adapters=demand.lora_adapters,
            lora_rank=demand.lora_rank,
        )

    def _plan(
        self, asked: ServeDemand, part: Slice | None, trace: Trace | None
    ) -> tuple[ReplicaPlan, tuple[Text, ...]]:
        """The plan; a latency target that nobody stated and no layout can meet is given up, and that is said."""
        demand = self.demand
        assert demand.model.architecture is not None
        dropped: list[Text] = []
        while True:
            plan = plan_replicas(
                demand.model.architecture,
                self.card,
                asked,
                self.catalogue,
                weight_dtype=demand.weight_dtype,
                kv_dtype=demand.kv_dtype,
                gpus_per_node=self.per_unit,
                mig_profile=part.profile if part else None,
                trace=trace,
            )
            field = {"TTFT": "ttft_ms", "TPOT": "tpot_ms"}.get(plan.binding)
            if plan.fits or field is None or field in demand.stated_targets or getattr(asked, field) is None:
                return plan, tuple(dropped)
            dropped.append(say("planning.target_given_up", why=plan.why_not))
            asked = asked.model_copy(update={field: None})

    def _terms(self, weights_gib: float) -> Iterator[Message]:
        """What beside the load the figures rest on."""
        demand = self.demand
        if demand.prefix_cached_share:
            yield say("planning.prefix_cached", share=demand.prefix_cached_share)
        if demand.draft_tokens:
            yield say("planning.speculative", tokens=demand.draft_tokens, share=demand.acceptance)
        if demand.lora_adapters:
            yield say("planning.adapters", adapters=demand.lora_adapters, rank=demand.lora_rank, weights=weights_gib)

    def _batch(self, part: Slice | None) -> Need:
        """The fewest GPUs that are done in time; whole replicas, nobody waiting."""
        demand, batch = self.demand, self.demand.batch
        assert batch is not None
        assert demand.model.architecture is not None
        if part is not None:
            raise BadInput("isolation", "mig", "whole GPUs for batch work: nobody shares them while it runs")
        requests = level(batch.requests, self.at)
        lengths = self._within(1.0, None)
        job = BatchJob(
            requests=requests / demand.engine_share, deadline_h=batch.hours, input_tokens=lengths.input_tokens,
            output_tokens=demand.output_tokens, prefix_cached_share=demand.prefix_cached_share,
        )  # fmt: skip
        plan = plan_batch(
            demand.model.architecture, self.card.id, job, self.catalogue, weight_dtype=demand.weight_dtype,
            kv_dtype=demand.kv_dtype, headroom=max(1.0, self.factor),
        )  # fmt: skip
        if plan is None:
            return self._served(None, None)
        cause = say(
            "planning.batch" if demand.engine_share >= 1 else "planning.batch_held_up",
            model=demand.model.name,
            documents=round(requests),
            hours=batch.hours,
            gpus=plan.gpus,
            done=plan.hours,
            latest=plan.hours_p90,
            each=plan.peak.requests_per_s * demand.engine_share * SECONDS_PER_HOUR / plan.peak.gpus,
            **({"share": demand.engine_share} if demand.engine_share < 1 else {}),
        )
        return Need(
            kind=demand.kind,
            model=demand.model.name,
            gpus_per_replica=plan.peak.gpus,
            replicas=plan.replicas,
            binding="deadline" if plan.replicas > 1 else "minimum unit",
            causes=(cause,),
            basis=plan.peak.basis,
            weight_dtype=demand.weight_dtype or demand.model.architecture.dtype,
            figures=plain(plan),
            carries=int(plan.peak.concurrency),
        )


def _grouped(need: Need, part: Slice, demand: ServingDemand) -> Need:
    """Instances gathered on GPUs; every tenant has at least one of its own."""
    instances = max(need.replicas, demand.tenants)
    gpus = ceil(instances / part.per_gpu)
    parted = say(
        "planning.divided",
        instances=instances,
        profile=part.profile,
        memory=part.memory / 2**30,
        share=float(part.compute_share),
        gpus=gpus,
        each=part.per_gpu,
    )
    own = demand.tenants > need.replicas
    words = say("planning.one_for_each", divided=parted, tenants=demand.tenants) if own else parted
    return need.model_copy(
        update={
            "replicas": gpus,
            "instances": instances,
            "instances_per_gpu": part.per_gpu,
            "carries": need.carries * part.per_gpu,
            "causes": (*need.causes, words),
        }
    )


def _replicas(count: int, gpus: int, part: Slice | None) -> Message:
    """``3 replicas of 2 GPUs``."""
    if part is not None:
        return say("planning.replicas_on_instances", replicas=count, profile=part.profile)
    return say("planning.replicas", replicas=count, gpus=gpus)
