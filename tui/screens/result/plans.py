"""The three plans side by side, and what drives the figure under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.coordinate import Coordinate
from textual.widgets import DataTable, Static

from tui.frame.base import BaseScreen
from tui.frame.parts import Pane
from tui.keys import key
from tui.text import MUTED, clean, cut, plain, stack
from tui.views.heard import missed_text, not_used_text, reply_texts
from tui.views.lines import Line, Row, Say, say_in
from tui.views.plans import Cell, cell_lines, plan_rows

if TYPE_CHECKING:
    from assistant.result import Sizing
    from tui.backend import Snapshot

LABELS = (20, 34)
"""Columns of the first column, in a narrow and in a wide window."""


class PlansScreen(BaseScreen):
    """One column a plan, one row a figure, in sections."""

    name_id = "plans"
    BINDINGS: ClassVar[list[BindingType]] = [
        key("plans.why", "w", "why"),
        key("plans.simulate", "s", "simulate", show=False),
        key("plans.next_section", "n", "section(1)"),
        key("plans.previous_section", "N", "section(-1)", show=False),
        key("plans.scroll_down", "shift+down,J", "scroll_details(1)", show=False),
        key("plans.scroll_up", "shift+up,K", "scroll_details(-1)", show=False),
    ]

    DEFAULT_CSS = """
    PlansScreen #replies { height: auto; max-height: 40%; padding: 0 1; display: none; }
    PlansScreen #replies.-said { display: block; }
    PlansScreen #plans { height: 2fr; background: $background; scrollbar-size-vertical: 1; }
    PlansScreen #plans > .datatable--fixed { background: $surface; color: $foreground; }
    PlansScreen #details { height: 1fr; min-height: 6; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()

    def body(self) -> ComposeResult:
        """Table and pane."""
        yield Static("", id="replies", markup=False)
        yield PlansTable(id="plans", cursor_type="cell", fixed_columns=1, cell_padding=1)
        yield Pane()

    @property
    def say(self) -> Say:
        """The labels of the views."""
        return say_in(self.lang)

    @property
    def sizing(self) -> Sizing | None:
        """The open session's sizing."""
        return self.snapshot.sizing if self.snapshot else None

    @property
    def table(self) -> DataTable[Text]:
        """The table."""
        return self.query_one("#plans", PlansTable)

    def on_mount(self) -> None:
        """The table has the keys."""
        self.table.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Columns anew; the cursor stays."""
        self.fill()

    def show(self, snapshot: Snapshot) -> None:
        """The plans of the new sizing, the cursor where it was."""
        self.fill()

    def fill(self) -> None:
        """The whole table anew."""
        sizing, table = self.sizing, self.table
        if sizing is None:
            table.clear(columns=True)
            self.query_one(Pane).put((Line("quiet", self.t("no_sizing")),))
            return
        before = table.cursor_coordinate if self.rows else Coordinate(2, 1 + _recommended(sizing))
        self.rows = plan_rows(sizing, self.lang)
        self._put_replies(sizing)
        label = LABELS[self.size.width >= 100]
        width = max(14, (self.size.width - label - 4 - 2 * len(sizing.plans)) // len(sizing.plans) - 1)
        table.clear(columns=True)
        table.add_column(Text(""), width=label)
        for plan in sizing.plans:
            table.add_column(Text(self.say(f"plan.{plan.name}"), style="bold"), width=width)
        for row in self.rows:
            table.add_row(*_cells(row, label, width, len(sizing.plans)))
        table.move_cursor(row=before.row, column=max(1, before.column))
        self.fill_details()

    def _put_replies(self, sizing: Sizing) -> None:
        """Above the table: what the message asked, which targets are missed, what of it was not used."""
        lines: list[Content] = []
        for reply in sizing.replies:
            for place, text in enumerate(reply_texts(reply, self.say)):
                lines.append(plain(text, "" if place else "bold"))
        if missed := missed_text(sizing.plan(), self.say):
            lines.append(plain(f"! {missed}", "bold $warning"))
        if sizing.heard_not_used:
            told = "; ".join(not_used_text(one) for one in sizing.heard_not_used)
            lines.append(plain(f"{self.say('not_used')}: {told}", MUTED))
        shown = self.query_one("#replies", Static)
        shown.update(stack(lines))
        shown.set_class(bool(lines), "-said")

    @property
    def at(self) -> Cell | None:
        """The figure and the plan under the cursor; None on a heading."""
        sizing, place = self.sizing, self.table.cursor_coordinate
        if sizing is None or place.row >= len(self.rows) or self.rows[place.row].heading:
            return None
        return Cell(self.rows[place.row].key, sizing.plans[max(0, place.column - 1)].name)

    def fill_details(self) -> None:
        """What stands behind the cell under the cursor."""
        at, sizing = self.at, self.sizing
        if at is not None and sizing is not None:
            self.query_one(Pane).put(cell_lines(sizing, at, self.lang))
        elif sizing is not None:
            self.query_one(Pane).put((Line("quiet", self.t("plans_hint")),))

    @on(DataTable.CellHighlighted, "#plans")
    def _moved(self) -> None:
        self.fill_details()

    @on(DataTable.CellSelected, "#plans")
    def _selected(self) -> None:
        self.action_why()

    def equivalent_command(self) -> str:
        """The plans on the command line, with how each figure was reached."""
        return f"sizewright export {self.snapshot.row.id if self.snapshot else 'ID'} --to=-.md"

    def copy_text(self) -> str:
        """The table as tab-separated text."""
        head = ["", *(self.say(f"plan.{p.name}") for p in self.sizing.plans)] if self.sizing else []
        return "\n".join(
            "\t".join(clean(cell, lines=False) for cell in row) for row in (head, *(r.cells for r in self.rows))
        )

    def action_why(self) -> None:
        """From the figure under the cursor to its formula, inputs and sources."""
        at = self.at
        if at is None:
            self.desk.notice(self.t("plans_hint"))
            return
        from tui.screens.result.why import WhyScreen  # imported when first opened, as all screens are

        self.desk.go("why")
        there = self.desk.screen
        if isinstance(there, WhyScreen):
            there.point_at(at)

    def action_simulate(self) -> None:
        """Play the training job."""
        self.desk.go("simulate")

    def action_section(self, direction: int) -> None:
        """To the first figure of the next section, or of the one before."""
        heads = [place for place, row in enumerate(self.rows) if row.heading]
        if not heads:
            return
        here = max((n for n, place in enumerate(heads) if place < self.table.cursor_row), default=0)
        target = heads[(here + direction) % len(heads)] + 1
        self.table.move_cursor(row=target)
        self.table.scroll_to(y=target - 1, animate=False)

    def action_scroll_details(self, direction: int) -> None:
        """Scroll the pane while the table keeps the keys."""
        self.query_one(Pane).scroll_relative(y=2 * direction, animate=False)


class PlansTable(DataTable[Text]):
    """The table, with its own help."""

    help_key = "plans_table"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("plans.down", "j", "cursor_down", show=False),
        key("plans.up", "k", "cursor_up", show=False),
        key("plans.left", "h", "cursor_left", show=False),
        key("plans.right", "l", "cursor_right", show=False),
    ]


def _recommended(sizing: Sizing) -> int:
    return [plan.name for plan in sizing.plans].index("recommended")


def _cells(row: Row, label: int, width: int, plans: int) -> list[Text]:
    if row.heading:
        return [Text(cut(row.cells[0], label), style="bold"), *(Text("") for _ in range(plans))]
    differs = len(set(row.cells[1:])) > 1
    cells = [Text(cut(row.cells[0], label))]
    return [*cells, *(Text(cut(cell, width), style="" if differs else "dim") for cell in row.cells[1:])]
