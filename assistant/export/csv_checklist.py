"""CSV of the checklist: for trackers and spreadsheets."""

from __future__ import annotations

import csv
import io

from assistant.export.document import CHECKLIST_HEADER
from assistant.export.parts import Document

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def render(document: Document) -> str:
    """The checklist as RFC 4180 CSV with a byte order mark, so that spreadsheets read it as UTF-8.

    A cell that a spreadsheet would run as a formula gets a leading apostrophe (CWE-1236).
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CHECKLIST_HEADER)
    for section in document.sections:
        if section.id == "checklist":
            for table in section.tables:
                writer.writerows([guarded(cell) for cell in row] for row in table.rows)
    return "\ufeff" + out.getvalue()


def guarded(cell: str) -> str:
    """``cell`` made harmless for spreadsheets."""
    return "'" + cell if cell.startswith(_FORMULA_STARTS) else cell
