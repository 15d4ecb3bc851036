"""The layout: what stands where, drawn as text, and how it is joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.layout import entry_of, layout_lines, layout_of, layout_rows
from tui.views.lines import Line, Row

if TYPE_CHECKING:
    from assistant.result import Sizing
    from assistant.sizing.physical.layout import Layout


class LayoutScreen(ListScreen):
    """One row a fabric, a rack, and a box in it."""

    name_id = "layout"
    widths = (10, 0, 16)
    narrow_widths = (10, 0, 14)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("layout.next_rack", "n", "rack(1)"),
        key("layout.previous_rack", "N", "rack(-1)", show=False),
        key("layout.entry", "c", "entry"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.read: tuple[Sizing | None, Layout | None] = (None, None)

    @property
    def layout_data(self) -> Layout | None:
        """The layout of the open session's sizing, read once a sizing."""
        if self.read[0] is not self.sizing:
            self.read = (self.sizing, layout_of(self.sizing) if self.sizing else None)
        return self.read[1]

    def rows(self) -> Sequence[Row]:
        """Everything that has a place."""
        layout = self.layout_data
        return layout_rows(layout, self.sizing.plan(), self.say) if self.sizing and layout else ()

    def lines(self, key: str) -> Sequence[Line]:
        """A drawing, or one box."""
        layout = self.layout_data
        return layout_lines(layout, self.sizing.plan(), key, self.say) if self.sizing and layout else ()

    def nothing(self) -> str:
        """Why there is nothing to see."""
        return self.t("no_layout") if self.sizing else super().nothing()

    def equivalent_command(self) -> str:
        """The same as text."""
        return f"sizewright export {self.session_id} --to=-.layout.txt"

    def action_rack(self, step: int) -> None:
        """To the next rack, or the one before."""
        keys = [row.key for row in self.listing.rows]
        racks = [place for place, name in enumerate(keys) if name.startswith("rack/")]
        here = self.listing.highlighted or 0
        ahead = [place for place in racks if (place > here if step > 0 else place < here)]
        if ahead:
            self.listing.highlighted = ahead[0] if step > 0 else ahead[-1]

    def action_entry(self) -> None:
        """The catalogue's entry of this box."""
        layout = self.layout_data
        entry = entry_of(layout, self.at, self.backend.assistant.catalogue) if layout else None
        if entry is None:
            self.desk.notice(self.t("no_entry"))
        else:
            self.open_at("catalogue", entry)
