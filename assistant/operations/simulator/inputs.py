"""From figures, a model with its layout, or a saved sizing to what is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assistant.messages import render
from assistant.operations.simulator.request import SimulateRequest
from assistant.operations.simulator.stretch import Course
from assistant.result import Sizing
from assistant.sizing.reliability.conditions import Conditions, resolve
from assistant.sizing.reliability.options import FailureOptions
from assistant.sizing.reliability.rates import MINUTES_PER_DAY
from assistant.sizing.reliability.request import nodes_of
from assistant.sizing.training.estimate import estimate_train
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

DEFAULT_DAYS = 30.0
COMMUNICATION = ("tensor_parallel", "context_parallel", "expert_parallel", "data_parallel")
"""Parts of a step's seconds in which GPUs synchronise."""


class Played(NamedTuple):
    """What is played, and what it rests on; ``request`` with everything filled in."""

    request: SimulateRequest
    conditions: Conditions
    course: Course
    synchronise_s: float | None
    checkpoint_gb: float | None
    interval_why: str
    rate_says: str
    assumptions: tuple[str, ...]


def played(request: SimulateRequest, catalogue: Catalogue) -> Played:
    """The inputs of a request, those of its job filled in. Raises BadInput for what no run can be made of."""
    request, notes = _with_job(request, catalogue) if request.job else (request, ())
    if request.days is None:
        request, notes = request.model_copy(update={"days": DEFAULT_DAYS}), (*notes, "30 days of training")
    nodes = nodes_of(request)
    resolved = resolve(request, nodes, request.checkpoint_gb, request.spares)
    at = resolved.conditions
    load_min = at.restart_min if request.load_min is None else request.load_min
    course = Course((request.days or DEFAULT_DAYS) * MINUTES_PER_DAY, load_min, (request.step_time_s or 0.0) / 60.0)
    if request.spares is None:
        notes = (*notes, f"{at.spares} spares: enough nodes {request.availability_target * 100:g} % of the time")
    return Played(
        request=request,
        conditions=at,
        course=course,
        synchronise_s=request.synchronise_s,
        checkpoint_gb=request.checkpoint_gb,
        interval_why=render(resolved.interval_why),
        rate_says=render(resolved.rates.says),
        assumptions=(*notes, *_assumed(request, at, render(resolved.times.says))),
    )


def _assumed(request: SimulateRequest, at: Conditions, saving_says: str) -> tuple[str, ...]:
    texts = {
        "checkpoint_write_s": f"a checkpoint halts training {at.stall_min * 60.0:.3g} s ({saving_says})",
        "restart_min": f"a restart takes {at.restart_min:.3g} min (published: 5 to 20)",
        "repair_days": f"a failed node is back after {at.repair_days:.3g} days (own judgement)",
        "gpus_per_node": f"{request.gpus_per_node} GPUs a node",
    }
    return tuple(text for name, text in texts.items() if name not in request.model_fields_set)


def _with_job(request: SimulateRequest, catalogue: Catalogue) -> tuple[SimulateRequest, tuple[str, ...]]:
    """GPUs, days, step and checkpoint from the estimate of the job, where they are not stated."""
    assert request.job is not None
    said = {
        name: getattr(request.job, name) for name in request.job.model_fields_set & set(FailureOptions.model_fields)
    }
    job = request.job.model_copy(update={"gpus": request.job.gpus or request.gpus})
    result = estimate_train(job, catalogue)
    if not result.fits:
        fix = [render(result.nearest_fix)] if result.nearest_fix else []
        raise BadInput(
            "job", job.model or job.parameters or "the shape", f"a job that fits: {render(result.why_not or '')}", fix
        )
    notes = (
        f"{job.model or 'the shape'} on {result.gpus} x {job.gpu}: step and checkpoint as estimate train has them",
    )
    return filled(request, result.model_dump(mode="json"), said), notes


def filled(
    request: SimulateRequest, figures: Mapping[str, Any], said: Mapping[str, Any] | None = None
) -> SimulateRequest:
    """A request with the figures of a training estimate where it says nothing itself."""
    step = figures["step"]
    known = {
        **(said or {}),
        "gpus": figures["gpus"],
        "days": figures["days"],
        "step_time_s": figures["step_time_s"],
        "synchronise_s": sum(float(step[name]) for name in COMMUNICATION),
        "checkpoint_gb": figures["checkpoint_gb"],
    }
    stated = request.model_fields_set
    if "nodes" in stated:
        known.pop("gpus")
    new = {name: value for name, value in known.items() if value is not None and name not in stated}
    return request.model_copy(update={**new, "job": None})


def training_figures(sizing: Sizing) -> Mapping[str, Any] | None:
    """The figures of the first training job of a sizing's recommended plan, None where it trains nothing."""
    for place in sizing.plan().placements:
        figures = place.get("figures") or {}
        if place.get("training") and "step_time_s" in figures:
            return dict(figures)
    return None


def of_sizing(request: SimulateRequest, sizing: Sizing, session: str) -> SimulateRequest:
    """A request with the run of a saved sizing. Raises BadInput where it trains nothing."""
    figures = training_figures(sizing)
    if figures is None:
        raise BadInput("--session", session, "a session whose sizing has a training job")
    return filled(request, figures)
