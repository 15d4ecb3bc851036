"""A training request resolved: model, device, recipe and what is free to choose. Impossible layouts are refused."""

from __future__ import annotations

from copy import copy
from typing import Self

from assistant.sizing.training.arithmetic.memory import Recipe
from assistant.sizing.training.inputs import Device, Subject, classic_stack, device_of, recipe_of, subject_of
from assistant.sizing.training.parts.plan import Plan, Precision, Recompute, Schedule, Sharding
from assistant.sizing.training.parts.request import TrainRequest
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.search.layout import any_fits
from assistant.sizing.training.search.wishes import Search, Wanted, divisors
from knowledge.calibration.training import training_constants
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

DEFAULT_SEQUENCE = 8192
"""Tokens of a sequence where none is stated: those of Llama 3 before its long-context stage (arXiv 2407.21783,
section 3.4.1)."""
MIN_BATCH_TOKENS = 4e6
"""Tokens a step at least: what Llama 3 405B began with (arXiv 2407.21783, section 3.4.1)."""
MAX_BATCH_TOKENS = 16e6
"""Tokens a step at most for dense models: what Llama 3 405B ended with (the same section)."""
MAX_BATCH_TOKENS_MOE = 63e6
"""The same with experts: DeepSeek-V3, 15,360 sequences of 4,096 (arXiv 2412.19437, section 4.2)."""
BATCH_TOKENS_PER_GPU = 8192
"""Tokens a step and GPU between those limits: one sequence each."""
MAX_GPUS = 131_072
"""GPUs up to which a layout is searched."""
SECONDS_PER_DAY = 86_400.0
"""Of one day."""


class Job:
    """A request resolved: subject, device, constants, and what is free to choose."""

    modifies = False
    """Whether the job changes a model that exists, which decides the limits of law that apply."""

    def __init__(self, request: TrainRequest, catalogue: Catalogue) -> None:
        self.request = request = _usable_precision(request, catalogue)
        self.catalogue = catalogue
        self.constants = training_constants()
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
        if r.virtual_pipeline and r.virtual_pipeline > 1 and r.schedule not in (None, Schedule.INTERLEAVED):
            raise BadInput("schedule", r.schedule, "interleaved, where a stage has several chunks", ["interleaved"])
        if r.schedule is Schedule.DUALPIPE and r.pipeline_parallel and r.pipeline_parallel % 2:
            even = [str(r.pipeline_parallel + 1)]
            raise BadInput("pipeline_parallel", r.pipeline_parallel, "an even number of stages with DualPipe", even)
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
            schedule=r.schedule,
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


def fits_on(job: Job, gpus: int) -> bool:
    """Whether any layout of the job fits on so many GPUs."""
    return any_fits(job.search(), job.wanted(gpus), job.default_batch(gpus))
