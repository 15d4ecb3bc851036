"""The document model: a sizing as titled sections of paragraphs, lists and tables, in one language.

Screens and every text format are made from this, so that none can say what another does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assistant.export.figures import figure_label, figure_text
from assistant.export.fleet import fleet_lines
from assistant.export.flips import plausible_flips
from assistant.export.layout_sections import physical_sections
from assistant.export.parts import Document, Section, Table, rows_table
from assistant.export.summary import summary_lines
from assistant.interview.questions import question, questions_by_id
from assistant.interview.wording import effect_text, reason_text, show_value
from assistant.messages.voice import DASH, Voice
from assistant.output import plain
from assistant.result import Assumption, ChecklistEntry, Decision, NextQuestion, Obligation, Plan, Reason, Sizing
from assistant.store_types import ItemState

UNKNOWN_WHEN_EMPTY = ("_kw", "_kg", "_btu_per_h")
"""Facility figures that are empty because a rated value behind them is not published."""

CHECKLIST_HEADER = ("id", "phase", "done", "item", "command", "expected", "owner", "by", "evidence", "sources")
"""The columns of the checklist."""

MOST_FLIPS = 3
"""Flips of a decision that the document names."""


def voice_of(lang: str) -> Voice:
    """The document's own words in a language."""
    return Voice(lang, "export")


def build_document(
    sizing: Sizing, label: str = "", done: Mapping[str, ItemState] | None = None, lang: str = "en"
) -> Document:
    """The document of a sizing; ``done`` is the state of its checklist."""
    voice = voice_of(lang)
    sections = [
        summary_section(sizing, voice),
        stated_section(sizing, "said", voice),
        plans_section(sizing, voice),
        *(_plan_details(plan, voice) for plan in sizing.plans if plan.name == "recommended"),
        fleet_section(sizing.plan(), voice),
        _decisions(sizing, voice),
        _obligations(sizing, voice),
        warnings_section(sizing, voice),
        not_used_section(sizing, voice),
        _assumptions(sizing, voice),
        questions_section(sizing, voice),
        _checklist(sizing.checklist, done or {}, voice),
        _bill(sizing.plan(), voice),
        *physical_sections(sizing.plan(), lang),
        _figures(sizing, voice),
        _sources(sizing, voice),
    ]
    return Document(
        title=title_of(label, voice),
        status=voice("status"),
        sections=tuple(s for s in sections if s.paragraphs or s.bullets or s.tables),
    )


def title_of(label: str, voice: Voice) -> str:
    """The document's title."""
    return voice("title_of", label=label) if label else voice("title")


def heads(voice: Voice, *keys: str) -> tuple[str, ...]:
    """The headers of a table."""
    return tuple(voice(f"head.{key}") if key else "" for key in keys)


def summary_section(sizing: Sizing, voice: Voice) -> Section:
    """The answer in words, a line each."""
    lines = tuple(map(voice.tell, summary_lines(sizing)))
    return Section(id="summary", title=voice("section.summary"), bullets=lines)


def field_name(field: str, voice: Voice) -> str:
    """A field of the brief by its short name, after the group of which it was said."""
    group, _, own = field.rpartition(".")
    name = voice.word("fields", own)
    return f"{group}: {name}" if group else name


def value_text(field: str, value: object, unit: str | None, voice: Voice) -> str:
    """A field's value as the interview says it."""
    asked = questions_by_id().get(field.rpartition(".")[2])
    return voice.quantity(value, unit) if asked is None else show_value(asked, value, voice.lang, unit)


def range_text(assumption: Assumption, voice: Voice) -> str:
    """The plausible range of an assumption, or a dash."""
    asked = questions_by_id().get(assumption.field.rpartition(".")[2])
    return voice.reach(assumption.range, asked.unit if asked is not None else assumption.unit)


def stated_section(sizing: Sizing, title: str, voice: Voice) -> Section:
    """What was stated, with the words it came from."""
    rows = []
    for field, answer in sizing.stated.items():
        said = f"“{answer['text']}”" if answer.get("text") else voice.word("export.provenance", answer["provenance"])
        value = value_text(field, answer.get("value"), answer.get("unit"), voice)
        rows.append((field_name(field, voice), value, said))
    header = heads(voice, "field", "value", "origin")
    return Section(id="stated", title=voice(f"section.{title}"), tables=rows_table(header, rows))


def not_used_section(sizing: Sizing, voice: Voice) -> Section:
    """What the customer said and the plan does not rest on."""
    bullets = tuple(f"“{one.text}”" + (f": {one.reason}" if one.reason else "") for one in sizing.heard_not_used)
    return Section(id="not_used", title=voice("section.not_used"), bullets=bullets)


def plans_section(sizing: Sizing, voice: Voice) -> Section:
    """The three plans beside one another."""
    header = ("", *(voice(f"plan.{plan.name}") for plan in sizing.plans))
    rows = [(voice(f"row.{key}"), *values) for key, values in plan_cells(sizing, voice).items()]
    return Section(id="plans", title=voice("section.plans"), tables=rows_table(header, rows))


