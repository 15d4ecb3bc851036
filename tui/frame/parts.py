"""Widgets that the result screens share: a list of rows in columns, a pane of lines, a search field."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.keys import key
from tui.text import clean, cut, plain, row, stack
from tui.views.lines import Line, Row
from tui.widgets.line import TextLine

LABEL = 15
"""Columns of a field's label in a pane."""

STYLES = {"title": "bold", "head": "bold $accent", "quiet": "dim", "command": "bold"}


def render(lines: Iterable[Line], width: int) -> Content:
    """Lines wrapped to a width with hanging indents; a blank line before each heading."""
    parts: list[Content] = []
    for line in lines:
        if line.kind == "head" and parts:
            parts.append(Content(""))
        parts.append(_rendered(line, max(20, width)))
    return stack(parts)


def _rendered(line: Line, width: int) -> Content:
    style = STYLES.get(line.kind, "")
    margin = "  " * line.level
    if line.label:
        label = clean(line.label, lines=False)
        head = margin + (f"{label:<{LABEL}}" if len(label) < LABEL else f"{label} ")
        hang = " " * min(len(head), len(margin) + LABEL)
        return row((head, "dim"), (_wrapped(line.text, width, hang, len(head)), style))
    bullet = margin + ("- " if line.kind == "item" else "")
    return row(bullet, (_wrapped(line.text, width, " " * len(bullet), len(bullet)), style))


def _wrapped(text: str, width: int, hang: str, used: int) -> str:
    """Text that begins after ``used`` columns and goes on below ``hang``."""
    shown = clean(text, lines=False)
    if cell_len(shown) + used <= width:
        return shown
    wrapped = textwrap.wrap("x" * used + shown, width, subsequent_indent=hang, break_on_hyphens=False)
    return "\n".join(wrapped)[used:]


class Pane(VerticalScroll):
    """Lines of text, wrapped to the pane."""

    help_key = "pane"

    DEFAULT_CSS = """
    Pane { padding: 0 1; background: $surface; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    Pane:focus { background: $panel; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("pane.down", "j", "scroll_down", show=False),
        key("pane.up", "k", "scroll_up", show=False),
    ]

    def __init__(self, id: str = "details") -> None:
        super().__init__(Static("", markup=False), id=id, can_focus=True)
        self.lines: tuple[Line, ...] = ()

    def put(self, lines: Sequence[Line], keep_place: bool = False) -> None:
        """Show other lines, from the top unless they are the same thing anew."""
        self.lines = tuple(lines)
        self._draw()
        if not keep_place:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Wrap anew."""
        self._draw()

    def _draw(self) -> None:
        self.query_one(Static).update(render(self.lines, self.scrollable_content_region.width))


class Listing(OptionList):
    """Rows in columns, headings between them. Posts ``Highlighted`` with the key of the row under the cursor."""

    help_key = "listing"

    DEFAULT_CSS = """
    Listing { border: none; padding: 0; background: $background; scrollbar-size-vertical: 1; }
    Listing:focus { border: none; }
    Listing > .option-list--option-disabled { color: $accent; text-style: bold; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("list.down", "j", "cursor_down", show=False),
        key("list.up", "k", "cursor_up", show=False),
    ]

    class At(Message):
        """The cursor stands on another row, or on none (an empty key)."""

        def __init__(self, listing: Listing, key: str) -> None:
            super().__init__()
            self.listing, self.key = listing, key

        @property
        def control(self) -> Listing:
            """The list."""
            return self.listing

    def __init__(self, widths: tuple[int, ...], id: str) -> None:
        """``widths``: columns of each cell; 0 takes what is left, shared by all that are 0."""
        super().__init__(id=id, markup=False, compact=True)
        self.widths = widths
        self.rows: tuple[Row, ...] = ()
        self._drawn_at = 0

    @property
    def at(self) -> str:
        """The key of the row under the cursor; empty where there is none."""
        return self.rows[self.highlighted].key if self.highlighted is not None and self.rows else ""

    def put(self, rows: Sequence[Row], at: str = "") -> None:
        """Show other rows; the cursor goes to ``at``, else stays on its row, else on the first."""
        wanted = at or self.at
        self.rows = tuple(rows)
        self._draw(wanted)

    def on_resize(self, event: events.Resize) -> None:
        """Columns anew."""
        if self._drawn_at != self._room:
            self._draw(self.at)

    @property
    def _room(self) -> int:
        return max(20, self.size.width - 2)

    def _draw(self, wanted: str) -> None:
        self._drawn_at = self._room
        self.set_options(Option(self._line(row), disabled=row.heading) for row in self.rows)
        keys = [row.key for row in self.rows]
        places = [place for place, row in enumerate(self.rows) if not row.heading]
        self.highlighted = keys.index(wanted) if wanted in keys and wanted else next(iter(places), None)
        if self.highlighted is None:
            self.post_message(self.At(self, ""))

    def _line(self, row: Row) -> Content:
        if row.heading:
            return plain(cut(row.cells[0], self._room), lines=False)
        free = self._room - sum(self.widths) - (len(self.widths) - 1)
        share = max(6, free // max(1, self.widths.count(0)))
        cells = (_cell(cell, width or share) for cell, width in zip(row.cells, self.widths, strict=False))
        return plain(" ".join(cells), lines=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say where the cursor stands."""
        event.stop()
        self.post_message(self.At(self, self.at))


def _cell(text: str, width: int) -> str:
    return set_cell_size(cut(text, width), width)


class Search(TextLine):
    """A search as you type; Enter and Down go to what was found, Escape clears it."""

    help_key = "search"

    DEFAULT_CSS = "Search { background: $panel; padding: 0 1; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("search.clear", "escape", "clear_search", show=False),
        key("search.leave", "enter,down", "leave_search", show=False),
    ]

    class Left(Message):
        """The search is done; the list takes the keys."""

    def __init__(self, hint: str) -> None:
        super().__init__(placeholder=hint, compact=True, id="search", select_on_focus=False)

    def action_clear_search(self) -> None:
        """Take the search back and go to the list."""
        self.value = ""
        self.post_message(self.Left())

    def action_leave_search(self) -> None:
        """Go to the list with the search as it is."""
        self.post_message(self.Left())
