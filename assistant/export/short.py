"""The document in two screens: what is asked for, what it takes, what it rests on, and what to ask next.

Lists are cut where the whole document goes on, and say how much they leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from assistant.export.document import (
    field_name,
    not_used_section,
    plan_cells,
    question_effect,
    range_text,
    summary_section,
    title_of,
    value_text,
    voice_of,
)
from assistant.export.flips import plausible_flips
from assistant.export.parts import Document, Section, Table
from assistant.interview.questions import question
from assistant.messages.sentences import render
from assistant.messages.voice import DASH, Voice
from assistant.result import Sizing
from knowledge.message import Message, Text, message_of, say, verbatim

PLAN_ROWS = ("gpus", "servers", "nominal_it_kw", "racks", "after_failure")
"""Figures of the plans that two screens hold."""
MOST_CAUSES = 3
"""Reasons of the count that are named."""
MOST_FIELDS = 6
"""Stated and assumed values that are named."""
MOST_FLIPS = 1
"""Choices of which it is said what would change them."""
MOST_WARNINGS = 3
"""Warnings that are named: the severe ones come first."""
MOST_NOT_USED = 2
"""Things heard and not used that are quoted."""
MOST_DUTIES = 2
"""Duties of a state that are named."""
LONGEST = 185
"""Characters of one line of a list: two lines of a terminal."""
SEVERITY = ("stop", "caution", "info")
"""Severities of warnings, the gravest first."""


IN_THE_SUMMARY = frozenset({"does_not_fit", "load_exceeds_named_hardware"})
"""Warnings that the summary has already said."""


def build_short(sizing: Sizing, label: str = "", lang: str = "en") -> Document:
    """What a reader needs first: the answer, what it rests on, and what to ask next."""
    voice = voice_of(lang)
    sections = [
        summary_section(sizing, voice),
        _plans(sizing, voice),
        _count(sizing, voice),
        Section(id="stated", title=voice("section.stated"), paragraphs=_stated(sizing, voice)),
        _not_used(sizing, voice),
        Section(id="assumptions", title=voice("section.assumed"), paragraphs=_assumed(sizing, voice)),
        Section(id="questions", title=voice("section.questions"), bullets=tuple(_questions(sizing, voice))),
        _choices(sizing, voice),
        Section(id="changes", title=voice("section.changes"), bullets=tuple(_changes(sizing, voice))[:MOST_FLIPS]),
        Section(id="obligations", title=voice("section.obligations"), bullets=tuple(_duties(sizing, voice))),
        Section(id="warnings", title=voice("section.warnings"), bullets=_warnings(sizing, voice)),
        Section(id="more", title="", paragraphs=(voice("more"),)),
    ]
    return Document(
        title=title_of(label, voice),
        status=voice("status_short"),
        sections=tuple(s for s in sections if s.paragraphs or s.bullets or s.tables),
    )


def _plans(sizing: Sizing, voice: Voice) -> Section:
    cells = plan_cells(sizing, voice) | _counts(sizing, voice)
    header = ("", *(voice(f"plan.{plan.name}") for plan in sizing.plans))
    keys = PLAN_ROWS if all(plan.fits for plan in sizing.plans) else ("fits", *PLAN_ROWS)
    rows = tuple((voice(f"row.{key}"), *cells[key]) for key in keys)
    return Section(id="plans", title=voice("section.plans"), tables=(Table(header=header, rows=rows),))


def _counts(sizing: Sizing, voice: Voice) -> dict[str, tuple[str, ...]]:
    """GPUs and servers as bare counts where all plans have those that the summary names."""
    counts = {}
    if len({plan.accelerator for plan in sizing.plans}) == 1:
        counts["gpus"] = tuple(voice.quantity(plan.gpus) for plan in sizing.plans)
    servers = [[server for server in plan.servers if server.role == "gpu"] for plan in sizing.plans]
    if all(len(one) == 1 for one in servers) and len({one[0].id for one in servers}) == 1:
        counts["servers"] = tuple(voice.quantity(one[0].count) for one in servers)
    return counts


def _not_used(sizing: Sizing, voice: Voice) -> Section:
    section = not_used_section(sizing, voice)
    bullets = _cut(section.bullets, MOST_NOT_USED, "more_not_used", voice)
    return section.model_copy(update={"bullets": bullets})


def _count(sizing: Sizing, voice: Voice) -> Section:
    told = list(map(voice.tell, sizing.plan().causes))
    return Section(id="count", title=voice("section.count"), bullets=_cut(told, MOST_CAUSES, "more_causes", voice))


def _cut(lines: Sequence[str], most: int, rest: str, voice: Voice) -> tuple[str, ...]:
    """The first lines, each kept short, and how many were left out."""
    shown = list(map(_kept, lines[:most]))
    if len(lines) > most:
        shown.append(_said(say(f"short.{rest}", count=len(lines) - most), voice))
    return tuple(shown)


def _kept(line: str) -> str:
    return line if len(line) <= LONGEST else line[: LONGEST - 2].rsplit(" ", 1)[0] + " …"


def _said(text: Text, voice: Voice) -> str:
    return render(text, voice.lang)


def _values(parts: list[Message], voice: Voice) -> tuple[str, ...]:
    """Values in one paragraph."""
    if not parts:
        return ()
    rest = len(parts) - MOST_FIELDS
    more = [say("short.more_fields", count=rest)] if rest > 0 else []
    return (_said(say("short.values", values=[*parts[:MOST_FIELDS], *more]), voice),)


def _stated(sizing: Sizing, voice: Voice) -> tuple[str, ...]:
    parts = []
    for field, answer in sizing.stated.items():
        value = value_text(field, answer.get("value"), answer.get("unit"), voice)
        parts.append(say("short.value", field=field_name(field, voice), value=value))
    return _values(parts, voice)


def _assumed(sizing: Sizing, voice: Voice) -> tuple[str, ...]:
    """Assumed values, those with a range first: they are the ones that may move."""
    parts = []
    for one in sorted(sizing.assumptions, key=lambda one: one.range is None):
        known = {
            "field": field_name(one.field, voice), "value": value_text(one.field, one.value, one.unit, voice)
        }  # fmt: skip
        reach = range_text(one, voice)
        key = "short.value" if reach == DASH else "short.value_within"
        parts.append(say(key, **known, range=reach))
    return _values(parts, voice)


def _questions(sizing: Sizing, voice: Voice) -> Iterator[str]:
    for one in sizing.next_questions:
        text = question(one.id).wording.localised(voice.lang)
        told = _said(say("short.question", text=text, effect=question_effect(one, sizing, voice)), voice)
        yield _kept(told)


def _choices(sizing: Sizing, voice: Voice) -> Section:
    """Each choice in one line, two beside one another."""
    lines = []
    for decision in sizing.decisions:
        title = _title(decision.id, decision.title)
        lines.append(_said(say("short.line", title=title, choice=decision.said(decision.choice)), voice))
    half = -(-len(lines) // 2)
    pairs = tuple(zip_longest(lines[:half], lines[half:], fillvalue=""))
    table = Table(header=("", ""), rows=pairs)
    return Section(id="decisions", title=voice("section.choices"), tables=(table,))


def _changes(sizing: Sizing, voice: Voice) -> Iterator[str]:
    """Choices that an answer of the customer would still change."""
    for decision in sizing.decisions:
        for flip in plausible_flips(decision, sizing)[:1]:
            title, choice = _title(decision.id, decision.title), decision.said(flip.choice)
            yield _kept(_said(say("short.flip", title=title, choice=choice, change=flip.change), voice))


def _title(ident: str, title: Text) -> Message:
    """A choice's short name; the long one of an overlay's own."""
    return verbatim(f"short.choice.{ident}", title if isinstance(title, str) else ident)


def _duties(sizing: Sizing, voice: Voice) -> Iterator[str]:
    """Duties that apply and those that are open; the others are none."""
    for state, key in ((True, "duties_apply"), ("open", "duties_open")):
        titles = list(dict.fromkeys(message_of(one.title) for one in sizing.obligations if one.applies == state))
        if not titles:
            continue
        rest = len(titles) - MOST_DUTIES
        more = [say("short.more_duties", count=rest)] if rest > 0 else []
        yield _said(say(f"short.{key}", titles=[*titles[:MOST_DUTIES], *more]), voice)


def _warnings(sizing: Sizing, voice: Voice) -> tuple[str, ...]:
    order = {severity: at for at, severity in enumerate(SEVERITY)}
    grave = sorted(
        (w for w in sizing.warnings if w.id not in IN_THE_SUMMARY), key=lambda w: order.get(str(w.severity), 0)
    )
    told = [voice("warning", severity=w.severity, text=w.text) for w in grave]
    return _cut(told, MOST_WARNINGS, "more_warnings", voice)
