"""``estimate_rl``: memory by phase, time of a step and days of GRPO, PPO and DPO.

A step generates responses (serving arithmetic), scores them (forward passes of policy, reference, reward and value
model), trains (training arithmetic) and hands the weights to the rollouts. Models that share GPUs take turns: what a
phase does not need waits in host memory, as veRL, NeMo RL and OpenRLHF have it.
"""

from __future__ import annotations

import math

from assistant.sizing.reliability import of_run
from assistant.sizing.serving.parts.dtypes import weight_format
from assistant.sizing.trace import Trace
from assistant.sizing.training.arithmetic.memory import GIB
from assistant.sizing.training.arithmetic.peaks import GPUS_PER_NODE, WORKING_BYTES
from assistant.sizing.training.finetuning.memory import adapter_parameters
from assistant.sizing.training.fixes import nearest_fix, why_not
from assistant.sizing.training.job import MAX_GPUS, SECONDS_PER_DAY, fits_on
from assistant.sizing.training.reasons import layout_of
from assistant.sizing.training.rl.job import Others, RLJob, others_of, roles
from assistant.sizing.training.rl.notes import assumptions, explain
from assistant.sizing.training.rl.request import Algorithm, Phase, RLRequest, RLResult, RLSeconds
from assistant.sizing.training.rl.rollout import Rollout, rollout, smallest_tensor
from assistant.sizing.training.search.layout import best
from assistant.sizing.training.search.wishes import Candidate
from knowledge.architecture import ModelArchitecture, unnamed_dense
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say


def estimate_rl(request: RLRequest, catalogue: Catalogue, trace: Trace | None = None) -> RLResult:
    """Memory by phase, time of a step and of the run.

    GiB of one GPU, seconds of one step, tokens/s over prompts and responses trained on. Raises BadInput as
    ``estimate_train`` does, and for rollouts that have no GPUs left.
    """
    gpus = request.gpus or _fewest(RLJob(request, catalogue), catalogue)
    job = RLJob(request.model_copy(update={"gpus": gpus}), catalogue)
    train_gpus, rollout_gpus = _split(request, gpus)
    ranked, closest = best(job.search(), job.wanted(train_gpus), job.default_batch(train_gpus))
    if not ranked and closest is None:
        raise BadInput("gpus", gpus, "a count that the stated layout divides")
    found = ranked[0] if ranked else closest
    assert found is not None
    generated, problem = _generate(job, rollout_gpus, catalogue)
    result = _result(job, found, bool(ranked), generated, problem, gpus)
    if trace is not None:
        with trace.call("rl", job.subject.name, job.device.accelerator.id, result.gpus):
            explain(job, result, trace)
    return result


def _split(r: RLRequest, gpus: int) -> tuple[int, int]:
    """GPUs that train and GPUs that generate; the same ones unless asynchronous."""
    if r.algorithm is Algorithm.DPO:
        return gpus, 0
    if not r.asynchronous:
        return gpus, gpus
    rollouts = r.rollout_gpus or gpus // 2
    if not 0 < rollouts < gpus:
        raise BadInput("rollout_gpus", rollouts, f"fewer than the {gpus} GPUs of the job, and at least one")
    return gpus - rollouts, rollouts


def _model(job: RLJob, catalogue: Catalogue) -> str | ModelArchitecture:
    """What generates: the model named, or a dense one of as many parameters."""
    return job.subject.known_as or unnamed_dense(job.shape.parameters / 1e9, catalogue.entries("models"))


def _generate(job: RLJob, gpus: int, catalogue: Catalogue) -> tuple[Rollout | None, Message | None]:
    """The step's rollouts, or why there are none that fit."""
    r = job.request
    if r.algorithm is Algorithm.DPO:
        return None, None
    model, gpu, dtype = _model(job, catalogue), job.device.accelerator.id, r.rollout_dtype or "bf16"
    weight_format(dtype, "rollout_dtype")  # refused here under its own name
    tensor = r.rollout_tensor_parallel or smallest_tensor(model, gpu, gpus, job.batch, dtype, catalogue)
    made = None
    if tensor and tensor <= gpus:
        made = rollout(model, gpu, gpus, tensor, job.batch, dtype, catalogue, refilled=r.asynchronous)
    if made is None:
        return None, say("training.rollouts_short", gpus=gpus, format=dtype)
    return made, None


