"""A log diagnosed: pasted here, or read from files, folders and patterns."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widgets import Input

from tui.aside import aside
from tui.keys import key
from tui.screens.operations.base import OperationsScreen
from tui.views.lines import Line, Row
from tui.views.triage import finding_lines, finding_rows
from tui.widgets.operations_line import OperationsLine

if TYPE_CHECKING:
    from assistant.operations.triage.findings import Triage
    from knowledge.catalogue import Catalogue

Read = Callable[["Catalogue"], "Triage"]


class TriageScreen(OperationsScreen):
    """Verdict on top, findings below it."""

    name_id = "triage"
    widths = (18, 0, 7)
    BINDINGS: ClassVar[list[BindingType]] = [key("triage.line", "o", "line")]

    def __init__(self) -> None:
        super().__init__()
        self.result: Triage | None = None
        self.source = "-"
        self.asked = 0
        """Counts what was asked for, so that a slower reading does not replace a later one."""

    def rows(self) -> Sequence[Row]:
        """The findings."""
        return finding_rows(self.result, self.say) if self.result else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One finding."""
        return finding_lines(self.result, key, self.say) if self.result else ()

    def nothing(self) -> str:
        """Where nothing was found: that it is so."""
        return self.t("triage.clear") if self.result else super().nothing()

    def verdict(self) -> Sequence[str]:
        """What to do now, why, and what could not be read."""
        if self.result is None:
            return (self.t("triage.first"),)
        from assistant.operations.triage.text import verdict_lines

        read = self.t("triage.read", lines=f"{self.result.lines_read:,}", files=f"{self.result.files_read:,}")
        bad = [self.t("triage.unreadable", text=text) for text in self.result.unreadable[:1]]
        return (*verdict_lines(self.result), *(bad or [read]))

    @on(Input.Submitted, "#line")
    def _named(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.read_paths(event.value.strip())

    @on(OperationsLine.Pasted)
    def _pasted(self, event: OperationsLine.Pasted) -> None:
        self.read_text(event.text)

    def on_paste(self, event: events.Paste) -> None:
        """A paste anywhere else on the screen is a log too."""
        if event.text.strip():
            event.stop()
            self.read_text(event.text)

    def read_text(self, text: str) -> None:
        """Diagnose a pasted log."""

        def read(catalogue: Catalogue) -> Triage:
            from assistant.operations.triage.diagnose import triage_text

            return triage_text(text, catalogue)

        self.do(self._read(read, "-"))

    def read_paths(self, line: str) -> None:
        """Diagnose files, folders and patterns; a line that names none is itself a log."""

        def read(catalogue: Catalogue) -> Triage:
            from pathlib import Path

            from assistant.operations.triage.diagnose import triage_files, triage_text
            from assistant.operations.triage.files import log_files

            paths = [line] if Path(line).expanduser().exists() else _words(line)
            if not any(Path(path).expanduser().exists() or set("*?[") & set(path) for path in paths):
                return triage_text(line, catalogue)
            # One worker: helpers are not to be forked off a process that runs an interface.
            return triage_files(log_files(paths), catalogue, workers=1)

        self.do(self._read(read, line))

    async def _read(self, read: Read, source: str) -> None:
        self.asked += 1
        mine = self.asked
        self.put_verdict((self.t("triage.reading"),))
        catalogue = await self.backend.call(lambda: self.backend.assistant.catalogue)
        try:
            result = await aside(lambda: read(catalogue))
        except Exception:
            self.put_verdict(self.verdict())
            raise
        if mine == self.asked and self.is_mounted:
            self.result, self.source = result, source
            self.renew()
            self.set_focus(self.listing)

    def equivalent_command(self) -> str:
        """The same on the command line."""
        return "sizewright triage" if self.source == "-" else f"sizewright triage {self.source}"

    def copy_text(self) -> str:
        """The whole triage as the command prints it."""
        from assistant.operations.triage.text import lines

        return "\n".join(lines(self.result)) if self.result else self.equivalent_command()


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return [line]
