"""The constants of training, fine-tuning and reinforcement learning as typed records; their values are in the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pydantic import Field

from knowledge.calibration import calibration
from knowledge.evidence import Frozen


class MemoryConstants(Frozen):
    """Of one GPU's memory. ``selective_keeps``: share of activations that selective recomputation keeps, by stack.

    ``fragmentation`` is a share of what is allocated; ``context_gib`` lies outside the allocator.
    """

    logits_bytes_per_value: float
    selective_keeps: float
    selective_keeps_fsdp: float
    selective_keeps_moe: float
    fragmentation: float
    context_gib: float


class SpeedCell(Frozen):
    """Shares of the dense peak that matrix products and attention reach on a GPU at a precision."""

    matrix: float
    attention: float
    attention_fsdp: float | None = None


class SpeedConstants(Frozen):
    """Of one step's time: factors on times at the data sheet's rates, shares of links, seconds of fixed work.

    ``*_exposed``: the share of an exchange that compute does not hide. ``*_power``: how soft the corner of a maximum
    is. ``streamed``, ``routed``: times that bytes are touched. ``cells`` by GPU family and precision.
    """

    selective_recompute: float
    selective_recompute_fsdp: float
    head_on_path: float
    misaligned_head: float
    no_flash: float
    streamed: float
    fsdp_streamed: float
    routed: float
    grouped_matrix: float
    layer_seconds: float
    moe_layer_seconds: float
    moe_layer_seconds_rack: float
    link_share: float
    net_share: float
    tensor_exposed: float
    context_exposed: float
    expert_exposed: float
    expert_exposed_interleaved: float
    gradient_bytes: float
    data_overlap: float
    overlap_power: float
    host_overlap_power: float
    scale_loss: float
    step_seconds: float
    cells: Mapping[str, SpeedCell]


class ErrorBand(Frozen):
    """Factors from the predicted to the tenth and ninetieth percentile, as measured on runs that no fit read."""

    p10: float
    p90: float
    points: int | None = None
    median_error: float | None = None
    within_25_percent: float | None = None
    note: str | None = None


class ErrorBands(Frozen):
    """The bands of each kind of prediction; ``extrapolated`` where nothing of the kind was measured."""

    dense: ErrorBand
    moe: ErrorBand
    memory: ErrorBand
    finetune_memory: ErrorBand
    rl: ErrorBand
    extrapolated: ErrorBand


class RecipeBytes(Frozen):
    """Bytes a parameter of an optimizer: working weights, gradients, states with master weights."""

    weights: float
    gradients: float
    optimizer: float


class ClassicGradients(Frozen):
    """Bytes a parameter of gradients in the stacks of 2022, by 16-bit format."""

    bf16: float
    fp16: float


class Habits(Frozen):
    """What a framework for fine-tuning does unless told otherwise.

    ``in_backward``: each gradient is used as it is made; ``loads_whole``: every process loads all weights; ``fused``:
    kernels keep no more than Megatron's.
    """

    chunked_loss: bool = False
    recompute: bool = False
    in_backward: bool = False
    loads_whole: bool = False
    fused: bool = False


class FinetuneConstants(Frozen):
    """Of fine-tuning. ``nf4_bytes`` a parameter with scales, ``nf4_expanded_bytes`` more without recomputation.

    ``base_gib`` is what a process holds beside the model, ``qlora_speed`` a factor on tokens a second. ``step_bytes``
    a parameter of the rank's part are gradients while ZeRO-2 steps: 4 of the FP32 copy, 4 of what torch's AdamW holds
    between (its documentation); ``bucket_elements`` of DeepSpeed's reduce_bucket_size.
    """

    logits_bytes_per_value: float
    eager_activations: float
    nf4_bytes: float
    base_gib: float
    fragmentation: float
    context_gib: float
    qlora_speed: float
    nf4_expanded_bytes: float
    step_bytes: float
    bucket_elements: float
    frameworks: Mapping[str, Habits]


class RlConstants(Frozen):
    """Of reinforcement learning: factors on generation and on training passes, shares of links, seconds a step."""

    rollout_factor: float
    pass_factor: float
    refit_share: float
    host_share: float
    step_seconds: float


class Fitted(Frozen):
    """When the speeds were fitted, on how many runs, and the error on those."""

    date: str
    runs: int
    median_error_on_them: float


class TrainingCalibration(Frozen):
    """All of it. ``families``: calibration family by accelerator, ``relatives`` by generation where none is known.

    ``network_gb_per_s`` a GPU between nodes; both have a ``default``. ``aliases`` are other names of ``recipes``;
    optimizers in ``fp32_gradients`` keep FP32 gradients under ZeRO-1.
    """

    fitted: Fitted
    memory: MemoryConstants
    speed: SpeedConstants
    errors: ErrorBands
    families: Mapping[str, str]
    relatives: Mapping[str, str]
    network_gb_per_s: Mapping[str, float]
    recipes: Mapping[str, RecipeBytes]
    aliases: Mapping[str, str]
    fp32_gradients: tuple[str, ...] = Field(default=())
    classic_gradients: ClassicGradients
    finetune: FinetuneConstants
    rl: RlConstants


@lru_cache(maxsize=1)
def training_constants() -> TrainingCalibration:
    """The constants of ``training.yaml``. Raises BadInput where it cannot be read."""
    return TrainingCalibration.model_validate(calibration("training"))
