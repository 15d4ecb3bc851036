"""The frame of every screen: header line, body, the equivalent command, footer; and what they may ask of the app."""

from __future__ import annotations

import shlex
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from knowledge.message import Value
from tui.keys import NEXT_FIELD, key, localise
from tui.messages import has, t
from tui.text import cut, plain, row

if TYPE_CHECKING:
    from tui.app import SizewrightApp
    from tui.backend import Backend, Snapshot

SMALLEST = (60, 16)
"""Columns and rows below which a notice is shown instead."""
WIDE = 100
"""Columns from which side panes are shown."""
OF_THE_DATABASE = ("--resume", "--plain", "sessions", "checklist", "export")
"""Commands and options that read saved sessions."""


class BaseScreen(Screen[None]):
    """One screen of the app.

    A screen sets ``name_id`` (its key in ``tui.registry.SCREENS``), and overrides ``body`` (its widgets), ``show``
    (called with the open session's snapshot when it is first shown and whenever it changes), ``equivalent_command``
    (what does the same without the app) and, where there is more than that to copy, ``copy_text``.
    """

    name_id: ClassVar[str] = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        *NEXT_FIELD,
        key("app.leave_screen", "escape", "leave_screen", show=False),
        key("app.go", "g,ctrl+g", "go_to"),
        key("app.review", "ctrl+r", "review", show=False),
        key("app.cheat_sheet", "question_mark", "cheat_sheet", show=False),
        key("app.help", "f1", "help_here", show=False),
        key("app.copy", "y", "copy", show=False),
        key("app.copy_command", "Y", "copy_command", show=False),
    ]

    DEFAULT_CSS = """
    BaseScreen { layout: vertical; }
    BaseScreen > .header { height: 1; padding: 0 1; background: $panel; color: $foreground; }
    BaseScreen > .command { height: 1; padding: 0 1; color: $text-muted; }
    BaseScreen > .too-small { display: none; width: 1fr; height: 1fr; padding: 1 2; }
    BaseScreen > .banner { display: none; height: auto; padding: 0 1; background: $error; color: $background; }
    BaseScreen.-trouble > .banner { display: block; }
    BaseScreen.-tiny > * { display: none; }
    BaseScreen.-tiny > .too-small { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: Snapshot | None = None
        self._focus_before: Widget | None = None
        localise(self, self.lang)

    # What the app gives

    @property
    def desk(self) -> SizewrightApp:
        """The app, with its own type."""
        return cast("SizewrightApp", self.app)

    @property
    def backend(self) -> Backend:
        """The calls into the core; await them in a coroutine handed to ``do``."""
        return self.desk.backend

    @property
    def snapshot(self) -> Snapshot | None:
        """The open session as last seen."""
        return self.desk.snapshot

    @property
    def lang(self) -> str:
        """The interface's language."""
        return self.desk.lang

    def t(self, message: str, **values: Value) -> str:
        """A message in the interface's language."""
        return t(message, self.lang, **values)

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Run ``work`` without blocking; an error in it becomes a notice. ``await self.backend...`` belongs here."""
        self.desk.do(work)

    @property
    def whole(self) -> bool:
        """Whether its widgets are there: not before it is composed, nor any more while it is being removed."""
        return self.is_mounted and bool(self.query(".command"))

    def take(self, snapshot: Snapshot) -> None:
        """Make ``snapshot`` the open session's state; every screen sees it."""
        self.desk.take(snapshot)

    # What a screen fills in

    def body(self) -> ComposeResult:
        """The widgets between header and command line."""
        yield from ()

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot of the open session."""

    def equivalent_command(self) -> str:
        """The command line that shows or does the same."""
        return "sizewright"

    def command(self) -> str:
        """The equivalent command as it can be run anywhere: with the database, where it reads one that was named."""
        told = self.equivalent_command()
        reads = any(word in told.split()[1:3] for word in OF_THE_DATABASE)
        return f"{told} --db {shlex.quote(self.desk.db)}" if self.desk.db and reads else told

    def copy_text(self) -> str:
        """What the copy action takes: by default the equivalent command."""
        return self.equivalent_command()

    # The frame

    def compose(self) -> ComposeResult:
        """Header, body, command, footer."""
        yield Static("", classes="header", markup=False)
        yield Static("", classes="banner", markup=False)
        yield from self.body()
        yield Static("", classes="command", markup=False)
        yield Static(plain(self.t("too_small")), classes="too-small", markup=False)
        yield Footer(compact=True, show_command_palette=True)

    def on_mount(self) -> None:
        """First frame."""
        self.refresh_frame()

    def on_screen_resume(self) -> None:
        """Catch up with what changed while another screen was in front."""
        self.refresh_frame()
        self.catch_up()

    def catch_up(self) -> None:
        """Show the app's snapshot unless it is the one shown already."""
        snapshot = self.snapshot
        if snapshot is not None and snapshot is not self.shown and self.whole:
            self.shown = snapshot
            self.show(snapshot)
        self.refresh_frame()

    def refresh_frame(self) -> None:
        """Header and command line anew."""
        if not self.is_mounted:
            return
        for part in self.query(".header").results(Static):
            part.update(self._header())
        trouble = self.desk.trouble
        self.set_class(trouble is not None, "-trouble")
        for part in self.query(".banner").results(Static):
            part.update(plain(self.t("not_saving", text=trouble) if trouble else ""))
        for part in self.query(".command").results(Static):
            part.update(row(("$ ", "dim"), cut(self.command(), max(20, self.size.width - 4))))

    def _header(self) -> Content:
        name = self.t(f"screen.{self.name_id}")
        snapshot = self.snapshot
        if snapshot is None or self.name_id == "home":
            return row(("Sizewright", "bold"), "  ›  ", name)
        label = cut(snapshot.row.label or self.t("unnamed"), 28)
        parts: list[object] = [("Sizewright", "bold"), "  ›  ", label, "  ›  ", (name, "bold")]
        plan = snapshot.sizing.plan() if snapshot.sizing else None
        if plan is not None and self.size.width >= WIDE:
            parts.append(f"    {plan.gpus:,} x {cut(plan.card, 24)}")
        if self.desk.busy:
            parts.append((f"    {self.t('working')}", "italic"))
        return row(*parts)

    def on_resize(self, event: events.Resize) -> None:
        """Narrow and tiny classes for the styles; focus survives a moment of being too small."""
        tiny = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        if tiny and not self.has_class("-tiny"):
            self._focus_before = self.focused
        self.set_class(tiny, "-tiny")
        self.set_class(event.size.width >= WIDE, "-roomy")
        self.set_class(event.size.width < WIDE, "-slim")
        if not tiny and self._focus_before is not None:
            self.set_focus(self._focus_before, scroll_visible=False)
            self._focus_before = None
        self.refresh_frame()

    # Actions of every screen

    def action_leave_screen(self) -> None:
        """One step back: to the interview, then home."""
        self.desk.leave(self.name_id)

    def action_go_to(self) -> None:
        """The list of screens."""
        self.desk.choose_screen()

    def action_review(self) -> None:
        """Every field, from anywhere."""
        self.desk.go("review")

    def action_cheat_sheet(self) -> None:
        """All keys that work here."""
        self.desk.cheat_sheet()

    def action_help_here(self) -> None:
        """Help of the focused widget, else of the screen."""
        self.desk.show_help(*self.help_here())

    def help_here(self) -> tuple[str, str]:
        """Title and text of the help for what has the focus: the nearest ``help_key`` up from it, else the screen's."""
        node: Any = self.focused
        while node is not None and node is not self:
            found = getattr(node, "help_key", None)
            if found and has(f"help.{found}"):
                return self.t(f"title.{found}"), self.t(f"help.{found}")
            node = node.parent
        return self.t(f"screen.{self.name_id}"), self.t(f"help.screen.{self.name_id}")

    def action_copy(self) -> None:
        """The screen's text to the clipboard and to a file."""
        self.desk.copy_out(self.name_id, self.copy_text())

    def action_copy_command(self) -> None:
        """The equivalent command to the clipboard and to a file."""
        self.desk.copy_out(f"{self.name_id}-command", self.command())
