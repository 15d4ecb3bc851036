"""What an export of a layout is made from."""

from __future__ import annotations

from typing import NamedTuple

from assistant.result import Sizing
from assistant.sizing.physical.layout import Layout
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput


class Subject(NamedTuple):
    """A layout with the sizing that it belongs to, the catalogue behind its ids, and the document's title."""

    layout: Layout
    sizing: Sizing
    catalogue: Catalogue
    title: str


def subject_of(sizing: Sizing, catalogue: Catalogue, title: str) -> Subject:
    """The layout of the recommended plan. Raises BadInput where an older sizing has none."""
    found = sizing.plan().layout
    if found is None:
        raise BadInput("session", "this sizing", "it has no layout; change or repeat an answer to size it anew")
    return Subject(Layout.model_validate(found), sizing, catalogue, title)
