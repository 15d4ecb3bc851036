"""Which flips of a decision a reader is told: those that an answer the customer may yet give would bring about."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.interview.questions import questions_by_id
from assistant.result import Decision, Flip, Sizing

FIELD_OF: Mapping[str, str] = {
    "rack_limit_kw": "rack_kw",
    "site_liquid_available": "liquid_cooling",
    "deadline_days": "delivery_days",
}
"""Topics of rules that a field of another name answers; most are called as their field."""
OF_THE_PLAN = frozenset({"gpus", "nodes", "rack_kw"})
"""Topics that are figures of the plan, though fields have the same name."""


def plausible_flips(decision: Decision, sizing: Sizing) -> tuple[Flip, ...]:
    """Flips by a field that is open or assumed, to a value within its plausible range; nearest first."""
    stated = {name.rpartition(".")[2] for name in sizing.stated}
    ranges = {one.field: one.range for one in sizing.assumptions if one.range is not None}
    return tuple(flip for flip in decision.flips_when if _plausible(flip, stated, ranges))


def _plausible(flip: Flip, stated: set[str], ranges: Mapping[str, tuple[float, float]]) -> bool:
    field = FIELD_OF.get(flip.topic, flip.topic)
    asked = questions_by_id().get(field)
    if flip.topic in OF_THE_PLAN or asked is None or asked.asked_of == "nobody" or field in stated:
        return False
    within = ranges.get(field)
    if within is None or isinstance(flip.to, (bool, str)):
        return True
    return within[0] <= flip.to <= within[1]
