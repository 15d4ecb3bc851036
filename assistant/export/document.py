"""The document model: a sizing as titled sections of paragraphs, lists and tables.

Screens and every text format are made from this, so that none can say what another does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor
from typing import Any

from assistant.export.fleet import fleet_lines
from assistant.result import ChecklistEntry, Decision, Plan, Reason, Sizing
from assistant.store_types import ItemState
from knowledge.evidence import Frozen

DASH = "–"

COUNTED = ("tenants", "users", "years", "tokens", "nodes", "servers", "racks", "GPUs", "days", "hours")
"""Units that are words, so that one of them is said without the s."""

DUTY_STATE: dict[bool | str, str] = {True: "applies", False: "does not apply", "open": "open"}

UNKNOWN_WHEN_EMPTY = ("_kw", "_kg", "_btu_per_h")
"""Facility figures that are empty because a rated value behind them is not published."""


class Table(Frozen):
    """A table of text; every row is as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Section(Frozen):
    """One titled part of the document."""

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


class Document(Frozen):
    """The whole document."""

    title: str
    status: str
    sections: tuple[Section, ...]


def number(value: Any) -> str:
    """A figure for people: at most four significant digits, thousands apart, unknown where there is none."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(number(v) for v in value)
    if isinstance(value, Mapping) and set(value) == {"name", "config"}:
        return str(value["name"])
    if isinstance(value, Mapping) and set(value) == {"gpu", "count"}:
        return f"{number(value['count']) if value['count'] else 'some'} x {value['gpu']}"
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {number(v)}" for k, v in value.items() if v is not None)
    if not isinstance(value, (int, float)):
        return str(value)
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{round(value):,}"
    return f"{value:.4g}"


def percent(share: float) -> str:
    """A share rounded down, so that 100 % means all of it."""
    return f"{floor(share * 100 + 1e-9)}%"


def quantity(value: Any, unit: str | None) -> str:
    """A figure with its unit."""
    shown = number(value)
    if not unit or value is None:
        return shown
    return f"{shown} {unit.removesuffix('s') if shown == '1' and unit in COUNTED else unit}"


def range_text(reach: tuple[float, float] | None) -> str:
    """A range from low to high, or a dash."""
    return f"{number(reach[0])} to {number(reach[1])}" if reach else DASH


def build_document(sizing: Sizing, label: str = "", done: Mapping[str, ItemState] | None = None) -> Document:
    """The document of a sizing; ``done`` is the state of its checklist."""
    from assistant.export.physical.sections import physical_sections  # it is made of the parts above

    sections = [
        summary_section(sizing),
        stated_section(sizing, "What was said"),
        plans_section(sizing),
        *(_plan_details(plan) for plan in sizing.plans if plan.name == "recommended"),
        fleet_section(sizing.plan()),
        _decisions(sizing),
        _obligations(sizing),
        warnings_section(sizing),
        _assumptions(sizing),
        questions_section(sizing),
        _checklist(sizing.checklist, done or {}),
        _bill(sizing.plan()),
        *physical_sections(sizing.plan()),
        _figures(sizing),
        _sources(sizing),
    ]
    return Document(
        title=f"First sizing: {label}" if label else "First sizing",
        status="First sizing, not a quote. Assumed values are marked; law is cited, this is not legal advice.",
        sections=tuple(s for s in sections if s.paragraphs or s.bullets or s.tables),
    )


def summary_section(sizing: Sizing) -> Section:
    """The answer in words."""
    return Section(id="summary", title="Summary", paragraphs=(sizing.summary,))


def stated_section(sizing: Sizing, title: str) -> Section:
    """What was stated, with the words it came from."""
    rows = []
    for field, answer in sizing.stated.items():
        said = f"“{answer['text']}”" if answer.get("text") else answer.get("provenance", "")
        rows.append((field, quantity(answer.get("value"), answer.get("unit")), said))
    return Section(id="stated", title=title, tables=rows_table(("field", "value", "words or origin"), rows))


def rows_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> tuple[Table, ...]:
    """A table, or nothing where it has no row."""
    kept = tuple(rows)
    return (Table(header=header, rows=kept),) if kept else ()


def plans_section(sizing: Sizing) -> Section:
    """The three plans beside one another."""
    header = ("", *(plan.name for plan in sizing.plans))
    rows = [
        ("fits", *(number(p.fits) for p in sizing.plans)),
        ("GPUs", *(f"{p.gpus:,} x {p.accelerator}" for p in sizing.plans)),
        ("servers", *("; ".join(f"{s.count} x {s.name}" for s in p.servers if s.role == "gpu") for p in sizing.plans)),
        ("demanded by", *(p.binding for p in sizing.plans)),
        ("IT power, expected", *(quantity(p.facility.get("it_kw"), "kW") for p in sizing.plans)),
        ("IT power, nominal", *(quantity(p.facility.get("nominal_it_kw"), "kW") for p in sizing.plans)),
        ("racks", *(number(p.facility.get("racks")) for p in sizing.plans)),
        ("fullest rack", *(quantity(p.facility.get("rack_kw"), "kW") for p in sizing.plans)),
        ("cooling", *(number(p.facility.get("cooling")) for p in sizing.plans)),
        ("compute fabric", *(str(p.network.get("technology", DASH)) for p in sizing.plans)),
        (
            "after one failure",
            *(f"{percent(p.capacity_after_one_failure.share_of_required_load)} of the load" for p in sizing.plans),
        ),
    ]
    return Section(id="plans", title="Plans", tables=rows_table(header, rows))


def misfit_bullets(plan: Plan) -> tuple[str, ...]:
    """Why the plan does not fit and what would; nothing where it fits."""
    if plan.fits:
        return ()
    fix = (f"Nearest change that fits: {number(plan.nearest_fix)}",) if plan.nearest_fix else ()
    return (f"Does not fit: {plan.why_not}", *fix)


def fleet_section(plan: Plan) -> Section:
    """Which model stands on which servers."""
    return Section(id="fleet", title="Where the models run", bullets=fleet_lines(plan))


def _plan_details(plan: Plan) -> Section:
    bullets = [*misfit_bullets(plan), *(f"Why this count: {cause}" for cause in plan.causes)]
    lost = plan.capacity_after_one_failure.what_is_lost
    bullets.append(f"After one failure: {lost}")
    tables = [
        Table(header=(name, "value"), rows=tuple((k, number(v)) for k, v in block.items() if _shown(k, v, block)))
        for name, block in (("network", plan.network), ("storage", plan.storage), ("facility", plan.facility))
        if block
    ]
    return Section(id="plan", title=f"The {plan.name} plan", bullets=tuple(bullets), tables=tuple(tables))


def _shown(name: str, value: Any, block: Mapping[str, Any]) -> bool:
    """Plain figures; an empty one only where it is unknown rather than not applicable."""
    if value is None:
        return name.endswith(UNKNOWN_WHEN_EMPTY) and bool(block.get("unknown"))
    return isinstance(value, (bool, int, float, str))


def choice_text(decision: Decision) -> str:
    """The choice in words; an accelerator's id stays as it is."""
    return decision.choice if decision.id == "accelerator" else decision.choice.replace("_", " ")


