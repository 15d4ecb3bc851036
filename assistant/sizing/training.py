"""``estimate_train``: memory, layout, speed and time of a training job."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from assistant.sizing.layout import Candidate, Search, Wanted, any_fits, best, divisors
from assistant.sizing.reliability import ReliabilityRequest, estimate_reliability
from assistant.sizing.trace import Trace
from assistant.sizing.train_inputs import Device, Subject, classic_stack, device_of, recipe_of, subject_of
from assistant.sizing.train_memory import GIB, Recipe, StageMemory
from assistant.sizing.train_plan import Plan, Precision, Recompute, Sharding
from assistant.sizing.train_request import (
    Alternative,
    Layout,
    StageGib,
    StepSeconds,
    TrainRequest,
    TrainResult,
)
from assistant.sizing.train_shape import Shape
from knowledge.calibration import calibration
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

SECONDS_PER_DAY = 86_400.0
DEFAULT_SEQUENCE = 8192
MIN_BATCH_TOKENS = 4e6
MAX_BATCH_TOKENS = 16e6
MAX_BATCH_TOKENS_MOE = 63e6
BATCH_TOKENS_PER_GPU = 8192
MAX_GPUS = 131_072
CHECKPOINT_GB_PER_S_AND_GPU = 0.15
"""Measured on BLOOM's GPFS: 57.5 GB/s for 384 writers. Capped at the 2 TB/s that Llama 3's storage sustains."""
CHECKPOINT_GB_PER_S_MAX = 2000.0


class Job:
    """A request resolved: subject, device, constants, and what is free to choose."""

    def __init__(self, request: TrainRequest, catalogue: Catalogue) -> None:
        self.request = request = _usable_precision(request, catalogue)
        self.constants = dict(calibration("training"))
        self.subject: Subject = subject_of(request, catalogue)
        self.device: Device = device_of(request, catalogue, self.constants)
        self.classic = classic_stack(request, self.device.accelerator)
        self.optimizer = request.optimizer or "adamw"
        limit = self.subject.max_context or DEFAULT_SEQUENCE
        self.sequence = request.sequence or min(limit, DEFAULT_SEQUENCE)
        self.micro_batch_default: int | None = None
        self._check()

    @property
    def shape(self) -> Shape:
        """The model's dimensions."""
        return self.subject.shape

    def default_batch(self, gpus: int) -> int:
        """Sequences a step where none are stated: 8,192 tokens a GPU, between 4 million and what models were trained
        with (16 million tokens for Llama 3 405B, 63 million for DeepSeek-V3).
        """
        most = MAX_BATCH_TOKENS_MOE if self.shape.moe_layers else MAX_BATCH_TOKENS
        tokens = min(most, max(MIN_BATCH_TOKENS, BATCH_TOKENS_PER_GPU * gpus))
        return max(1, round(tokens / self.sequence))

    def _check(self) -> None:
        r, shape = self.request, self.shape
        if r.tensor_parallel and shape.heads % r.tensor_parallel and not shape.derived:
            near = [str(d) for d in divisors(shape.heads) if d <= r.tensor_parallel][-2:]
            raise BadInput("tensor_parallel", r.tensor_parallel, f"a divisor of the {shape.heads} heads", near[::-1])
        if r.pipeline_parallel and r.pipeline_parallel > shape.layers:
            raise BadInput("pipeline_parallel", r.pipeline_parallel, f"at most the {shape.layers} layers")
        if r.virtual_pipeline and (r.pipeline_parallel or 1) * r.virtual_pipeline > shape.layers + 2:
            most = max(1, shape.layers // (r.pipeline_parallel or 1))
            raise BadInput("virtual_pipeline", r.virtual_pipeline, "at least one layer a chunk", [str(most)])
        if r.expert_parallel and r.expert_parallel > 1 and not shape.experts:
            raise BadInput("expert_parallel", r.expert_parallel, "1: the model has no experts", ["1"])
        if r.expert_parallel and shape.experts and shape.experts % r.expert_parallel:
            near = [str(d) for d in divisors(shape.experts) if d <= r.expert_parallel][-2:]
            raise BadInput("expert_parallel", r.expert_parallel, f"a divisor of {shape.experts} experts", near[::-1])
        _check_product(r)

    def changed(self, request: TrainRequest) -> Self:
        """The same job under another request for the same model and GPU."""
        other = copy(self)
        other.request = request
        other.optimizer = request.optimizer or "adamw"
        return other

    def recipe(self, sharding: Sharding) -> Recipe:
        """Bytes a parameter under a sharding."""
        return recipe_of(self.optimizer, sharding, self.request.precision, self.classic, self.constants)

    def wanted(self, gpus: int) -> Wanted:
        """What the request fixes of the layout at a GPU count."""
        r = self.request
        return Wanted(
            gpus=gpus,
            sequence=self.sequence,
            tensor=r.tensor_parallel,
            pipeline=r.pipeline_parallel,
            virtual=r.virtual_pipeline,
            context=r.context_parallel,
            expert=r.expert_parallel,
            micro_batch=r.micro_batch or self.micro_batch_default,
            global_batch=r.global_batch,
            sequence_parallel=False if self.classic else r.sequence_parallel,
            sharding=r.sharding,
            recompute=r.recompute,
            chunked_loss=r.loss_chunking,
        )

    def search(self) -> Search:
        """The search over layouts of this job."""
        base = Plan(
            tensor=1,
            pipeline=1,
            context=1,
            expert=1,
            data=1,
            virtual=1,
            micro_batch=1,
            global_batch=1,
            sequence=self.sequence,
            sequence_parallel=False,
            sharding=Sharding.NONE,
            recompute=Recompute.NONE,
            precision=self.request.precision,
            dropout=self.classic,
            flash=not self.classic if self.request.flash_attention is None else self.request.flash_attention,
        )
        recipes = {sharding: self.recipe(sharding) for sharding in Sharding}
        return Search(self.shape, self.device.machine, recipes, self.device.available, base, self.constants)


def _usable_precision(request: TrainRequest, catalogue: Catalogue) -> TrainRequest:
    """The request in FP16 where no precision is stated and the GPU has no BF16."""
    if "precision" in request.model_fields_set:
        return request
    gpu = catalogue.accelerator(request.gpu)
    older = gpu.bf16_tflops.value is None and gpu.fp16_tflops.value is not None
    return request.model_copy(update={"precision": Precision.FP16}) if older else request


def _check_product(r: TrainRequest) -> None:
    ways = (r.tensor_parallel or 1) * (r.pipeline_parallel or 1) * (r.context_parallel or 1) * (r.data_parallel or 1)
    if r.gpus and r.gpus % ways:
        raise BadInput(
            "gpus", r.gpus, f"a multiple of tensor x pipeline x context x data parallel ({ways})", [str(ways)]
        )
    named = (r.tensor_parallel, r.pipeline_parallel, r.context_parallel, r.data_parallel)
    if r.gpus and all(named) and ways != r.gpus:
        raise BadInput("gpus", r.gpus, f"tensor x pipeline x context x data parallel = {ways}", [str(ways)])
    unit = (r.data_parallel or 1) * (r.micro_batch or 1)
    if r.global_batch and r.gpus and r.tensor_parallel and r.pipeline_parallel and r.context_parallel:
        unit = r.gpus // (r.tensor_parallel * r.pipeline_parallel * r.context_parallel) * (r.micro_batch or 1)
    if r.global_batch and r.global_batch % unit:
        near = [str(max(1, round(r.global_batch / unit)) * unit)]
        raise BadInput("global_batch", r.global_batch, f"a multiple of data parallel x micro batch ({unit})", near)


def estimate_train(request: TrainRequest, catalogue: Catalogue, trace: Trace | None = None) -> TrainResult:
    """Memory of the fullest GPU, the layout, step time, days and checkpoint size of a training job.

    Raises BadInput for a model or GPU that is not known, a precision that the GPU lacks, and a layout that is not
    possible (heads, layers or experts that do not divide; a batch that does not come out even).
    """
    return estimate_job(Job(request, catalogue), trace)


def estimate_job(job: Job, trace: Trace | None) -> TrainResult:
    """The estimate of a resolved job."""
    gpus, why_count = _gpu_count(job)
    ranked, closest = best(job.search(), job.wanted(gpus), job.default_batch(gpus))
    if not ranked and closest is None:
        if job.request.global_batch:
            near = [str(-(-job.request.global_batch // gpus) * gpus)]
            raise BadInput("global_batch", job.request.global_batch, f"a batch that {gpus} GPUs can share", near)
        raise BadInput("gpus", gpus, "a count that the stated layout divides", _near_counts(job, gpus))
    chosen = ranked[0] if ranked else closest
    assert chosen is not None
    result = _result(job, chosen, ranked, gpus, why_count)
    if trace is not None:
        _explain(job, chosen, result, trace)
    return result


def _near_counts(job: Job, gpus: int) -> list[str]:
    r = job.request
    ways = (r.tensor_parallel or 1) * (r.pipeline_parallel or 1) * (r.context_parallel or 1)
    return [str(max(1, round(gpus / ways)) * ways)]


def _gpu_count(job: Job) -> tuple[int, str | None]:
    """The stated count, or the fewest that hold the job: doubling, then halving in between."""
    r = job.request
    if r.gpus:
        return r.gpus, None
    unit = (r.tensor_parallel or 1) * (r.pipeline_parallel or 1) * (r.context_parallel or 1) * (r.data_parallel or 1)
    if r.data_parallel:
        return unit, "follows from the layout"
    count = unit
    while count < MAX_GPUS and not fits_on(job, count):
        count *= 2
    return count, "the fewest (doubling) that hold the job"


def fits_on(job: Job, gpus: int) -> bool:
    """Whether any layout of the job fits on so many GPUs."""
    return any_fits(job.search(), job.wanted(gpus), job.default_batch(gpus))


def _result(job: Job, found: Candidate, ranked: list[Candidate], gpus: int, why_count: str | None) -> TrainResult:
    plan, memory, shape = found.plan, found.memory, job.shape
    fits = bool(ranked)
    rate = found.tokens_per_s / plan.gpus
    flop = shape.flop_per_token(plan.sequence, frozen=plan.frozen)
    tflops, low, high = rate * flop / 1e12, *_band(job)
    days = job.request.tokens / (found.tokens_per_s * SECONDS_PER_DAY) if job.request.tokens else None
    fullest = memory.fullest
    why_not, fix = (None, None) if fits else (_why_not(job, found), _nearest_fix(job, gpus))
    checkpoint_gb = job.recipe(plan.sharding).checkpoint * shape.parameters / 1e9
    return TrainResult(
        fits=fits,
        why_not=why_not,
        nearest_fix=fix,
        gpus=gpus,
        state_gib_per_gpu=fullest.state / GIB,
        activation_gib_per_gpu=fullest.activations / GIB,
        logits_gib_per_gpu=fullest.logits / GIB,
        buffer_gib_per_gpu=fullest.buffers / GIB,
        memory_gib_per_gpu=memory.peak / GIB,
        device_gib_per_gpu=memory.device / GIB,
        available_gib_per_gpu=job.device.available / GIB,
        stages=tuple(_stage(s) for s in {memory.first.stage: memory.first, memory.last.stage: memory.last}.values()),
        layout=_layout(job, plan, len(ranked)),
        alternatives=tuple(_alternative(other) for other in ranked[1:]),
        tflops_per_gpu=tflops,
        tflops_per_gpu_p10=tflops * low,
        tflops_per_gpu_p90=tflops * high,
        mfu=tflops * 1e12 / job.device.machine.matrix_flops,
        hfu=rate * _hardware_flop(job, plan) / job.device.machine.matrix_flops,
        mfu_full_attention=rate
        * shape.flop_per_token(plan.sequence, False, plan.frozen)
        / job.device.machine.matrix_flops,
        tokens_per_s_per_gpu=rate,
        tokens_per_s_per_gpu_p10=rate * low,
        tokens_per_s_per_gpu_p90=rate * high,
        step_time_s=found.time.total,
        step=_step(found),
        days=days,
        days_with_failures=_days_with_failures(days, gpus, checkpoint_gb),
        checkpoint_gb=checkpoint_gb,
        training_flop=6.0 * shape.active_parameters * job.request.tokens if job.request.tokens else None,
        parameters=float(shape.parameters),
        active_parameters=float(shape.active_parameters),
        basis="calibrated" if job.device.calibrated and not shape.derived else "extrapolated",
        assumptions=_assumptions(job, why_count),
    )


def _band(job: Job) -> tuple[float, float]:
    """Factors from the likely speed to its tenth and ninetieth percentile."""
    errors: Mapping[str, Any] = job.constants["errors"]
    known = job.device.calibrated and not job.shape.derived
    kind = errors["extrapolated"] if not known else errors["moe" if job.shape.moe_layers else "dense"]
    return float(kind["p10"]), float(kind["p90"])


def _hardware_flop(job: Job, plan: Plan) -> float:
    """FLOP a token that the hardware runs: with the forward passes done again."""
    flop = job.shape.flop_per_token(plan.sequence, frozen=plan.frozen)
    if plan.recompute is Recompute.FULL:
        return flop + job.shape.flop_per_token(plan.sequence) / 3.0
    if plan.recompute is Recompute.SELECTIVE and not plan.flash:
        return flop + job.shape.attention_flop_per_token(plan.sequence)
    return flop


def _days_with_failures(days: float | None, gpus: int, checkpoint_gb: float) -> float | None:
    """Expected days with failures at Llama 3's rate, checkpoints at Daly's interval."""
    if days is None:
        return None
    rate = min(CHECKPOINT_GB_PER_S_MAX, CHECKPOINT_GB_PER_S_AND_GPU * gpus)
    request = ReliabilityRequest(gpus=gpus, checkpoint_write_s=checkpoint_gb / rate, days=days)
    return estimate_reliability(request).days_with_failures


def _stage(stage: StageMemory) -> StageGib:
    return StageGib(
        stage=stage.stage,
        state=stage.state / GIB,
        activations=stage.activations / GIB,
        logits=stage.logits / GIB,
        buffers=stage.buffers / GIB,
    )


def _step(found: Candidate) -> StepSeconds:
    t = found.time
    return StepSeconds(
        compute=t.compute,
        tensor_parallel=t.tensor,
        context_parallel=t.context,
        expert_parallel=t.expert,
        data_parallel=t.data,
        bubble=t.bubble,
        optimizer=t.optimizer,
    )


def _alternative(other: Candidate) -> Alternative:
    p = other.plan
    parts = [f"TP{p.tensor}", f"PP{p.pipeline}", f"CP{p.context}", f"EP{p.expert}", f"DP{p.data}"]
    text = " ".join(part for part in parts if not part.endswith("P1") or part == "DP1")
    return Alternative(
        layout=f"{text or 'one GPU'}, micro-batch {p.micro_batch}, {p.sharding.value}, recompute {p.recompute.value}",
        tokens_per_s_per_gpu=other.tokens_per_s / p.gpus,
        memory_gib_per_gpu=other.memory.peak / GIB,
    )


def _layout(job: Job, plan: Plan, found: int) -> Layout:
    return Layout(
        tensor_parallel=plan.tensor,
        pipeline_parallel=plan.pipeline,
        virtual_pipeline=plan.virtual,
        context_parallel=plan.context,
        expert_parallel=plan.expert,
        data_parallel=plan.data,
        sequence_parallel=plan.sequence_parallel,
        sharding=plan.sharding,
        micro_batch=plan.micro_batch,
        global_batch=plan.global_batch,
        micro_batches=plan.micro_batches,
        sequence=plan.sequence,
        recompute=plan.recompute,
        loss_chunking=plan.chunked_loss,
        precision=plan.precision,
        optimizer=job.recipe(plan.sharding).id,
        chosen=_reasons(job, plan, bool(found)),
    )


def _reasons(job: Job, plan: Plan, fits: bool) -> dict[str, str]:
    """For each field that was left out, why it has its value."""
    end = "fastest of the layouts that fit" if fits else "the layout that comes closest to fitting"
    domain = job.device.machine.domain
    texts = {
        "tensor_parallel": f"{end}; within the scale-up domain of {domain} GPUs",
        "pipeline_parallel": end,
        "virtual_pipeline": "fewest chunks that keep the pipeline bubble at 5 % or under"
        if plan.virtual > 1
        else "no interleaving: the bubble is small, or the layers do not divide",
        "context_parallel": "long sequences are split until a GPU holds 8,192 tokens or fewer, if that is faster",
        "expert_parallel": end if job.shape.experts else "the model has no experts",
        "data_parallel": "GPUs left over by the other splits",
        "sequence_parallel": _sequence_parallel_reason(job, plan),
        "sharding": _sharding_reason(plan),
        "micro_batch": end,
        "global_batch": f"{plan.global_batch * plan.sequence:,} tokens a step, in whole micro-batches",
        "sequence": "the model's maximum, or what is usual where that is longer",
        "recompute": "as little as fits" if fits else "as much as there is",
        "loss_chunking": "needed to fit" if plan.chunked_loss else "not needed to fit",
        "precision": f"{plan.precision.value.upper()}: the 16-bit format of this GPU",
        "optimizer": f"AdamW, {job.recipe(plan.sharding).state:g} bytes a parameter before sharding",
    }
    return {name: text for name, text in texts.items() if getattr(job.request, name) is None or _defaulted(job, name)}


def _defaulted(job: Job, name: str) -> bool:
    return name not in job.request.model_fields_set


def _sequence_parallel_reason(job: Job, plan: Plan) -> str:
    if job.classic:
        return "off: runs with full recomputation on this generation did without it; say so if yours has it"
    return "on with tensor parallelism: it costs nothing" if plan.tensor > 1 else "off without tensor parallelism"


def _sharding_reason(plan: Plan) -> str:
    return {
        Sharding.NONE: "one data-parallel rank: nothing to shard over",
        Sharding.ZERO1: "distributed optimizer: the state is spread, weights and gradients are not sent more often",
        Sharding.ZERO2: "gradients are spread too",
        Sharding.ZERO3: "everything is spread (FSDP)",
    }[plan.sharding]


def _assumptions(job: Job, why_count: str | None) -> tuple[str, ...]:
    notes = [*job.device.assumptions]
    if job.subject.note:
        notes.append(job.subject.note)
    if why_count:
        notes.append(f"GPU count: {why_count}")
    if job.subject.max_context and job.sequence > job.subject.max_context:
        notes.append(f"sequences are longer than the {job.subject.max_context:,} tokens the model was made for")
    if not job.device.calibrated:
        notes.append(
            f"no measured training of {job.device.accelerator.name} at this precision: {job.device.machine.cell}"
        )
    if job.classic:
        notes.append("gradients accumulated in FP32 beside the working ones, as stacks of that time did")
    if job.request.tokens:
        notes.append("failures at Llama 3's rate of 3.79 per 1,000 node-days, nodes of eight GPUs")
    return tuple(notes)


def _why_not(job: Job, found: Candidate) -> str:
    need, have = found.memory.device / GIB, job.device.available / GIB
    fullest = found.memory.fullest
    parts = {
        "state": fullest.state,
        "activations": fullest.activations,
        "logits and loss": fullest.logits,
        "buffers": fullest.buffers,
    }
    largest = max(parts, key=lambda name: parts[name])
    return (
        f"{need:.1f} GiB needed of {have:.1f} on the fullest GPU; most of it {largest} ({parts[largest] / GIB:.1f} GiB)"
    )


def _nearest_fix(job: Job, gpus: int) -> str | None:
    """The cheapest change that fits, of those tried: recomputation, micro-batch, chunked loss, layout, more GPUs."""
    r = job.request
    tries: list[tuple[str, dict[str, object]]] = []
    if r.recompute not in (None, Recompute.FULL):
        tries.append(("recompute full", {"recompute": Recompute.FULL}))
    if r.micro_batch and r.micro_batch > 1:
        tries.append(("micro_batch 1", {"micro_batch": 1}))
    if r.loss_chunking is False:
        tries.append(("loss_chunking", {"loss_chunking": True}))
    tries.append(("sharding zero3", {"sharding": Sharding.ZERO3, "pipeline_parallel": 1}))
    free = dict.fromkeys(
        (
            "tensor_parallel",
            "pipeline_parallel",
            "virtual_pipeline",
            "context_parallel",
            "expert_parallel",
            "data_parallel",
            "sharding",
            "recompute",
            "micro_batch",
            "sequence_parallel",
        )
    )
    tries.append(("another layout: leave the parallel sizes, sharding, recompute and micro_batch out", free))
    tries.append(("optimizer adamw_8bit", {**free, "optimizer": "adamw_8bit"}))
    for text, change in tries:
        if fits_on(job.changed(r.model_copy(update=change)), gpus):
            return text
    count = gpus
    while count < MAX_GPUS:
        count *= 2
        if fits_on(job.changed(r.model_copy(update={**free, "global_batch": None})), count):
            return f"{count} GPUs"
    return f"nothing tried fits: {', '.join(text for text, _ in tries)}, and up to {MAX_GPUS:,} GPUs"


def _explain(job: Job, found: Candidate, result: TrainResult, trace: Trace) -> None:
    plan, shape = found.plan, job.shape
    recipe = job.recipe(plan.sharding)
    device = job.device
    trace.note(
        "state_gib_per_gpu",
        result.state_gib_per_gpu,
        "train_state",
        parameters=shape.parameters,
        bytes_per_parameter=recipe.state,
        sharding=plan.sharding.value,
        tensor=plan.tensor,
        pipeline=plan.pipeline,
        data=plan.data,
    )
    trace.note(
        "activation_gib_per_gpu",
        result.activation_gib_per_gpu,
        "train_activations",
        tokens=plan.tokens,
        hidden=shape.hidden,
        layers=shape.layers,
        recompute=plan.recompute.value,
        tensor=plan.tensor,
    )
    trace.note(
        "logits_gib_per_gpu",
        result.logits_gib_per_gpu,
        "train_logits",
        tokens=plan.tokens,
        vocabulary=shape.vocabulary,
        bytes_per_value=job.constants["memory"]["logits_bytes_per_value"],
    )
    trace.note("memory_gib_per_gpu", result.memory_gib_per_gpu, "train_peak", available=result.available_gib_per_gpu)
    trace.note(
        "tflops_per_gpu",
        result.tflops_per_gpu,
        "train_model_flop",
        device.sources,
        flop_per_token=shape.flop_per_token(plan.sequence),
        tokens_per_s_per_gpu=result.tokens_per_s_per_gpu,
    )
    trace.note("mfu", result.mfu, "train_mfu", device.sources, peak_flops=device.machine.matrix_flops)
    trace.note("step_time_s", result.step_time_s, "train_step", cell=device.machine.cell, **result.step.model_dump())
    if result.days is not None:
        trace.note("days", result.days, "train_days", tokens=job.request.tokens, gpus=plan.gpus)
        trace.note("days_with_failures", result.days_with_failures, "train_days_with_failures", days=result.days)
        trace.note("training_flop", result.training_flop, "train_flop_total", active=shape.active_parameters)
    trace.note(
        "checkpoint_gb",
        result.checkpoint_gb,
        "train_checkpoint",
        bytes_per_parameter=recipe.checkpoint,
        parameters=shape.parameters,
    )
