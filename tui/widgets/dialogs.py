"""Small windows over a screen: a line to type, a yes or no, a list of screens, a help text."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from tui.keys import NEXT_FIELD, REGISTERED, key
from tui.messages import t
from tui.registry import available
from tui.text import clean, plain, row, stack
from tui.widgets.choices import Choices
from tui.widgets.line import TextLine

STYLE = """
Dialog { align: center middle; background: $background 60%; }
Dialog > .window {
    width: 72; max-width: 96%; height: auto; max-height: 92%; padding: 1 2; background: $surface;
    border: round $primary;
}
Dialog Input { margin: 1 0 0 0; }
Dialog OptionList { height: auto; max-height: 20; border: none; background: $surface; padding: 0; }
Dialog OptionList:focus { border: none; }
Dialog .hint { color: $text-muted; margin: 1 0 0 0; }
"""


class Dialog(ModalScreen[str | None]):
    """A window that gives back a text, or None when it was closed."""

    DEFAULT_CSS = STYLE
    BINDINGS: ClassVar[list[BindingType]] = [key("dialog.close", "escape", "close"), *NEXT_FIELD]

    def __init__(self, title: str, lang: str) -> None:
        super().__init__()
        self.window_title = clean(title, lines=False)
        self.lang = lang
        self._answered = False

    def dismiss(self, result: str | None = None) -> AwaitComplete:
        """Give back a result, once: a second key may be on its way while the window is being closed."""
        if self._answered or not self.is_current:
            nothing: AwaitComplete = AwaitComplete.nothing()  # type: ignore[no-untyped-call]
            return nothing
        self._answered = True
        return super().dismiss(result)

    def unsaved(self) -> bool:
        """Whether closing would lose what was typed."""
        return False

    def action_save(self) -> None:
        """Keep what was typed, where there is anything to keep."""

    def action_close(self) -> None:
        """Close without a result; asks first where something typed would be lost."""
        if not self.unsaved():
            self.dismiss(None)
            return

        def answered(given: str | None) -> None:
            if given == "yes":
                self.dismiss(None)

        self.app.push_screen(Confirm(self.window_title, t("ask.discard", self.lang), self.lang), answered)

    def framed(self, *widgets: Any) -> VerticalScroll:
        """The window around its widgets."""
        window = VerticalScroll(*widgets, classes="window", can_focus=False)
        window.border_title = Content(self.window_title)
        return window


class Confirm(Dialog):
    """Yes or no; anything but the key for yes means no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        key("confirm.yes", "y", "yes"),
        key("confirm.no", "n,enter", "close"),
    ]

    def __init__(self, title: str, question: str, lang: str) -> None:
        super().__init__(title, lang)
        self.question = question

    def compose(self) -> ComposeResult:
        """The question."""
        hint = Static(plain(t("hint.confirm", self.lang)), classes="hint", markup=False)
        yield self.framed(Static(plain(self.question), markup=False), hint)

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss("yes")


class Prompt(Dialog):
    """One line to type; Enter gives it back."""

    def __init__(self, title: str, question: str, lang: str, value: str = "") -> None:
        super().__init__(title, lang)
        self.question, self.value = question, value

    def compose(self) -> ComposeResult:
        """The question and the line."""
        hint = Static(plain(t("hint.prompt", self.lang)), classes="hint", markup=False)
        # Selected at once and not on focus, which can come after the first keys and would
        # have the next one replace them.
        line = TextLine(clean(self.value, lines=False), select_on_focus=False)
        yield self.framed(Static(plain(self.question), markup=False), line, hint)

    def on_mount(self) -> None:
        """What is typed takes the place of what is offered."""
        self.query_one(Input).select_all()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give it back."""
        self.dismiss(event.value)


class GoTo(Dialog):
    """The screens with a letter each."""

    def __init__(self, lang: str, has_session: bool) -> None:
        super().__init__(t("title.go", lang), lang)
        self.letters = {
            entry.letter: name for name, entry in available().items() if has_session or not entry.needs_session
        }

    def compose(self) -> ComposeResult:
        """The list."""
        options = [
            Option(row((f" {letter} ", "bold"), "  ", t(f"screen.{name}", self.lang)), id=name)
            for letter, name in self.letters.items()
        ]
        yield self.framed(Choices(*options, markup=False))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the screen's name back."""
        self.dismiss(event.option.id)

    def on_key(self, event: events.Key) -> None:
        """A letter goes there at once."""
        if event.character in self.letters:
            event.stop()
            self.dismiss(self.letters[event.character])


class HelpDialog(Dialog):
    """A text to read."""

    BINDINGS: ClassVar[list[BindingType]] = [key("dialog.done", "enter,q,space,question_mark,f1", "close", show=False)]

    def __init__(self, title: str, text: str | Content, lang: str) -> None:
        super().__init__(title, lang)
        self.text = text if isinstance(text, Content) else plain(text)

    def compose(self) -> ComposeResult:
        """The text."""
        window = self.framed(
            Static(self.text, markup=False), Static(plain(t("hint.close", self.lang)), classes="hint", markup=False)
        )
        window.can_focus = True
        yield window


def key_lines(screen: Screen[Any], lang: str) -> Content:
    """The keys that work on a screen, one a line, with what they do."""
    lines: dict[str, tuple[list[str], str]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.id in REGISTERED:
            keys, _ = lines.setdefault(binding.action, ([], t(f"key.{binding.id}", lang)))
            keys.append(screen.app.get_key_display(binding))
    palette = screen.app.COMMAND_PALETTE_BINDING
    shown = [(", ".join(keys), text) for keys, text in lines.values()]
    shown.append((palette.replace("ctrl+", "^"), t("key.app.palette", lang)))
    return stack(row((f"{keys:<16}", "bold"), text) for keys, text in shown)
