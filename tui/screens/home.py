"""Home: the saved sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable

from tui.base import BaseScreen
from tui.keys import key

if TYPE_CHECKING:
    pass


class HomeScreen(BaseScreen):
    """Saved sessions, last changed first."""

    name_id = "home"

    BINDINGS: ClassVar[list[BindingType]] = [key("home.new", "n", "new")]

    def body(self) -> ComposeResult:
        """The table."""
        yield DataTable(cursor_type="row", id="sessions")

    async def load(self) -> None:
        """Read the sessions."""

    def action_new(self) -> None:
        """A new session."""

        async def work() -> None:
            self.desk.forget_session()
            self.take(await self.backend.new("", self.desk.audience, self.lang))
            self.desk.go("interview")

        self.do(work())
