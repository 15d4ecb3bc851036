"""The document in one screen or two: each choice a line, each assumption a line; the whole one gives the reasons."""

from __future__ import annotations

from assistant.export.document import (
    choice_text,
    field_name,
    fleet_section,
    heads,
    measured,
    misfit_bullets,
    not_used_section,
    plans_section,
    questions_section,
    range_text,
    stated_section,
    summary_section,
    title_of,
    value_text,
    voice_of,
    warnings_section,
)
from assistant.export.parts import Document, Section, rows_table
from assistant.messages.voice import Voice
from assistant.result import Decision, Sizing


def build_short(sizing: Sizing, label: str = "", lang: str = "en") -> Document:
    """What a reader needs first: the answer, what it rests on, and what to ask next."""
    voice = voice_of(lang)
    sections = [
        summary_section(sizing, voice),
        plans_section(sizing, voice),
        _count(sizing, voice),
        fleet_section(sizing.plan(), voice),
        stated_section(sizing, "stated", voice),
        not_used_section(sizing, voice),
        _assumed(sizing, voice),
        questions_section(sizing, voice),
        _decisions(sizing, voice),
        _duties(sizing, voice),
        warnings_section(sizing, voice),
        Section(id="more", title="", paragraphs=(voice("more"),)),
    ]
    return Document(
        title=title_of(label, voice),
        status=voice("status_short"),
        sections=tuple(s for s in sections if s.paragraphs or s.bullets or s.tables),
    )


def _count(sizing: Sizing, voice: Voice) -> Section:
    plan = sizing.plan()
    bullets = (*misfit_bullets(plan, voice), *map(voice.tell, plan.causes))
    return Section(id="count", title=voice("section.count"), bullets=bullets)


def _assumed(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (field_name(a.field, voice), value_text(a.field, a.value, a.unit, voice), range_text(a, voice))
        for a in sizing.assumptions
    ]
    header = heads(voice, "field", "value", "range")
    return Section(id="assumptions", title=voice("section.assumed"), tables=rows_table(header, rows))


def _decisions(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (
            voice.tell(d.title),
            choice_text(d, voice),
            voice.word("levels.confidence", d.confidence),
            _flip(d, voice),
        )
        for d in sizing.decisions
    ]
    header = heads(voice, "choice", "advice", "confidence", "would_change")
    return Section(id="decisions", title=voice("section.choices"), tables=rows_table(header, rows))


def _flip(decision: Decision, voice: Voice) -> str:
    if not decision.flips_when:
        return ""
    first = decision.flips_when[0]
    return voice("flip_short", choice=voice.tell(decision.said(first.choice)), change=first.change)


def _duties(sizing: Sizing, voice: Voice) -> Section:
    rows = [(voice.tell(o.title), voice.tell(o.state), *measured(o, voice)) for o in sizing.obligations]
    header = heads(voice, "duty", "state", "here", "threshold")
    return Section(id="obligations", title=voice("section.obligations"), tables=rows_table(header, rows))
