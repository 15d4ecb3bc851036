"""Export: a format, a file, what it will hold; and the sources that the document cites."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from assistant.export import FORMATS, PICTURES, write
from knowledge.errors import BadInput
from tui.frame.listing import ListScreen
from tui.keys import key
from tui.views.export import cited_lines, headless, source_rows, suggested, text_of
from tui.views.lines import Line, Row
from tui.widgets.dialogs import Confirm, Prompt

if TYPE_CHECKING:
    from tui.backend import Snapshot

PREVIEW = 60
"""Lines of the document that the pane shows."""

READABLE = (*FORMATS, "layout.txt", "topology.conf", "gres.conf")
"""Formats whose beginning tells something; the others are for programs."""


class ExportScreen(ListScreen):
    """One row a format, then one a source."""

    name_id = "export"
    widths = (0, 14)
    narrow_widths = (0, 22, 12)
    BINDINGS: ClassVar[list[BindingType]] = [key("export.write", "w", "write")]

    def __init__(self) -> None:
        super().__init__()
        self.written: str | None = None
        self.texts: dict[str, str] = {}

    def show(self, snapshot: Snapshot) -> None:
        """What would be written now."""
        super().show(snapshot)
        self.do(self._preview(snapshot))

    async def _preview(self, snapshot: Snapshot) -> None:
        laid_out = snapshot.sizing is not None and snapshot.sizing.plan().layout is not None
        for suffix in READABLE if laid_out else FORMATS:
            self.texts[suffix] = str(await self.backend.call(partial(self._text, Path(f"x.{suffix}"))))
        if self.is_mounted:
            self.fill()

    def _text(self, path: Path) -> str | bytes:
        """What ``sizewright export`` writes for the open session. Only on the database thread."""
        store, ident = self.backend.store, self.session_id
        sizing = self.backend.session.sizing
        if sizing is None:
            raise BadInput("session", ident, self.t("no_sizing"))
        return text_of(
            sizing,
            store.session(ident).label,
            store.checklist(ident),
            path,
            self.backend.assistant.catalogue,
            store.session(ident).lang,
        )

    def rows(self) -> Sequence[Row]:
        """The formats and the sources."""
        if self.sizing is None:
            return ()
        formats = [
            Row(f"format.{suffix}", (f".{suffix}  {self.t('format.' + suffix)}",)) for suffix in (*FORMATS, *PICTURES)
        ]
        sources = source_rows(self.sizing)
        heads = (Row("", (self.t("export_formats"),)), Row("", (f"{self.say('sources')} ({len(sources)})",)))
        return (heads[0], *formats, heads[1], *sources)

    def lines(self, key: str) -> Sequence[Line]:
        """The beginning of the document, or one source."""
        if self.sizing is None:
            return ()
        if not key.startswith("format."):
            return cited_lines(self.sizing, key, self.say)
        suffix = key.removeprefix("format.")
        if suffix not in self.texts:
            return (Line("title", self.t(f"format.{suffix}")),)
        text = self.texts[suffix].removeprefix("\ufeff").splitlines()
        title = Line("title", self.t("export_preview", lines=f"{len(text):,}"))
        return (title, *(Line("text", one) for one in text[:PREVIEW] if one))

    def status(self) -> str:
        """The file that was written last."""
        return self.t("wrote", path=self.written) if self.written else self.t("export_hint")

    def select(self, key: str) -> None:
        """Write in a format; read a source in full."""
        if key.startswith("format."):
            self.action_write()
        else:
            self.action_details()

    @property
    def suffix(self) -> str:
        """The format under the cursor; Markdown where the cursor is on a source."""
        return self.at.removeprefix("format.") if self.at.startswith("format.") else FORMATS[0]

    @property
    def suggestion(self) -> str:
        """The file name that is offered."""
        label = self.snapshot.row.label if self.snapshot else ""
        return suggested(label, self.session_id, self.suffix)

    def equivalent_command(self) -> str:
        """The command that writes the same file."""
        return headless(self.session_id, self.suggestion)

    def action_write(self) -> None:
        """Ask for the file, then write it."""
        path = str(Path.cwd() / self.suggestion)

        def named(given: str | None) -> None:
            if given and given.strip():
                self.do(self._write(Path(given.strip()).expanduser(), force=False))

        self.app.push_screen(Prompt(self.t("screen.export"), self.t("ask.path"), self.lang, path), named)

    async def _write(self, path: Path, force: bool) -> None:
        """Write whole, or ask before a file is replaced."""
        text = await self.backend.call(partial(self._text, path))
        if path.exists() and not force:
            self._ask_to_replace(path)
            return
        await self.backend.call(lambda: self._put(path, text, force))
        self.written = str(path)
        self.desk.notice(self.t("wrote", path=str(path)))
        if self.is_mounted:
            self.fill()

    def _put(self, path: Path, text: str | bytes, force: bool) -> None:
        try:
            write(path, text, force)
        except OSError as error:
            raise BadInput("--to", str(path), f"{self.t('cannot_write')}: {error.strerror or error}") from error

    def _ask_to_replace(self, path: Path) -> None:
        def answered(given: str | None) -> None:
            if given == "yes":
                self.do(self._write(path, force=True))
            else:
                self.desk.notice(self.t("not_replaced", path=str(path)))

        self.app.push_screen(
            Confirm(self.t("screen.export"), self.t("ask.replace", path=str(path)), self.lang), answered
        )
