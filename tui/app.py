"""The app: screens over one open session. It owns no answers; everything is in the store before it is shown."""

from __future__ import annotations

import argparse
import locale
import os
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from tui import theme
from tui.frame.base import BaseScreen
from tui.keys import REGISTERED, Settings, key, localise, read_settings, unknown_ids
from tui.messages import has, t
from tui.paste import install
from tui.registry import available
from tui.text import clean, cut

if TYPE_CHECKING:
    from assistant.service import Assistant
    from tui.backend import Backend, Snapshot

POLL_S = 2.0
"""Seconds between looks at what other programs changed."""


class SizewrightApp(App[None]):
    """The full-screen face."""

    TITLE = "Sizewright"
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [key("app.quit", "ctrl+q", "quit", show=False, priority=True)]

    CSS = """
    ToastRack { dock: top; align: right top; margin: 1 0 0 0; }
    Toast { max-width: 70; }
    """

    snapshot: reactive[Snapshot | None] = reactive(None, init=False, always_update=True)

    def __init__(
        self,
        db: str | None = None,
        overlay: str | None = None,
        resume: str | None = None,
        lang: str = "en",
        audience: str = "presales",
        theme_name: str | None = None,
        settings: Settings | None = None,
        assistant: Assistant | None = None,
    ) -> None:
        self.lang = lang
        self.settings = settings or Settings()
        super().__init__()
        self.compared: tuple[str, ...] = ()
        self.db, self.overlay, self.resume, self.audience = db, overlay, resume, audience
        self._assistant = assistant
        self._backend: Backend | None = None
        self._open: dict[str, BaseScreen] = {}
        self.last_session: str | None = None
        self.started = False
        self.trouble: str | None = None
        """Why nothing can be saved or read now; stands on every screen while it lasts."""
        self.changes: dict[str, str] = {}
        for ours in theme.OURS:
            self.register_theme(ours)
        chosen = theme.resolve(theme_name or self.settings.theme)
        self.theme = chosen or theme.DEFAULT
        self._bad_theme = None if chosen else (theme_name or self.settings.theme)
        self.set_keymap(self.settings.keys)
        localise(self, lang)

    # Start and end

    @property
    def backend(self) -> Backend:
        """The calls into the core. The first use imports it, so not before the first paint."""
        if self._backend is None:
            from assistant.service import Assistant
            from tui.backend import Backend

            self._backend = Backend(self._assistant or Assistant(self.overlay), self.db)
        return self._backend

    def on_mount(self) -> None:
        """Home first; what is slow to import follows once it is on the screen."""
        self.go("home")
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.do(self._prepare())

    async def _prepare(self) -> None:
        import asyncio

        await asyncio.to_thread(_import_core)
        self.started = True
        for problem in self.settings.problems:
            self.notice(problem, "warning")
        if self._bad_theme:
            self.notice(t("bad_theme", self.lang, name=self._bad_theme, known=", ".join(theme.NAMES)), "warning")
        self.do(self._first_look())
        self.do(self._warm_up())
        self.set_interval(POLL_S, self._poll)

    async def _first_look(self) -> None:
        """The sessions, and the one that was asked for."""
        await self.look_for_changes()
        if self.resume:
            self.take(await self.backend.open(self.resume))
            self.go("interview")

    async def _warm_up(self) -> None:
        """What the first answer would have to wait for."""
        if self._assistant is None:  # one that was given is in use already
            await self.backend.warm_up()
        for name in unknown_ids(self.settings.keys):
            self.notice(t("unknown_key_id", self.lang, name=name), "warning")

    def _poll(self) -> None:
        # Handed over as a function: at the very end of the app a coroutine would be left without anyone to await it.
        look: Callable[[], Coroutine[Any, Any, Any]] = self.look_for_changes
        self.run_worker(look, group="poll", exclusive=True, exit_on_error=False)

    async def look_for_changes(self) -> None:
        """Take over what another program wrote to the open session or to the list of sessions.

        A database that cannot be used is said on every screen, for as long as it lasts.
        """
        from knowledge.errors import SizewrightError

        known = self.trouble
        try:
            await self._look()
        except SizewrightError as error:
            self.say_trouble(str(error))
        else:
            if self.trouble == known:  # what came up meanwhile is looked at the next time
                self.say_trouble(None)

    def say_trouble(self, trouble: str | None) -> None:
        """Why nothing can be saved, on every screen, or that it is over."""
        if trouble != self.trouble:
            self.trouble = trouble
            for screen in self._open.values():
                screen.refresh_frame()

    async def _look(self) -> None:
        if self.trouble:
            await self.backend.check()
        changed = await self.backend.reload()
        if changed is not None:
            self.take(changed)
            self.notice(t("changed_elsewhere", self.lang))
        screen = self.screen_stack[-1] if self.screen_stack else None
        if isinstance(screen, BaseScreen) and screen.name_id == "home":
            await screen.load()  # type: ignore[attr-defined]

    async def on_unmount(self) -> None:
        """Finish what was handed to the database thread."""
        if self._backend is not None:
            self._backend.close()

    # Work and its failures

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine beside the interface; what it raises becomes a notice."""
        self.run_worker(work, group="core", exit_on_error=False)

    @property
    def busy(self) -> bool:
        """Whether something is being worked out."""
        return any(worker.group == "core" and worker.is_running for worker in self.workers)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A failure is said in words; the session is safe, since answers are saved before anything else."""
        front = self.screen_stack[-1] if self.screen_stack else None  # none while the app is closing
        if isinstance(front, BaseScreen):
            front.refresh_frame()
        error = event.worker.error
        if event.state is not WorkerState.ERROR or error is None:
            return
        from assistant.store_types import StoreError
        from knowledge.errors import SizewrightError

        if isinstance(error, StoreError):
            self.say_trouble(str(error))
        known = isinstance(error, SizewrightError)
        said = str(error) if known else t("internal_error", self.lang, kind=type(error).__name__, text=str(error))
        self.notice(said, "error")

    def notice(self, text: object, severity: str = "information") -> None:
        """A notice in the corner; never read as markup."""
        level: Any = severity
        self.notify(clean(text)[:600], severity=level, markup=False, timeout=8)

    # Screens

    def take(self, snapshot: Snapshot) -> None:
        """Make a snapshot the state of the open session."""
        self.last_session = snapshot.row.id
        if snapshot.change is not None:
            from tui.fields import changed, path_of

            for answer in snapshot.change.answers:
                self.changes[path_of(answer)] = changed(snapshot.before, answer, self.lang)
        self.snapshot = snapshot

    def say_change(self, snapshot: Snapshot) -> None:
        """What an undo or redo did, before and after; or that there was nothing to do."""
        change = snapshot.change
        if change is None or not change.answers:
            self.notice(t("nothing_to_undo", self.lang))
            return
        self.notice(t("changed_to", self.lang, text="; ".join(self.change_lines(snapshot))))

    def change_lines(self, snapshot: Snapshot) -> list[str]:
        """The fields and figures that a step changed, each with before and after."""
        from assistant.sessions.conversation import moved_text
        from tui.fields import path_of

        change = snapshot.change
        if change is None:
            return []
        fields = [self.changes[path_of(a)] for a in change.answers[:3]]
        return fields + [moved_text(moved, self.lang) for moved in change.moved[:3]]

    async def ask(self, field: str, back_to: str | None = None) -> None:
        """Put a field's question; once it is answered, back to the screen that asked for it.

        The field of one group (``developers.users_total``) is asked in a line of its own, over the screen.
        """
        if "." in field:
            self.ask_of_group(field)
            return
        snapshot = await self.backend.ask(field)
        self.go("interview")
        screen = self._open["interview"]
        screen.return_to = back_to  # type: ignore[attr-defined]
        self.take(snapshot)

    def ask_of_group(self, field: str, offered: str | None = None) -> None:
        """Ask what holds for one group; what cannot be taken is said, and offered again to be put right."""
        from tui.fields import group_question
        from tui.widgets.dialogs import Prompt

        if self.snapshot is None:
            return
        title, wording, held = group_question(self.snapshot, field, self.lang)

        def answered(words: str | None) -> None:
            if words and words.strip():
                self.do(self._answer_of_group(field, words.strip()))

        self.push_screen(Prompt(title, wording, self.lang, held if offered is None else offered), answered)

    async def _answer_of_group(self, field: str, words: str) -> None:
        from knowledge.errors import BadInput

        try:
            snapshot = await self.backend.answer_in_words(field, words)
        except BadInput as error:
            self.notice(str(error), "error")
            self.ask_of_group(field, words)
            return
        self.take(snapshot)
        self.say_change(snapshot)

    def watch_snapshot(self) -> None:
        """The screen in front shows it now, the others when they come to the front."""
        for screen in reversed(self.screen_stack):
            if isinstance(screen, BaseScreen):
                screen.catch_up()
                return

    def go(self, name: str) -> None:
        """Bring a screen to the front; a screen keeps what was typed into it."""
        entry = available().get(name)
        if entry is None:
            return
        if entry.needs_session and self.snapshot is None:
            self.notice(t("open_first", self.lang))
            return
        if name not in self._open:
            self._open[name] = entry.load()()
            self.install_screen(self._open[name], name)
        while len(self.screen_stack) > 1 and self.screen_stack[-1] is not self._open[name]:
            self.pop_screen()
        if self.screen is not self._open[name]:
            self.push_screen(name)

    def forget_session(self) -> None:
        """Close the open session's screens; the next session gets new ones."""
        self.go("home")
        for name, entry in available().items():
            if entry.needs_session and name in self._open:
                self.uninstall_screen(name)
                self._open.pop(name).remove()
        self.changes = {}
        self.set_reactive(SizewrightApp.snapshot, None)

    def leave(self, name: str) -> None:
        """One step back from a screen: to the interview, from there home."""
        if name == "home":
            return
        inside = self.snapshot is not None and name != "interview"
        self.go("interview" if inside else "home")

    def choose_screen(self) -> None:
        """The list of screens, by letter."""
        from tui.widgets.dialogs import GoTo

        def chosen(name: str | None) -> None:
            if name:
                self.go(name)

        self.push_screen(GoTo(self.lang, self.snapshot is not None), chosen)

    # Help

    def cheat_sheet(self) -> None:
        """All keys that work now."""
        from tui.widgets.dialogs import HelpDialog, key_lines

        self.push_screen(HelpDialog(t("title.cheat_sheet", self.lang), key_lines(self.screen, self.lang), self.lang))

    def show_help(self, title: str, text: str) -> None:
        """A help text in a window."""
        from tui.widgets.dialogs import HelpDialog

        self.push_screen(HelpDialog(title, text, self.lang))

    async def action_quit(self) -> None:
        """Leave. A form that holds something unsaved is saved first, and stays until the key is pressed again."""
        from tui.widgets.dialogs import Dialog

        if isinstance(self.screen, Dialog) and self.screen.unsaved():
            self.screen.action_save()
            self.notice(t("saved_form", self.lang))
        else:
            self.exit()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The command palette: every action of the screen in front, every screen, every theme, quit."""
        yield from self._actions(screen)
        for name, entry in available().items():
            if not entry.needs_session or self.snapshot is not None:
                title = t("palette.go", self.lang, screen=t(f"screen.{name}", self.lang))
                yield SystemCommand(title, t(f"help.screen.{name}", self.lang), self._goer(name))
        for name in theme.NAMES:
            title = t("palette.theme", self.lang, theme=name)
            yield SystemCommand(title, t("help.theme", self.lang), self._themer(name))
        yield SystemCommand(t("key.app.quit", self.lang), t("help.app.quit", self.lang), self.exit)

    def _actions(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        seen: set[str] = set()
        for active in screen.active_bindings.values():
            binding = active.binding
            known = binding.id in REGISTERED and binding.id != "app.quit"
            if known and binding.id and binding.action not in seen and active.enabled:
                seen.add(binding.action)
                text = t(f"help.{binding.id}", self.lang) if has(f"help.{binding.id}") else binding.description
                yield SystemCommand(binding.description, text, self._runner(active.node, binding))

    def _runner(self, node: Any, binding: Binding) -> Callable[[], None]:
        async def act() -> None:
            await self.run_action(binding.action, default_namespace=node)

        return lambda: self.do(act())

    def _goer(self, name: str) -> Callable[[], None]:
        return lambda: self.go(name)

    def _themer(self, name: str) -> Callable[[], None]:
        def switch() -> None:
            self.theme = theme.NAMES[name]

        return switch

    # Copy

    def copy_out(self, name: str, text: str) -> None:
        """Copy a text to the clipboard and, since no terminal says whether that worked, to a file too."""
        self.copy_to_clipboard(text)
        self.do(self._write_copy(name, text))

    async def _write_copy(self, name: str, text: str) -> None:
        import asyncio

        path = await asyncio.to_thread(write_copy, self.db, name, text)
        self.notice(t("copied", self.lang, path=str(path)))


def write_copy(db: str | None, name: str, text: str) -> Path:
    """Write a copied text beside the database, readable by its owner alone."""
    from assistant.store import default_path

    folder = (Path(db) if db else default_path()).parent / "copied"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{cut(name, 60)}.txt"
    path.touch(mode=0o600, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", errors="replace")
    return path


def _import_core() -> None:
    """Import the core on a thread, so that the keys keep working meanwhile."""
    import tui.backend  # noqa: F401


def default_lang() -> str:
    """German where the locale is, else English."""
    name = locale.setlocale(locale.LC_MESSAGES, None) or ""
    if name in ("C", "POSIX"):
        name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "de" if name.lower().startswith("de") else "en"


def run(args: argparse.Namespace) -> int:
    """Start the app and return its exit status; says afterwards how to go on."""
    settings = read_settings()
    lang = getattr(args, "lang", None) or default_lang()
    app = SizewrightApp(
        db=getattr(args, "db", None),
        overlay=getattr(args, "overlay", None),
        resume=getattr(args, "resume", None),
        lang=lang,
        audience=getattr(args, "audience", None) or "presales",
        theme_name=getattr(args, "theme", None) or os.environ.get("SIZEWRIGHT_THEME"),
        settings=settings,
    )
    install()
    app.run(mouse=settings.mouse)
    if app.last_session:
        print(t("resume_with", lang, command=resume_command(app)))  # noqa: T201
    return app.return_code or 0


def resume_command(app: SizewrightApp) -> str:
    """The command that opens the session again."""
    import shlex

    place = f" --db {shlex.quote(app.db)}" if app.db else ""
    return f"sizewright --resume {app.last_session}{place}"