def _fewest(job: RLJob, catalogue: Catalogue) -> int:
    """The fewest GPUs (doubling) on which training and rollouts fit."""
    count = 2 if job.request.asynchronous else 1
    while count < MAX_GPUS:
        train, rollouts = _split(job.request, count)
        if fits_on(job, train) and _generate(job, rollouts, catalogue)[1] is None:
            break
        count *= 2
    return count


def _seconds(job: RLJob, found: Candidate, generated: Rollout | None) -> RLSeconds:
    """Where a step goes. A forward pass is a third of training, a quarter where all is recomputed."""
    r, plan, time, others = job.request, found.plan, found.time, others_of(job)
    k, own = job.constants.rl, float(job.shape.parameters)
    packed = job.tokens_per_step / job.sequence / plan.global_batch
    passes = time.compute + time.tensor + time.context + time.expert + time.pipeline + time.bubble
    forward = packed * passes / ((2.0 if plan.frozen else 3.0) + plan.redone)
    refers = r.reference is not False
    scores = 0.0 if r.algorithm is Algorithm.DPO else 1.0
    scores += (1.0 if refers else 0.0) + (others.reward + others.critic) / own
    train = packed * time.total * (1.0 + others.critic / own)
    return RLSeconds(
        rollout=generated.seconds * float(k.rollout_factor) if generated else 0.0,
        score=forward * scores * float(k.pass_factor),
        train=train * float(k.pass_factor),
        refit=_refit_seconds(job, found, generated) if generated else 0.0,
    )


def _refit_seconds(job: RLJob, found: Candidate, generated: Rollout | None) -> float:
    """Weights to the rollouts, training state to the host and back, and what each step costs anyway.

    Every GPU sees every weight once: shards of training are gathered and cut anew for the engine.
    """
    k, machine = job.constants.rl, job.device.machine
    assert generated is not None
    weights = WORKING_BYTES * job.shape.parameters
    state = 0.0 if job.request.asynchronous else 2.0 * found.memory.fullest.state
    pcie = (job.device.accelerator.pcie_gb_per_s_per_direction.value or 32.0) * 1e9
    return float(weights / (machine.scale_out * k.refit_share) + state / (pcie * k.host_share) + k.step_seconds)


