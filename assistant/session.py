"""A saved session in work: answers go to the store first, then the sizing follows; any step can be undone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.wording import effect_text
from assistant.result import Sizing
from assistant.service import Assistant
from assistant.store import Store
from knowledge.errors import BadInput, SizewrightError
from knowledge.message import Message, Text, say


@dataclass(frozen=True)
class Moved:
    """One figure that an answer moved; ``before`` is None where there was none."""

    id: str
    what: Text
    before: Text | None
    after: Text


@dataclass(frozen=True)
class Change:
    """What one step did: the answers, and the figures of the recommended plan that moved.

    A ``refused`` step was taken back at once: ``problem`` says which of its answers nothing can be sized from.
    """

    answers: tuple[Answer, ...]
    moved: tuple[Moved, ...]
    problem: str | None = None
    refused: bool = False


class Session:
    """One session bound to its store. Belongs to the store's thread. Without ``sizes`` it only keeps answers."""

    def __init__(self, assistant: Assistant, store: Store, session_id: str, sizes: bool = True) -> None:
        self.sizes = sizes
        self.assistant = assistant
        self.store = store
        self.id = store.session(session_id).id
        self.brief = store.brief(self.id)
        self.skipped = store.skipped(self.id)
        self.sizing: Sizing | None = store.last_sizing(self.id) or self._worked_out()
        self.done, self.undone = history(store.steps(self.id))

    @classmethod
    def new(
        cls,
        assistant: Assistant,
        store: Store,
        label: str = "",
        audience: str = "presales",
        lang: str = "en",
        sizes: bool = True,
    ) -> Session:
        """A new, empty session."""
        return cls(assistant, store, store.create(label, audience, lang), sizes)

    @property
    def passed(self) -> frozenset[str]:
        """Fields that need not be asked again: skipped, or answered with "don't know"."""
        return self.skipped | {f for f, a in self.brief.answers.items() if a.provenance is Provenance.DONT_KNOW}

    def ranking(self, lang: str = "en") -> dict[str, str]:
        """Open questions, first those whose answers move the plan most; of the first few what they decide, in words."""
        return ranking_of(self.sizing, self.brief, lang)

    def answer(self, answers: Iterable[Answer]) -> Change:
        """Take answers: saved first, then sized. A sizing that fails leaves the answers saved and says so."""
        given = tuple(answers)
        if not given:
            return Change((), ())
        if self.brief.with_answers(given) != self.brief:
            self.done.append(self.brief)
            self.undone.clear()
        change = self._apply(given)
        return self._taken_back(change) if change.refused else change

    def _taken_back(self, change: Change) -> Change:
        """An answer that spoils every sizing after it does not stay; the steps keep that it was given."""
        self.undo()
        self.undone.pop()
        return change

    def trial(self, answers: Iterable[Answer]) -> Change:
        """What answers would move. Nothing is saved, and the session stands as it did."""
        given = tuple(answers)
        try:
            then = self.assistant.size(self.brief.with_answers(given), questions=False)
        except SizewrightError as error:
            return Change(given, (), str(error))
        return Change(given, moved(self.sizing, then))

    def branch(self, answers: Iterable[Answer], label: str) -> Session:
        """A new session: this one's answers and ``answers`` over them."""
        other = Session(self.assistant, self.store, self.store.copy(self.id, label))
        other.answer(answers)
        return other

    def clear(self, field: str) -> Change:
        """Take back what was said of a field."""
        return self.answer([Answer(field=field, status=Status.OPEN)])

    def dont_know(self, field: str) -> Change:
        """Record that the user was asked and does not know; our assumption stands, marked."""
        return self.answer([Answer(field=field, status=Status.ASSUMED, provenance=Provenance.DONT_KNOW)])

    def resize(self) -> Change:
        """Size the answers as they stand: those of a copy, or after the versions have changed."""
        return self._sized(())

    def skip(self, field: str) -> None:
        """Ask it no more for now; it stays open."""
        self.store.record(self.id, [Answer(field=field, status=Status.ASSUMED)], kind="skip")
        self.skipped |= {field}

    def undo(self) -> Change | None:
        """Back to the brief before the last step; None when there is no step to undo."""
        if not self.done:
            return None
        self.undone.append(self.brief)
        return self._apply(self.brief.steps_to(self.done.pop()), "undo")

    def redo(self) -> Change | None:
        """The step that was undone last, again; None when there is none."""
        if not self.undone:
            return None
        self.done.append(self.brief)
        change = self._apply(self.brief.steps_to(self.undone.pop()), "redo")
        return self._taken_back(change) if change.refused else change

    def reload(self) -> bool:
        """Take over what another program wrote, its steps too; whether its answers were new."""
        brief = self.store.brief(self.id)
        new = brief != self.brief
        self.brief, self.skipped = brief, self.store.skipped(self.id)
        self.done, self.undone = history(self.store.steps(self.id))
        self.sizing = self.store.last_sizing(self.id) or self._worked_out()
        return new

    def _worked_out(self) -> Sizing | None:
        """The sizing of answers whose own was never saved, or was written by a version that wrote otherwise."""
        if not self.brief.answers or not self.sizes:
            return None
        try:
            return self.assistant.size(self.brief)
        except SizewrightError:
            return None

    def _apply(self, answers: tuple[Answer, ...], kind: str = "answer") -> Change:
        self.store.record(self.id, list(answers), kind)
        self.brief = self.brief.with_answers(answers)
        self.skipped -= {answer.field for answer in answers}
        return self._sized(answers)

    def _sized(self, answers: tuple[Answer, ...]) -> Change:
        if not self.sizes:
            return Change(answers, ())
        before = self.sizing
        try:
            self.sizing = self.assistant.size(self.brief)
        except SizewrightError as error:
            return Change(answers, (), str(error), _is_to_blame(error, answers))
        self.store.save_sizing(self.id, self.brief, self.sizing)
        return Change(answers, moved(before, self.sizing))


