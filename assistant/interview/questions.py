"""The questions as data: one per field of the brief, read from ``questions.yaml`` and checked when first used."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from assistant.interview.brief import Answer, Brief, Status
from assistant.messages import LANGUAGES, has, render
from knowledge.errors import BadInput
from knowledge.evidence import Frozen
from knowledge.message import Message
from knowledge.shipped import shipped_yaml

if TYPE_CHECKING:
    pass

Condition: TypeAlias = Mapping[str, tuple[str | int | float | bool, ...] | Literal["open", "known"]]
"""Field -> accepted values (``open`` may be among them), or ``open``, or ``known``. All fields must hold."""

LEFT_OPEN = "left_open"
"""What a yes or no means that allows something, or says that nothing is given."""

AUDIENCES = ("presales", "engineer")


class Kind(StrEnum):
    """What an answer is."""

    NUMBER = "number"
    INTEGER = "integer"
    CHOICE = "choice"
    MULTI = "multi"
    TEXT = "text"
    BOOL = "bool"
    LENGTHS = "lengths"
    MODEL = "model"
    GPU = "gpu"
    GPUS = "gpus"
    SERVER = "server"
    COUNTRY = "country"
    MONEY = "money"
    DATE = "date"


class Text(Frozen):
    """A text in the interview's languages: the message under ``id``."""

    id: str

    def localised(self, lang: str) -> str:
        """The text in ``lang``, English where there is no other."""
        return render(Message(self.id), lang)

    @property
    def en(self) -> str:
        """The text in English."""
        return self.localised("en")

    @property
    def everywhere(self) -> tuple[str, ...]:
        """The text in every language."""
        return tuple(self.localised(lang) for lang in LANGUAGES)


class Wording(Frozen):
    """One question worded for two audiences."""

    presales: Text
    engineer: Text

    def localised(self, lang: str, audience: str = "presales") -> str:
        """The wording for an audience in a language."""
        return (self.engineer if audience == "engineer" else self.presales).localised(lang)


class Choice(Frozen):
    """A value that a choice takes, its label, and the words that people use for it."""

    value: str
    label: Text
    synonyms: tuple[str, ...] = ()


class Assumption(Frozen):
    """What is assumed when ``when`` holds: the likely value, its plausible range, why, and on whose word."""

    when: Condition = Field(default_factory=dict)
    value: Any
    low: float | None = None
    high: float | None = None
    reason: Text
    sources: tuple[str, ...] = ()


class Question(Frozen):
    """A field of the brief and how it is asked for.

    ``instead`` are fields that settle the question well enough when they are said in reply to it. ``asked_of`` tells
    who is asked: what only engineers can answer is taken when said, and what nobody is asked follows from a message.
    ``if_yes`` and ``if_no`` are what a bare yes or no means where the wording invites one: a value, or ``left_open``
    for what is thereby allowed, not given or left to us.
    ``plausible`` are answers to try when the questions are ranked, where no assumption gives a range and not every
    choice is worth a try.
    """

    id: str
    type: Kind
    section: str
    wording: Wording
    why: Text
    example: str
    unit: str | None = None
    min: float | None = None
    max: float | None = None
    short: int | None = None
    help: Text | None = None
    choices: tuple[Choice, ...] = ()
    open_choice: bool = False
    if_yes: str | None = None
    if_no: str | None = None
    asked_of: Literal["all", "engineer", "nobody"] = "all"
    ask_when: Condition = Field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    preset: str | None = None
    plausible: tuple[Any, ...] = ()
    assume: tuple[Assumption, ...] = ()

    @model_validator(mode="after")
    def _choices_fit_type(self) -> Question:
        if (self.type in (Kind.CHOICE, Kind.MULTI)) != bool(self.choices):
            raise ValueError(f"{self.id}: choices belong to the types choice and multi, and only to them")
        if unknown := {self.if_yes, self.if_no} - {None, LEFT_OPEN, *self.values}:
            raise ValueError(f"{self.id}: a yes or no means none of its values: {sorted(map(str, unknown))}")
        return self

    @property
    def values(self) -> tuple[str, ...]:
        """The values of a choice, in the order in which they are offered."""
        return tuple(choice.value for choice in self.choices)

    def label(self, value: object, lang: str) -> str:
        """The label of a choice's value; the value itself where it has none."""
        return next((c.label.localised(lang) for c in self.choices if c.value == value), str(value))


