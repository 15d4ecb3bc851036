"""Memory of fine-tuning: frozen weights in 16 or 4 bits, adapters, activations of eager frameworks, offload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.sizing.spelled import Spelled
from assistant.sizing.training.arithmetic.memory import (
    GIB,
    Recipe,
    StageMemory,
    TrainMemory,
    activation_bytes,
    buffer_bytes,
    logits_bytes,
    state_bytes,
)
from assistant.sizing.training.parts.plan import Plan, Recompute, Sharding
from assistant.sizing.training.parts.shape import Shape
from assistant.sizing.training.parts.stages import Stage, end_stages, stage_parameters
from assistant.sizing.training.search.wishes import Search
from knowledge.calibration.training import FinetuneConstants

ADAPTER_BYTES = {"lora": 16.0, "lora_8bit": 16.0, "qlora": 10.0}
"""An adapter's weights, gradients and optimizer state: all in FP32; with QLoRA an 8-bit (paged) optimizer."""


class Method(Spelled):
    """What is trained."""

    FULL = "full"
    LORA = "lora"
    LORA_8BIT = "lora_8bit"
    QLORA = "qlora"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {
            "int8_lora": "lora_8bit",
            "8bit_lora": "lora_8bit",
            "lora_int8": "lora_8bit",
            "sft": "full",
            "fft": "full",
            "full_finetuning": "full",
            "full_finetune": "full",
            "full_parameter": "full",
        }


class Targets(Spelled):
    """Which matrices get adapters."""

    ALL = "all"
    ATTENTION = "attention"
    QUERY_VALUE = "query_value"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {"all_linear": "all", "all_layers": "all", "qv": "query_value", "q_v": "query_value"}


class Offload(Spelled):
    """What lives in host memory."""

    NONE = "none"
    OPTIMIZER = "optimizer"
    ALL = "all"


@dataclass(frozen=True)
class Tuning:
    """Method with its choices."""

    method: Method
    rank: int
    targets: Targets
    offload: Offload


def adapter_parameters(shape: Shape, tuning: Tuning) -> int:
    """Parameters of all adapters: rank x (inputs + outputs) of each adapted matrix; zero for full fine-tuning.

    With experts, the shared and dense feed-forward blocks and the attention are adapted, as frameworks do by default.
    """
    if tuning.method is Method.FULL:
        return 0
    h, out = shape.hidden, shape.heads * shape.value_dim
    keys, values = shape.kv_heads * shape.head_dim, shape.kv_heads * shape.value_dim
    widths = {"query": h + shape.query_width, "key": h + keys, "value": h + values, "output": out + h}
    if tuning.targets is Targets.QUERY_VALUE:
        return tuning.rank * shape.layers * (widths["query"] + widths["value"])
    attention = tuning.rank * shape.layers * sum(widths.values())
    if tuning.targets is Targets.ATTENTION:
        return attention
    matrices = 3 if shape.gated else 2
    dense = (shape.layers - shape.moe_layers) * (h + shape.intermediate)
    shared = shape.moe_layers * (h + shape.shared_intermediate) if shape.shared_intermediate else 0
    return attention + tuning.rank * matrices * (dense + shared)


def weight_bytes(shape: Shape, plan: Plan, stage: Stage, tuning: Tuning, constants: FinetuneConstants) -> float:
    """Frozen weights on one GPU: 2 bytes, or for all but embedding and head one (LLM.int8) or NF4 with its scales."""
    dense, experts = stage_parameters(shape, plan, stage)
    ends = stage.vocabularies * shape.embedding_parameters / plan.tensor
    per_value = 1.0 if tuning.method is Method.LORA_8BIT else 2.0
    if tuning.method is Method.QLORA:
        # Without recomputation the backward pass finds part of the weights still expanded to 16 bits.
        expanded = 0.0 if plan.recompute is Recompute.FULL else constants.nf4_expanded_bytes
        per_value = constants.nf4_bytes + expanded
    held = (dense - ends) * per_value + ends * 2.0
    if plan.sharding is Sharding.ZERO3:
        return held / (plan.data * plan.context) + experts * per_value / plan.expert_data
    return held + experts * per_value


def gpu_recipe(recipe: Recipe, offload: Offload) -> Recipe:
    """The recipe with what is offloaded taken off the GPU."""
    if offload is Offload.OPTIMIZER:
        return replace(recipe, optimizer=0.0)
    if offload is Offload.ALL:
        return replace(recipe, weights=0.0, gradients=0.0, optimizer=0.0)
    return recipe


def host_bytes(shape: Shape, recipe: Recipe, tuning: Tuning) -> float:
    """Host memory of the whole job that offload needs: what left the GPUs, half as much again for pinned buffers."""
    kept = gpu_recipe(recipe, tuning.offload)
    if tuning.method is not Method.FULL:
        return 0.0 if tuning.offload is Offload.NONE else 2.0 * 1.5 * shape.parameters
    return 1.5 * shape.parameters * (recipe.state - kept.state)


