"""What MIG would do for a plan that gives small models whole GPUs although the rules lean to dividing them."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.planning.case import Case
from assistant.planning.count.needs.serving import serving_need
from assistant.planning.count.options import Count, knobs_of
from assistant.result import Notice


def mig_notice(case: Case, count: Count, isolation: str) -> Iterator[Notice]:
    """A notice that names profile and instances of each model that would fit; none where the plan divides already."""
    if isolation != "mig" or any(need.mig_profile for need in count.needs):
        return
    lines = list(_lines(case, count))
    if lines:
        text = (
            f"The rules lean to MIG and this plan gives whole GPUs. Divided, {'; '.join(lines)} would carry the load: "
            "answer mig to the question of isolation to have it placed so."
        )
        yield Notice(id="mig_would_do", severity="info", text=text)


def _lines(case: Case, count: Count) -> Iterator[str]:
    card = case.catalogue.accelerator(count.accelerator)
    knobs = knobs_of(case.brief)["recommended"]
    whole = {need.model for need in count.needs if need.gpus_per_replica == 1 and not need.training}
    for demand in case.demands.serving:
        if demand.model.name not in whole:
            continue
        divided = demand.model_copy(update={"slices": True})
        need = serving_need(divided, knobs.level, knobs.factor, card, count.choice.gpus_per_unit, case.catalogue)
        if need.mig_profile:
            yield f"{need.instances} of {need.mig_profile} ({need.instances_per_gpu} on a GPU) for {need.model}"
