"""From registered users to requests at the same time: the ratio that was used, and the result at a second one.

Published ratios differ by more than fifty times and the number of GPUs follows almost in step, so one alone would be a
hidden choice.
"""

from __future__ import annotations

from assistant.export.document import percent
from assistant.interview.assume import complete
from assistant.interview.brief import Answer
from assistant.interview.questions import holds, question
from assistant.planning.case import Case
from assistant.planning.count.named_hardware import count_of_named
from assistant.planning.count.options import Count, count_for, fixed_nodes, knobs_of, limits_of
from assistant.planning.demands.demand import demands_of
from assistant.result import AtRatio, LoadRatio
from knowledge.errors import BadInput

FIELD = "active_share"
USUAL = 0.1
"""What a stated ratio is held against where no assumption of ours speaks."""


def load_ratio(case: Case, count: Count) -> LoadRatio | None:
    """The ratio of a sizing and the recommended plan at a second one; None where the load rests on no ratio."""
    brief = case.brief
    users, share = brief.value("users_total"), brief.value(FIELD)
    replaced = any(brief.stated(field) for field in ("users_concurrent", "requests_per_s"))
    if replaced or not case.demands.serving or users is None or share is None:
        return None
    other = _second(case, float(share))
    found = _count_at(case, other, count.accelerator)
    if found is None:
        return None
    return LoadRatio(
        users_total=float(users),
        used=_at(float(users), float(share), count),
        second=_at(float(users), other, found),
        stated=brief.stated(FIELD),
    )


def _second(case: Case, share: float) -> float:
    """The next published ratio: above the one used where there is one, else below it."""
    assumed = next((a for a in question(FIELD).assume if holds(a.when, case.brief)), None)
    known = [assumed.low, float(assumed.value), assumed.high] if assumed else [USUAL]
    others = sorted(value for value in known if value is not None and abs(value - share) > 1e-9)
    return next((value for value in others if value > share), others[-1] if others else min(1.0, 2 * share))


def _count_at(case: Case, share: float, accelerator: str) -> Count | None:
    answer = Answer(field=FIELD, value=share)
    brief = complete(case.stated.with_answers([answer]), case.catalogue)
    try:
        demands = case.prepared(demands_of(brief, case.catalogue), accelerator)
        if case.named:
            return count_of_named("recommended", case.named, demands, brief, case.catalogue)
        knobs, limits = knobs_of(brief)["recommended"], limits_of(brief)
        return count_for(accelerator, demands, knobs, limits, case.catalogue, None, fixed_nodes(brief))
    except BadInput:
        return None


def _at(users: float, share: float, count: Count) -> AtRatio:
    return AtRatio(
        share=share,
        in_flight=users * share,
        gpus=count.named_gpus or count.gpus,
        servers=count.units,
        fits=count.fits,
        shortfall=count.shortfall,
    )


def ratio_line(ratio: LoadRatio) -> str:
    """The same for people."""
    used, second = ratio.used, ratio.second
    return (
        f"{ratio.users_total:,.0f} people at {percent(used.share)} are {used.in_flight:,.4g} requests at the same "
        f"time; at {percent(second.share)} ({second.in_flight:,.4g}) {_enough(used, second)}"
    )


def _enough(used: AtRatio, second: AtRatio) -> str:
    if second.shortfall is not None:
        return "the named hardware would be too little"
    if second.gpus == used.gpus:
        return f"the same {used.gpus:,} GPUs would do"
    return f"{second.gpus:,} GPUs would be needed"
