"""The pre-flight checklist: tick, owner, evidence, filter, progress."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from assistant.store_types import ItemState
from tui.frame.listing import ListScreen
from tui.keys import key
from tui.text import clean, plain
from tui.views.checklist import Filter, checklist_rows, headless, item_lines, next_phase, summary
from tui.views.lines import Line, Row
from tui.widgets.dialogs import Dialog
from tui.widgets.line import TextLine

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("owner", "by", "evidence")


class ItemDialog(Dialog):
    """Owner, who did it, and evidence of one item; Enter goes on and on the last line saves."""

    DEFAULT_CSS = "ItemDialog Input { background: $panel; margin: 0 0 1 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        key("item.save", "ctrl+o", "save"),
        key("item.next", "enter", "next", show=False, priority=True),
    ]

    def __init__(self, title: str, state: ItemState, lang: str) -> None:
        super().__init__(title, lang)
        self.state = state
        self.given: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Three lines to type."""
        parts: list[Static | Input] = []
        for name in FIELDS:
            parts.append(Static(plain(self.words(f"ask.{name}")), markup=False))
            value = clean(getattr(self.state, name) or "", lines=False)
            parts.append(TextLine(value, placeholder="…", id=name, compact=True, select_on_focus=False))
        yield self.framed(*parts, Static(plain(self.words("hint.item")), classes="hint", markup=False))

    def words(self, message: str) -> str:
        """A message in the app's language."""
        from tui.messages import t

        return t(message, self.lang)

    def action_next(self) -> None:
        """On to the next line at once, so that what is typed behind the key goes there; or save."""
        if self.focused is not None and self.focused.id == FIELDS[-1]:
            self.action_save()
        else:
            self.focus_next()

    def typed(self) -> dict[str, str]:
        """The three lines as they stand."""
        return {name: self.query_one(f"#{name}", Input).value.strip() for name in FIELDS}

    def unsaved(self) -> bool:
        """Whether a line is not what the item holds."""
        return any(text != clean(getattr(self.state, name) or "", lines=False) for name, text in self.typed().items())

    def action_save(self) -> None:
        """Keep what was typed, once every line has taken the keys that are on their way to it."""
        self.run_worker(self._save(), group="form", exclusive=True)

    async def _save(self) -> None:
        for line in self.query(Input):
            taken = asyncio.Event()
            line.call_later(taken.set)
            await taken.wait()
        self.given = self.typed()
        self.dismiss("saved")


class ChecklistScreen(ListScreen):
    """One row an item, a heading with progress a phase."""

    name_id = "checklist"
    widths = (3, 0)
    narrow_widths = (3, 0, 20)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("checklist.tick", "space", "tick"),
        key("checklist.edit", "e", "edit"),
        key("checklist.todo", "t", "todo"),
        key("checklist.phase", "p", "phase"),
        key("checklist.command", "x", "copy_item", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.phase: str | None = None
        self.todo = False
        self.by = ""

    @property
    def shown_by(self) -> Filter:
        """The filter as it stands."""
        return Filter(self.phase, self.todo, self.needle)

    @property
    def states(self) -> Mapping[str, ItemState]:
        """The states of the items."""
        return self.snapshot.checklist if self.snapshot else {}

    def found(self) -> Sequence[Row]:
        """The items that the filter lets through."""
        return checklist_rows(self.sizing, self.states, self.shown_by, self.say) if self.sizing else ()

    def lines(self, key: str) -> Sequence[Line]:
        """One item."""
        return item_lines(self.sizing, self.states, key, self.say) if self.sizing else ()

    def status(self) -> str:
        """Progress, and what the filter hides."""
        return summary(self.sizing, self.states, self.shown_by, self.say) if self.sizing else ""

    def equivalent_command(self) -> str:
        """The command that ticks or unticks the item here."""
        at = self.at or None
        return headless(self.session_id, at, self.states.get(at or "", ItemState()), self.by)

    def action_tick(self) -> None:
        """Tick the item, or take the tick back."""
        if self.at:
            done = not self.states.get(self.at, ItemState()).done
            self._mark(self.at, done, {"by": self.by})

    def _mark(self, item: str, done: bool, given: Mapping[str, str]) -> None:
        async def work() -> None:
            values = {name: given.get(name) or None for name in FIELDS}
            self.take(await self.backend.mark(item, done, values["by"], values["evidence"], values["owner"]))

        self.do(work())

    def action_edit(self) -> None:
        """Owner, who did it, evidence."""
        item = self.at
        if not item:
            return
        state = self.states.get(item, ItemState())
        dialog = ItemDialog(item, state, self.lang)

        def closed(result: str | None) -> None:
            if result:
                self.by = dialog.given["by"] or self.by
                self._mark(item, self.states.get(item, ItemState()).done, dialog.given)

        self.app.push_screen(dialog, closed)

    def action_todo(self) -> None:
        """Only what is to do, or all."""
        self.todo = not self.todo
        self.fill()

    def action_phase(self) -> None:
        """The next phase alone; after the last one all phases."""
        if self.sizing:
            self.phase = next_phase(self.sizing.checklist, self.phase)
            self.fill()

    def action_copy_item(self) -> None:
        """The item's command to the clipboard and to a file."""
        entry = next((e for e in self.sizing.checklist if e.id == self.at), None) if self.sizing else None
        if entry is None or entry.command is None:
            self.desk.notice(self.t("no_command"))
        else:
            self.desk.copy_out(f"checklist-{entry.id}", entry.command)
