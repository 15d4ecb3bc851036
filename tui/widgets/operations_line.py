"""The line of an operations screen: takes a path, a description or an address, and a paste of any size whole."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from tui.keys import key
from tui.widgets.line import TextLine


class OperationsLine(TextLine):
    """One line; Enter submits it. A paste of several lines is not typed but handed over."""

    help_key = "operations_line"

    DEFAULT_CSS = "OperationsLine { background: $panel; padding: 0 1; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("operations.leave_line", "escape,down", "leave_line", show=False),
    ]

    class Pasted(Message):
        """Several lines were pasted."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The list is to take the keys."""

    def __init__(self, hint: str) -> None:
        super().__init__(placeholder=hint, compact=True, id="line", select_on_focus=False)

    def _on_paste(self, event: events.Paste) -> None:
        """More than one line is handed over whole; one is typed."""
        if "\n" in event.text.strip() or "\r" in event.text.strip():
            event.prevent_default()
            event.stop()
            self.post_message(self.Pasted(event.text))

    def action_leave_line(self) -> None:
        """To the list."""
        self.post_message(self.Left())
