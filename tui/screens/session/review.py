"""The review: every field with its value, state and origin; any of them can be changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable, Static

from tui.fields import FieldRow, State, by_section, group_rows, rows
from tui.frame.base import BaseScreen
from tui.keys import key
from tui.text import cell, plain

if TYPE_CHECKING:
    from tui.backend import Snapshot

FILTERS = ("all", "open", "assumed", "changed")
STATE, FRAME = 12, 12
"""Width of the state's column; cells that margins, padding and the scroll bar take."""


class ReviewScreen(BaseScreen):
    """Every field that applies, by section."""

    name_id = "review"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("review.edit", "enter,e", "edit"),
        key("review.clear", "x,delete", "clear"),
        key("review.filter", "f", "filter"),
        key("review.undo", "u,ctrl+z", "undo"),
        key("review.redo", "r,ctrl+y", "redo"),
    ]
    CSS = """
    ReviewScreen #filter { height: 1; padding: 0 2; color: $text-muted; }
    ReviewScreen DataTable { height: 1fr; margin: 0 1; background: $background; }
    ReviewScreen DataTable > .datatable--header { background: $background; color: $text-muted; text-style: none; }
    ReviewScreen #detail { height: auto; max-height: 4; min-height: 2; padding: 0 2; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.filter = "all"
        self.listed: list[FieldRow | None] = []

    def body(self) -> ComposeResult:
        """What is shown, the table, the whole text of the row under the cursor."""
        yield Static("", id="filter", markup=False)
        table: DataTable[object] = DataTable(cursor_type="row", id="fields")
        table.help_key = "review.table"  # type: ignore[attr-defined]
        yield table
        yield Static("", id="detail", markup=False)

    @property
    def table(self) -> DataTable[object]:
        """The table of fields."""
        found: DataTable[object] = self.query_one("#fields", DataTable)
        return found

    def on_mount(self) -> None:
        """The table takes the keys."""
        super().on_mount()
        self.table.focus()
        self.catch_up()

    def show(self, snapshot: Snapshot) -> None:
        """Fill the table; the cursor stays on its field."""
        keep = self.current()
        kept = tuple(r for r in rows(snapshot, self.lang) if self._passes(r))
        groups = [(name, [r for r in inside if self._passes(r)]) for name, inside in group_rows(snapshot, self.lang)]
        sections = [*((self.t("review.group", name=n), rs) for n, rs in groups if rs), *by_section(kept, self.lang)]
        self._fill(sections)
        count = sum(len(inside) for _, inside in sections)
        said = self.t("review.filter", name=self.t(f"review.{self.filter}"), count=count)
        self.query_one("#filter", Static).update(plain(said))
        self._restore(keep.path if keep else None)

    def _fill(self, sections: list[tuple[str, list[FieldRow]]]) -> None:
        table, (field, value, origin) = self.table, self._widths()
        table.clear(columns=True)
        for name, width in (("field", field), ("value", value), ("state", STATE), ("origin", origin)):
            table.add_column(self.t(f"review.{name}"), width=width)
        self.listed = []
        for title, inside in sections:
            self.listed += [None, *inside]
            table.add_row(cell(title, "bold", field), "", "", "")
            for one in inside:
                state = f"{one.mark} {self.t(f'state.{one.state}')}"
                name_cell = cell(f"  {one.question.id}", width=field)
                table.add_row(name_cell, cell(one.value, "", value), cell(state), cell(one.origin, "dim", origin))

    def _widths(self) -> tuple[int, int, int]:
        """Cells for field, value and origin; the origin gets most of what a wide window adds."""
        room = max(40, self.size.width - STATE - FRAME)
        field = min(28, room * 2 // 5)
        value = min(30, room * 7 // 20)
        return field, value, room - field - value

    def on_resize(self, event: events.Resize) -> None:
        """The columns fit the window."""
        super().on_resize(event)
        if self.shown is not None:
            self.show(self.shown)

    def _passes(self, one: FieldRow) -> bool:
        if self.filter == "open":
            return one.state in (State.OPEN, State.CONFIRM)
        if self.filter == "assumed":
            return one.state in (State.ASSUMED, State.UNKNOWN)
        if self.filter == "changed":
            return one.path in self.desk.changes
        return one.state is not State.NEEDLESS

    def _restore(self, name: str | None) -> None:
        places = {one.path: at for at, one in enumerate(self.listed) if one}
        if places:
            self.table.move_cursor(row=places.get(name or "", next(iter(places.values()))), animate=False)
        self._show_detail()

    def current(self) -> FieldRow | None:
        """The field under the cursor; None on a section's title."""
        at = self.table.cursor_row
        return self.listed[at] if 0 <= at < len(self.listed) else None

    def _show_detail(self) -> None:
        one, detail = self.current(), self.query_one("#detail", Static)
        if one is None:
            detail.update(plain("" if self.listed else self.t("review.none")))
            return
        parts = [f"{one.path} = {one.value}", one.origin]
        if change := self.desk.changes.get(one.path):
            parts.append(change)
        detail.update(plain(". ".join(part for part in parts if part)))

    def equivalent_command(self) -> str:
        """Setting the field under the cursor."""
        if self.snapshot is None:
            return "sizewright sessions show"
        return f"sizewright sessions show {self.snapshot.row.id}"

    def copy_text(self) -> str:
        """The table as text."""
        fields = [one for one in self.listed if one]
        return "\n".join(f"{one.mark} {one.path}\t{one.value}\t{one.state}\t{one.origin}" for one in fields)

    def on_data_table_row_highlighted(self) -> None:
        """The detail follows the cursor."""
        self._show_detail()

    def on_data_table_row_selected(self) -> None:
        """Enter or a click."""
        self.action_edit()

    # Actions

    def action_edit(self) -> None:
        """Ask the field again; afterwards back to here."""
        one = self.current()
        if one is not None:
            self.do(self.desk.ask(one.path, back_to="review"))

    def action_clear(self) -> None:
        """Take back what was said of the field."""
        one = self.current()
        if one is not None and one.state in (State.STATED, State.UNKNOWN):
            name = one.path
            self._run(lambda: self.backend.clear(name))

    def action_undo(self) -> None:
        """Undo the last step."""
        self._run(self.backend.undo)

    def action_redo(self) -> None:
        """Redo what was undone last."""
        self._run(self.backend.redo)

    def _run(self, work: Callable[[], Awaitable[Snapshot]]) -> None:
        async def step() -> None:
            snapshot = await work()
            self.take(snapshot)
            self.desk.say_change(snapshot)

        self.do(step())

    def action_filter(self) -> None:
        """The next filter."""
        self.filter = FILTERS[(FILTERS.index(self.filter) + 1) % len(FILTERS)]
        if self.snapshot:
            self.show(self.snapshot)
