"""Markdown: for engineers, git and wikis."""

from __future__ import annotations

import re

from assistant.export.parts import Document, Section, Table

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def render(document: Document) -> str:
    """The document as Markdown (CommonMark with tables). User text is escaped, so that it stays text."""
    parts = [f"# {escape(document.title)}", f"*{escape(document.status)}*"]
    for section in document.sections:
        parts.extend(_section(section))
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Text with every sign that Markdown or HTML could act on made harmless, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _section(section: Section) -> list[str]:
    parts = [f"## {escape(section.title)}"]
    parts.extend(escape(p) for p in section.paragraphs)
    if section.bullets:
        parts.append("\n".join(_bullet(b) for b in section.bullets))
    parts.extend(_table(table) for table in section.tables)
    return parts


def _bullet(text: str) -> str:
    indent = "  " if text.startswith("  ") else ""
    return f"{indent}- {escape(text)}"


def _table(table: Table) -> str:
    lines = [_row(table.header), "|" + "---|" * len(table.header)]
    lines.extend(_row(row) for row in table.rows)
    return "\n".join(lines)


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(escape(cell) for cell in cells) + " |"
