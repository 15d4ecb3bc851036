"""One line to type, which takes a paste as text."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from tui.text import visible_controls


class TextLine(Input):
    """An input in which pasted lines follow each other and what a terminal obeys is made visible."""

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        shown = " ".join(part.strip() for part in visible_controls(event.text).splitlines() if part.strip())
        if shown:
            self.insert_text_at_cursor(shown)
