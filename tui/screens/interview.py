"""The interview."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Static

from tui.base import BaseScreen


class InterviewScreen(BaseScreen):
    """One question at a time."""

    name_id = "interview"

    def body(self) -> ComposeResult:
        """Question."""
        yield Static("interview", markup=False)
