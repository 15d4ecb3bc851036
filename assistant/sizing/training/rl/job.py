"""A reinforcement learning request resolved: the policy's training, the batch of a step, and the other models."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.finetuning.estimate import TuningJob
from assistant.sizing.training.finetuning.memory import Method, adapter_parameters
from assistant.sizing.training.parts.plan import Sharding
from assistant.sizing.training.rl.request import Algorithm, RLRequest, Role
from assistant.sizing.training.rl.rollout import Batch
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

PROMPTS = {Algorithm.GRPO: 64, Algorithm.PPO: 512, Algorithm.DPO: 128}
"""Prompts a step on up to 64 GPUs; in proportion beyond, as larger jobs take larger batches."""
BATCH_GPUS = 64
"""GPUs up to which a step has the prompts above; our judgement."""
RESPONSES = {Algorithm.GRPO: 32, Algorithm.PPO: 1, Algorithm.DPO: 2}
"""Responses to a prompt: 32 in the GRPO runs of knowledge/measured/training/rl.csv, one where a value model judges, a
pair for DPO."""
LONGEST = 4.0
"""The longest of a batch of responses against the mean; our judgement, replaceable by response_max_tokens."""
REWARD_PARAMETERS = 7e9
"""Parameters of a reward model that is not described; our assumption, replaceable by reward_parameters."""


class RLJob(TuningJob):
    """A reinforcement learning request resolved: the policy's training, with sequences of the longest response."""

    request: RLRequest

    def __init__(self, request: RLRequest, catalogue: Catalogue) -> None:
        super().__init__(request, catalogue)
        r = request
        self.batch = batch_of(r)
        self.sequence = r.sequence or math.ceil(self.batch.prompt + self.batch.longest)
        self.tokens_per_step = self.batch.sequences * (self.batch.prompt + self.batch.mean)

    def default_batch(self, gpus: int) -> int:
        """Packed sequences of one step: all its tokens in rows of the longest."""
        return max(1, math.ceil(self.tokens_per_step / self.sequence))


def batch_of(r: RLRequest) -> Batch:
    """What one step generates or, with DPO, reads. Raises BadInput for a longest response under the mean."""
    per_prompt = r.responses_per_prompt or RESPONSES[r.algorithm]
    if r.algorithm is Algorithm.DPO and per_prompt != 2:
        raise BadInput(
            "responses_per_prompt", per_prompt, "2: DPO compares a chosen response with a rejected one", ["2"]
        )
    if r.response_max_tokens and r.response_max_tokens < r.response_tokens:
        near = [str(r.response_tokens)]
        raise BadInput("response_max_tokens", r.response_max_tokens, f"at least the mean, {r.response_tokens}", near)
    longest = float(r.response_max_tokens or LONGEST * r.response_tokens)
    prompts = r.prompts_per_step or PROMPTS[r.algorithm] * max(1, (r.gpus or 1) // BATCH_GPUS)
    return Batch(prompts * per_prompt, float(r.prompt_tokens), float(r.response_tokens), longest, per_prompt)


@dataclass(frozen=True)
class Others:
    """Parameters of the models beside the policy; zero where there is none."""

    reference: float
    reward: float
    critic: float

    @property
    def frozen(self) -> float:
        """Parameters that only run forward."""
        return self.reference + self.reward


def others_of(job: RLJob) -> Others:
    """A reference unless told otherwise (with adapters the policy without them serves); PPO's reward and value."""
    r, own = job.request, float(job.shape.parameters)
    ppo = r.algorithm is Algorithm.PPO
    wanted = r.reference if r.reference is not None else True
    return Others(
        reference=own if wanted and r.method is Method.FULL else 0.0,
        reward=r.reward_parameters or (REWARD_PARAMETERS if ppo else 0.0),
        critic=(r.critic_parameters or own) if ppo else 0.0,
    )


def roles(job: RLJob, others: Others) -> tuple[Role, ...]:
    """The models with what each holds: all of its training state, or its weights in 16 bits."""
    recipe = job.recipe(Sharding.ZERO1)
    own = float(job.shape.parameters)
    adapters = adapter_parameters(job.shape, job.tuning)
    quantised = {Method.QLORA: job.constants.finetune.nf4_bytes, Method.LORA_8BIT: 1.0}
    frozen = quantised.get(job.request.method, 2.0)
    policy = frozen * own + 16.0 * adapters if adapters else recipe.state * own
    found = [Role(role="policy", parameters=own, trained=True, state_gib=policy / GIB)]
    for name, count in (("reference", others.reference), ("reward", others.reward)):
        if count:
            found.append(Role(role=name, parameters=count, trained=False, state_gib=2.0 * count / GIB))
    if others.critic:
        state = recipe.state * others.critic / GIB
        found.append(Role(role="value", parameters=others.critic, trained=True, state_gib=state))
    return tuple(found)
