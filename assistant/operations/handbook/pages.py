"""Failure modes as pages: how each shows, its causes and checks in order, the fix, and when a part goes back."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.catalogue import Catalogue
from knowledge.schema.operations import AlertRule, FailureMode, IncidentQuestion, LogPattern

SHORTEST_HINT = 8
MOST_HINTS = 8
"""Of the words that log lines are known by, so many of those that are long enough to tell something are shown."""


def runbook(mode: FailureMode, catalogue: Catalogue) -> str:
    """A failure mode as a Markdown page."""
    lines = [f"# {mode.name}", "", mode.meaning, "", f"Now: **{mode.action.replace('_', ' ')}** ({mode.scope}).", ""]
    shown = tuple(shows(mode, catalogue)) or ("read from the payload of an Xid or SXid",)
    lines += ["## How it shows", "", *(f"- {text}" for text in shown), ""]
    lines += ["## Likely causes, in order", "", *(f"{n}. {text}" for n, text in enumerate(mode.causes, 1)), ""]
    lines += ["## Checks, in order", "", "| command | should say | rules out |", "|---|---|---|"]
    lines += [f"| `{_cell(c.command)}` | {_cell(c.expected)} | {_cell(c.rules_out or '')} |" for c in mode.checks]
    lines += ["", "## Fix", "", *(f"- {text}" for text in mode.fix), "", f"Confirm: {mode.confirm}"]
    if mode.return_when:
        lines += ["", f"Return the part when {mode.return_when}."]
    if mode.disagreements:
        lines += ["", "## Who says otherwise", "", *(f"- {o.who}: {o.says}" for o in mode.disagreements)]
    if mode.side:
        lines += ["", f"We follow: {mode.side}"]
    sources = [catalogue.source(ident) for ident in mode.sources]
    lines += ["", "## Sources", "", *(f"- {s.title}{': ' + s.address if s.address else ''}" for s in sources)]
    return "\n".join(lines) + "\n"


def shows(mode: FailureMode, catalogue: Catalogue) -> Iterator[str]:
    """What logs, metrics and people say when this is the fault, and what follows from it."""
    for name, codes in (("Xid", mode.xids), ("NVSwitch SXid", mode.sxids)):
        if codes:
            yield f"{name} in the kernel log: {', '.join(str(code) for code in sorted(codes))}"
    if hints := _hints(mode, catalogue):
        yield f"log lines with {', '.join(f'`{hint}`' for hint in hints)}"
    rules: tuple[AlertRule, ...] = tuple(catalogue.entries("alert_rules").values())
    yield from (f"on metrics, `{rule.alert}`: {rule.summary}" for rule in rules if rule.mode == mode.id)
    questions: tuple[IncidentQuestion, ...] = tuple(catalogue.entries("incident_questions").values())
    for question in questions:
        if said := [answer.text for answer in question.answers if mode.id in answer.speaks_for]:
            yield f"{question.text} {'; '.join(said)}"
    names = [catalogue.entry("failure_modes", other).name for other in mode.explains]
    if names:
        yield f"may follow from it: {'; '.join(names)}"


def _hints(mode: FailureMode, catalogue: Catalogue) -> list[str]:
    patterns: tuple[LogPattern, ...] = tuple(catalogue.entries("log_patterns").values())
    found = [hint.strip() for p in patterns if p.mode == mode.id for hint in p.hints]
    return [hint for hint in dict.fromkeys(found) if len(hint) >= SHORTEST_HINT][:MOST_HINTS]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