class Questions(Frozen):
    """All questions in their fixed order, and the sections they stand in."""

    version: str
    sections: Mapping[str, Text]
    questions: tuple[Question, ...]

    @model_validator(mode="after")
    def _only_earlier_fields(self) -> Questions:
        seen: set[str] = set()
        for question in self.questions:
            named = {field for a in question.assume for field in a.when}
            if late := named - seen - {question.id}:
                raise ValueError(f"{question.id}: an assumption looks at later fields {sorted(late)}")
            if question.id in seen or question.section not in self.sections:
                raise ValueError(f"{question.id}: twice, or in an unknown section")
            seen.add(question.id)
        if missing := {f for q in self.questions for f in (*q.ask_when, *q.depends_on, *q.instead)} - seen:
            raise ValueError(f"conditions name unknown fields {sorted(missing)}")
        return self

    def by_id(self) -> Mapping[str, Question]:
        """The questions by field id."""
        return {question.id: question for question in self.questions}


@lru_cache(maxsize=1)
def load_questions() -> Questions:
    """The shipped questions. Read once per process."""
    raw = shipped_yaml(Path(__file__).with_name("questions.yaml"))
    raw.pop("groups")  # only anchors for the conditions below it
    raw["sections"] = {name: _text(f"section.{name}") for name in raw["sections"]}
    raw["questions"] = [_worded(entry) for entry in raw["questions"]]
    return Questions.model_validate(raw)


def _text(ident: str) -> dict[str, str]:
    return {"id": f"questions.{ident}"}


def _worded(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of the file with the ids of its texts, which each language's folder holds under the field's name."""
    field = entry["id"]
    made = {
        **entry,
        "wording": {audience: _text(f"{field}.{audience}") for audience in AUDIENCES},
        "why": _text(f"{field}.why"),
        "choices": [{**c, "label": _text(f"{field}.choice.{c['value']}")} for c in entry.get("choices", ())],
        "assume": [{**a, "reason": _text(f"{field}.reason.{n}")} for n, a in enumerate(entry.get("assume", ()))],
    }
    return {**made, "help": _text(f"{field}.help")} if has(f"questions.{field}.help") else made


@lru_cache(maxsize=1)
def questions_by_id() -> Mapping[str, Question]:
    """The shipped questions by the field that they ask for."""
    return load_questions().by_id()


def question(field: str) -> Question:
    """The question of a field. Raises BadInput naming the nearest fields when there is none."""
    found = questions_by_id().get(field)
    if found is None:
        import difflib

        near = difflib.get_close_matches(field, questions_by_id(), n=3)
        known = "" if near else f": {', '.join(sorted(questions_by_id()))}"
        raise BadInput("field", field, f"the name of a field of the brief{known}", near)
    return found


def holds(condition: Condition, brief: Brief) -> bool:
    """Whether a condition is met by what the brief states or assumes."""
    return all(_accepts(accepted, brief.get(field)) for field, accepted in condition.items())


def _accepts(accepted: tuple[str | int | float | bool, ...] | str, answer: Answer) -> bool:
    is_open = answer.status is Status.OPEN or answer.value is None
    if isinstance(accepted, str):
        return is_open == (accepted == "open")
    if is_open:
        return "open" in accepted
    values = answer.value if isinstance(answer.value, (list, tuple)) else (answer.value,)
    return any(value in accepted for value in values)
