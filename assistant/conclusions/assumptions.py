"""What nobody stated and the design rests on, as the plan itself overrides it."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.interview.brief import Brief, Status
from assistant.result import Assumption, Plan
from knowledge.message import say


def assumptions_of(brief: Brief, plan: Plan, groups: Iterable[tuple[str | None, Brief]] = ()) -> tuple[Assumption, ...]:
    """The assumptions of a completed brief, and of each group of it what is assumed otherwise there."""
    common = [a for a in brief.answers.values() if a.status is Status.ASSUMED and not brief.answered(a.field)]
    apart = [
        (f"{name}.{answer.field}", answer)
        for name, own in groups
        if name is not None
        for answer in own.answers.values()
        if answer.status is Status.ASSUMED and answer.value != brief.value(answer.field)
    ]
    found = (
        Assumption(
            field=field,
            value=answer.value,
            unit=answer.unit,
            why=answer.reason or say("assumptions.assumed"),
            range=(answer.low, answer.high) if answer.low is not None and answer.high is not None else None,
            sources=answer.sources,
        )
        for field, answer in (*((answer.field, answer) for answer in common), *apart)
    )
    return tuple(_as_planned(assumption, plan) for assumption in found)


def _as_planned(assumption: Assumption, plan: Plan) -> Assumption:
    """An assumption that the plan itself overrides: what the servers are sold with stands above an ordinary room."""
    facility = plan.facility
    if assumption.field == "pue":
        reach = (facility.pue_low, facility.pue_high) if facility.pue_low else assumption.range
        why = say("assumptions.follows_from_cooling", cooling=facility.cooling)
        return assumption.model_copy(update={"value": facility.pue, "why": why, "range": reach})
    if assumption.field == "liquid_cooling" and facility.cooling in ("direct_liquid", "immersion"):
        return assumption.model_copy(update={"value": True, "why": say("assumptions.cooled_by_liquid")})
    limit, rack_kw = assumption.value, facility.rack_kw
    if assumption.field == "rack_kw" and rack_kw is not None and limit is not None and rack_kw > float(limit):
        why = say("assumptions.needed_in_one_rack")
        return assumption.model_copy(update={"value": rack_kw, "why": why, "range": None})
    return assumption
