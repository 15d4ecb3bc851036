"""Sessions side by side, with what drives the difference; marked on the home screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tui.frame.listing import ListScreen
from tui.views.comparison import comparison_lines, comparison_rows
from tui.views.lines import Line, Row

if TYPE_CHECKING:
    from assistant.sessions.compare import Comparison


class CompareScreen(ListScreen):
    """One row an answer, a figure, or a driver."""

    name_id = "compare"
    widths = (24, 0)

    def __init__(self) -> None:
        super().__init__()
        self.found_now: Comparison | None = None
        self.ids: tuple[str, ...] = ()

    def on_mount(self) -> None:
        """Compare beside the interface."""
        super().on_mount()
        self._again()

    def on_screen_resume(self) -> None:
        """Other sessions may be marked by now."""
        super().on_screen_resume()
        if self.ids != self.desk.compared:
            self._again()

    def _again(self) -> None:
        self.ids, self.found_now = self.desk.compared, None
        if len(self.ids) > 1:
            self.do(self._load(self.ids))

    def show(self, snapshot: object) -> None:
        """Not of the open session."""

    def nothing(self) -> str:
        """How to choose sessions, or that they are being compared."""
        return self.t("compare_none" if len(self.ids) < 2 else "loading")

    async def _load(self, ids: tuple[str, ...]) -> None:
        found = await self.backend.compare(ids, self.lang)
        if self.is_mounted and ids == self.ids:
            self.found_now = found
            self.fill()

    def rows(self) -> Sequence[Row]:
        """Drivers, figures, answers."""
        return comparison_rows(self.found_now, self.say) if self.found_now else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One of them in full."""
        return comparison_lines(self.found_now, key, self.say) if self.found_now else ()

    def equivalent_command(self) -> str:
        """The same on the command line."""
        return " ".join(["sizewright sessions compare", *(self.ids or ("ID", "ID"))])