def _decisions(sizing: Sizing) -> Section:
    bullets = []
    for decision in sizing.decisions:
        bullets.append(f"{decision.title}: {choice_text(decision)} (confidence {decision.confidence})")
        bullets.extend(f"  for: {_reasoned(r)}" for r in decision.because)
        bullets.extend(f"  against: {_reasoned(r)}" for r in decision.against)
        bullets.extend(f"  who disagrees: {d.get('says', '')}" for d in decision.dissent)
        if decision.runner_up:
            bullets.append(f"  runner-up: {decision.runner_up}")
        bullets.extend(f"  would flip to {f.get('choice')} if {f.get('change')}" for f in decision.flips_when[:3])
    return Section(id="decisions", title="Decisions", bullets=tuple(bullets))


def _reasoned(reason: Reason) -> str:
    return f"{reason.text} [{'; '.join(filter(None, (reason.grade.replace('_', ' '), ', '.join(reason.sources))))}]"


def _obligations(sizing: Sizing) -> Section:
    rows = [
        (
            o.title,
            DUTY_STATE[o.applies],
            quantity(o.value, o.unit),
            quantity(o.threshold, o.unit),
            o.by or DASH,
            o.reason,
            ", ".join(o.sources),
        )
        for o in sizing.obligations
    ]
    header = ("duty", "state", "value", "threshold", "who", "why", "sources")
    return Section(id="obligations", title="Obligations (not legal advice)", tables=rows_table(header, rows))


