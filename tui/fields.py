"""The fields of a brief as the screens list them: state, value in words, origin. Plain values, no widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from assistant.interview.assume import applies, completed_for
from assistant.interview.brief import Answer, Brief, Provenance
from assistant.interview.dialogue import SHORT
from assistant.interview.questions import Question, load_questions, questions_by_id
from assistant.interview.wording import reason_text, show_answer
from assistant.messages.voice import Voice
from tui.messages import t

if TYPE_CHECKING:
    from tui.backend import Snapshot


class State(StrEnum):
    """Where a field stands."""

    STATED = "stated"
    CONFIRM = "confirm"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"
    OPEN = "open"
    NEEDLESS = "needless"


MARKS = {
    State.STATED: "●",
    State.CONFIRM: "◆",
    State.ASSUMED: "○",
    State.UNKNOWN: "?",
    State.OPEN: "·",
    State.NEEDLESS: "-",
}
"""One sign a state; the word stands beside it wherever there is room."""


NOTES = frozenset({"heard_not_used", "asked"})
"""What is noted of a message and no field to fill in; shown with the sizing, in words."""


@dataclass(frozen=True)
class FieldRow:
    """One field for a list."""

    question: Question
    state: State
    answer: Answer
    value: str
    origin: str
    group: str | None = None

    @property
    def path(self) -> str:
        """The field's id, after the group of which it was said."""
        return f"{self.group}.{self.question.id}" if self.group else self.question.id

    @property
    def mark(self) -> str:
        """The sign of its state."""
        return MARKS[self.state]


def rows(snapshot: Snapshot, lang: str) -> tuple[FieldRow, ...]:
    """Every field in the order of the questions."""
    return tuple(_row(asked, snapshot, lang) for asked in load_questions().questions if asked.id not in NOTES)


def _row(question: Question, snapshot: Snapshot, lang: str) -> FieldRow:
    state = state_of(question, snapshot)
    answer = snapshot.brief.get(question.id)
    if answer.value is None:
        answer = snapshot.completed.get(question.id)
    value = show_answer(question, answer, lang) if answer.value is not None else "–"
    return FieldRow(question, state, answer, value, _origin(question, state, answer, snapshot, lang))


def state_of(question: Question, snapshot: Snapshot) -> State:
    """Where a field stands in a session."""
    if snapshot.brief.stated(question.id):
        return State.STATED
    if question.id in snapshot.reopened:
        return State.CONFIRM
    if snapshot.brief.get(question.id).provenance is Provenance.DONT_KNOW:
        return State.UNKNOWN
    if snapshot.brief.answered(question.id):
        return State.NEEDLESS  # each group has its own
    if not applies(question, completed_for(question, snapshot.brief, snapshot.completed)):
        return State.NEEDLESS
    return State.OPEN if snapshot.completed.get(question.id).value is None else State.ASSUMED


def _origin(question: Question, state: State, answer: Answer, snapshot: Snapshot, lang: str) -> str:
    """The words it came from, or why it is assumed, or what it was before."""
    said = f"“{answer.text}”" if answer.text else ""
    if state is State.STATED:
        return " ".join(filter(None, (t(f"origin.{answer.provenance}", lang), said)))
    earlier = snapshot.earlier.get(question.id)
    before = t("origin.earlier", lang, value=show_answer(question, earlier, lang)) if earlier else ""
    skipped = t("origin.skipped", lang) if question.id in snapshot.passed and state is State.OPEN else ""
    return "; ".join(filter(None, (before, skipped, reason_text(answer.reason or "", lang))))


@dataclass(frozen=True)
class Progress:
    """How far it is to a first sizing, and how the fields that matter stand."""

    done: int
    needed: int
    stated: int
    assumed: int
    open: int


def progress(snapshot: Snapshot, lang: str = "en") -> Progress:
    """Answers on the way to a first sizing, and the counts of all fields that apply."""
    listed = rows(snapshot, lang)
    settled = sum(r.state is State.STATED or r.question.id in snapshot.passed for r in listed)
    count = {state: sum(r.state is state for r in listed) for state in State}
    return Progress(
        done=min(settled, SHORT),
        needed=SHORT,
        stated=count[State.STATED],
        assumed=count[State.ASSUMED] + count[State.UNKNOWN],
        open=count[State.OPEN] + count[State.CONFIRM],
    )


def by_section(listed: tuple[FieldRow, ...], lang: str) -> Iterator[tuple[str, list[FieldRow]]]:
    """The rows under their sections' titles; sections without rows are left out."""
    for section, title in load_questions().sections.items():
        inside = [r for r in listed if r.question.section == section]
        if inside:
            yield title.localised(lang), inside


def group_rows(snapshot: Snapshot, lang: str) -> Iterator[tuple[str, list[FieldRow]]]:
    """What was said of each group alone, under its name."""
    known = questions_by_id()
    for group in snapshot.brief.groups:
        yield (
            group.name,
            [
                FieldRow(known[field], State.STATED, answer, _shown(answer, lang), _said_of(answer, lang), group.name)
                for field, answer in group.answers.items()
            ],
        )


def _said_of(answer: Answer, lang: str) -> str:
    return " ".join(filter(None, (t(f"origin.{answer.provenance}", lang), f"“{answer.text}”" if answer.text else "")))


def group_question(snapshot: Snapshot, path: str, lang: str) -> tuple[str, str, str]:
    """Title, wording with the choices, and the value held, of a group's field such as ``developers.users_total``."""
    name, _, field = path.rpartition(".")
    asked, group = questions_by_id()[field], snapshot.brief.group(name)
    held = group.answers.get(field) if group else None
    choices = ", ".join(choice.value for choice in asked.choices)
    wording = asked.wording.localised(lang, snapshot.row.audience)
    label = Voice(lang).word("fields", field)
    return f"{name}: {label}", f"{wording}\n{choices}" if choices else wording, _shown(held, lang) if held else ""


def path_of(answer: Answer) -> str:
    """The field that an answer is of, after its group."""
    return f"{answer.group}.{answer.field}" if answer.group else answer.field


def _shown(answer: Answer, lang: str) -> str:
    return show_answer(questions_by_id()[answer.field], answer, lang) if answer.value is not None else "–"


def changed(before: Brief, after: Answer, lang: str) -> str:
    """A field's change in words: before, after."""
    group = before.group(after.group)
    held = before.get(after.field) if after.group is None else group.answers.get(after.field) if group else None
    old = _shown(held, lang) if held else "–"
    return f"{path_of(after)}: {old} → {_shown(after, lang)}"
