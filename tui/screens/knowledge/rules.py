"""The rule base: every rule by pack, and whether it held for the open session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from assistant.rulebook import Held, held, next_pack
from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.lines import Line, Row
from tui.views.rules import headless, rule_lines, rule_rows

if TYPE_CHECKING:
    from rules.base import RuleBase
    from tui.backend import Snapshot


class RulesScreen(ListScreen):
    """One row a rule."""

    name_id = "rules"
    widths = (3, 0, 12)
    narrow_widths = (3, 0, 20, 9)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("rules.held", "f", "only_held"),
        key("rules.pack", "p", "pack"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.base: RuleBase | None = None
        self.state: Held | None = None
        self.pack: str | None = None
        self.only_held = False

    def on_mount(self) -> None:
        """Read the rules; they may be there without a session."""
        self.do(self._load())

    def show(self, snapshot: Snapshot) -> None:
        """What held may have changed."""
        self.do(self._load())

    def nothing(self) -> str:
        """While it is read: that it is."""
        return self.t("loading") if self.base is None else super().nothing()

    async def _load(self) -> None:
        sizing = self.sizing

        def work() -> tuple[RuleBase, Held | None]:
            base = self.backend.assistant.rules
            return base, held(base, sizing)

        self.base, self.state = await self.backend.call(work)
        if self.is_mounted:
            self.fill()

    def point_at(self, key: str) -> None:
        """Put the cursor on a rule, whatever pack it stands in."""
        self.pack, self.only_held = None, False
        super().point_at(key)

    def rows(self) -> Sequence[Row]:
        """The rules that pack and filter let through."""
        return rule_rows(self.base, self.state, self.say, self.pack, self.only_held) if self.base else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One rule."""
        return rule_lines(self.base, key, self.state, self.say) if self.base else ()

    def equivalent_command(self) -> str:
        """The same rule on the command line."""
        return headless(self.pack, self.at or None)

    def action_only_held(self) -> None:
        """Only the rules that held, or all."""
        if self.state is None:
            self.desk.notice(self.t("open_first"))
            return
        self.only_held = not self.only_held
        self.fill()

    def action_pack(self) -> None:
        """The next pack alone; after the last one all packs."""
        if self.base:
            self.pack = next_pack(self.base, self.pack)
            self.fill()