def plan_cells(sizing: Sizing, voice: Voice) -> dict[str, tuple[str, ...]]:
    """The figures of the three plans, by the row that they stand in."""
    plans = sizing.plans
    cells: dict[str, Iterable[str]] = {
        "fits": (voice.quantity(p.fits) for p in plans),
        "gpus": (f"{voice.quantity(p.gpus)} x {p.card}" for p in plans),
        "servers": (
            "; ".join(f"{voice.quantity(s.count)} x {s.name}" for s in p.servers if s.role == "gpu") for p in plans
        ),
        "binding": (voice.word("binding", p.binding) for p in plans),
        "it_kw": (voice.quantity(p.facility.it_kw, "kW") for p in plans),
        "nominal_it_kw": (voice.quantity(p.facility.nominal_it_kw, "kW") for p in plans),
        "racks": (voice.quantity(p.facility.racks) for p in plans),
        "rack_kw": (voice.quantity(p.facility.rack_kw, "kW") for p in plans),
        "cooling": (figure_text("cooling", p.facility.cooling, voice.lang) for p in plans),
        "fabric": (figure_text("technology", p.network.get("technology", DASH), voice.lang) for p in plans),
        "after_failure": (
            voice("of_the_load", share=p.capacity_after_one_failure.share_of_required_load) for p in plans
        ),
    }
    return {key: tuple(values) for key, values in cells.items()}


def misfit_bullets(plan: Plan, voice: Voice) -> tuple[str, ...]:
    """Why the plan does not fit and what would; nothing where it fits."""
    if plan.fits:
        return ()
    fix = (voice("nearest_fix", change=fix_text(plan, voice)),) if plan.nearest_fix else ()
    return (voice("does_not_fit", why=plan.why_not), *fix)


def fix_text(plan: Plan, voice: Voice) -> str:
    """The nearest change that fits: what to change, else the figures that were changed."""
    fix = plan.nearest_fix or {}
    return voice.quantity(fix.get("change") or fix)


def fleet_section(plan: Plan, voice: Voice) -> Section:
    """Which model stands on which servers."""
    return Section(id="fleet", title=voice("section.fleet"), bullets=tuple(map(voice.tell, fleet_lines(plan))))


def _plan_details(plan: Plan, voice: Voice) -> Section:
    bullets = [*misfit_bullets(plan, voice), *(voice("cause", cause=cause) for cause in plan.causes)]
    bullets.append(voice("after_failure", lost=plan.capacity_after_one_failure.what_is_lost))
    tables = [
        Table(
            header=heads(voice, name, "value"),
            rows=tuple(
                (figure_label(k, voice.lang), figure_text(k, v, voice.lang))
                for k, v in block.items()
                if _shown(k, v, block)
            ),
        )
        for name, block in (("network", plan.network), ("storage", plan.storage), ("facility", plain(plan.facility)))
        if block
    ]
    title = voice("section.plan", plan=plan.name)
    return Section(id="plan", title=title, bullets=tuple(bullets), tables=tuple(tables))


def _shown(name: str, value: object, block: Mapping[str, object]) -> bool:
    """Plain figures; an empty one only where it is unknown rather than not applicable."""
    if value is None:
        return name.endswith(UNKNOWN_WHEN_EMPTY) and bool(block.get("unknown"))
    return isinstance(value, (bool, int, float, str))


def choice_text(decision: Decision, voice: Voice) -> str:
    """The choice in words."""
    return voice.tell(decision.said(decision.choice))


def _decisions(sizing: Sizing, voice: Voice) -> Section:
    bullets = tuple(line for decision in sizing.decisions for line in _decision(decision, sizing, voice))
    return Section(id="decisions", title=voice("section.decisions"), bullets=bullets)


def _decision(decision: Decision, sizing: Sizing, voice: Voice) -> Iterator[str]:
    choice = choice_text(decision, voice)
    yield voice("decision", title=decision.title, choice=choice, confidence=decision.confidence)
    yield from ("  " + voice("for", text=_reasoned(r, voice)) for r in decision.because)
    yield from ("  " + voice("against", text=_reasoned(r, voice)) for r in decision.against)
    yield from ("  " + voice("disagrees", text=d.says) for d in decision.dissent)
    if decision.runner_up:
        yield "  " + voice("runner_up", choice=_told(decision, decision.runner_up, voice))
    for flip in plausible_flips(decision, sizing)[:MOST_FLIPS]:
        yield "  " + voice("flip", choice=_told(decision, flip.choice, voice), change=flip.change)


def _told(decision: Decision, choice: str, voice: Voice) -> str:
    return voice.tell(decision.said(choice))


def _reasoned(reason: Reason, voice: Voice) -> str:
    cited = "; ".join(filter(None, (voice.word("levels.grade", reason.grade), ", ".join(reason.sources))))
    return f"{voice.tell(reason.text)} [{cited}]"


