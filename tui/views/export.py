"""What an export would write, and where; and the list of sources."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from assistant.export import FORMATS, PICTURES, render_file
from assistant.export.document import build_document
from assistant.result import Sizing
from assistant.store_types import ItemState
from knowledge.catalogue import Catalogue
from tui.views.lines import Line, Row, Say, graded

LONGEST_NAME = 60
"""Characters of a suggested file name before its suffix."""


def suggested(label: str, session: str, suffix: str) -> str:
    """A file name from a session's label: plain letters, digits and dashes; the id where nothing is left."""
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-").lower()[:LONGEST_NAME].strip("-")
    return f"{stem or session}.{suffix}"


def with_suffix(path: str, suffix: str) -> str:
    """``path`` with another format's suffix; a suffix that is no format of ours is kept as part of the name."""
    known = next((f".{end}" for end in (*PICTURES, *FORMATS) if path.lower().endswith(f".{end}")), "")
    return f"{path.removesuffix(known) if known else path}.{suffix}"


def text_of(
    sizing: Sizing,
    label: str,
    states: Mapping[str, ItemState],
    path: Path,
    catalogue: Catalogue,
    lang: str = "en",
) -> str | bytes:
    """What ``sizewright export`` writes, a text or an archive. Raises BadInput for an ending that is no format."""
    return render_file(path.name, sizing, build_document(sizing, label, states, lang), catalogue)


def source_rows(sizing: Sizing) -> tuple[Row, ...]:
    """One row a source that the sizing cites."""
    return tuple(
        Row(s.id, (s.title, s.grade.replace("_", " "), s.date or ""), f"{s.id} {s.title} {s.address} {s.grade}")
        for s in sizing.sources
    )


def cited_lines(sizing: Sizing, ident: str, say: Say) -> tuple[Line, ...]:
    """The whole of one source, and what cites it."""
    source = next(s for s in sizing.sources if s.id == ident)
    return (
        Line("title", source.title),
        Line("field", source.address or say("no_address"), say("address")),
        Line("field", graded(source, say), say("grade")),
        Line("field", ident, say("id")),
        Line("head", say("cited_by")),
        *(Line("item", text) for text in _cited_by(sizing, ident, say)),
    )


def _cited_by(sizing: Sizing, ident: str, say: Say) -> list[str]:
    reasons = {d.id: {s for r in (*d.because, *d.against) for s in r.sources} for d in sizing.decisions}
    found = [say.tell(d.title) for d in sizing.decisions if ident in d.sources or ident in reasons[d.id]]
    found += [say.tell(d.title) for d in sizing.obligations if ident in d.sources]
    found += [say.tell(w.text) for w in sizing.warnings if ident in w.sources]
    found += [say.word("fields", a.field) for a in sizing.assumptions if ident in a.sources]
    found += [say.tell(c.item) for c in sizing.checklist if ident in c.sources]
    return list(dict.fromkeys(found)) or ["–"]


def headless(session: str, path: str, force: bool = False) -> str:
    """The command line that writes the same file."""
    return f"sizewright export {session} --to {shlex.quote(path)}" + (" --force" if force else "")
