"""The screens that are a list with details beside it: what is common to all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static

from tui.frame.base import WIDE, BaseScreen
from tui.frame.parts import Listing, Pane, Search
from tui.keys import key
from tui.text import line
from tui.views.lines import Line, Row, Say, matching, say_in

if TYPE_CHECKING:
    from assistant.result import Sizing
    from tui.backend import Snapshot


class ListScreen(BaseScreen):
    """A searchable list, the details of the row under the cursor beside it (below it where the window is narrow).

    A screen gives ``rows`` and ``lines``, and what the columns are.
    """

    widths: ClassVar[tuple[int, ...]] = (0,)
    narrow_widths: ClassVar[tuple[int, ...]] = ()
    """Columns where the window is narrow; the same ones where empty."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("list.search", "slash", "search"),
        key("list.details", "enter", "details", show=False),
        key("list.scroll_down", "shift+down,J", "scroll_details(1)", show=False),
        key("list.scroll_up", "shift+up,K", "scroll_details(-1)", show=False),
    ]

    DEFAULT_CSS = """
    ListScreen #columns { height: 1fr; }
    ListScreen.-roomy #columns { layout: horizontal; }
    ListScreen.-slim #columns { layout: vertical; }
    ListScreen.-roomy #left { width: 6fr; height: 1fr; margin: 0 1 0 0; }
    ListScreen.-roomy #details { width: 5fr; height: 1fr; }
    ListScreen.-slim #left { height: 5fr; }
    ListScreen.-slim #details { height: 6fr; }
    ListScreen #left > Listing { height: 1fr; }
    ListScreen #status { height: 1; padding: 0 1; color: $text-muted; }
    ListScreen.-zoomed #left { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.wanted = ""

    def body(self) -> ComposeResult:
        """Search and list at the left, details at the right."""
        with Container(id="columns"):
            with Vertical(id="left"):
                yield Search(self.t("hint.search"))
                yield Listing(self.widths, id="list")
                yield Static("", id="status", markup=False)
            yield Pane()

    # What a screen gives

    def rows(self) -> Sequence[Row]:
        """All rows, before the search."""
        return ()

    def lines(self, key: str) -> Sequence[Line]:
        """The details of a row."""
        return ()

    def found(self) -> Sequence[Row]:
        """The rows that are shown."""
        return matching(self.rows(), self.needle)

    def status(self) -> str:
        """The line below the list: where the cursor is, of how many, and how many the search hides."""
        shown = [row.key for row in self.listing.rows if not row.heading]
        total = sum(not row.heading for row in self.rows())
        place = shown.index(self.at) + 1 if self.at in shown else 0
        hidden = self.t("hidden", count=f"{total - len(shown):,}") if total > len(shown) else ""
        return self.t("at_of", place=f"{place:,}", count=f"{len(shown):,}") + hidden

    def nothing(self) -> str:
        """What is said where no row is shown."""
        return self.t("nothing_here" if self.snapshot is None or self.sizing else "no_sizing")

    # What they share

    @property
    def say(self) -> Say:
        """The labels of the views."""
        return say_in(self.lang)

    @property
    def sizing(self) -> Sizing | None:
        """The open session's sizing."""
        return self.snapshot.sizing if self.snapshot else None

    @property
    def session_id(self) -> str:
        """The open session's id, or the word that stands for one in a command."""
        return self.snapshot.row.id if self.snapshot else "ID"

    @property
    def listing(self) -> Listing:
        """The list."""
        return self.query_one("#list", Listing)

    @property
    def pane(self) -> Pane:
        """The details."""
        return self.query_one(Pane)

    @property
    def needle(self) -> str:
        """What is searched for."""
        return self.query_one(Search).value

    @property
    def at(self) -> str:
        """The key of the row under the cursor."""
        return self.listing.at if self.is_mounted else ""

    @property
    def first(self) -> Widget:
        """What has the keys when the screen opens."""
        return self.listing

    def on_mount(self) -> None:
        """Somebody has the keys. (The frame's own ``on_mount`` is called besides this one, as with all handlers.)"""
        self.set_focus(self.first)
        self.fill_details()

    def on_resize(self, event: events.Resize) -> None:
        """Fewer columns where the window is narrow."""
        widths = self.narrow_widths if event.size.width < WIDE and self.narrow_widths else self.widths
        if self.listing.widths != widths:
            self.listing.widths = widths
            self.listing.put(self.listing.rows)

    def show(self, snapshot: Snapshot) -> None:
        """Rows and details anew, the cursor where it was."""
        self.fill()

    def point_at(self, key: str) -> None:
        """Put the cursor on a row, now or once it is there; a search that hides it is taken back."""
        self.wanted = key
        if self.is_mounted:
            self.query_one(Search).value = ""
            self.fill()

    def fill(self) -> None:
        """Rows anew."""
        self.listing.put(self.found(), self.wanted)
        if self.at == self.wanted:
            self.wanted = ""
        self.fill_details(keep_place=True)

    def open_at(self, screen: str, key: str) -> None:
        """Go to another of these screens with its cursor on a row."""
        self.desk.go(screen)
        there = self.desk.screen
        if isinstance(there, ListScreen):
            there.point_at(key)

    def ask(self, field: str) -> None:
        """Open a field's question in the interview."""

        self.do(self.desk.ask(field))

    def fill_details(self, keep_place: bool = False) -> None:
        """Details of the row under the cursor."""
        at = self.at
        if at:
            self.pane.put(self.lines(at), keep_place)
        else:
            self.pane.put((Line("quiet", self.nothing()),))
        self.query_one("#status", Static).update(line(self.status()))
        self.refresh_frame()

    def equivalent_command(self) -> str:
        """The whole document, of which this is a part."""
        return f"sizewright export {self.session_id} --to=-.md"

    def copy_text(self) -> str:
        """The details as text."""
        return "\n".join(
            "  " * one.level + (f"{one.label}: " if one.label else "") + one.text for one in self.pane.lines
        )

    @on(Listing.At, "#list")
    def _moved(self) -> None:
        self.fill_details()

    @on(OptionList.OptionSelected, "#list")
    def _selected(self) -> None:
        self.select(self.at)

    def select(self, key: str) -> None:
        """Enter on a row: its details in full."""
        self.action_details()

    @on(Input.Changed, "#search")
    def _searched(self, event: Input.Changed) -> None:
        event.stop()
        self.fill()

    @on(Search.Left)
    def _search_left(self) -> None:
        self.set_focus(self.listing)

    def help_here(self) -> tuple[str, str]:
        """The screen's help, then that of what has the focus."""
        title, text = super().help_here()
        own = self.t(f"help.screen.{self.name_id}")
        return self.t(f"screen.{self.name_id}"), own if text == own else f"{own}\n\n{title}: {text}"

    def action_search(self) -> None:
        """To the search field."""
        self.remove_class("-zoomed")
        self.set_focus(self.query_one(Search))  # at once, so that fast typing goes there

    def action_details(self) -> None:
        """The details take the whole width, or give it back."""
        zoomed = not self.has_class("-zoomed")
        self.set_class(zoomed, "-zoomed")
        self.set_focus(self.pane if zoomed else self.listing)

    def action_leave_screen(self) -> None:
        """From the details back to the list, from there back a screen."""
        if self.has_class("-zoomed") or self.focused is self.pane:
            self.remove_class("-zoomed")
            self.set_focus(self.listing)
        else:
            super().action_leave_screen()

    def action_scroll_details(self, direction: int) -> None:
        """Scroll the details while the list keeps the keys."""
        self.pane.scroll_relative(y=4 * direction, animate=False)
