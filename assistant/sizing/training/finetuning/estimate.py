"""``estimate_finetune``: memory, fewest GPUs and speed of full, LoRA and QLoRA fine-tuning."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace

from pydantic import Field

from assistant.sizing.trace import Trace
from assistant.sizing.training.arithmetic.memory import Recipe
from assistant.sizing.training.estimate import estimate_job
from assistant.sizing.training.finetuning.memory import (
    Method,
    Offload,
    Targets,
    Tuning,
    TuningSearch,
    adapter_parameters,
    host_bytes,
)
from assistant.sizing.training.inputs import recipe_of
from assistant.sizing.training.job import Job, fits_on
from assistant.sizing.training.parts.plan import Recompute, Sharding
from assistant.sizing.training.parts.request import TrainRequest, TrainResult
from assistant.sizing.training.search.wishes import Search, Wanted
from knowledge.calibration.training import Habits
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

DEFAULT_SEQUENCE = 2048
"""Tokens of a sequence where none is stated; our judgement of instruction data."""
DEFAULT_BATCH = 16
"""Sequences a step where none are stated; our judgement."""
DEFAULT_QUERY_VALUE_RANK = 8
"""PEFT and litgpt adapt query and value at rank 8 unless told otherwise."""
MAX_SEARCHED = 4096
"""GPUs up to which the fewest are searched."""
FRAMEWORKS = {
    "llamafactory": "llama-factory", "swift": "ms-swift", "ms-swift/megatron": "megatron", "megatron-swift": "megatron",
    "megatron-lm": "megatron", "megatron-core": "megatron", "megatron-bridge": "megatron", "nemo": "megatron",
    "hugging-face": "peft", "huggingface": "peft", "transformers": "peft", "trl": "peft", "lit-gpt": "litgpt",
}  # fmt: skip
"""Other names, and stacks that train as one of those known: TRL and Transformers by PEFT, NeMo by Megatron."""


class FinetuneRequest(TrainRequest):
    """A fine-tuning job. Left out: one sequence of 2,048 tokens at a time, LoRA of rank 16 on all linear layers."""

    method: Method = Method.LORA
    rank: int = Field(default=16, ge=1, le=4096, description="rank of the adapters")
    targets: Targets | None = Field(
        default=None, description="adapted matrices; left out: query and value up to rank 8, else all linear layers"
    )
    offload: Offload = Offload.NONE
    framework: str | None = Field(
        default=None, description="torchtune, axolotl, unsloth, litgpt, llama-factory, ms-swift, peft, megatron"
    )


class FinetuneResult(TrainResult):
    """As for training, with what is trained, the fewest GPUs of this kind, and host memory that offload needs."""

    method: Method
    trainable_parameters: float
    minimum_gpus: int | None
    host_ram_gb: float


class TuningJob(Job):
    """A fine-tuning request resolved."""

    request: FinetuneRequest
    modifies = True

    def __init__(self, request: FinetuneRequest, catalogue: Catalogue) -> None:
        super().__init__(request, catalogue)
        limit = self.subject.max_context or DEFAULT_SEQUENCE
        self.sequence = request.sequence or min(limit, DEFAULT_SEQUENCE)
        self.micro_batch_default = 1
        self.classic = False
        self.habits = _habits(request.framework, self.constants.finetune.frameworks)

    def wanted(self, gpus: int) -> Wanted:
        """What is fixed of the layout: what was stated, then what the framework, or most of them, would do."""
        return self._usual(super().wanted(gpus), gpus)

    def _usual(self, fixed: Wanted, gpus: int) -> Wanted:
        """``fixed`` with what is done unless stated; on several GPUs recomputation is on, as recipes have it."""
        r, habits = self.request, self.habits
        # What runs QLoRA with recomputation (Axolotl, Unsloth, torchtune) comes with a fused loss.
        fused = r.framework is None and r.method is Method.QLORA and r.recompute is Recompute.FULL
        if fixed.chunked_loss is None and (fused or habits.chunked_loss):
            fixed = replace(fixed, chunked_loss=True)
        if fixed.pipeline is None and r.framework != "megatron":
            fixed = replace(fixed, pipeline=1)  # tools for fine-tuning shard; only Megatron's pipelines
        tools = r.framework not in (None, "megatron")
        if fixed.expert is None and tools:
            fixed = replace(fixed, expert=1)
        if fixed.tensor is None and (tools or r.sharding is Sharding.ZERO2):
            fixed = replace(fixed, tensor=1)  # they and DeepSpeed shard over data ranks alone
        if fixed.sharding is None and habits.loads_whole and gpus > 1:
            fixed = replace(fixed, sharding=Sharding.ZERO3)
        if fixed.recompute is None and (habits.recompute or (gpus > 1 and not habits.fused)):
            fixed = replace(fixed, recompute=Recompute.FULL)
        return fixed

    def default_batch(self, gpus: int) -> int:
        """Sequences a step where none are stated: 16, at least one a GPU."""
        return max(DEFAULT_BATCH, gpus)

    @property
    def tuning(self) -> Tuning:
        """Method with its choices."""
        r = self.request
        few = r.rank <= DEFAULT_QUERY_VALUE_RANK
        return Tuning(r.method, r.rank, r.targets or (Targets.QUERY_VALUE if few else Targets.ALL), r.offload)

    def recipe(self, sharding: Sharding) -> Recipe:
        """Bytes a parameter: one GPU alone trains in pure BF16 unless an optimizer is named; else mixed precision."""
        r = self.request
        alone = r.gpus == 1 and r.optimizer is None
        name = "adamw_bf16" if alone else self.optimizer
        recipe = recipe_of(name, sharding, r.precision, False, self.constants)
        if self.habits.in_backward and r.gpus == 1 and r.method is Method.FULL:
            # Each gradient is used and freed as the backward pass makes it; the states are 8-bit.
            return replace(recipe, id="adamw_8bit_in_backward", gradients=0.0, optimizer=2.0)
        if sharding is Sharding.NONE and recipe.id.startswith("adamw_8bit"):
            return replace(recipe, id="adamw_8bit_without_master", optimizer=2.0)
        return recipe

    def search(self) -> Search:
        """Search with the memory of fine-tuning."""
        base = super().search()
        return TuningSearch(
            shape=base.shape,
            machine=base.machine,
            recipes=base.recipes,
            available=base.available,
            base=base.base._replace(frozen=self.request.method is not Method.FULL),
            constants=base.constants,
            tuning=self.tuning,
            loads_whole=self.habits.loads_whole,
            fused=self.habits.fused,
        )


def _habits(framework: str | None, known: Mapping[str, Habits]) -> Habits:
    """What a framework does unless told otherwise. Raises BadInput for one that is not known."""
    if framework is None:
        return Habits()
    name = framework.strip().lower().replace("_", "-").replace(" ", "-")
    name = FRAMEWORKS.get(name, name)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.5) or list(known)[:2]
        raise BadInput("framework", framework, f"one of {', '.join(known)}", near)
    return known[name]


def estimate_finetune(request: FinetuneRequest, catalogue: Catalogue, trace: Trace | None = None) -> FinetuneResult:
    """Memory of the fullest GPU, the fewest GPUs, layout and speed of a fine-tuning job.

    Raises BadInput as ``estimate_train`` does.
    """
    job = TuningJob(request, catalogue)
    result = estimate_job(job, trace)
    tuning, shape = job.tuning, job.shape
    adapters = adapter_parameters(shape, tuning)
    trained = shape.parameters if tuning.method is Method.FULL else adapters
    checkpoint_gb = result.checkpoint_gb if tuning.method is Method.FULL else adapters * 12.0 / 1e9
    slower = job.constants.finetune.qlora_speed if tuning.method is Method.QLORA else 1.0
    fields = {name: getattr(result, name) for name in TrainResult.model_fields}
    for name in ("tflops_per_gpu", "tokens_per_s_per_gpu"):
        for suffix in ("", "_p10", "_p90"):
            fields[name + suffix] *= slower
    if result.tokens_by_deadline is not None:
        fields["tokens_by_deadline"] *= slower
    for name in ("mfu", "hfu", "mfu_full_attention"):
        fields[name] *= slower
    fields["step_time_s"] /= slower
    if result.days is not None:
        fields["days"] /= slower
    if result.days_with_failures is not None:
        fields["days_with_failures"] /= slower
    if trace is not None:
        with trace.call("finetune", job.subject.name, job.device.accelerator.id, result.gpus):
            targets = tuning.targets.value
            trace.note("trainable_parameters", trained, "finetune_adapters", rank=tuning.rank, targets=targets)
    fields["checkpoint_gb"] = checkpoint_gb
    return FinetuneResult(
        **fields,
        method=tuning.method,
        trainable_parameters=float(trained),
        minimum_gpus=minimum_gpus(job),
        host_ram_gb=host_bytes(shape, job.recipe(Sharding.NONE), tuning) / 1e9,
    )


def minimum_gpus(job: TuningJob) -> int | None:
    """Fewest GPUs (1, 2, 4, 8, ...) on which some layout fits with one sequence a GPU; None beyond 4,096."""
    free = job.request.model_copy(
        update={
            "gpus": None,
            "tensor_parallel": None,
            "pipeline_parallel": None,
            "virtual_pipeline": None,
            "context_parallel": None,
            "expert_parallel": None,
            "data_parallel": None,
            "sharding": None,
            "micro_batch": 1,
            "global_batch": None,
            "recompute": job.request.recompute or None,
        }
    )
    count = 1
    while count <= MAX_SEARCHED:
        if fits_on(job.changed(free), count):
            return count
        count *= 2
    return None
