"""Duties in law with state, threshold and value; below them the warnings. Not legal advice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.duties import duty_lines, duty_of, duty_rows
from tui.views.lines import Line, Row


class ObligationsScreen(ListScreen):
    """One row a duty or a warning."""

    name_id = "obligations"
    widths = (18, 0)
    BINDINGS: ClassVar[list[BindingType]] = [key("obligations.close", "c", "close_duty")]

    def rows(self) -> Sequence[Row]:
        """The duties and warnings of the sizing."""
        return duty_rows(self.sizing, self.say) if self.sizing else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One duty or warning."""
        return duty_lines(self.sizing, key, self.say) if self.sizing else ()

    def action_close_duty(self) -> None:
        """Open the question that settles this duty."""
        duty = duty_of(self.sizing, self.at) if self.sizing else None
        if duty is not None and duty.closes_with:
            self.ask(duty.closes_with)
        else:
            self.desk.notice(self.t("nothing_closes"))
