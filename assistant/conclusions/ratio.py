"""From registered users to requests at the same time: the ratio that was used, and the result at a second one.

Published ratios differ by more than fifty times and the number of GPUs follows almost in step, so one alone would be a
hidden choice.
"""

from __future__ import annotations

from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import holds, question
from assistant.planning.chain import Course
from assistant.planning.count.count import Count
from assistant.result import AtRatio, LoadRatio
from knowledge.errors import BadInput
from knowledge.message import Message, say

FIELD = "active_share"
USUAL = 0.1
"""What a stated ratio is held against where no assumption of ours speaks."""


def load_ratio(course: Course) -> LoadRatio | None:
    """The ratio of a sizing and the recommended plan at a second one; None where the load rests on no ratio."""
    brief, count = course.completed, course.count()
    users, share = brief.value("users_total"), brief.value(FIELD)
    replaced = any(brief.stated(field) for field in ("users_concurrent", "requests_per_s"))
    if replaced or course.said.groups or not course.demands.serving or users is None or share is None:
        return None
    other = _second(brief, float(share))
    found = _count_at(course, other, count.accelerator)
    if found is None:
        return None
    return LoadRatio(
        users_total=float(users),
        used=_at(float(users), float(share), count),
        second=_at(float(users), other, found),
        stated=brief.stated(FIELD),
    )


def _second(brief: Brief, share: float) -> float:
    """The next published ratio: above the one used where there is one, else below it."""
    assumed = next((a for a in question(FIELD).assume if holds(a.when, brief)), None)
    known = [assumed.low, float(assumed.value), assumed.high] if assumed else [USUAL]
    others = sorted(value for value in known if value is not None and abs(value - share) > 1e-9)
    return next((value for value in others if value > share), others[-1] if others else min(1.0, 2 * share))


def _count_at(course: Course, share: float, accelerator: str) -> Count | None:
    asked = course.said.only_stated().with_answers([Answer(field=FIELD, value=share)])
    try:
        return course.planner.course(asked).count(accelerator=accelerator)
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


def ratio_line(ratio: LoadRatio) -> Message:
    """The same for people."""
    used, second = ratio.used, ratio.second
    return say(
        "ratio.line",
        people=ratio.users_total,
        share=used.share,
        in_flight=float(used.in_flight),
        other=second.share,
        then=float(second.in_flight),
        enough=_enough(used, second),
    )


def _enough(used: AtRatio, second: AtRatio) -> Message:
    if second.shortfall is not None:
        return say("ratio.too_little")
    if second.gpus == used.gpus:
        return say("ratio.same", gpus=used.gpus)
    return say("ratio.more", gpus=second.gpus)
