"""Request and result of a reinforcement learning estimate."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from assistant.sizing.amounts import Amount
from assistant.sizing.possible import Possible
from assistant.sizing.reliability import RunFailures
from assistant.sizing.spelled import Spelled
from assistant.sizing.training.finetuning.estimate import FinetuneRequest
from assistant.sizing.training.finetuning.memory import Method
from assistant.sizing.training.parts.request import Layout, Ways
from knowledge.evidence import Frozen
from knowledge.message import Message


class Algorithm(Spelled):
    """How the policy learns. RLOO, REINFORCE++ and DAPO cost what GRPO costs; DPO learns from pairs, no rollouts."""

    GRPO = "grpo"
    PPO = "ppo"
    DPO = "dpo"

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names."""
        return {"rloo": "grpo", "reinforce++": "grpo", "dapo": "grpo"}


class RLRequest(FinetuneRequest):
    """A reinforcement learning job. Left out: full GRPO, 64 prompts of 32 responses a step, everything on all GPUs."""

    method: Method = Method.FULL
    algorithm: Algorithm = Algorithm.GRPO
    prompts_per_step: Ways | None = Field(
        default=None, description="left out: 64, PPO 512, DPO 128; more beyond 64 GPUs"
    )
    responses_per_prompt: Ways | None = Field(default=None, description="left out: 32 for GRPO, 1 for PPO, DPO has 2")
    prompt_tokens: Ways = Field(default=512, description="mean tokens of a prompt")
    response_tokens: Ways = Field(default=1024, description="mean tokens of a response")
    response_max_tokens: Ways | None = Field(default=None, description="the longest response; left out: 4 x the mean")
    reference: bool | None = Field(default=None, description="a frozen reference model for the KL term (DAPO: false)")
    reward_parameters: Amount | None = Field(default=None, description="of a reward model; left out: rules, PPO: 7B")
    critic_parameters: Amount | None = Field(default=None, description="of PPO's value model; left out: the policy's")
    asynchronous: bool = Field(default=False, description="rollouts on GPUs of their own, one step ahead of training")
    rollout_gpus: Ways | None = Field(default=None, description="of an asynchronous job; left out: half")
    rollout_tensor_parallel: Ways | None = Field(default=None, description="left out: the fewest that hold the model")
    rollout_dtype: str | None = Field(default=None, description="weights of the rollouts; left out: bf16")
    steps: Ways | None = Field(default=None, description="steps; left out: tokens / tokens of a step")


class Role(Frozen):
    """One model of the job. ``trained`` has gradients and optimizer state, the others weights alone."""

    role: str
    parameters: float
    trained: bool
    state_gib: float


class Phase(Frozen):
    """Memory of one GPU in one phase of a step, the other phases' state moved to the host."""

    phase: str
    gib_per_gpu: float
    fits: bool
    text: Message


class RLSeconds(Frozen):
    """Where one step goes, in seconds; asynchronous rollouts run beside the rest."""

    rollout: float
    score: float
    train: float
    refit: float


class RLResult(Possible):
    """Memory by phase, time of a step and of the run. ``_p10`` and ``_p90``: errors on published GRPO runs."""

    fits: bool
    why_not: Message | None
    nearest_fix: Message | None
    gpus: int
    algorithm: Algorithm
    method: Method
    models: tuple[Role, ...]
    phases: tuple[Phase, ...]
    state_gib_per_gpu: float
    memory_gib_per_gpu: float
    available_gib_per_gpu: float
    host_ram_gb_per_node: float
    layout: Layout
    train_gpus: int
    rollout_gpus: int
    rollout_tensor_parallel: int | None
    rollout_in_flight_per_replica: float | None
    rollout_tpot_ms: float | None
    sequences_per_step: int
    tokens_per_step: float
    step_time_s: float
    step_time_s_p10: float
    step_time_s_p90: float
    step: RLSeconds
    rollout_share: float
    tokens_per_s_per_gpu: float
    tokens_per_s_per_gpu_p10: float
    tokens_per_s_per_gpu_p90: float
    steps: int | None
    days: float | None
    days_with_failures: float | None
    failures: RunFailures | None
    checkpoint_gb: float
    checkpoint_weights_gb: float
    training_flop: float | None
    parameters: float
    active_parameters: float
    trainable_parameters: float
    basis: str
    assumptions: tuple[Message, ...]
