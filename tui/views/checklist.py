"""The checklist by phase: ticks, owners, evidence, progress, and a filter."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.export.document import expected_text
from assistant.result import ChecklistEntry, Sizing
from assistant.store_types import ItemState
from tui.views.lines import Cites, Line, Row, Say, matches, source_lines

States = Mapping[str, ItemState]


@dataclass(frozen=True, slots=True)
class Filter:
    """What is shown: one phase or all (None), only what is to do, and what the text finds."""

    phase: str | None = None
    todo: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Items done of all items of a phase."""

    phase: str
    done: int
    total: int


def progress(entries: Iterable[ChecklistEntry], states: States) -> tuple[Progress, ...]:
    """How far each phase is, whatever the filter shows, in the order of the phases."""
    totals: dict[str, list[bool]] = {}
    for entry in entries:
        totals.setdefault(entry.phase, []).append(states.get(entry.id, ItemState()).done)
    return tuple(Progress(phase, sum(done), len(done)) for phase, done in totals.items())


def next_phase(entries: Iterable[ChecklistEntry], phase: str | None) -> str | None:
    """The phase after ``phase`` in a round that starts and ends with all phases."""
    phases: list[str | None] = [None, *dict.fromkeys(entry.phase for entry in entries)]
    return phases[(phases.index(phase) + 1) % len(phases)] if phase in phases else None


def checklist_rows(sizing: Sizing, states: States, shown: Filter, say: Say) -> tuple[Row, ...]:
    """The items that the filter lets through, each phase under a heading with its progress."""
    counts = {part.phase: part for part in progress(sizing.checklist, states)}
    rows: list[Row] = []
    for entry in sizing.checklist:
        state = states.get(entry.id, ItemState())
        if not _passes(entry, state, shown, say):
            continue
        part = counts.pop(entry.phase, None)
        if part is not None:
            rows.append(Row("", (f"{phase_text(part.phase, say)}  {part.done}/{part.total}",)))
        rows.append(_row(entry, state, say))
    return tuple(rows)


def _row(entry: ChecklistEntry, state: ItemState, say: Say) -> Row:
    mark = "[x]" if state.done else "[ ]"
    return Row(entry.id, (mark, say.tell(entry.item), state.owner or say.tell(entry.owner_role)))


def _passes(entry: ChecklistEntry, state: ItemState, shown: Filter, say: Say) -> bool:
    if shown.phase not in (None, entry.phase) or (shown.todo and state.done):
        return False
    told = (say.tell(entry.item), say.tell(entry.owner_role))
    parts = (entry.id, *told, entry.command, state.owner, state.by, state.evidence)
    return matches(" ".join(part for part in parts if part), shown.text)


def phase_text(phase: str, say: Say) -> str:
    """A phase's name for people."""
    return say(f"phase.{phase}")


def summary(sizing: Sizing, states: States, shown: Filter, say: Say) -> str:
    """Progress over all, and what the filter hides."""
    done = sum(part.done for part in progress(sizing.checklist, states))
    parts = [f"{done}/{len(sizing.checklist)} {say('done')}"]
    if shown.phase:
        parts.append(phase_text(shown.phase, say))
    if shown.todo:
        parts.append(say("only_todo"))
    if shown.text:
        parts.append(f"“{shown.text}”")
    return " · ".join(parts)


def item_lines(sizing: Sizing, states: States, ident: str, say: Say) -> tuple[Line, ...]:
    """The whole of one item."""
    entry = next(e for e in sizing.checklist if e.id == ident)
    state = states.get(ident, ItemState())
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    fields = {
        "state": ("[x] " + say("done") if state.done else "[ ] " + say("to_do")),
        "expected": expected_text(entry, say) if entry.expected else None,
        "owner": state.owner or f"{say.tell(entry.owner_role)} ({say('role')})",
        "by": state.by,
        "evidence": state.evidence,
        "at": state.at,
        "why": say.tell(entry.because),
        "id": entry.id,
    }
    return (
        Line("title", say.tell(entry.item)),
        *((Line("command", entry.command, say("command")),) if entry.command else ()),
        *(Line("field", text, say(label)) for label, text in fields.items() if text),
        Line("head", say("sources")),
        *source_lines(entry.sources, sources, say),
    )


def headless(session: str, ident: str | None, state: ItemState, by: str = "") -> str:
    """The command line that does what the tick key does here."""
    if ident is None:
        return f"sizewright checklist {session}"
    name = shlex.quote(by) if by else "NAME"
    return f"sizewright checklist {session} {'--open' if state.done else '--done'} {ident} --by {name}"
