"""Pipeline schedules: what each holds and how long it idles.

Times in units of one micro-batch on one stage, forward and backward: the forward pass a third, the backward two thirds,
half of which is the weights' gradients. 1F1B and interleaving: Narayanan et al. (arXiv 2104.04473, section 2.2); held
activations: Korthikanti et al. (arXiv 2205.05198, section 4.2.3); zero bubble and DualPipe: DeepSeek-V3 (arXiv
2412.19437, table 2).
"""

from __future__ import annotations

from assistant.sizing.training.parts.plan import Plan, Schedule

WEIGHT_SHARE = 1.0 / 3.0
"""Share of a micro-batch's time that the weights' gradients take: as long as the forward pass."""


def idle_micro_batches(plan: Plan) -> float:
    """Pipeline bubble of one step, in micro-batches' time."""
    p = plan.pipeline
    if plan.schedule is Schedule.ZERO_BUBBLE:
        return (p - 1) * (1.0 - 2.0 * WEIGHT_SHARE)
    if plan.schedule is Schedule.DUALPIPE:
        # (p / 2 - 1) (F&B + B - 3 W), with F and B of two micro-batches run together in the time of both.
        return max(0.0, p / 2.0 - 1.0) * (1.0 + 2.0 / 3.0 - 3.0 * WEIGHT_SHARE)
    return (p - 1) / plan.virtual


def held_micro_batches(plan: Plan, stage: int) -> float:
    """Stages' worth of micro-batches that a stage holds at its peak, no more than there are.

    The first holds as many as the pipeline is deep, each further one less. Interleaved, ``2 (p - i - 1) + (v - 1) p +
    1`` of its ``v`` chunks are in flight: ``p (1 + (p - 1) / (p v))`` micro-batches at the first. DualPipe feeds both
    ends: each holds ``p + 1``.
    """
    p, v = plan.pipeline, plan.virtual
    if p == 1:
        return 1.0
    if plan.schedule is Schedule.DUALPIPE:
        held = p + 1.0
    elif v > 1:
        held = (2 * (p - stage - 1) + (v - 1) * p + 1) / v
    else:
        held = p - stage
    return min(plan.micro_batches * 1.0, held)


def weight_copies(plan: Plan) -> int:
    """Copies of the working weights that a stage holds: DualPipe runs the pipeline from both ends."""
    return 2 if plan.schedule is Schedule.DUALPIPE and plan.pipeline > 1 else 1


def hides_experts(plan: Plan) -> bool:
    """Whether expert exchange runs beside another micro-batch's compute."""
    return plan.pipeline > 1 and plan.schedule in (Schedule.INTERLEAVED, Schedule.DUALPIPE)
