"""Stated values that cannot all hold, or of which one stands above another: what was used, and what was not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.interview.brief import Brief
from assistant.planning.demands.models import ModelUse
from knowledge.message import Message, say

SAME = 0.25
"""Sizes and loads within a quarter of one another say the same."""


def conflicts(brief: Brief, models: tuple[ModelUse, ...]) -> Iterator[Message]:
    """One sentence for each pair of stated values that do not agree."""
    yield from _load(brief)
    yield from _lengths(brief)
    yield from _size(brief, models)
    yield from _hardware(brief)
    yield from _drafts(brief)


def _stated(brief: Brief, field: str) -> float | None:
    return float(brief.value(field)) if brief.stated(field) and brief.value(field) is not None else None


def _load(brief: Brief) -> Iterator[Message]:
    people, at_once = _stated(brief, "users_total"), _stated(brief, "users_concurrent")
    rate, share = _stated(brief, "requests_per_s"), _stated(brief, "active_share")
    if at_once is None:
        return
    if people is not None and at_once > people:
        yield say("conflicts.more_requests_than_people", requests=at_once, people=people)
    if rate is not None:
        yield say("conflicts.requests_and_rate", requests=at_once, rate=rate, seconds=at_once / rate)
    if people is not None and share is not None and _apart(people * share, at_once):
        then = people * share
        yield say("conflicts.people_and_requests", people=people, share=share, then=then, requests=at_once)


def _apart(one: float, other: float) -> bool:
    return abs(one - other) > SAME * max(one, other)


def _lengths(brief: Brief) -> Iterator[Message]:
    context, inputs, outputs = (brief.value(field) for field in ("context_tokens", "input_tokens", "output_tokens"))
    if not (brief.stated("context_tokens") and brief.stated("input_tokens")):
        return
    longest = _most(inputs) + (_most(outputs) if brief.stated("output_tokens") else 0)
    if longest > float(context):
        yield say("conflicts.longer_than_context", longest=float(longest), context=float(context))


def _most(lengths: Any) -> float:
    return float(lengths["max"] if isinstance(lengths, Mapping) else lengths)


def _size(brief: Brief, models: tuple[ModelUse, ...]) -> Iterator[Message]:
    """A size that no model named has: "70B" said beside a model of eight."""
    size = brief.get("parameters_b")
    if not brief.stated("models") or not brief.stated("parameters_b") or size.text is None or size.value is None:
        return
    if any(not _apart(model.params_b, float(size.value)) for model in models):
        return
    names = ", ".join(f"{model.name} ({model.params_b:.3g}B)" for model in models)
    yield say("conflicts.other_size", size=float(size.value), names=names)


def _hardware(brief: Brief) -> Iterator[Message]:
    groups = brief.value("gpus") or ()
    counts = [g.get("count") for g in groups if isinstance(g, Mapping)] if isinstance(groups, list | tuple) else []
    nodes = _stated(brief, "nodes")
    if brief.stated("gpus") and nodes and len(counts) == 1 and counts[0] and counts[0] < nodes:
        yield say("conflicts.gpus_and_servers", gpus=counts[0], servers=round(nodes))


def _drafts(brief: Brief) -> Iterator[Message]:
    if brief.stated("draft_tokens") and brief.value("draft_acceptance") is None:
        yield say("conflicts.drafts_without_acceptance")
