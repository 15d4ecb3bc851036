"""A triage in lines of text, as a terminal shows it and as it is copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.operations.triage.findings import Finding, Triage

LONGEST = 300
"""Characters of a log line that are printed: a watchdog's line of PyTorch fits."""


def lines(result: Triage) -> Iterator[str]:
    """A triage as text: the verdict, then findings with causes before their consequences."""
    yield from verdict_lines(result)
    for finding in result.findings:
        yield ""
        yield from _finding_lines(finding)
    for what in result.cut:
        yield ""
        yield f"Not read to its end: {what}. What came after is not known."
    if result.unrecognised:
        yield ""
        yield f"{result.unrecognised} lines look like faults and are not known here, such as:"
        yield from (f"  {_cut(text)}" for text in result.unrecognised_lines)


def verdict_lines(result: Triage) -> Iterator[str]:
    """What to do now and where, and why."""
    verdict = result.verdict
    top = result.findings[0] if verdict.finding and result.findings else None
    where = ", ".join((*verdict.nodes[:8], *verdict.gpus[:8], *(top.ports[:8] if top else ())))
    yield f"{verdict.action.replace('_', ' ').upper()} ({verdict.scope}{': ' + where if where else ''})"
    yield f"{verdict.why}. Confidence {verdict.confidence}."
    yield from (f"Send to {one.to}: {one.what}." for one in verdict.send)


def _cut(line: str) -> str:
    """A log line, as much of it as is printed."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _finding_lines(finding: Finding) -> Iterator[str]:
    indent = "   " if finding.because_of else ""
    because = f", {finding.likely_cause}" if finding.because_of else ""
    state = ", closed" if finding.state == "closed" else ""
    yield f"{indent}{finding.name} [{finding.kind} {finding.code}] x{finding.count}{state}{because}"
    yield f"{indent}  {_cut(finding.lines[0]) if finding.lines else ''}"
    if finding.closed:
        yield f"{indent}  ended: {_cut(finding.closed)}"
    if finding.because_of:
        return
    yield from (f"  {text}" for text in (finding.meaning, *finding.notes))
    yield f"  likely: {finding.likely_cause}"
    yield f"  now: {finding.action.replace('_', ' ')}. Then: {'; '.join(finding.fix)}"
    for number, check in enumerate(finding.checks, 1):
        yield f"  check {number}: {check.command}"
        yield f"           expect {check.expected}"
    yield f"  confirm: {finding.confirm}"
    if finding.return_when:
        yield f"  return the part when {finding.return_when}"
    yield from (f"  {other.who}: {other.says}" for other in finding.disagreements)
    if finding.we_follow:
        yield f"  we side: {finding.we_follow}"
    yield from (f"  source: {source.title} {source.address or ''}" for source in finding.sources)
