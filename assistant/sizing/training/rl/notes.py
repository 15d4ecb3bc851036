"""What a reinforcement learning result says beside its figures."""

from __future__ import annotations

from assistant.sizing.trace import Trace
from assistant.sizing.training.rl.job import LONGEST, Others, RLJob
from assistant.sizing.training.rl.request import RLResult


def assumptions(job: RLJob, others: Others, generates: bool) -> tuple[str, ...]:
    """What was taken where the request says nothing."""
    r, notes = job.request, [*job.device.assumptions]
    if job.subject.note:
        notes.append(job.subject.note)
    given = r.model_fields_set
    if "prompts_per_step" not in given:
        notes.append(
            f"{job.batch.sequences // job.batch.per_prompt} prompts a step, {job.batch.per_prompt} responses each"
        )
    if "response_tokens" not in given:
        notes.append(f"prompts of {r.prompt_tokens} and responses of {r.response_tokens} tokens in the mean")
    if generates and r.response_max_tokens is None:
        notes.append(f"the longest response has {LONGEST:g} times the mean: {job.batch.longest:g} tokens")
    if others.reward and r.reward_parameters is None:
        notes.append("a reward model of 7 billion parameters")
    if others.critic and r.critic_parameters is None:
        notes.append("a value model as large as the policy")
    if generates and not r.asynchronous:
        notes.append("all models share the GPUs and take turns; what waits is held in host memory")
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
