"""Home: the saved sessions, with what each came to."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Static

from tui.frame.base import BaseScreen
from tui.keys import key
from tui.text import cell, plain

if TYPE_CHECKING:
    from tui.backend import SessionCard, Snapshot

STATE, CHANGED, GPUS, KW = 16, 16, 6, 7
"""Widths of the columns after the label, which takes what is left."""
MARKED = "● "
FRAME = 16
"""Cells that margins, padding and a scroll bar take."""


class HomeScreen(BaseScreen):
    """Saved sessions, last changed first."""

    name_id = "home"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("home.open", "enter,o", "open"),
        key("home.new", "n", "new"),
        key("home.copy", "c", "copy_session"),
        key("home.rename", "r", "rename"),
        key("home.delete", "d,delete", "delete"),
        key("home.undo", "u", "undo", show=False),
        key("home.mark", "space", "mark", show=False),
        key("home.compare", "b,equals_sign", "compare", show=False),
    ]
    CSS = """
    #lead { padding: 1 2 1 2; color: $text-muted; height: auto; }
    #sessions { height: 1fr; margin: 0 1; background: $background; }
    #sessions > .datatable--header { background: $background; color: $text-muted; text-style: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[SessionCard] = []
        self._mark: tuple[object, ...] | None = None
        self._opening = False
        self.marked: list[str] = []

    def body(self) -> ComposeResult:
        """A line of welcome and the table."""
        yield Static(plain(self.t("loading")), id="lead", markup=False)
        table: DataTable[object] = DataTable(cursor_type="row", id="sessions")
        table.help_key = "home.table"  # type: ignore[attr-defined]
        yield table

    def on_mount(self) -> None:
        """The table takes the keys from the start."""
        super().on_mount()
        self.table.focus()

    def on_screen_resume(self) -> None:
        """What was done in a session shows in the list at once."""
        super().on_screen_resume()
        if self._mark is not None:
            self.do(self.load())

    @property
    def table(self) -> DataTable[object]:
        """The table of sessions."""
        found: DataTable[object] = self.query_one("#sessions", DataTable)
        return found

    def refresh_frame(self) -> None:
        """Where the sessions could not be read: why, instead of a promise."""
        super().refresh_frame()
        if self.is_mounted and self._mark is None and self.desk.trouble:
            self.query_one("#lead", Static).update(plain(self.t("home.unreadable")))

    async def load(self, select: str | None = None) -> None:
        """Read the sessions where they changed; the cursor stays on its session, or goes to ``select``."""
        mark = await self.backend.home_mark()
        if mark == self._mark and select is None:
            return
        self._mark = mark
        self.cards = await self.backend.cards()
        if self.is_mounted:
            self._fill(select or self.current_id())

    def _fill(self, select: str | None) -> None:
        table = self.table
        table.clear(columns=True)
        self._columns(table)
        for card in self.cards:
            table.add_row(*self._cells(card), key=card.row.id)
        ids = [card.row.id for card in self.cards]
        if select in ids:
            table.move_cursor(row=ids.index(select), animate=False)
        lead = self.t("home.lead") if self.cards else self.t("home.empty")
        self.query_one("#lead", Static).update(plain(lead))
        self.refresh_frame()

    @property
    def label_width(self) -> int:
        """Cells for the label."""
        return max(12, self.size.width - STATE - CHANGED - GPUS - KW - FRAME)

    def _columns(self, table: DataTable[object]) -> None:
        for name, width in (("label", self.label_width), ("state", STATE), ("changed", CHANGED)):
            table.add_column(self.t(f"home.{name}"), key=name, width=width)
        table.add_column(cell(f"{self.t('home.gpus'):>{GPUS}}"), key="gpus", width=GPUS)
        table.add_column(cell(f"{self.t('home.kw'):>{KW}}"), key="kw", width=KW)

    def on_resize(self, event: events.Resize) -> None:
        """The columns fit the window."""
        super().on_resize(event)
        if self._mark is not None:
            self._fill(self.current_id())

    def _cells(self, card: SessionCard) -> tuple[object, ...]:
        when = card.row.updated_at.replace("T", " ")[:16]
        state = self.t("home.sized" if card.gpus is not None else "home.unsized", count=card.stated)
        mark = MARKED if card.row.id in self.marked else ""
        return (
            cell(mark + (card.row.label or self.t("unnamed")), "" if card.row.label else "dim", self.label_width),
            cell(state, width=STATE),
            cell(when),
            cell(f"{card.gpus:>{GPUS},}" if card.gpus is not None else f"{'–':>{GPUS}}"),
            cell(f"{card.it_kw:>{KW},.1f}" if card.it_kw is not None else f"{'–':>{KW}}"),
        )

    def current(self) -> SessionCard | None:
        """The session under the cursor."""
        at = self.table.cursor_row if self.is_mounted else 0
        return self.cards[at] if 0 <= at < len(self.cards) else None

    def current_id(self) -> str | None:
        """Its id."""
        card = self.current()
        return card.row.id if card else None

    def equivalent_command(self) -> str:
        """Listing, or opening the session under the cursor."""
        chosen = self.current_id()
        return f"sizewright --resume {chosen}" if chosen else "sizewright sessions list"

    def copy_text(self) -> str:
        """The table as text."""
        lines = [f"{c.row.id}\t{c.row.label}\t{c.row.updated_at}\t{c.gpus or ''}\t{c.it_kw or ''}" for c in self.cards]
        return "\n".join(lines)

    def on_data_table_row_selected(self) -> None:
        """Enter or a click on a row."""
        self.action_open()

    def on_data_table_row_highlighted(self) -> None:
        """The command line follows the cursor."""
        self.refresh_frame()

    # Actions

    def action_open(self) -> None:
        """Open the session under the cursor."""
        chosen = self.current_id()
        if chosen:
            self._enter(partial(self.backend.open, chosen))

    def _enter(self, opened: Callable[[], Coroutine[Any, Any, Snapshot]]) -> None:
        """Open a session; keys that come while it is being opened open no second one."""
        if not self._opening:
            self._opening = True
            self.do(self._opened(opened))

    async def _opened(self, opened: Callable[[], Coroutine[Any, Any, Snapshot]]) -> None:
        try:
            snapshot = await opened()
            self.desk.forget_session()
            self.take(snapshot)
            self.desk.go("interview")
        finally:
            self._opening = False

    def action_new(self) -> None:
        """A new session."""
        self._enter(partial(self.backend.new, "", self.desk.audience, self.lang))

    def action_copy_session(self) -> None:
        """Copy the session under the cursor, as a start for a what-if or the next customer."""
        card = self.current()
        if card is None:
            return
        label = self.t("home.copy_of", label=card.row.label or self.t("unnamed"))

        async def work() -> None:
            await self.load(await self.backend.copy(card.row.id, label))
            self.desk.notice(self.t("home.copied", label=label))

        self.do(work())

    def action_mark(self) -> None:
        """Mark the session under the cursor for a comparison, or take the mark back."""
        chosen = self.current_id()
        if chosen:
            self.marked = [one for one in self.marked if one != chosen] + [chosen] * (chosen not in self.marked)
            self._fill(chosen)

    def action_compare(self) -> None:
        """The marked sessions side by side; with one marked, against the one under the cursor."""
        known = {card.row.id for card in self.cards}
        ids = [one for one in dict.fromkeys([*self.marked, self.current_id() or ""]) if one in known]
        chosen = [one for one in self.marked if one in known] if len(self.marked) > 1 else ids
        if len(chosen) < 2:
            self.desk.notice(self.t("compare_none"))
            return
        self.desk.compared = tuple(chosen)
        self.desk.go("compare")

    def action_rename(self) -> None:
        """Give it another label."""
        card = self.current()
        if card is None:
            return
        from tui.widgets.dialogs import Prompt

        def named(label: str | None) -> None:
            if label is not None:
                self.do(self._rename(card.row.id, label))

        title = self.t("key.home.rename")
        self.app.push_screen(Prompt(title, self.t("home.rename_to"), self.lang, card.row.label), named)

    async def _rename(self, session_id: str, label: str) -> None:
        await self.backend.rename(session_id, label.strip())
        await self.load(session_id)

    def action_delete(self) -> None:
        """Hide it; undo brings it back."""
        card = self.current()
        if card is None:
            return

        async def work() -> None:
            await self.backend.delete(card.row.id)
            await self.load()
            self.desk.notice(self.t("home.deleted", label=card.row.label or self.t("unnamed")))

        self.do(work())

    def action_undo(self) -> None:
        """Bring back what was deleted last."""

        async def work() -> None:
            gone = sorted(await self.backend.cards(deleted=True), key=lambda card: card.row.deleted_at or "")
            if not gone:
                self.desk.notice(self.t("home.nothing_deleted"))
                return
            await self.backend.restore(gone[-1].row.id)
            await self.load(gone[-1].row.id)
            self.desk.notice(self.t("home.restored", label=gone[-1].row.label or self.t("unnamed")))

        self.do(work())