def warnings_section(sizing: Sizing) -> Section:
    """What must not be overlooked."""
    return Section(id="warnings", title="Warnings", bullets=tuple(f"{w.severity}: {w.text}" for w in sizing.warnings))


def _assumptions(sizing: Sizing) -> Section:
    rows = [
        (
            a.field,
            quantity(a.value, a.unit),
            range_text(a.range),
            a.why,
            ", ".join(a.sources) or "our judgement",
        )
        for a in sizing.assumptions
    ]
    header = ("field", "assumed", "range", "why", "sources")
    return Section(id="assumptions", title="Assumptions", tables=rows_table(header, rows))


def questions_section(sizing: Sizing) -> Section:
    """What to ask next, and what it would change."""
    bullets = tuple(f"{q.text} {q.why} Effect: {q.effect}" for q in sizing.next_questions)
    return Section(id="questions", title="Questions that would change it most", bullets=bullets)


def _checklist(entries: Iterable[ChecklistEntry], done: Mapping[str, ItemState]) -> Section:
    return Section(
        id="checklist",
        title="Pre-flight checklist",
        tables=rows_table(CHECKLIST_HEADER, (checklist_row(e, done.get(e.id)) for e in entries)),
    )


CHECKLIST_HEADER = ("id", "phase", "done", "item", "command", "expected", "owner", "by", "evidence", "sources")


def checklist_row(entry: ChecklistEntry, state: ItemState | None) -> tuple[str, ...]:
    """One checklist item as text, in the order of ``CHECKLIST_HEADER``."""
    state = state or ItemState()
    return (
        entry.id,
        entry.phase,
        "yes" if state.done else "no",
        entry.item,
        entry.command or DASH,
        expected_text(entry),
        state.owner or entry.owner_role,
        state.by or "",
        state.evidence or "",
        ", ".join(entry.sources),
    )


def expected_text(entry: ChecklistEntry) -> str:
    """What the check must show, with its tolerance; a dash where no number can be given."""
    e = entry.expected
    if e is None:
        return DASH
    tolerance = f" ± {e.tolerance:.0%}" if e.tolerance else ""
    return f"{e.op} {number(e.value)} {e.unit}{tolerance}"


def _bill(plan: Plan) -> Section:
    rows = [(b.item, f"{b.count:,}", b.unit, b.of) for b in plan.bill_of_materials]
    return Section(
        id="bill", title="Bill of materials (recommended)", tables=rows_table(("item", "count", "unit", "for"), rows)
    )


def _figures(sizing: Sizing) -> Section:
    rows = [
        (
            step.name,
            number(step.value),
            step.formula,
            ", ".join(f"{name} {number(value)}" for name, value in step.inputs.items()),
            ", ".join(step.sources),
        )
        for step in sizing.why or ()
    ]
    header = ("figure", "value", "formula", "from", "sources")
    return Section(id="figures", title="How each figure was found", tables=rows_table(header, rows))


def _sources(sizing: Sizing) -> Section:
    rows = [(s.id, s.title, s.address or "no public address", s.date or DASH, s.grade) for s in sizing.sources]
    versions = f"Catalogue {sizing.catalogue_version}, rules {sizing.rules_version}, engine {sizing.engine}."
    return Section(
        id="sources",
        title="Sources",
        paragraphs=(versions,),
        tables=rows_table(("id", "title", "address", "date", "grade"), rows),
    )
