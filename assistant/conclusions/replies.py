"""What the message asked, answered first: whether it fits, whether what is there is enough, how cards compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assistant.interview.brief import Answer, Provenance
from assistant.planning.chain import Course
from assistant.result import Compared, Plan, Reply
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, say

MOST_COMPARED = 8
"""Cards side by side; a message that names more wants a catalogue."""


def replies_of(course: Course, plan: Plan) -> tuple[Reply, ...]:
    """One reply for each thing that was asked and that the plan can answer."""
    asked = course.said.value("asked") or ()
    return tuple(reply for one in asked if (reply := _reply(course, plan, one)) is not None)


def _reply(course: Course, plan: Plan, asked: Mapping[str, Any]) -> Reply | None:
    if asked["kind"] == "compare":
        return _comparison(course, asked.get("entities", ()))
    if asked["kind"] in ("fits", "enough"):
        return _enough(course, plan, asked["kind"])
    return None


def _enough(course: Course, plan: Plan, kind: str) -> Reply | None:
    """Yes, no, or what it takes where no count was named."""
    named, count = course.settled.named, course.settled.built.count
    if course.said.value("refused_hardware"):
        return Reply(
            kind=kind, verdict="no", text=say("reply.not_sized", why=str(course.said.value("refused_hardware")))
        )
    if named is None or named.gpus is None:
        # Whether something is enough is open where no count was named.
        verdict = None if kind == "enough" else "yes" if plan.fits else "no"
        return Reply(kind=kind, verdict=verdict, text=say("reply.takes", gpus=plan.gpus, card=plan.card))
    if not plan.fits:
        change = plan.nearest_fix.get("change") if plan.nearest_fix else None
        key = "reply.no_with" if change else "reply.no"
        return Reply(kind=kind, verdict="no", text=say(key, why=plan.why_not or "", change=change or ""))
    if count.shortfall is not None:
        return Reply(kind=kind, verdict="no", text=say("reply.short", why=count.shortfall))
    missed = [target.short for target in plan.targets if target.missed]
    if missed:
        return Reply(kind=kind, verdict="no", text=say("reply.misses", missed=missed))
    used = sum(need.gpus for need in count.needs)
    text = say("reply.yes", gpus=plan.gpus, card=plan.card, used=min(used, plan.gpus), left=max(plan.gpus - used, 0))
    return Reply(kind=kind, verdict="yes", text=text)


def _comparison(course: Course, entities: Sequence[str]) -> Reply | None:
    cards = [name for name in entities if name in course.planner.catalogue.entries("accelerators")][:MOST_COMPARED]
    rows = tuple(_compared(course, cards)) if len(cards) > 1 else ()
    if len(rows) < 2:
        return None
    return Reply(
        kind="compare",
        verdict=None,
        text=say("reply.compared", rows=[_row(one, course.planner.catalogue) for one in rows]),
        rows=rows,
    )


def _compared(course: Course, cards: Sequence[str]) -> Iterator[Compared]:
    """The same work on each card, by the same arithmetic as the plan's own."""
    for card in cards:
        other = course.said.with_answers([Answer(field="accelerator", value=card, provenance=Provenance.DERIVED)])
        try:
            built = course.planner.course(other).settled.built
        except BadInput as error:
            yield Compared(accelerator=card, why_not=str(error))
            continue
        yield Compared(
            accelerator=card,
            gpus=built.count.gpus,
            servers=built.count.units,
            nominal_kw=built.count.power_kw,
            fits=built.count.fits,
            why_not=built.why_not,
        )


def _row(one: Compared, catalogue: Catalogue) -> Message:
    card = catalogue.accelerator(one.accelerator).name
    if not one.fits or one.gpus is None:
        return say("reply.row_unfit", card=card, why=one.why_not or "")
    return say("reply.row", card=card, gpus=one.gpus, servers=one.servers or 0, power=one.nominal_kw)
