"""What the operations screens share: a line to type in above, a verdict below it, then a list with details."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Static

from tui.frame.listing import ListScreen
from tui.text import plain, stack
from tui.widgets.operations_line import OperationsLine


class OperationsScreen(ListScreen):
    """A line, a verdict, and a list with details beside it."""

    DEFAULT_CSS = """
    OperationsScreen #verdict { height: auto; max-height: 4; padding: 0 1; background: $surface; }
    """

    def body(self) -> ComposeResult:
        """Line and verdict above search, list and details."""
        yield OperationsLine(self.t(f"hint.{self.name_id}"))
        yield Static("", id="verdict", markup=False)
        yield from super().body()

    @property
    def line(self) -> OperationsLine:
        """The line to type in."""
        return self.query_one(OperationsLine)

    @property
    def first(self) -> Widget:
        """Ready to type."""
        return self.line

    def on_mount(self) -> None:
        """What stands on top. (The list's own ``on_mount`` runs after this one and gives the keys.)"""
        self.put_verdict(self.verdict())

    def verdict(self) -> Sequence[str]:
        """What stands on top: what to do now, then why."""
        return ()

    def put_verdict(self, lines: Sequence[str]) -> None:
        """Show other words on top, the first of them strong."""
        shown = [plain(text, "bold" if number == 0 else "", lines=False) for number, text in enumerate(lines)]
        self.query_one("#verdict", Static).update(stack(shown))

    def nothing(self) -> str:
        """What can be done here, while nothing was."""
        return self.t(f"help.screen.{self.name_id}")

    def renew(self) -> None:
        """Verdict, list and details anew."""
        if self.is_mounted:
            self.put_verdict(self.verdict())
            self.fill()

    def action_line(self) -> None:
        """To the line."""
        self.remove_class("-zoomed")
        self.set_focus(self.line)

    @on(OperationsLine.Left)
    def _line_left(self) -> None:
        self.set_focus(self.listing)

    def on_key(self, event: events.Key) -> None:
        """Escape in an empty line leaves the screen, as it does from the list."""
        if event.key == "escape" and self.focused is self.line and not self.rows():
            event.stop()
            event.prevent_default()
            self.action_leave_screen()
