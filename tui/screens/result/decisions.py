"""Decisions with reasons for and against, who disagrees, what would flip them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.decisions import decision_lines, decision_rows
from tui.views.lines import Line, Row


class DecisionsScreen(ListScreen):
    """One row a decision."""

    name_id = "decisions"
    widths = (0, 18, 8)
    narrow_widths = (0, 20, 9, 7)
    BINDINGS: ClassVar[list[BindingType]] = [key("decisions.rule", "r", "open_rule")]

    def rows(self) -> Sequence[Row]:
        """The decisions of the sizing."""
        return decision_rows(self.sizing, self.lang) if self.sizing else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One decision."""
        return decision_lines(self.sizing, key, self.lang) if self.sizing else ()

    def action_open_rule(self) -> None:
        """The rule that speaks first for or against this choice."""
        if self.sizing and self.at:
            decision = next(d for d in self.sizing.decisions if d.id == self.at)
            known = (r.rule for r in (*decision.because, *decision.against) if not r.rule.startswith("planner."))
            rule = next(known, None)
            if rule is None:
                self.desk.notice(self.t("no_rule"))
            else:
                self.open_at("rules", rule)
