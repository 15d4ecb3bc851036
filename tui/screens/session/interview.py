"""The interview: one question at a time, a whole message at any time, and the sizing beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from assistant.interview.assume import assumption
from assistant.interview.questions import Question
from assistant.interview.wording import message, show_answer, waits_text
from assistant.session import ranking_of
from assistant.sessions.conversation import moved_text
from tui.fields import progress
from tui.frame.base import BaseScreen
from tui.keys import key
from tui.text import MUTED, plain, row, stack
from tui.widgets.answer_box import AnswerBox
from tui.widgets.choices import Choices
from tui.widgets.sizing_pane import SizingPane

if TYPE_CHECKING:
    from assistant.interview.dialogue import Output
    from tui.backend import Snapshot

SIGNS = {"understood": "✓", "error": "✗", "info": "·", "welcome": "·", "summary": "·", "end": "·"}
"""One sign a kind of remark; errors also say so in words."""


class InterviewScreen(BaseScreen):
    """Asks, takes what is typed, shows what was understood of it and what it moved."""

    name_id = "interview"

    BINDINGS: ClassVar[list[BindingType]] = [
        key("interview.answer", "enter", "answer", show=False),
        key("interview.dont_know", "ctrl+t", "say('idk')"),
        key("interview.skip", "ctrl+n", "say('skip')"),
        key("interview.back", "ctrl+o", "say('back')"),
        key("app.review", "ctrl+r", "review"),
        key("interview.why", "ctrl+y", "why", show=False),
        key("interview.pane", "ctrl+l", "pane"),
        key("interview.keep", "alt+k", "settle('keep')"),
        key("interview.fork", "alt+f", "settle('fork')"),
        key("interview.undo", "alt+z", "undo_step", show=False),
        key("interview.redo", "alt+y", "redo_step", show=False),
    ]
    CSS = """
    InterviewScreen #left { width: 1fr; height: 1fr; }
    InterviewScreen #progress { height: 1; margin: 0 0 1 0; padding: 0 2; color: $text-muted; }
    InterviewScreen #talk { height: auto; max-height: 50%; padding: 0 2; scrollbar-gutter: stable; }
    InterviewScreen.-supposed #talk { max-height: 80%; }
    InterviewScreen #said { height: auto; margin: 0 0 1 0; color: $text-muted; }
    InterviewScreen #question { height: auto; text-style: bold; }
    InterviewScreen #why { height: auto; color: $text-muted; }
    InterviewScreen #choices { height: 1fr; min-height: 3; margin: 0 1; border: none; background: $background; }
    InterviewScreen #filler { height: 1fr; }
    InterviewScreen #default { height: auto; max-height: 4; margin: 1 0 0 0; padding: 0 2; color: $text-muted; }
    InterviewScreen #box { margin: 0 1; }
    InterviewScreen.-slim #sizing { display: none; }
    InterviewScreen.-slim.-pane #sizing { display: block; width: 1fr; border-left: none; }
    InterviewScreen.-slim.-pane #left { display: none; }
    InterviewScreen.-roomy.-pane #sizing { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.return_to: str | None = None
        self.under_way = 0
        """Lines that are being taken."""

    def body(self) -> ComposeResult:
        """Left the talk, right the sizing."""
        with Horizontal():
            with Vertical(id="left"):
                yield Static("", id="progress", markup=False)
                with VerticalScroll(id="talk", can_focus=False):
                    yield Static("", id="said", markup=False)
                    yield Static("", id="question", markup=False)
                    yield Static("", id="why", markup=False)
                yield Choices(id="choices", markup=False)
                yield Static("", id="default", markup=False)
                yield Static("", id="filler", markup=False)
                yield AnswerBox(self.t("interview.placeholder"), "box")
            yield SizingPane(self.lang)

    @property
    def box(self) -> AnswerBox:
        """The line to answer in."""
        return self.query_one("#box", AnswerBox)

    @property
    def choices(self) -> Choices:
        """The numbered choices of the question."""
        return self.query_one("#choices", Choices)

    @property
    def question(self) -> Question | None:
        """The question that stands to be answered."""
        return self.snapshot.question if self.snapshot else None

    def on_mount(self) -> None:
        """The box has the focus from the start."""
        super().on_mount()
        self._focus_box()

    def on_screen_resume(self) -> None:
        """And again whenever the screen comes back."""
        super().on_screen_resume()
        if self.whole and self.focused is None:
            self._focus_box()

    def _focus_box(self) -> None:
        # A screen whose session was closed at once can be mounted and removed in the same breath.
        for box in self.query("#box"):
            box.focus()

    def equivalent_command(self) -> str:
        """The same interview line by line."""
        return f"sizewright --plain --resume {self.snapshot.row.id}" if self.snapshot else "sizewright --plain"

    # What is shown

    def show(self, snapshot: Snapshot) -> None:
        """Question, remarks, progress, sizing."""
        put = {
            "progress": self._progress(snapshot),
            "said": self._said(snapshot),
            "question": self._question(snapshot),
            "why": self._why_line(snapshot),
            "default": self._default(snapshot),
        }
        for name, text in put.items():
            found = self.query_one(f"#{name}", Static)
            found.update(text)
            found.display = bool(text.plain)
        self._show_choices(snapshot)
        self.set_class(bool(snapshot.supposed), "-supposed")
        self.refresh_bindings()
        self.query_one(SizingPane).show(snapshot)
        self.query_one("#talk").scroll_end(animate=False)
        if self.return_to and not any(output.kind == "error" for output in snapshot.said) and snapshot.change:
            back, self.return_to = self.return_to, None
            self.call_after_refresh(self.desk.go, back)

    def _progress(self, snapshot: Snapshot) -> Content:
        now = progress(snapshot)
        bar = "■" * now.done + "□" * (now.needed - now.done)
        state = self.t("interview.first" if now.done < now.needed else "interview.enough", done=now.done, of=now.needed)
        counts = self.t("interview.counts", stated=now.stated, assumed=now.assumed, open=now.open)
        return row((bar, "$primary"), f" {state}   {counts}")

    def _said(self, snapshot: Snapshot) -> Content:
        lines = [_remark(output) for output in snapshot.said if output.kind not in ("summary", "welcome")]
        change = snapshot.change
        if change is not None and change.problem:
            lines.append(row(("✗ ", "bold"), self.t("pane.problem"), " ", change.problem))
        elif change is not None and not snapshot.said:
            lines.extend(row(("◆ ", "bold"), text) for text in self.desk.change_lines(snapshot))
        elif change is not None and change.moved and self.has_class("-slim"):
            first = change.moved[0]
            more = f" (+{len(change.moved) - 1})" if len(change.moved) > 1 else ""
            lines.append(row(("◆ ", "bold"), f"{moved_text(first, self.lang)}{more}"))
        return stack(lines)

    def _question(self, snapshot: Snapshot) -> Content:
        if snapshot.waiting is not None:
            return plain(snapshot.waiting.text)
        asked = snapshot.question
        if asked is not None:
            return plain(asked.wording.localised(self.lang, snapshot.row.audience))
        return plain(self.t("interview.finished" if snapshot.brief.answers else "interview.welcome"))

    def _why_line(self, snapshot: Snapshot) -> Content:
        """Why it is asked, and what the answer decides where that is known."""
        asked = snapshot.question
        if asked is None or snapshot.waiting is not None or snapshot.supposed:
            return plain("")
        effect = ranking_of(snapshot.sizing, snapshot.brief, self.lang).get(asked.id)
        decides = [plain(message("effect", self.lang, text=effect))] if effect else []
        return stack([plain(message("why", self.lang, text=asked.why.localised(self.lang))), *decides])

    def _default(self, snapshot: Snapshot) -> Content:
        asked = snapshot.question
        if snapshot.waiting is not None:
            return plain(self.t("interview.waiting"))
        if snapshot.supposed:
            return plain(self.t("interview.supposed"), "bold $accent")
        if asked is None:
            return plain("" if snapshot.brief.answers else self.t("interview.welcome_hint"))
        example = [] if asked.choices else [plain(message("example", self.lang, text=asked.example))]
        return stack([*example, plain(self._offer_line(asked, snapshot))])

    def _offer_line(self, asked: Question, snapshot: Snapshot) -> str:
        """What Enter does in an empty box."""
        held, earlier = snapshot.brief.get(asked.id), snapshot.earlier.get(asked.id)
        if snapshot.brief.stated(asked.id):
            return message("keep", self.lang, value=show_answer(asked, held, self.lang))
        if earlier is not None and asked.id in snapshot.reopened:
            return message("keep", self.lang, value=show_answer(asked, earlier, self.lang))
        ours = assumption(asked, snapshot.completed, None, self.lang)
        if ours is None:
            return message("no_default", self.lang)
        shown = snapshot.completed.get(asked.id)
        ours = ours if shown.value is None else ours.model_copy(update={"value": shown.value})
        return message("default", self.lang, value=show_answer(asked, ours, self.lang), reason=ours.reason or "")

    def _show_choices(self, snapshot: Snapshot) -> None:
        asked, choices = snapshot.question, self.choices
        choices.clear_options()
        waiting = snapshot.waiting
        offered = asked is not None and bool(asked.choices) and not snapshot.supposed
        choices.display = waiting is not None or offered
        self.query_one("#filler").display = not choices.display
        for number, way in enumerate(waiting.ways if waiting else (), 1):
            choices.add_option(Option(row((f"{number:>2}  ", MUTED), way)))
        choices.highlighted = None
        if asked is None or waiting is not None or not offered:
            return
        held = snapshot.completed.get(asked.id).value
        for number, choice in enumerate(asked.choices, 1):
            now = held == choice.value or (isinstance(held, (list, tuple)) and choice.value in held)
            state = self.t("interview.now" if snapshot.brief.stated(asked.id) else "interview.assumed") if now else ""
            text = row((f"{number:>2}  ", MUTED), choice.label.localised(self.lang), (f"  {state}", MUTED))
            choices.add_option(Option(text, id=choice.value))
        choices.highlighted = None

    # What is typed

    def on_answer_box_stepped(self, event: AnswerBox.Stepped) -> None:
        """Arrows in an empty box go through the choices."""
        choices = self.choices
        if not choices.display or not choices.option_count:
            return
        at = choices.highlighted
        start = 0 if event.step > 0 else choices.option_count - 1
        choices.highlighted = start if at is None else (at + event.step) % choices.option_count

    def on_answer_box_undone(self, event: AnswerBox.Undone) -> None:
        """Undo in an empty box undoes the last answer."""
        self.action_redo_step() if event.forward else self.action_undo_step()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click on a choice."""
        self._send(str(event.option_index + 1))

    def action_answer(self) -> None:
        """Take what is typed, or the choice under the marker, or what the line above the box offers."""
        words, choices = self.box.take(), self.choices
        if words.strip():
            self._send(words, typed=True)
        elif self.under_way:
            return  # an empty line answers the question on the screen, and another one is about to stand there
        elif choices.display and choices.highlighted is not None:
            self._send(str(choices.highlighted + 1))
        else:
            self._offer()

    def _offer(self) -> None:
        snapshot, asked = self.snapshot, self.question
        if snapshot is not None and snapshot.waiting is not None:
            self._send("no")  # the models stay as they were named
            return
        earlier = snapshot.earlier.get(asked.id) if snapshot and asked else None
        if snapshot and asked and earlier is not None and asked.id in snapshot.reopened:
            kept = earlier
            self.do(self._step(lambda: self.backend.answer([kept])))
        else:
            self._send("")

    def _send(self, words: str, typed: bool = False) -> None:
        self.under_way += 1
        self.do(self._say(words, typed))

    async def _say(self, words: str, typed: bool) -> None:
        """Typed words that are refused, or could not be saved, go back into the box, before what was typed since."""
        try:
            snapshot = await self.backend.say(words)
        except BaseException:
            self._give_back(words if typed else "")
            raise
        finally:
            self.under_way -= 1
        if any(output.kind == "error" for output in snapshot.said):
            self._give_back(words if typed else "")
        self.take(snapshot)
        if snapshot.finished:
            self.desk.go("plans" if snapshot.result_wanted else "home")

    def _give_back(self, words: str) -> None:
        if words and self.whole:
            self.box.text = "\n".join(part for part in (words, self.box.text) if part)
            self.box.move_cursor(self.box.document.end)

    def action_say(self, word: str) -> None:
        """One of the words that the interview knows: back, skip, idk."""
        self._send(word)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keep and fork are there while something was supposed."""
        if action == "settle":
            return self.snapshot is not None and bool(self.snapshot.supposed)
        return super().check_action(action, parameters)

    def action_settle(self, word: str) -> None:
        """Make what was supposed an answer, or a session of its own."""
        self._send(word)

    def action_undo_step(self) -> None:
        """Take the last step back."""
        self.do(self._step(self.backend.undo))

    def action_redo_step(self) -> None:
        """The step that was taken back, again."""
        self.do(self._step(self.backend.redo))

    async def _step(self, work: object) -> None:
        snapshot = await work()  # type: ignore[operator]
        self.take(snapshot)
        if snapshot.change is None:
            self.desk.say_change(snapshot)

    def action_pane(self) -> None:
        """Show the sizing instead of the question, or beside it; and back."""
        self.toggle_class("-pane")
        if not self.has_class("-pane") or self.has_class("-roomy"):
            self.box.focus()
        else:
            self.query_one(SizingPane).focus()

    def action_why(self) -> None:
        """Why this is asked, what waits for it, and on whose word the assumption stands."""
        self.desk.show_help(*self.help_here())

    def help_here(self) -> tuple[str, str]:
        """For the box: the help of the question; else as everywhere."""
        asked, snapshot = self.question, self.snapshot
        if asked is None or snapshot is None or not (self.focused is None or self.focused is self.box):
            return super().help_here()
        ours = assumption(asked, snapshot.completed, None, self.lang)
        parts = [
            message("why", self.lang, text=asked.why.localised(self.lang)),
            asked.help.localised(self.lang) if asked.help else "",
            message("waits", self.lang, text=waits_text(asked.waits, self.lang)) if asked.waits else "",
            message("example", self.lang, text=asked.example),
            f"{self.t('interview.assumed')}: {show_answer(asked, ours, self.lang)}. {ours.reason or ''}"
            if ours
            else "",
            "\n".join(ours.sources) if ours else "",
            self.t("help.answer_box"),
        ]
        return asked.wording.localised(self.lang, snapshot.row.audience), "\n\n".join(p for p in parts if p)

    def copy_text(self) -> str:
        """The question and what was said of the last answer."""
        names = ("said", "question", "why", "default")
        return "\n".join(str(self.query_one(f"#{name}", Static).render()) for name in names)


def _remark(output: Output) -> Content:
    sign = SIGNS[output.kind]
    strong = "bold" if output.kind in ("understood", "error") else ""
    return row((f"{sign} ", "bold"), (output.text, strong and "$foreground"))
