"""Plain text for a terminal, without escape codes."""

from __future__ import annotations

import shutil
import textwrap

from assistant.export.parts import Document, Section, Table

NARROWEST = 8
"""Columns narrower than this cannot be read; such a table is shown as records."""


def render(document: Document, width: int | None = None) -> str:
    """The document as text, wrapped to the terminal."""
    columns = width or min(shutil.get_terminal_size((100, 24)).columns, 140)
    parts = [f"{textwrap.fill(document.title, columns)}\n{textwrap.fill(document.status, columns)}"]
    parts.extend(_section(s, columns) for s in document.sections)
    return "\n\n".join(parts) + "\n"


def _section(section: Section, width: int) -> str:
    parts = [section.title.upper()] if section.title else []
    parts.extend(textwrap.fill(p, width) for p in section.paragraphs)
    parts.extend(_bullet(b, width) for b in section.bullets)
    parts.extend(_table(table, width) for table in section.tables)
    return "\n".join(parts)


def _bullet(text: str, width: int) -> str:
    indent = "    " if text.startswith("  ") else "  "
    return textwrap.fill(text.strip(), width, initial_indent=indent + "- ", subsequent_indent=indent + "  ")


def _table(table: Table, width: int) -> str:
    """Columns as wide as their text, the widest ones wrapped until the table fits."""
    widths = [max(len(str(row[i])) for row in (table.header, *table.rows)) for i in range(len(table.header))]
    room = width - 2 * (len(widths) - 1)
    if room < NARROWEST * len(widths) < sum(widths):
        return "\n\n".join(_record(table.header, row, width) for row in table.rows)
    while sum(widths) > room:
        widths[widths.index(max(widths))] -= 1
    lines = []
    if any(table.header):
        lines += [_row(table.header, widths), "  ".join("-" * w for w in widths)]
    lines.extend(_row(row, widths) for row in table.rows)
    return "\n".join(lines)


def _record(header: tuple[str, ...], row: tuple[str, ...], width: int) -> str:
    """A row of a table that is too wide for columns: one line a cell, empty cells left out."""
    label = max(map(len, header)) + 2
    cells = [(name, cell) for name, cell in zip(header, row, strict=True) if cell.strip()]
    indent = " " * label
    return "\n".join(
        textwrap.fill(cell, width, initial_indent=name.ljust(label), subsequent_indent=indent) for name, cell in cells
    )


def _row(cells: tuple[str, ...], widths: list[int]) -> str:
    wrapped = [textwrap.wrap(cell, w) or [""] for cell, w in zip(cells, widths, strict=True)]
    height = max(len(w) for w in wrapped)
    lines = []
    for i in range(height):
        cells_here = ((w[i] if i < len(w) else "").ljust(width) for w, width in zip(wrapped, widths, strict=True))
        lines.append("  ".join(cells_here).rstrip())
    return "\n".join(lines)