def _obligations(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (
            voice.tell(o.title),
            voice.tell(o.state),
            *measured(o, voice),
            voice.tell(o.by) or DASH,
            voice.tell(o.reason),
            ", ".join(o.sources),
        )
        for o in sizing.obligations
    ]
    header = heads(voice, "duty", "state", "value", "threshold", "who", "why", "sources")
    return Section(id="obligations", title=voice("section.obligations"), tables=rows_table(header, rows))


def measured(duty: Obligation, voice: Voice) -> tuple[str, str]:
    """A duty's value and threshold; dashes for a duty that is not measured by a figure."""
    if duty.unit is None and duty.value is None:
        return DASH, DASH
    return voice.quantity(duty.value, duty.unit), voice.quantity(duty.threshold, duty.unit)


def warnings_section(sizing: Sizing, voice: Voice) -> Section:
    """What must not be overlooked."""
    told = tuple(voice("warning", severity=w.severity, text=w.text) for w in sizing.warnings)
    return Section(id="warnings", title=voice("section.warnings"), bullets=told)


def _assumptions(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (
            field_name(a.field, voice),
            value_text(a.field, a.value, a.unit, voice),
            range_text(a, voice),
            reason_text(a.why, voice.lang),
            ", ".join(a.sources) or voice("judgement"),
        )
        for a in sizing.assumptions
    ]
    header = heads(voice, "field", "assumed", "range", "why", "sources")
    return Section(id="assumptions", title=voice("section.assumptions"), tables=rows_table(header, rows))


def questions_section(sizing: Sizing, voice: Voice) -> Section:
    """What to ask next, and what it would change."""
    bullets = tuple(_question(one, sizing, voice) for one in sizing.next_questions)
    return Section(id="questions", title=voice("section.questions"), bullets=bullets)


def question_effect(one: NextQuestion, sizing: Sizing, voice: Voice) -> str:
    """What the answer to a question moves, in words."""
    titles = {decision.id: decision.title for decision in sizing.decisions}
    return effect_text(one.moves, titles, voice.lang) if one.moves else one.effect


def _question(one: NextQuestion, sizing: Sizing, voice: Voice) -> str:
    asked, effect = question(one.id), question_effect(one, sizing, voice)
    text, why = asked.wording.localised(voice.lang), asked.why.localised(voice.lang)
    return voice("question", text=text, why=why, effect=effect)


def _checklist(entries: Iterable[ChecklistEntry], done: Mapping[str, ItemState], voice: Voice) -> Section:
    header = tuple(voice(f"checklist.{column}") for column in CHECKLIST_HEADER)
    rows = (checklist_row(e, done.get(e.id), voice) for e in entries)
    return Section(id="checklist", title=voice("section.checklist"), tables=rows_table(header, rows))


def checklist_row(entry: ChecklistEntry, state: ItemState | None, voice: Voice) -> tuple[str, ...]:
    """One checklist item as text, in the order of ``CHECKLIST_HEADER``."""
    state = state or ItemState()
    return (
        entry.id,
        voice.word("export.phase", entry.phase),
        voice.quantity(state.done),
        voice.tell(entry.item),
        entry.command or DASH,
        expected_text(entry, voice),
        state.owner or voice.tell(entry.owner_role),
        state.by or "",
        state.evidence or "",
        ", ".join(entry.sources),
    )


def expected_text(entry: ChecklistEntry, voice: Voice) -> str:
    """What the check must show, with its tolerance; a dash where no number can be given."""
    e = entry.expected
    if e is None:
        return DASH
    tolerance = f" ± {voice.share(e.tolerance)}" if e.tolerance else ""
    return f"{e.op} {voice.quantity(e.value, e.unit)}{tolerance}"


def _bill(plan: Plan, voice: Voice) -> Section:
    rows = [(b.item, voice.quantity(b.count), voice.word("bill.unit", b.unit), b.of) for b in plan.bill_of_materials]
    header = heads(voice, "item", "count", "unit", "for")
    return Section(id="bill", title=voice("section.bill"), tables=rows_table(header, rows))


def _figures(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (
            figure_label(step.name, voice.lang),
            figure_text(step.name, step.value, voice.lang),
            step.formula,
            ", ".join(
                f"{figure_label(name, voice.lang)} {figure_text(name, value, voice.lang)}"
                for name, value in step.inputs.items()
            ),
            ", ".join(step.sources),
        )
        for step in sizing.why or ()
    ]
    header = heads(voice, "figure", "value", "formula", "from", "sources")
    return Section(id="figures", title=voice("section.figures"), tables=rows_table(header, rows))


def _sources(sizing: Sizing, voice: Voice) -> Section:
    rows = [
        (s.id, s.title, s.address or voice("no_address"), s.date or DASH, voice.word("levels.grade", s.grade))
        for s in sizing.sources
    ]
    versions = voice("versions", catalogue=sizing.catalogue_version, rules=sizing.rules_version, engine=sizing.engine)
    header = heads(voice, "id", "title", "address", "date", "grade")
    return Section(
        id="sources", title=voice("section.sources"), paragraphs=(versions,), tables=rows_table(header, rows)
    )
