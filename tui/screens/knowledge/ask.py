"""A question to the knowledge base: typed above, answered below."""

from __future__ import annotations

import shlex
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from tui.frame.base import BaseScreen
from tui.frame.parts import Pane
from tui.keys import key
from tui.views.ask import answer_lines, example_lines
from tui.views.lines import say_in
from tui.widgets.line import TextLine

if TYPE_CHECKING:
    from assistant.asking.answer import Answer
    from assistant.asking.library import Library


class Question(TextLine):
    """The line to ask in; the arrows bring earlier questions back."""

    help_key = "question_line"

    DEFAULT_CSS = "Question { background: $panel; padding: 0 1; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("ask.earlier", "up", "recall(-1)", show=False),
        key("ask.later", "down", "recall(1)", show=False),
    ]

    def __init__(self, hint: str) -> None:
        super().__init__(placeholder=hint, compact=True, id="question", select_on_focus=False)
        self.asked: list[str] = []
        self.place = 0

    def remember(self, text: str) -> None:
        """Keep a question that was asked; a repeated one moves to the end."""
        self.asked = [*(said for said in self.asked if said != text), text]
        self.place = len(self.asked)

    def action_recall(self, step: int) -> None:
        """The question before or after; past the last one an empty line."""
        self.place = min(max(0, self.place + step), len(self.asked))
        self.value = self.asked[self.place] if self.place < len(self.asked) else ""
        self.cursor_position = len(self.value)


class AskScreen(BaseScreen):
    """Question and answer, as ``sizewright ask`` gives it."""

    name_id = "ask"
    BINDINGS: ClassVar[list[BindingType]] = [key("ask.question", "slash", "question")]
    DEFAULT_CSS = """
    AskScreen #details { height: 1fr; margin: 1 0 0 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer | None = None

    def body(self) -> ComposeResult:
        """The line to ask in and the answer."""
        yield Question(self.t("hint.ask"))
        yield Pane()

    @property
    def line(self) -> Question:
        """The line to ask in."""
        return self.query_one(Question)

    @property
    def pane(self) -> Pane:
        """The answer."""
        return self.query_one(Pane)

    @cached_property
    def library(self) -> Library:
        """What answers are made from; only from within ``backend.call``, whose thread owns its index."""
        from assistant.asking.library import Library

        return Library(self.backend.assistant)

    def on_mount(self) -> None:
        """Ready to type, with what can be asked below."""
        self.set_focus(self.line)
        self.pane.put(example_lines(say_in(self.lang)))

    def on_key(self, event: events.Key) -> None:
        """Tab and shift+tab are Textual's own; escape leaves the line before it leaves the screen."""
        if event.key == "escape" and self.focused is self.line and self.answer is not None:
            event.stop()
            event.prevent_default()
            self.set_focus(self.pane)

    @on(Input.Submitted, "#question")
    def _asked(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.line.remember(event.value.strip())
            self.do(self._answer(event.value))

    async def _answer(self, text: str) -> None:
        import asyncio

        from assistant.asking.ask import ask
        from assistant.asking.phrasing import phrased
        from assistant.output import harmless

        before = self.answer.question if self.answer else None
        answer = await self.backend.call(lambda: ask(harmless(text), self.library, before))
        self._put(answer)
        worded = await asyncio.to_thread(phrased, answer)  # at once, unless a language model is set
        if worded is not answer and self.answer is answer:
            self._put(worded)

    def _put(self, answer: Answer) -> None:
        self.answer = answer
        if self.is_mounted:
            self.pane.put(answer_lines(answer, say_in(self.lang)))
            self.set_focus(self.pane)
            self.refresh_frame()

    def action_question(self) -> None:
        """Back to the line, to ask on."""
        self.set_focus(self.line)

    def equivalent_command(self) -> str:
        """The same question on the command line."""
        return f"sizewright ask {shlex.quote(self.answer.question if self.answer else 'QUESTION')}"

    def copy_text(self) -> str:
        """The answer as the command prints it."""
        from assistant.asking.text import lines

        return "\n".join(lines(self.answer)) if self.answer else self.equivalent_command()
