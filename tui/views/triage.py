"""A triage: findings, causes before their consequences; for each its meaning, what to do, checks and sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operations.triage.findings import Authority, Check, Disagreement, Finding, Triage
from tui.views.lines import Line, Row, Say, words

SHOWN_LINE = 400
"""Characters of a log line that are shown."""


def finding_rows(result: Triage, say: Say) -> tuple[Row, ...]:
    """One row a finding; consequences stand below what explains them."""
    rows = [_row(str(number), finding) for number, finding in enumerate(result.findings)]
    if result.unrecognised:
        rows.append(Row("", (say("unrecognised"),)))
        rows.append(Row("?", (f"x{result.unrecognised}", say("unrecognised_lines"), "")))
    return tuple(rows)


def _row(key: str, finding: Finding) -> Row:
    name = f"  {finding.name}" if finding.because_of else finding.name
    where = _where(finding)
    search = " ".join((finding.name, finding.kind, finding.code, finding.mode, where, *finding.lines))
    return Row(key, (words(finding.action), name, f"x{finding.count}", where), search)


def _where(finding: Finding) -> str:
    return ", ".join((*finding.nodes, *finding.gpus, *finding.ports, *finding.devices))


def finding_lines(result: Triage, key: str, say: Say) -> tuple[Line, ...]:
    """The whole of one finding."""
    if key == "?":
        return (Line("title", say("unrecognised")), *(_log(text) for text in result.unrecognised_lines))
    if not key.isdecimal() or int(key) >= len(result.findings):
        return ()
    return tuple(_finding(result.findings[int(key)], say))


def _finding(finding: Finding, say: Say) -> Iterator[Line]:
    yield Line("title", finding.name)
    yield Line("quiet", f"{finding.kind} {finding.code}, {words(finding.category)}, {words(finding.at_fault)}")
    yield Line("field", words(finding.action), say("do_now"))
    yield Line("field", finding.likely_cause, say("likely_cause"))
    if finding.closed:
        yield Line("field", finding.closed[:SHOWN_LINE], say("ended"))
    if where := _where(finding):
        yield Line("field", where, say("where"))
    yield Line("text", finding.meaning)
    yield from (Line("item", note) for note in finding.notes)
    yield Line("head", f"{say('log_lines')} (x{finding.count})")
    yield from (_log(text) for text in finding.lines)
    yield from causes(finding.causes, say)
    yield from checks(finding.checks, say)
    yield Line("head", say("fix"))
    yield from (Line("item", step) for step in finding.fix)
    yield Line("field", finding.confirm, say("confirm"))
    if finding.return_when:
        yield Line("field", finding.return_when, say("return_when"))
    yield from _dissent(finding.disagreements, finding.we_follow, say)
    yield from authorities(finding.sources, say)


def _log(text: str) -> Line:
    return Line("command", text[:SHOWN_LINE], level=1)


def causes(found: Sequence[str], say: Say) -> Iterator[Line]:
    """Likely causes in their order."""
    yield Line("head", say("causes"))
    yield from (Line("text", f"{number}. {text}", level=1) for number, text in enumerate(found, 1))


def checks(found: Sequence[Check], say: Say) -> Iterator[Line]:
    """Checks in their order, each with what it should say and what it then rules out."""
    yield Line("head", say("checks"))
    for number, check in enumerate(found, 1):
        yield Line("command", f"{number}. {check.command}", level=1)
        then = f"; {say('then_it_is_not')} {check.rules_out}" if check.rules_out else ""
        yield Line("quiet", f"{say('expect')} {check.expected}{then}", level=2)


def _dissent(others: Sequence[Disagreement], side: str | None, say: Say) -> Iterator[Line]:
    if others:
        yield Line("head", say("who_disagrees"))
        yield from (Line("item", f"{other.who}: {other.says}") for other in others)
    if side:
        yield Line("field", side, say("we_side"))


def authorities(found: Sequence[Authority], say: Say) -> Iterator[Line]:
    """Sources with grade and address."""
    yield Line("head", say("sources"))
    for source in found:
        yield Line("item", f"{source.title} ({words(source.grade)})")
        yield Line("quiet", source.address or say("no_address"), level=1)
