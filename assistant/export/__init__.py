"""Exports: one module a format, all from one document model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from assistant.export.parts import Document
from assistant.export.physical import ending_of, render_layout
from assistant.output import to_json
from assistant.result import Sizing
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput

FORMATS = ("md", "json", "csv")
PICTURES = ("svg", "dot", "d2", "netbox.zip", "layout.txt", "topology.conf", "gres.conf", "kueue.yaml")
"""Formats of the layout, named by the ending of the file; ``racks.svg`` and ``topology.svg`` are the halves of svg."""
PLANNED = ("html", "pdf", "xlsx", "docx")


def suffix_of(name: str) -> str:
    """The ending that names the format of a file. Raises BadInput for a name without any."""
    suffix = ending_of(name) or Path(name).suffix.removeprefix(".").lower()
    if not suffix:
        known = ", ".join(f".{ending}" for ending in (*FORMATS, *PICTURES))
        raise BadInput("--to", name, f"the suffix names the format: {known}")
    return suffix


def render_file(name: str, sizing: Sizing, document: Document, catalogue: Catalogue) -> str | bytes:
    """A sizing in the format that a file's name ends in. Raises BadInput for one that is not built."""
    suffix = suffix_of(name)
    if ending_of(name) is not None:
        return render_layout(suffix, sizing, catalogue, document.title)
    return render(suffix, sizing, document)


def render(suffix: str, sizing: Sizing, document: Document) -> str:
    """A sizing in the format of a file suffix. Raises BadInput for one that is not built."""
    from assistant.export import csv_checklist, markdown

    renderers: dict[str, Callable[[], str]] = {
        "md": lambda: markdown.render(document),
        "csv": lambda: csv_checklist.render(document),
        "json": lambda: to_json(sizing) + "\n",
    }
    if suffix not in renderers:
        state = "is not built yet" if suffix in PLANNED else "is not a format"
        raise BadInput(
            "--to", f".{suffix}", f"that format {state}; formats are {', '.join((*FORMATS, *PICTURES))}", ("md",)
        )
    return renderers[suffix]()


def write(path: Path, text: str | bytes, force: bool = False) -> None:
    """Write whole or not at all. Raises BadInput where the file exists and ``force`` is not given."""
    if path.exists() and not force:
        raise BadInput("--to", str(path), "the file exists; add --force to replace it")
    if not path.parent.is_dir():
        raise BadInput("--to", str(path), f"the folder {path.parent} does not exist")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
