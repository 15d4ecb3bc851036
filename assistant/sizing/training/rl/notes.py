"""What a reinforcement learning result says beside its figures."""

from __future__ import annotations

from assistant.sizing.trace import Trace
from assistant.sizing.training.rl.job import LONGEST, Others, RLJob
from assistant.sizing.training.rl.request import RLResult
from knowledge.message import Message, say


def assumptions(job: RLJob, others: Others, generates: bool) -> tuple[Message, ...]:
    """What was taken where the request says nothing."""
    r, notes = job.request, [*job.device.assumptions]
    if job.subject.note:
        notes.append(job.subject.note)
    given = r.model_fields_set
    if "prompts_per_step" not in given:
        prompts, responses = job.batch.sequences // job.batch.per_prompt, job.batch.per_prompt
        notes.append(say("training.assumed.prompts", prompts=prompts, responses=responses))
    if "response_tokens" not in given:
        notes.append(say("training.assumed.lengths", prompt=r.prompt_tokens, response=r.response_tokens))
    if generates and r.response_max_tokens is None:
        notes.append(say("training.assumed.longest", times=LONGEST, tokens=round(job.batch.longest)))
    if others.reward and r.reward_parameters is None:
        notes.append(say("training.assumed.reward"))
    if others.critic and r.critic_parameters is None:
        notes.append(say("training.assumed.value"))
    if generates and not r.asynchronous:
        notes.append(say("training.assumed.in_turn"))
    return tuple(notes)


def explain(job: RLJob, result: RLResult, trace: Trace) -> None:
    """Note every figure with what it was computed from."""
    batch, sources = job.batch, job.device.sources
    trace.note("state_gib_per_gpu", result.state_gib_per_gpu, "train_state", parameters=job.shape.parameters)
    trace.note(
        "step_time_s",
        result.step_time_s,
        "rl_step",
        sources,
        rollout=result.step.rollout,
        score=result.step.score,
        train=result.step.train,
        refit=result.step.refit,
    )
    trace.note(
        "rollout_share",
        result.rollout_share,
        "rl_rollout",
        sequences=batch.sequences,
        mean=batch.mean,
        longest=batch.longest,
        tpot_ms=result.rollout_tpot_ms,
        in_flight=result.rollout_in_flight_per_replica,
    )
    trace.note("host_ram_gb_per_node", result.host_ram_gb_per_node, "rl_host", models=len(result.models))
    if result.days is not None:
        trace.note("days", result.days, "rl_days", steps=result.steps, step_time_s=result.step_time_s)
        trace.note("training_flop", result.training_flop, "train_flop_total", active=result.active_parameters)
