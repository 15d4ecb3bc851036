"""Where sources contradict one another: both statements, what we side with, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.frame.listing import ListScreen
from tui.views.conflicts import conflict_lines, conflict_rows
from tui.views.lines import Line, Row

if TYPE_CHECKING:
    from rules.conflicts import Contradiction


class ConflictsScreen(ListScreen):
    """One row a contradiction; the same for every session."""

    name_id = "conflicts"
    widths = (0, 14, 14)
    narrow_widths = (0, 16, 16, 10)

    def __init__(self) -> None:
        super().__init__()
        self.known: list[Contradiction] | None = None

    def on_mount(self) -> None:
        """Weigh them beside the interface."""
        self.do(self._load())

    def show(self, snapshot: object) -> None:
        """No session changes what sources say."""

    def nothing(self) -> str:
        """While they are weighed: that they are."""
        return self.t("loading") if self.known is None else self.t("nothing_here")

    async def _load(self) -> None:
        self.known = await self.backend.call(self.backend.assistant.contradictions)
        if self.is_mounted:
            self.fill()

    def rows(self) -> Sequence[Row]:
        """All contradictions."""
        return conflict_rows(self.known or (), self.say)

    def lines(self, key: str) -> Sequence[Line]:
        """One contradiction."""
        if not self.known:
            return ()
        return conflict_lines(self.known[int(key)], self.backend.assistant.catalogue.entries("sources"), self.say)

    def equivalent_command(self) -> str:
        """The same list on the command line."""
        return "sizewright rules conflicts"
