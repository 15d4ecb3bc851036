"""The line to answer in: grows with its text, takes whole messages by paste, and gives nothing up on a resize."""

from __future__ import annotations

from collections import deque
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea

from tui.keys import key
from tui.text import visible_controls


class AnswerBox(TextArea):
    """A text area in which Enter is left to the screen (it answers) and the arrows step through choices when empty."""

    help_key = "answer_box"

    BINDINGS: ClassVar[list[BindingType]] = [key("answer.newline", "shift+enter,alt+enter", "newline", show=False)]
    DEFAULT_CSS = """
    AnswerBox { height: auto; min-height: 3; max-height: 8; border: round $primary; background: $background;
                padding: 0 1; }
    AnswerBox:focus { border: round $accent; }
    """

    class Stepped(Message):
        """An arrow was pressed while there was no text."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class Undone(Message):
        """Undo or redo was pressed while there was no text to undo in."""

        def __init__(self, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    def __init__(self, placeholder: str, box_id: str) -> None:
        super().__init__("", id=box_id, soft_wrap=True, show_line_numbers=False, placeholder=placeholder)
        self.cursor_blink = False
        self.highlight_cursor_line = False
        self._taken: deque[str] = deque()

    async def _on_key(self, event: events.Key) -> None:
        """Leave Enter, and `?` in an empty box, to the bindings of the screen.

        The screen comes to it after the keys behind it, so the text is set aside now.
        """
        if event.key == "enter" and self._answers(event.key):
            self._taken.append(self.text)
            self.text = ""
        if event.key == "enter" or (event.key == "question_mark" and not self.text):
            event.prevent_default()

    def _answers(self, key: str) -> bool:
        bound = self.screen.active_bindings.get(key)
        return bound is not None and bound.binding.action == "answer"

    def take(self) -> str:
        """The text that was there when the key was pressed; the box is empty for what comes behind it."""
        if self._taken:
            return self._taken.popleft()
        text, self.text = self.text, ""
        return text

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Every printable key is text, except `?` in an empty box."""
        return super().check_consume_key(key, character) and not (key == "question_mark" and not self.text)

    async def _on_paste(self, event: events.Paste) -> None:
        """Take a paste whole, with its line breaks, and control characters made visible."""
        event.prevent_default()
        event.stop()
        self.insert(visible_controls(event.text))

    def action_newline(self) -> None:
        """A line break."""
        self.insert("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """Up in the text, or through the choices."""
        if self.text or select:
            super().action_cursor_up(select)
        else:
            self.post_message(self.Stepped(-1))

    def action_cursor_down(self, select: bool = False) -> None:
        """Down in the text, or through the choices."""
        if self.text or select:
            super().action_cursor_down(select)
        else:
            self.post_message(self.Stepped(1))

    def action_undo(self) -> None:
        """Undo typing, or the last answer where nothing is typed."""
        if self.text:
            super().action_undo()
        else:
            self.post_message(self.Undone(False))

    def action_redo(self) -> None:
        """Redo typing, or the answer that was undone last where nothing is typed."""
        if self.text:
            super().action_redo()
        else:
            self.post_message(self.Undone(True))
