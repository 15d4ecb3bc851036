"""An option list that bears to be squeezed."""

from __future__ import annotations

from textual.geometry import Size
from textual.widgets import OptionList

LEAST = 8
"""Columns below which nothing is laid out: wrapping text to no width at all is an error in the toolkit."""


class Choices(OptionList):
    """Choices of a question; also where the window leaves it no room."""

    help_key = "choices"

    def _update_lines(self) -> None:
        if self.scrollable_content_region.width >= LEAST:
            super()._update_lines()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Height at a width, at the least width where there is less."""
        return super().get_content_height(container, viewport, max(width, LEAST))
