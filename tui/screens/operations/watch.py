"""The operations rules on live metrics: which nodes to drain, and why; asked again while the screen is in front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import Input

from knowledge.errors import SizewrightError
from tui.aside import aside
from tui.keys import key
from tui.screens.operations.base import OperationsScreen
from tui.views.lines import Line, Row
from tui.views.watch import watch_lines, watch_rows

if TYPE_CHECKING:
    from assistant.operations.watch.live import Ask, Watch


class WatchScreen(OperationsScreen):
    """The address above; nodes below, those to drain first."""

    name_id = "watch"
    widths = (20, 0, 5)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("watch.line", "a", "line"),
        key("watch.now", "r", "now"),
        key("watch.hold", "space", "hold"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.result: Watch | None = None
        self.asks: Ask | None = None
        self.options = ""
        self.failure: str | None = None
        self.ticking: Timer | None = None
        self.held = False
        self.under_way = False

    def rows(self) -> Sequence[Row]:
        """Nodes, then rules that were not evaluated."""
        return watch_rows(self.result, self.say) if self.result else ()

    def lines(self, key: str) -> Sequence[Line]:
        """The evidence of a node, or what a rule lacks."""
        return watch_lines(self.result, key, self.say) if self.result else ()

    def verdict(self) -> Sequence[str]:
        """Nodes to drain; a failure stands beside the last answer, which stays."""
        failed = (self.t("watch.failed", text=self.failure),) if self.failure else ()
        if self.result is None:
            return failed or (self.t("watch.first" if self.asks is None else "watch.asking"),)
        nodes = ", ".join(state.node or "?" for state in self.result.drain) or self.t("watch.none")
        missing = len(self.result.not_evaluated)
        text = self.t("watch.result", nodes=nodes, count=self.result.evaluated, missing=missing)
        return (f"{text} ({self.t('watch.held')})" if self.held else text, *failed)

    @on(Input.Submitted, "#line")
    def _named(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.do(self._begin(event.value.strip()))

    async def _begin(self, line: str) -> None:
        """Ask the server that a line of options names; what is wrong with the line is said, and it stays."""
        from assistant.operations.watch.options import asker, options_of

        options = options_of(line)
        self.asks = asker(options)
        self.options, self.result, self.failure, self.held = line, None, None, False
        if self.ticking is not None:
            self.ticking.stop()
        self.ticking = self.set_interval(options.interval, self._tick)
        self.renew()
        self.set_focus(self.listing)
        await self._evaluate()

    def _tick(self) -> None:
        if not self.held and self.is_current:
            self.do(self._evaluate())

    async def _evaluate(self) -> None:
        """One evaluation; one at a time, and a failure leaves the last answer standing."""
        asks = self.asks
        if asks is None or self.under_way:
            return
        from assistant.operations.watch.live import watch_once

        self.under_way = True
        catalogue = await self.backend.call(lambda: self.backend.assistant.catalogue)
        try:
            result = await aside(lambda: watch_once(asks, catalogue))
        except SizewrightError as error:
            if asks is self.asks:
                self.failure = str(error)
        else:
            if asks is self.asks:
                self.result, self.failure = result, None
        finally:
            self.under_way = False
        self.renew()

    def action_now(self) -> None:
        """Evaluate now."""
        self.do(self._evaluate())

    def action_hold(self) -> None:
        """Ask no more, or again."""
        self.held = not self.held
        self.renew()

    def equivalent_command(self) -> str:
        """The same on the command line."""
        return f"sizewright watch --prometheus {self.options or 'URL'}"

    def copy_text(self) -> str:
        """What the command prints."""
        from assistant.operations.watch.text import lines

        return "\n".join(lines(self.result)) if self.result else self.equivalent_command()
