"""The catalogue: kinds, entries of a kind, and every field of an entry with unit, sources and conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from assistant.catalogue import COLUMNS
from assistant.export.figures import figure_label, unit_of
from knowledge.catalogue import Catalogue
from knowledge.evidence import Cited
from knowledge.schema import KINDS
from tui.views.lines import Cites, Line, Row, Say, source_lines, words

SHOWN = 40
"""Entries named in the preview of a kind."""


def kind_rows(catalogue: Catalogue) -> tuple[Row, ...]:
    """One row a kind that has entries, with their count."""
    counts = {kind: len(catalogue.entries(kind)) for kind in KINDS}
    return tuple(Row(kind, (words(kind), f"{count:,}")) for kind, count in counts.items() if count)


def entry_rows(catalogue: Catalogue, kind: str) -> tuple[Row, ...]:
    """One row an entry: its name and the figure that matters most for its kind. A search finds aliases too."""
    columns = COLUMNS.get(kind, ())[:1]
    return tuple(_row(kind, ident, entry, columns) for ident, entry in catalogue.entries(kind).items())


def kind_lines(catalogue: Catalogue, kind: str, lang: str) -> tuple[Line, ...]:
    """What a kind holds: the first entries by name and the figures that matter."""
    rows = entry_rows(catalogue, kind)
    names = (f"{figure_label(name, lang)} {unit_of(name) or ''}".strip() for name in COLUMNS.get(kind, ()))
    return (
        Line("title", f"{words(kind)}: {len(rows):,}"),
        *((Line("quiet", ", ".join(names)),) if COLUMNS.get(kind) else ()),
        *(Line("item", row.cells[0]) for row in rows[:SHOWN]),
        *((Line("quiet", "…"),) if len(rows) > SHOWN else ()),
    )


def _row(kind: str, ident: str, entry: Any, columns: tuple[str, ...]) -> Row:
    name = getattr(entry, "name", None) or getattr(entry, "title", None) or ident
    cells = (str(name), *(_with_unit(column, _bare(getattr(entry, column, None))) for column in columns))
    aliases = " ".join(getattr(entry, "aliases", ()))
    return Row(f"{kind}/{ident}", cells, f"{kind} {ident} {' '.join(cells)} {aliases}")


def _bare(value: Any) -> Any:
    return value.value if isinstance(value, Cited) else value


def value_text(value: Any) -> str:
    """A value to the last digit that the catalogue has; unknown where there is none."""
    if isinstance(value, Cited):
        return value_text(value.value)
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}".removesuffix(".0")
    if isinstance(value, BaseModel):
        return ", ".join(f"{words(key)} {value_text(item)}" for key, item in value if item is not None)
    if isinstance(value, (list, tuple)):
        return "; ".join(value_text(item) for item in value)
    return str(value)


def entry_lines(catalogue: Catalogue, kind: str, ident: str, say: Say) -> tuple[Line, ...]:
    """Every field of an entry that holds anything, unknown figures included."""
    entry = catalogue.entry(kind, ident)
    sources: Mapping[str, Cites] = catalogue.entries("sources")
    name = getattr(entry, "name", None) or getattr(entry, "title", None) or ident
    lines = [Line("title", str(name)), Line("quiet", f"{kind}/{ident}")]
    for field, value in entry:
        if field not in ("id", "name", "title"):
            lines.extend(_field(field, value, sources, say))
    return tuple(lines)


def _field(field: str, value: Any, sources: Mapping[str, Cites], say: Say, level: int = 0) -> Iterator[Line]:
    if isinstance(value, Cited):
        yield Line("field", _with_unit(field, value.value), figure_label(field), level)
        yield from _evidence(value, sources, say, level + 1)
        for conflict in value.conflicts:
            yield Line("field", _with_unit(field, conflict.value), say("against"), level + 1)
            yield from _evidence(conflict, sources, say, level + 2)
    elif field == "sources" and value:
        yield Line("head", say("sources"), level=level)
        yield from source_lines(value, sources, say, level)
    elif isinstance(value, Mapping):
        if value:
            yield Line("field", "", figure_label(field), level)
        for key, item in value.items():
            yield from _field(str(key), item, sources, say, level + 1)
    elif value is not None and value != ():
        yield Line("field", _with_unit(field, value), figure_label(field), level)


def _evidence(value: Any, sources: Mapping[str, Cites], say: Say, level: int) -> Iterator[Line]:
    for said in (value.note, getattr(value, "why", None)):
        if said:
            yield Line("quiet", said, level=level)
    yield from source_lines(value.sources, sources, say, level)


def _with_unit(field: str, value: Any) -> str:
    unit = unit_of(field) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return value_text(value) + (f" {unit}" if unit else "")


def headless(kind: str | None, ident: str | None) -> str:
    """The command line that shows the same."""
    if kind and ident:
        return f"sizewright catalogue show {kind}/{ident}"
    return f"sizewright catalogue list {kind or ''}".rstrip()