def _is_to_blame(error: SizewrightError, answers: Iterable[Answer]) -> bool:
    """Whether the error names a field that was answered just now."""
    given = {answer.field for answer in answers if answer.status is Status.STATED}
    return isinstance(error, BadInput) and error.field in given


def ranking_of(sizing: Sizing | None, brief: Brief, lang: str = "en") -> dict[str, str]:
    """Open questions as a sizing ranks them, without those that were answered since; empty where there is none."""
    if sizing is None:
        return {}
    titles = {decision.id: decision.title for decision in sizing.decisions}
    first = {q.id: effect_text(q.moves, titles, lang) if q.moves else "" for q in sizing.next_questions}
    waiting = first | dict.fromkeys(sizing.open_questions, "")
    return {field: effect for field, effect in waiting.items() if not brief.answered(field)}


def history(steps: Iterable[tuple[str, tuple[Answer, ...]]]) -> tuple[list[Brief], list[Brief]]:
    """The briefs that undo and redo lead to, from all steps ever taken (what kind, which answers)."""
    brief, done, undone = Brief(), list[Brief](), list[Brief]()
    for kind, answers in steps:
        if kind == "undo" and done:
            undone.append(brief)
            done.pop()
        elif kind == "redo" and undone:
            done.append(brief)
            undone.pop()
        elif brief.with_answers(answers) != brief:
            done.append(brief)
            undone.clear()
        brief = brief.with_answers(answers)
    return done, undone


def moved(before: Sizing | None, after: Sizing) -> tuple[Moved, ...]:
    """The headline figures and decisions that differ, in the order of ``headline``."""
    old = headline(before) if before else {}
    return tuple(
        Moved(ident, new.label, old[ident].value if ident in old else None, new.value)
        for ident, new in headline(after).items()
        if ident not in old or old[ident].value != new.value
    )


@dataclass(frozen=True)
class Figure:
    """One figure that people watch, with its label and its value in words."""

    label: Text
    value: Text


def headline(sizing: Sizing) -> dict[str, Figure]:
    """The figures that people watch, by id: of the recommended plan, then the decisions and duties."""
    plan = sizing.plan()
    servers = [say("headline.value.servers", count=s.count, name=s.name) for s in plan.servers if s.role == "gpu"]
    power, rack = (_kw(getattr(plan.facility, name)) for name in ("nominal_it_kw", "rack_kw"))
    figures = {
        "gpus": say("headline.value.gpus", gpus=plan.gpus, accelerator=plan.card),
        "servers": say("headline.value.list", parts=servers),
        "binding": say("headline.value.binding", binding=plan.binding),
        "it_power": power,
        "racks": say("headline.value.racks", racks=plan.facility.racks),
        "fullest_rack": rack,
        "fits": say("headline.value.fits", fits=plan.fits),
    }
    found = {ident: Figure(say(f"headline.{ident}"), value) for ident, value in figures.items()}
    found |= {f"decision.{d.id}": Figure(d.title, d.said(d.choice)) for d in sizing.decisions}
    return found | {f"duty.{duty.id}": Figure(duty.title, duty.state) for duty in sizing.obligations}


def _kw(value: float | None) -> Message:
    return say("headline.value.power", kw=value)
