"""The interview as a state and one function: a line goes in, outputs come out. No streams, no terminal.

``Interview`` is what ``plain.py``, transcripts and the app drive. It calls ``save`` after every answer, before
anything else is shown, so that a crash loses only the line being typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assistant.interview import asides, commands, grouping
from assistant.interview.asides import Beside, Replacement
from assistant.interview.assume import assumption as assumption_of
from assistant.interview.assume import complete, next_question
from assistant.interview.brief import Answer, Brief, Provenance, Status
from assistant.interview.command_words import COMMANDS
from assistant.interview.helping import Helping
from assistant.interview.noted import facts_of, not_used, notes_of
from assistant.interview.outputs import Event, Output
from assistant.interview.parser import ParseResult, parse, to_answers
from assistant.interview.questions import Kind, Question, load_questions, question
from assistant.interview.replies import bare_sum, lone_number, with_currency
from assistant.interview.validation import validate
from assistant.interview.wording import message, show_answer, show_value
from knowledge.errors import BadInput

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue

__all__ = ["Event", "Interview", "Output"]

MOST_WORDS_OF_A_VALUE = 2
"""A line of more words that answers nothing may have said something else: what was heard in it is kept."""

SHORT = 3
"""So many things said or passed over are enough for a first sizing."""

MOST_ASKED = 12
"""So many questions are asked for a complete sizing; `more` goes on with the rest."""


def _nothing(_: Event) -> str | None:
    return None


@dataclass
class Interview:
    """One interview. ``summarise`` gives the sizing in words for a brief, or an empty text where there is none.

    ``moved`` says what the answers since it was last called changed; without it the whole summary is shown anew.
    ``ranking`` gives the open questions, first those whose answers move the plan most, with what they decide; without
    it they are asked in the order of the questions. ``thorough`` goes on when nothing open moves the plan any more.
    ``save`` returns why answers were refused, None where they stand. ``supposed`` is what was tried last without being
    said, ``waiting`` a named model's replacement that waits for a yes.
    """

    catalogue: Catalogue
    brief: Brief = field(default_factory=Brief)
    lang: str = "en"
    audience: str = "presales"
    summarise: Callable[[Brief], str] | None = None
    moved: Callable[[], str] | None = None
    save: Callable[[Event], str | None] = _nothing
    beside: Beside = field(default_factory=Beside)
    ranking: Callable[[], Mapping[str, str]] = dict
    thorough: bool = False
    skipped: frozenset[str] = frozenset()
    helping: Helping = field(default_factory=Helping)
    supposed: tuple[Answer, ...] = ()
    waiting: Replacement | None = None
    current: str | None = None
    finished: bool = False
    result_wanted: bool = True
    asked: list[str] = field(default_factory=list)
    done: list[Brief] = field(default_factory=list)
    undone: list[Brief] = field(default_factory=list)
    _shown: str = ""
    _sum: str = ""
    _short_done: bool = False

    # What is said without being asked

    def start(self) -> list[Output]:
        """The welcome; free text or Enter is expected then."""
        if self.brief.answers:
            said = message("resumed", self.lang, count=len(self.brief.answers))
            return [Output("welcome", said), *self.go_on()]
        return [Output("welcome", message("welcome", self.lang))]

    def ask(self, field_id: str) -> list[Output]:
        """The question of a field: words, why, numbered choices, and what Enter does."""
        self.current = field_id
        asked = question(field_id)
        lines = [
            asked.wording.localised(self.lang, self.audience),
            message("why", self.lang, text=asked.why.localised(self.lang)),
            *self.effect(field_id),
        ]
        lines += [f"  {n}. {choice.label.localised(self.lang)}" for n, choice in enumerate(asked.choices, 1)]
        if not asked.choices:
            lines.append(message("example", self.lang, text=asked.example))
        return [Output("question", "\n".join([*lines, self._on_enter(asked)]), field_id)]

    def effect(self, field_id: str) -> list[str]:
        """What the answer decides, where that is known."""
        effect = self.ranking().get(field_id)
        return [message("effect", self.lang, text=effect)] if effect else []

    def _on_enter(self, asked: Question) -> str:
        held = self.brief.get(asked.id)
        if held.status is Status.STATED:
            return message("keep", self.lang, value=show_value(asked, held.value, self.lang))
        ours = self.assumption(asked)
        if ours is None:
            return message("no_default", self.lang)
        return message("default", self.lang, value=show_answer(asked, ours, self.lang), reason=ours.reason)

    def assumption(self, asked: Question) -> Answer | None:
        return assumption_of(asked, complete(self.brief, self.catalogue), self.catalogue, self.lang)

    # What the user says

    def say(self, line: str) -> list[Output]:
        """The answer to one line. Never raises for anything a user can type."""
        words = line.strip()
        for pattern, command in COMMANDS:
            match = pattern.fullmatch(words)
            if match:
                return command(self, match)
        settled = asides.settle(self, words) if self.waiting is not None else None
        if settled is not None:
            return settled
        if not words:
            return self._enter()
        aside = asides.aside(self, words)
        return self._answer(words) if aside is None else aside

    def _enter(self) -> list[Output]:
        if self.current is None:
            return self.go_on()
        if self.brief.stated(self.current):
            self.passing(self.current)
            return self.go_on()
        if self.assumption(question(self.current)) is None:
            return commands.skip(self)
        return commands.dont_know(self)

    def _answer(self, words: str) -> list[Output]:
        direct, problem = self.direct(words)
        if direct is not None and (
            len(words.split()) <= MOST_WORDS_OF_A_VALUE or question(direct.field).type in (Kind.TEXT, Kind.DATE)
        ):
            return self.take([direct], [self.echo(direct)])
        self.helping.message = words
        understood = parse(words, self.catalogue)
        read = to_answers(understood)
        answers = [a for a in facts_of(read) if direct is None or a.field != direct.field]
        answers, astray = grouping.placed(self.brief, answers, words)
        answers = [a for a in answers if self._news(a)]
        if direct is not None:
            answers.insert(0, direct)
        said = [*self._remarks(understood), *self._which_group(astray)]
        answers = answers or self._lone_number(words)
        if answers:
            # A line that answers the open question has no number left over, and what else it says was read.
            noted = [] if self._answers_the_open_one(answers) else read
            answers, asked = asides.hold_back(self, answers)
            said = [*(self.echo(a) for a in answers), *self._heard(noted), *said]
            return [*self.take([*answers, *notes_of(self.brief, noted)], said), *asked]
        if self.current is None or len(words.split()) > MOST_WORDS_OF_A_VALUE:
            said = [*self._heard(read), *said]
            self._note(read)
        text = message("nothing", self.lang) if problem is None else message("expected", self.lang, text=str(problem))
        return [*said, Output("error", text), *(self.go_on() if self.current is None else self.ask(self.current))]

    def _answers_the_open_one(self, answers: Iterable[Answer]) -> bool:
        return any(a.field == self.current and a.provenance is Provenance.USER for a in answers)

    def _heard(self, read: Iterable[Answer]) -> list[Output]:
        return [
            Output("info", message("heard_not_used", self.lang, text=one["text"], reason=one["reason"]))
            for one in not_used(read)
        ]

    def _note(self, read: Iterable[Answer]) -> None:
        """Keep what was heard of a line that answered nothing."""
        noted = notes_of(self.brief, read)
        if noted and self.save(Event("answer", tuple(noted))) is None:
            self.advance(noted)

    def _news(self, answer: Answer) -> bool:
        """What only follows from a message never takes the place of what was said."""
        group = self.brief.group(answer.group)
        held = self.brief.get(answer.field) if group is None else group.answers.get(answer.field, answer)
        said = held is not answer and held.status is Status.STATED and held.provenance is not Provenance.DERIVED
        return not (said and answer.provenance is Provenance.DERIVED)

    def _which_group(self, astray: list[Answer]) -> list[Output]:
        if not astray:
            return []
        groups = ", ".join(group.name for group in self.brief.groups)
        shown = ", ".join(f"{a.field} = {show_answer(question(a.field), a, self.lang)}" for a in astray)
        return [Output("info", message("which_group", self.lang, what=shown, groups=groups), astray[0].field)]

    def direct(self, words: str) -> tuple[Answer | None, BadInput | None]:
        """The line as an answer to the current question, or why it is none."""
        if self.current is None:
            return None, None
        try:
            return validate(self.current, self._with_currency(words), self.catalogue), None
        except BadInput as error:
            return None, error

    def _with_currency(self, words: str) -> str:
        if self.current is None or question(self.current).type is not Kind.MONEY:
            return words
        said = with_currency(words, self._sum, self.brief)
        self._sum = words if bare_sum(words) else ""
        return said

    def _lone_number(self, words: str) -> list[Answer]:
        number = lone_number(words, question(self.current) if self.current else None)
        answer, _ = self.direct(number) if number else (None, None)
        return [] if answer is None else [answer.model_copy(update={"text": words})]

    def echo(self, answer: Answer) -> Output:
        asked = question(answer.field)
        shown = show_answer(asked, answer, self.lang)
        quoted = answer.provenance in (Provenance.PARSED, Provenance.MODEL)
        key = "understood_words" if quoted else "understood"
        text = message(key, self.lang, label=grouping.label_of(answer, asked.id), value=shown, text=answer.text)
        return Output("understood", text + (f" ({answer.reason})" if answer.reason else ""), answer.field)

    def _remarks(self, understood: ParseResult) -> list[Output]:
        """What was ambiguous, ruled out, or not read."""
        said = []
        for doubt in understood.ambiguous:
            text = message("ambiguous", self.lang, text=doubt.span.text, question=doubt.question)
            if doubt.assumed:
                text += " " + message("ambiguous_assumed", self.lang, value=doubt.assumed, field=doubt.field)
            said.append(Output("info", text, doubt.field))
        said.extend(
            Output("info", message("excluded", self.lang, label=out.field, value=out.value, text=out.span.text))
            for out in understood.excluded
        )
        if understood.unread:
            said.append(Output("info", message("unread", self.lang, count=understood.unread)))
        return said

    def take(self, answers: Iterable[Answer], said: list[Output]) -> list[Output]:
        """Save first, then show what was understood, what it moved, and the next question."""
        given = tuple(answers)
        common = {a.field for a in given if a.group is None}
        reopened = self._dependants({field for field in common if self.brief.stated(field)}) - common
        cleared = tuple(Answer(field=f, status=Status.OPEN) for f in sorted(reopened))
        refused = self.save(Event("answer", (*given, *cleared)))
        if refused is not None:
            return [Output("error", message("refused", self.lang, text=refused)), *self.go_on()]
        self.advance((*given, *cleared))
        self.skipped -= {a.field for a in given}
        if reopened:
            said.append(Output("info", message("reopened", self.lang, labels=", ".join(sorted(reopened)))))
        self.settle_current({a.field for a in given})
        return [*said, *self.summary(only_new=True), *self.go_on()]

    def advance(self, answers: Iterable[Answer]) -> None:
        """One step on, which can be taken back where it changes anything."""
        then = self.brief.with_answers(answers)
        if then != self.brief:
            self.done.append(self.brief)
            self.undone.clear()
        self.brief = then

    def settle_current(self, given: set[str]) -> None:
        """The open question is answered by its own field, or by one that serves instead of it."""
        if self.current is None:
            return
        if self.current not in given and given & set(question(self.current).instead):
            self.save(Event("skip", (Answer(field=self.current, status=Status.OPEN),)))
            self.skipped |= {self.current}
            self.passing(self.current)
        elif self.current in given:
            self.passing(self.current)

    def _dependants(self, changed: set[str]) -> set[str]:
        """Stated fields that depend on a changed one: they are asked again."""
        return {q.id for q in load_questions().questions if changed & set(q.depends_on) and self.brief.stated(q.id)}

    def passing(self, field_id: str | None) -> None:
        if field_id is not None and (not self.asked or self.asked[-1] != field_id):
            self.asked.append(field_id)
        self.current = None

    # Where it goes next

    def passed(self) -> frozenset[str]:
        not_known = {f for f, a in self.brief.answers.items() if a.provenance is Provenance.DONT_KNOW}
        return self.skipped | not_known

    def go_on(self) -> list[Output]:
        if self.current is not None and not self.brief.stated(self.current) and self.current not in self.passed():
            return self.ask(self.current)
        asked, by_effect = self._next()
        settled = len(self.brief.only_stated().answers.keys() | self.passed())
        said: list[Output] = []
        if not self._short_done and (asked is None or (settled >= SHORT if by_effect else asked.short is None)):
            self._short_done = True
            said.append(Output("info", message("first_sizing", self.lang)))
        if asked is None:
            self.current = None
            return [*said, Output("info", message(self._finish(), self.lang))]
        return [*said, *self.ask(asked.id)]

    def _next(self) -> tuple[Question | None, bool]:
        """The question to ask, and whether it is one of those that move the plan."""
        passed, ranking = self.passed(), self.ranking()
        if ranking and len(set(self.asked)) < MOST_ASKED:
            field_id = next((f for f in ranking if f not in passed and not self.brief.answered(f)), None)
            if field_id is not None:
                return question(field_id), True
        if self.ranked and not (self.thorough or self.audience == "engineer"):
            return None, True
        return next_question(self.brief, passed, audience=self.audience), False

    def following(self) -> Question | None:
        """The question to ask next, None where none is left that matters."""
        return self._next()[0]

    @property
    def ranked(self) -> bool:
        """Whether there is a plan by which questions can be ranked."""
        return self.ranking is not dict and bool(self.brief.answers)

    def _finish(self) -> str:
        rest = next_question(self.brief, self.passed(), audience=self.audience)
        return "finished" if rest is None else "enough"

    def summary(self, only_new: bool = False) -> list[Output]:
        if only_new and self.moved is not None:
            news = self.moved()
            return [Output("summary", news)] if news else []
        text = self.summarise(self.brief) if self.summarise else ""
        if only_new and (not text or text == self._shown):
            return []
        self._shown = text
        return [Output("summary", text or message("no_summary", self.lang))]
