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
    """The layout of the recommended plan. Raises BadInput where an older or a very large sizing has none."""
    found = sizing.plan().layout
    if found is None:
        way_out = "it has no layout (made up to 1,024 servers); repeat an answer to size it anew"
        raise BadInput("session", "this sizing", way_out)
    return Subject(Layout.model_validate(found), sizing, catalogue, title)
