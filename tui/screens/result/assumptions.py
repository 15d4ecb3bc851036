"""The register of assumptions, each a key away from the question that replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.assumptions import assumption_lines, assumption_rows
from tui.views.heard import NOT_USED, not_used_lines, not_used_rows
from tui.views.lines import Line, Row


class AssumptionsScreen(ListScreen):
    """One row an assumption."""

    name_id = "assumptions"
    widths = (18, 0, 15)
    narrow_widths = (20, 0, 15, 20)
    BINDINGS: ClassVar[list[BindingType]] = [key("assumptions.change", "c", "change")]

    def rows(self) -> Sequence[Row]:
        """The assumptions of the sizing."""
        if self.sizing is None:
            return ()
        heard = not_used_rows(self.sizing, self.say)
        head = (Row("", (self.t("screen.assumptions"),)),) if heard else ()
        return (*heard, *head, *assumption_rows(self.sizing, self.lang, self.say))

    def lines(self, key: str) -> Sequence[Line]:
        """One assumption, or one phrase that was not used."""
        if self.sizing and key.startswith(NOT_USED):
            return not_used_lines(self.sizing, key, self.say)
        audience = self.snapshot.row.audience if self.snapshot else "presales"
        return assumption_lines(self.sizing, key, self.lang, audience, self.say) if self.sizing else ()

    def action_change(self) -> None:
        """Open the question whose answer replaces this assumption."""
        if self.at and not self.at.startswith(NOT_USED):
            self.ask(self.at)