def _result(
    job: RLJob, found: Candidate, trains: bool, generated: Rollout | None, problem: Message | None, gpus: int
) -> RLResult:
    r, shape, plan = job.request, job.shape, found.plan
    seconds, others = _seconds(job, found, generated), others_of(job)
    training = seconds.score + seconds.train
    step = (max(seconds.rollout, training) if r.asynchronous else seconds.rollout + training) + seconds.refit
    fits = trains and problem is None
    count = r.steps or (math.ceil(r.tokens / job.tokens_per_step) if r.tokens else None)
    days = count * step / SECONDS_PER_DAY if count else None
    adapters = adapter_parameters(shape, job.tuning)
    trained = float(adapters or shape.parameters)
    checkpoint_gb = trained * (12.0 if adapters else job.recipe(plan.sharding).checkpoint) / 1e9
    checkpoint_gb += others.critic * job.recipe(plan.sharding).checkpoint / 1e9
    with_failures, failures = of_run(r, gpus, checkpoint_gb, days) if days else (None, None)
    phases = _phases(job, found, generated)
    low, high = job.constants.errors.rl.p10, job.constants.errors.rl.p90
    rate = job.tokens_per_step / step / gpus
    return RLResult(
        fits=fits,
        why_not=None if fits else problem or why_not(job, found),
        nearest_fix=None if fits else nearest_fix(job, plan.gpus) if not trains else _rollout_fix(job, gpus),
        gpus=gpus,
        algorithm=r.algorithm,
        method=r.method,
        models=roles(job, others),
        phases=phases,
        state_gib_per_gpu=found.memory.fullest.state / GIB,
        memory_gib_per_gpu=max(phase.gib_per_gpu for phase in phases),
        available_gib_per_gpu=job.device.available / GIB,
        host_ram_gb_per_node=_host_bytes(job, found, others, gpus) / 1e9,
        layout=layout_of(job, plan, trains),
        train_gpus=plan.gpus,
        rollout_gpus=_split(r, gpus)[1],
        rollout_tensor_parallel=generated.tensor if generated else None,
        rollout_in_flight_per_replica=generated.in_flight if generated else None,
        rollout_tpot_ms=generated.tpot_ms if generated else None,
        sequences_per_step=job.batch.sequences,
        tokens_per_step=job.tokens_per_step,
        step_time_s=step,
        step_time_s_p10=step / high,
        step_time_s_p90=step / low,
        step=seconds,
        rollout_share=seconds.rollout / (seconds.rollout + training + seconds.refit),
        tokens_per_s_per_gpu=rate,
        tokens_per_s_per_gpu_p10=rate * low,
        tokens_per_s_per_gpu_p90=rate * high,
        steps=count,
        days=days,
        days_with_failures=with_failures,
        failures=failures,
        checkpoint_gb=checkpoint_gb,
        checkpoint_weights_gb=WORKING_BYTES * trained / 1e9,
        training_flop=6.0 * shape.active_parameters * count * job.tokens_per_step if count else None,
        parameters=float(shape.parameters),
        active_parameters=float(shape.active_parameters),
        trainable_parameters=trained + others.critic,
        basis="extrapolated" if generated and generated.basis == "extrapolated" else "calibrated",
        assumptions=assumptions(job, others, generated is not None),
    )


def _rollout_fix(job: RLJob, gpus: int) -> Message:
    """The cheapest change with which the rollouts fit, of those tried: 8-bit weights, shorter responses, more GPUs."""
    r = job.request
    tries: list[tuple[Message, dict[str, object], int]] = [
        (say("training.fix.rollout_dtype"), {"rollout_dtype": "fp8"}, gpus),
        (say("training.fix.response", tokens=r.response_tokens), {"response_max_tokens": r.response_tokens}, gpus),
    ]
    free: dict[str, object] = {"rollout_tensor_parallel": None, "rollout_gpus": None}
    tries += [(say("training.fix.gpus", gpus=count), free, count) for count in (gpus * 2**n for n in range(1, 8))]
    for text, change, count in tries:
        other = RLJob(r.model_copy(update=change), job.catalogue)
        if _generate(other, _split(other.request, count)[1], job.catalogue)[1] is None:
            return text
    return say("training.fix.none", tried=[text for text, _, _ in tries])


def _phases(job: RLJob, found: Candidate, generated: Rollout | None) -> tuple[Phase, ...]:
    have = job.device.available / GIB
    need = found.memory.device / GIB
    phases = [Phase(phase="train", gib_per_gpu=need, fits=need <= have, text=say("training.phase.train"))]
    if generated:
        text = say("training.phase.rollout", gpus=generated.tensor)
        held = generated.gib_per_gpu
        phases.insert(0, Phase(phase="rollout", gib_per_gpu=held, fits=held <= have, text=text))
    return tuple(phases)


def _host_bytes(job: RLJob, found: Candidate, others: Others, gpus: int) -> float:
    """Host memory of a node for what waits: the policy's state while responses are generated, and the other models."""
    nodes = math.ceil(gpus / GPUS_PER_NODE)
    recipe = job.recipe(found.plan.sharding)
    waiting = 0.0 if job.request.asynchronous else found.memory.fullest.state * found.plan.gpus
    if job.request.algorithm is Algorithm.DPO:
        return WORKING_BYTES * others.reference / nodes
    return (waiting + WORKING_BYTES * others.frozen + recipe.state * others.critic) / nodes
