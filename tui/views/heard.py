"""What a message asked, which targets are missed, and what of it no part of the plan rests on."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.messages.products import product_name
from assistant.messages.voice import DASH
from assistant.result import Compared, NotUsed, Plan, Reply, Sizing
from knowledge.message import Message
from tui.views.lines import Line, Row, Say

NOT_USED = "heard."
"""Before the place of what was not used, in the key of its row."""


def missed_text(plan: Plan, say: Say) -> str:
    """The targets that the plan misses, in a sentence; empty where it meets them."""
    missed = tuple(target.short for target in plan.targets if target.missed)
    if plan.meets_targets or not missed:
        return ""
    return say.tell(Message("tui.view.targets_missed", (("missed", missed),)))


def reply_texts(reply: Reply, say: Say) -> Iterator[str]:
    """The answer in words; cards that were compared one a line, same work for each."""
    if not reply.rows:
        yield say.tell(reply.text)
        return
    yield say("compared")
    yield from (f"  {product_name(one.accelerator)}: {_compared(one, say)}" for one in reply.rows)


def _compared(one: Compared, say: Say) -> str:
    if one.gpus is None:
        return say("does_not_fit") + (f" ({say.tell(one.why_not)})" if one.why_not else "")
    power = DASH if one.nominal_kw is None else say.quantity(one.nominal_kw, "kW")
    count = say("compared_card", gpus=say.quantity(one.gpus), servers=say.quantity(one.servers), power=power)
    return count if one.fits else f"{count}; {say('does_not_fit')}"


def not_used_text(one: NotUsed) -> str:
    """The customer's words, and why nothing rests on them."""
    return f"“{one.text}”" + (f": {one.reason}" if one.reason else "")


def not_used_rows(sizing: Sizing, say: Say) -> tuple[Row, ...]:
    """One row a phrase that was heard and not used, under a heading; nothing where there is none."""
    if not sizing.heard_not_used:
        return ()
    rows = (
        Row(f"{NOT_USED}{place}", (f"“{one.text}”", one.reason or "", "", ""), not_used_text(one))
        for place, one in enumerate(sizing.heard_not_used)
    )
    return (Row("", (f"{say('not_used')} ({len(sizing.heard_not_used)})",)), *rows)


def not_used_lines(sizing: Sizing, key: str, say: Say) -> tuple[Line, ...]:
    """One phrase that was heard and not used."""
    one = sizing.heard_not_used[int(key.removeprefix(NOT_USED))]
    reason = (Line("field", one.reason, say("why")),) if one.reason else ()
    return (Line("title", f"“{one.text}”"), Line("text", say("not_used_about")), *reason)
