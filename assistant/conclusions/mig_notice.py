"""What MIG would do for a plan that gives small models whole GPUs although the rules lean to dividing them."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.planning.chain import Course
from assistant.planning.count.knobs import knobs_of
from assistant.planning.count.needs.serving import serving_need
from assistant.result import Notice
from knowledge.message import Message, say


def mig_notice(course: Course, isolation: str) -> Iterator[Notice]:
    """A notice that names profile and instances of each model that would fit; none where the plan divides already."""
    if isolation != "mig" or any(need.mig_profile for need in course.count().needs):
        return
    lines = list(_lines(course))
    if lines:
        yield Notice(id="mig_would_do", severity="info", text=say("warnings.mig_would_do", parts=lines))


def _lines(course: Course) -> Iterator[Message]:
    count, catalogue = course.count(), course.planner.catalogue
    card = catalogue.accelerator(count.accelerator)
    knobs = knobs_of(course.completed)["recommended"]
    whole = {(need.group, need.model) for need in count.needs if need.gpus_per_replica == 1 and not need.training}
    for demand in course.demands.serving:
        if (demand.group, demand.model.name) not in whole:
            continue
        divided = demand.model_copy(update={"slices": True})
        need = serving_need(divided, knobs.level, knobs.factor, card, count.choice.gpus_per_unit, catalogue)
        if need.mig_profile:
            yield say(
                "warnings.mig_part",
                instances=need.instances,
                profile=need.mig_profile,
                each=need.instances_per_gpu,
                model=need.model,
            )
