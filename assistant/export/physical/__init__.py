"""Exports of a layout: pictures, graphs, an inventory import, and what schedulers read; by the ending of the file."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from assistant.export.physical.subject import Subject, subject_of
from assistant.result import Sizing
from knowledge.catalogue import Catalogue

ENDINGS: dict[str, tuple[str, str]] = {
    "racks.svg": ("svg", "racks"),
    "topology.svg": ("svg", "topology"),
    "svg": ("svg", "both"),
    "dot": ("graph", "dot"),
    "d2": ("graph", "d2"),
    "netbox.zip": ("netbox", "archive"),
    "zip": ("netbox", "archive"),
    "layout.txt": ("text", "drawing"),
    "topology.conf": ("schedulers", "topology_conf"),
    "gres.conf": ("schedulers", "gres_conf"),
    "kueue.yaml": ("schedulers", "kueue"),
}
"""Ending of the file's name -> module here and its function, the longest ending first."""


def ending_of(name: str) -> str | None:
    """The ending of a file's name that is a format of a layout, or None."""
    lowered = name.lower()
    return next((end for end in ENDINGS if lowered == end or lowered.endswith((f".{end}", f"-{end}", f"_{end}"))), None)


def render_layout(ending: str, sizing: Sizing, catalogue: Catalogue, title: str) -> str | bytes:
    """The layout of a sizing in the format of an ending. Raises BadInput where the sizing has none."""
    module, function = ENDINGS[ending]
    write: Callable[[Subject], str | bytes] = getattr(import_module(f"{__name__}.{module}"), function)
    return write(subject_of(sizing, catalogue, title))
