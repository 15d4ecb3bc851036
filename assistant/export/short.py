"""The document in one screen or two: each choice a line, each assumption a line; the whole one gives the reasons."""

from __future__ import annotations

from assistant.export.document import (
    DUTY_STATE,
    Document,
    Section,
    choice_text,
    fleet_section,
    misfit_bullets,
    plans_section,
    quantity,
    questions_section,
    range_text,
    rows_table,
    stated_section,
    summary_section,
    warnings_section,
)
from assistant.result import Decision, Sizing

MORE = "More: --full gives the reasons and sources of each choice, --why the formula and inputs of each figure."


def build_short(sizing: Sizing, label: str = "") -> Document:
    """What a reader needs first: the answer, what it rests on, and what to ask next."""
    sections = [
        summary_section(sizing),
        plans_section(sizing),
        _count(sizing),
        fleet_section(sizing.plan()),
        stated_section(sizing, "Stated"),
        _assumed(sizing),
        questions_section(sizing),
        _decisions(sizing),
        _duties(sizing),
        warnings_section(sizing),
        Section(id="more", title="", paragraphs=(MORE,)),
    ]
    return Document(
        title=f"First sizing: {label}" if label else "First sizing",
        status="First sizing, not a quote. Law is cited, this is not legal advice.",
        sections=tuple(s for s in sections if s.paragraphs or s.bullets or s.tables),
    )


def _count(sizing: Sizing) -> Section:
    plan = sizing.plan()
    return Section(id="count", title="Why this many", bullets=(*misfit_bullets(plan), *plan.causes))


def _assumed(sizing: Sizing) -> Section:
    rows = [(a.field, quantity(a.value, a.unit), range_text(a.range)) for a in sizing.assumptions]
    return Section(id="assumptions", title="Assumed", tables=rows_table(("field", "value", "range"), rows))


def _decisions(sizing: Sizing) -> Section:
    rows = [(d.title, choice_text(d), d.confidence, _flip(d)) for d in sizing.decisions]
    header = ("choice", "advice", "confidence", "would change")
    return Section(id="decisions", title="Choices", tables=rows_table(header, rows))


def _flip(decision: Decision) -> str:
    if not decision.flips_when:
        return ""
    first = decision.flips_when[0]
    return f"to {str(first.get('choice')).replace('_', ' ')} if {first.get('change')}"


def _duties(sizing: Sizing) -> Section:
    rows = [
        (o.title, DUTY_STATE[o.applies], quantity(o.value, o.unit), quantity(o.threshold, o.unit))
        for o in sizing.obligations
    ]
    header = ("duty", "state", "here", "threshold")
    return Section(id="obligations", title="Obligations (not legal advice)", tables=rows_table(header, rows))
