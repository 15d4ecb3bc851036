"""What is done at fixed times: as a table, and as a calendar that other programs read (iCalendar, RFC 5545)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from knowledge.catalogue import Catalogue
from knowledge.schema.operations import MaintenanceTask

RULES = {
    "day": "FREQ=DAILY",
    "week": "FREQ=WEEKLY",
    "month": "FREQ=MONTHLY",
    "quarter": "FREQ=MONTHLY;INTERVAL=3",
    "half_year": "FREQ=MONTHLY;INTERVAL=6",
    "year": "FREQ=YEARLY",
}
LINE_OCTETS = 75


def tasks_of(catalogue: Catalogue) -> tuple[MaintenanceTask, ...]:
    """All tasks, the most frequent first."""
    tasks: Sequence[MaintenanceTask] = tuple(catalogue.entries("maintenance").values())
    return tuple(sorted(tasks, key=lambda task: list(RULES).index(task.every)))


def table(catalogue: Catalogue) -> str:
    """The tasks as a Markdown table with what each should say and on whose word."""
    lines = ["| every | what | command | should say | source |", "|---|---|---|---|---|"]
    for task in tasks_of(catalogue):
        sources = "; ".join(_source(ident, catalogue) for ident in task.sources)
        cells = (
            task.every.replace("_", " "),
            f"{task.title}: {task.what}",
            f"`{task.command}`",
            task.expected,
            sources,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _source(ident: str, catalogue: Catalogue) -> str:
    source = catalogue.source(ident)
    return source.address or source.title


def icalendar(start: date, catalogue: Catalogue) -> str:
    """The tasks as all-day events that come again from ``start`` on; the same start gives the same bytes."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//sizewright//maintenance//EN", "CALSCALE:GREGORIAN"]
    for task in tasks_of(catalogue):
        lines += _event(task, start, catalogue)
    lines.append("END:VCALENDAR")
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _event(task: MaintenanceTask, start: date, catalogue: Catalogue) -> Iterator[str]:
    told = f"{task.what}\nCommand: {task.command}\nShould say: {task.expected}"
    sources = "\n".join(_source(ident, catalogue) for ident in task.sources)
    yield "BEGIN:VEVENT"
    yield f"UID:{task.id}@sizewright"
    yield f"DTSTAMP:{start:%Y%m%d}T000000Z"
    yield f"DTSTART;VALUE=DATE:{start:%Y%m%d}"
    yield f"RRULE:{RULES[task.every]}"
    yield f"SUMMARY:{_escaped(task.title)}"
    yield f"DESCRIPTION:{_escaped(f'{told}{chr(10)}{sources}')}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _escaped(text: str) -> str:
    for sign in "\\;,":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", "\\n")


def _folded(line: str) -> Iterator[str]:
    """A line in pieces of at most 75 octets, each but the first after a space; signs are not cut in two."""
    piece = ""
    for sign in line:
        if len((piece + sign).encode()) > LINE_OCTETS:
            yield piece
            piece = " "
        piece += sign
    yield piece