def eager_factor(shape: Shape, plan: Plan, tuning: Tuning) -> float:
    """What an eager framework keeps of one dense layer against a fused one.

    RMSNorm keeps its input in FP32 (8 bytes a channel for two norms) and an unfused gate one product more (2 f). Where
    only query and value have adapters, inputs of the other frozen matrices are not kept (2 f + 2 h).
    """
    if plan.recompute is Recompute.FULL:
        return 1.0
    f = shape.intermediate or shape.top_k * shape.expert_intermediate + shape.shared_intermediate
    fused = 8.0 * shape.hidden + 2.0 * (shape.query_width + shape.key_value_width + shape.heads * shape.value_dim)
    fused += (6.0 if shape.gated else 4.0) * f
    more = 8.0 * shape.hidden + 2.0 * f if shape.gated else 0.0
    if tuning.method is not Method.FULL and tuning.targets is not Targets.ALL:
        more -= 2.0 * f + 2.0 * shape.hidden
    return 1.0 + more / fused


@dataclass(frozen=True)
class TuningSearch(Search):
    """A search whose memory is that of fine-tuning."""

    partial_recompute: bool = False
    loads_whole: bool = False
    fused: bool = False
    tuning: Tuning = Tuning(Method.FULL, 8, Targets.ALL, Offload.NONE)

    def memory(self, plan: Plan, like: TrainMemory | None = None) -> TrainMemory:
        """Memory of a plan: the stages that can be the fullest, with the overhead of an eager framework.

        ``like`` is of no use: what the frozen weights take depends on the recomputation.
        """
        c = self.constants.finetune
        stages = tuple(self._stage(plan, stage) for stage in end_stages(self.shape, plan))
        return TrainMemory(stages, c.fragmentation, c.context_gib * GIB)

    def _stage(self, plan: Plan, stage: Stage) -> StageMemory:
        shape, c = self.shape, self.constants
        eager = 1.0 if self.fused else c.finetune.eager_activations * eager_factor(shape, plan, self.tuning)
        return StageMemory(
            stage=stage.place,
            state=self._state(plan, stage),
            activations=activation_bytes(shape, plan, stage, c.memory) * eager,
            logits=logits_bytes(shape, plan, c.finetune) if stage.place == plan.pipeline - 1 else 0.0,
            buffers=self._buffers(plan) + c.finetune.base_gib * GIB,
            step=self._step(plan, stage),
        )

    def _step(self, plan: Plan, stage: Stage) -> float:
        """The optimizer's step under ZeRO-2 (formula ``train_optimizer_step``): gradients of the rank's part in FP32 in
        place of the 16-bit ones, and as much again for what the step works out between.
        """
        recipe = gpu_recipe(self.recipes[plan.sharding], self.tuning.offload)
        if plan.sharding is not Sharding.ZERO2 or self.tuning.method is not Method.FULL or not recipe.optimizer:
            return 0.0
        dense, experts = stage_parameters(self.shape, plan, stage)
        part = dense / (plan.data * plan.context) + experts / plan.expert_data
        return part * max(0.0, self.constants.finetune.step_bytes - recipe.gradients)

    def _state(self, plan: Plan, stage: Stage) -> float:
        recipe = gpu_recipe(self.recipes[plan.sharding], self.tuning.offload)
        if self.tuning.method is Method.FULL:
            return state_bytes(self.shape, plan, recipe, stage)
        ways = plan.tensor * plan.pipeline * (plan.data * plan.context if plan.sharding is Sharding.ZERO3 else 1)
        frozen = 0.0
        if self.tuning.offload is not Offload.ALL:
            frozen = weight_bytes(self.shape, plan, stage, self.tuning, self.constants.finetune)
        return frozen + ADAPTER_BYTES[self.tuning.method.value] * adapter_parameters(self.shape, self.tuning) / ways

    def _buffers(self, plan: Plan) -> float:
        gathered = buffer_bytes(self.shape, plan)
        if self.loads_whole and plan.sharding is Sharding.ZERO3:
            # Every rank reads the whole model onto its GPU before it is cut: that is the peak.
            return max(gathered, 2.0 * self.shape.parameters)
        if plan.sharding is Sharding.ZERO2 and self.tuning.method is Method.FULL:
            # Two buckets, one filled while the other is sent (DeepSpeed's overlap_comm), in 16 bits.
            bucket = min(self.constants.finetune.bucket_elements, float(self.shape.parameters))
            gathered += 2.0 * 2.0 * bucket
        if self.tuning.offload is Offload.ALL:
            gathered = max(gathered, buffer_bytes(self.shape, plan._replace(sharding=Sharding.ZERO3)))
        if self.tuning.method in (Method.QLORA, Method.LORA_8BIT):
            widest = self.shape.hidden * max(self.shape.intermediate, self.shape.query_width)
            return gathered / 3.0 + 2.0 * widest / plan.tensor
        return gathered / 1.5 if self.tuning.method is Method.LORA else gathered
