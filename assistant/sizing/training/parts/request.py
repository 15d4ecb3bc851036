"""Requests and results of training and fine-tuning estimates: the public fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from assistant.sizing.amounts import Amount
from assistant.sizing.possible import Possible
from assistant.sizing.reliability.options import FailureOptions
from assistant.sizing.reliability.request import RunFailures
from assistant.sizing.training.parts.duties import ComputeLimit
from assistant.sizing.training.parts.plan import Precision, Recompute, Schedule, Sharding
from knowledge.evidence import Frozen
from knowledge.message import Message

Ways = Annotated[int, Field(ge=1, le=1_000_000)]
Tokens = Annotated[int, Field(ge=1, le=100_000_000)]
Width = Annotated[int, Field(ge=1, le=10_000_000)]


class ModelRequest(Frozen):
    """Which model: a name, a configuration file, a shape, or parameter counts alone."""

    model: str | None = Field(default=None, description="model name or path to a config.json")
    parameters: Amount | None = Field(default=None, description="parameters, such as 70B, where no model is named")
    active_parameters: Amount | None = Field(default=None, description="parameters each token passes through (MoE)")
    layers: Width | None = None
    hidden: Width | None = None
    intermediate: Width | None = None
    heads: Width | None = None
    kv_heads: Width | None = None
    head_dim: Width | None = None
    vocabulary: Width | None = None
    experts: Width | None = None
    experts_per_token: Width | None = None
    gated: bool | None = Field(default=None, description="whether the feed-forward block has a gate (SwiGLU)")
    tied: bool | None = Field(default=None, description="whether input and output embedding are one matrix")


class TrainRequest(ModelRequest, FailureOptions):
    """A pre-training job. What is left out is chosen, and reported in ``layout`` with the reason.

    What is said of failures, checkpoints and spot nodes enters ``days_with_failures`` alone.
    """

    gpu: str = Field(description="accelerator")
    gpus: Ways | None = Field(default=None, description="GPUs; left out: the fewest that hold the job")
    tensor_parallel: Ways | None = None
    pipeline_parallel: Ways | None = None
    virtual_pipeline: Ways | None = None
    schedule: Schedule | None = Field(default=None, description="of the pipeline; left out: 1f1b or interleaved")
    context_parallel: Ways | None = None
    expert_parallel: Ways | None = None
    data_parallel: Ways | None = None
    sequence_parallel: bool | None = None
    sharding: Sharding | None = None
    micro_batch: Ways | None = Field(default=None, description="sequences a rank works on at a time")
    global_batch: Ways | None = Field(default=None, description="sequences of one step over all GPUs")
    sequence: Tokens | None = Field(default=None, description="tokens of one sequence")
    precision: Precision = Precision.BF16
    recompute: Recompute | None = None
    optimizer: str | None = Field(default=None, description="adamw, adamw_8bit, adamw_bf16, muon, adafactor, sgd, ...")
    loss_chunking: bool | None = Field(default=None, description="loss in chunks or fused; left out: where needed")
    flash_attention: bool | None = Field(default=None, description="left out: yes, but for stacks of 2022")
    tokens: Amount | None = Field(default=None, description="training tokens, such as 15T")
    scaling: bool = Field(default=False, description="with the speed on half to eight times the GPUs")
    network_gb_per_s: float | None = Field(
        default=None, ge=0.001, le=1e6, description="GB/s and GPU between nodes, one direction"
    )


class Layout(Frozen):
    """How the job is laid out. ``chosen`` says for each field that was left out why it has its value."""

    tensor_parallel: int
    pipeline_parallel: int
    virtual_pipeline: int
    schedule: Schedule
    context_parallel: int
    expert_parallel: int
    data_parallel: int
    sequence_parallel: bool
    sharding: Sharding
    micro_batch: int
    global_batch: int
    micro_batches: int
    sequence: int
    recompute: Recompute
    recomputed_share: float
    loss_chunking: bool
    precision: Precision
    optimizer: str
    chosen: Mapping[str, Message] = Field(default_factory=dict)


class Alternative(Frozen):
    """A layout that was considered: runner-up, with what it would give and what it loses against the chosen one."""

    layout: str
    tokens_per_s_per_gpu: float
    memory_gib_per_gpu: float
    why: Message | None = None


class Peak(Frozen):
    """Memory needed outside the steady state: when, where, how much, and how it is avoided; ``fits`` on a GPU."""

    when: Message
    where: Message
    gib: float
    fits: bool | None
    text: Message


class ScalePoint(Frozen):
    """The same job and global batch on another number of GPUs."""

    gpus: int
    layout: str
    tokens_per_s_per_gpu: float
    efficiency: float
    days: float | None


class StageGib(Frozen):
    """GiB on one GPU of one pipeline stage."""

    stage: int
    state: float
    activations: float
    logits: float
    buffers: float


class StepSeconds(Frozen):
    """Where one step's time goes, in seconds."""

    compute: float
    tensor_parallel: float
    context_parallel: float
    expert_parallel: float
    data_parallel: float
    pipeline_parallel: float
    bubble: float
    optimizer: float


class TrainResult(Possible):
    """Memory, layout, speed and time. ``_p10`` and ``_p90`` come from the error on points held back from the fit."""

    fits: bool
    why_not: Message | None
    nearest_fix: Message | None
    gpus: int
    state_gib_per_gpu: float
    activation_gib_per_gpu: float
    logits_gib_per_gpu: float
    buffer_gib_per_gpu: float
    memory_gib_per_gpu: float
    device_gib_per_gpu: float
    available_gib_per_gpu: float
    stages: tuple[StageGib, ...]
    fullest_stage: int
    logged_gib_per_gpu: float
    peaks: tuple[Peak, ...]
    layout: Layout
    alternatives: tuple[Alternative, ...]
    without_rack_domain: Alternative | None
    scaling: tuple[ScalePoint, ...]
    tflops_per_gpu: float
    tflops_per_gpu_p10: float
    tflops_per_gpu_p90: float
    mfu: float | None
    hfu: float | None
    mfu_full_attention: float | None
    tokens_per_s_per_gpu: float
    tokens_per_s_per_gpu_p10: float
    tokens_per_s_per_gpu_p90: float
    step_time_s: float
    step: StepSeconds
    days: float | None
    days_with_failures: float | None
    failures: RunFailures | None
    checkpoint_gb: float
    checkpoint_weights_gb: float
    tokens_by_deadline: float | None
    training_flop: float | None
    obligations: tuple[ComputeLimit, ...]
    parameters: float
    active_parameters: float
    basis: str
    assumptions: tuple[Message, ...]
