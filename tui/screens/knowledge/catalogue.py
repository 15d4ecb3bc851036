"""The catalogue: kinds, entries, and every field with its sources and conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from tui.frame.listing import ListScreen
from tui.frame.parts import Search
from tui.keys import key
from tui.views.catalogue import entry_lines, entry_rows, headless, kind_lines, kind_rows
from tui.views.lines import Line, Row

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue


class CatalogueScreen(ListScreen):
    """The kinds, and one level down the entries of a kind. A search over the kinds finds entries of all of them."""

    name_id = "catalogue"
    widths = (0, 14)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("catalogue.up", "left,backspace", "up"),
        key("catalogue.down", "right", "down", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.catalogue: Catalogue | None = None
        self.kind: str | None = None
        self.entries: dict[str, tuple[Row, ...]] = {}

    def on_mount(self) -> None:
        """Read the catalogue beside the interface."""
        self.do(self._load())

    def show(self, snapshot: object) -> None:
        """The catalogue is the same for every session."""

    def nothing(self) -> str:
        """While it is read: that it is."""
        return self.t("loading") if self.catalogue is None else super().nothing()

    async def _load(self) -> None:
        def work() -> tuple[Catalogue, dict[str, tuple[Row, ...]]]:
            catalogue = self.backend.assistant.catalogue
            return catalogue, {row.key: entry_rows(catalogue, row.key) for row in kind_rows(catalogue)}

        self.catalogue, self.entries = await self.backend.call(work)
        if self.is_mounted:
            self.fill()

    def point_at(self, key: str) -> None:
        """Put the cursor on an entry, given as ``kind/id``."""
        self.kind = key.partition("/")[0]
        super().point_at(key)

    def rows(self) -> Sequence[Row]:
        """The kinds; the entries of one; or, while a search runs over the kinds, all entries."""
        if self.catalogue is None:
            return ()
        if self.kind is not None:
            return self.entries.get(self.kind, ())
        if self.needle:
            return [row for rows in self.entries.values() for row in rows]
        return kind_rows(self.catalogue)

    def lines(self, key: str) -> Sequence[Line]:
        """One entry, or what a kind holds."""
        if self.catalogue is None:
            return ()
        kind, _, ident = key.partition("/")
        if ident:
            return entry_lines(self.catalogue, kind, ident, self.say)
        return kind_lines(self.catalogue, kind, self.lang)

    def status(self) -> str:
        """The kind and how many of its entries are shown."""
        return f"{self.kind or self.t('all_kinds')}: {super().status()}"

    def equivalent_command(self) -> str:
        """The same on the command line."""
        kind, _, ident = self.at.partition("/")
        return headless(kind or self.kind, ident or None)

    def action_leave_screen(self) -> None:
        """From the details to the list, from the entries to the kinds, then back a screen."""
        inside = self.has_class("-zoomed") or self.focused is self.pane
        if inside or self.kind is None:
            super().action_leave_screen()
        else:
            self.action_up()

    def select(self, key: str) -> None:
        """Into a kind; the details of an entry in full."""
        if "/" in key:
            self.action_details()
        else:
            self.action_down()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Back to the kinds only from below them."""
        return self.kind is not None if action == "up" else True

    def action_down(self) -> None:
        """Into the kind under the cursor."""
        if self.kind is None and self.at and "/" not in self.at:
            self._go(self.at)

    def action_up(self) -> None:
        """Back to the kinds."""
        if self.kind is not None:
            self.wanted = self.kind
            self._go(None)
            self.set_focus(self.listing)

    def _go(self, kind: str | None) -> None:
        self.kind = kind
        self.refresh_bindings()
        with self.prevent(Search.Changed):
            self.query_one(Search).value = ""
        self.fill()
