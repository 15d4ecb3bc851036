"""What a document is made of, whatever writes it: sections of paragraphs, bullets and tables of text."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.evidence import Frozen


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


def rows_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> tuple[Table, ...]:
    """A table, or nothing where it has no row."""
    kept = tuple(rows)
    return (Table(header=header, rows=kept),) if kept else ()
