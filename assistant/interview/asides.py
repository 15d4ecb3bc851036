"""What is said in an interview besides answers: a question, a supposition, a choice left to us, a model replaced.

None of it becomes a fact by itself. A question is answered, a supposition is tried and shown (``keep`` makes it an
answer, ``fork`` a session of its own), and what would take the place of a named model waits for a yes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.interview import commands
from assistant.interview.brief import Answer, Provenance
from assistant.interview.noted import facts_of
from assistant.interview.outputs import Output
from assistant.interview.parser import parse, to_answers
from assistant.interview.questions import LEFT_OPEN, Kind, question
from assistant.interview.turns import Turn, turn_of, yes_or_no
from assistant.interview.validation import validate
from assistant.interview.wording import message, show_answer, show_value

if TYPE_CHECKING:
    from assistant.interview.dialogue import Interview

MANY_CHANGES = 3
"""A message that changes so many stated things may have changed the named model by the way: it is asked."""

_ADDED = re.compile(r"both|all|too|also|add(?: it)?|in addition|beide|auch|dazu|zusätzlich|alle", re.IGNORECASE)


@dataclass(frozen=True)
class Beside:
    """What a face gives an interview to call: the consultant, a trial of answers, a session of its own for them."""

    consult: Callable[[str], str] | None = None
    trial: Callable[[tuple[Answer, ...]], str] | None = None
    fork: Callable[[tuple[Answer, ...], str], str] | None = None


@dataclass(frozen=True)
class Replacement:
    """Models that would take the place of ``old`` ones, with what else hangs on them."""

    answers: tuple[Answer, ...]
    old: tuple[Any, ...]
    new: tuple[Any, ...]


@dataclass(frozen=True)
class Choice:
    """A question back with its numbered ways; ``yes_or_no`` where it is put without them."""

    text: str
    ways: tuple[str, ...]
    yes_or_no: bool


def aside(interview: Interview, words: str) -> list[Output] | None:
    """What is answered to a line that is no answer; None where it is to be read for facts."""
    turn = turn_of(words)
    if turn is Turn.ANSWER:
        return _bare_yes_or_no(interview, words)
    if turn is Turn.EXPLAIN:
        return _explained(interview)
    if turn in (Turn.DECIDE, Turn.DEPENDS):
        return _left_to_us(interview, words, "left_to_us" if turn is Turn.DECIDE else "depends")
    if not interview.brief.only_stated().answers:
        facts = facts_of(to_answers(parse(words, interview.catalogue)))
        return None if facts else _consulted(interview, words)
    supposed = _supposed(interview, words) if turn is Turn.SUPPOSE else None
    return supposed or _consulted(interview, words) or _supposed(interview, words) or _not_taken(interview)


def _again(interview: Interview) -> list[Output]:
    return interview.ask(interview.current) if interview.current else []


def _explained(interview: Interview) -> list[Output]:
    said = commands.why(interview)
    asked = question(interview.current) if interview.current else None
    if asked is not None and asked.help is not None:
        said.append(Output("info", asked.help.localised(interview.lang), asked.id))
    return [*said, *_again(interview)]


def _left_to_us(interview: Interview, words: str, key: str) -> list[Output] | None:
    """The assumption stands, marked; words that the question itself takes are its answer."""
    if interview.current is None:
        return [Output("info", message("no_question", interview.lang))]
    if interview.direct(words)[0] is not None and question(interview.current).type is not Kind.TEXT:
        return None
    return [Output("info", message(key, interview.lang)), *commands.dont_know(interview)]


def _bare_yes_or_no(interview: Interview, words: str) -> list[Output] | None:
    """A yes or no to a question that has other values: what it means there, or which of them is asked for."""
    agreed = yes_or_no(words)
    if agreed is None or interview.current is None:
        return None
    asked = question(interview.current)
    meant = asked.if_yes if agreed else asked.if_no
    if asked.type is Kind.BOOL or (meant is None and interview.direct(words)[0] is not None and not agreed):
        return None
    if meant == LEFT_OPEN:
        return commands.skip(interview, "allowed" if agreed else "none_given")
    if meant is not None:
        answer = validate(asked.id, meant, interview.catalogue)
        answer = answer.model_copy(update={"text": words})
        return interview.take([answer], [interview.echo(answer)])
    return [Output("info", message("which_then" if agreed else "not_yes_or_no", interview.lang)), *_again(interview)]


def _consulted(interview: Interview, words: str) -> list[Output] | None:
    if interview.beside.consult is None:
        return None
    told = interview.beside.consult(words[:2000])
    return [Output("info", told), Output("info", message("not_a_fact", interview.lang)), *_again(interview)]


def _supposed(interview: Interview, words: str) -> list[Output] | None:
    answers = tuple(facts_of(to_answers(parse(words, interview.catalogue))))
    if not answers or interview.beside.trial is None:
        return None
    interview.supposed = answers
    what = "; ".join(f"{a.field} = {show_answer(question(a.field), a, interview.lang)}" for a in answers)
    shown = message("supposed", interview.lang, what=what, moves=interview.beside.trial(answers))
    return [Output("info", shown), *_again(interview)]


def _not_taken(interview: Interview) -> list[Output]:
    return [Output("info", message("not_a_fact", interview.lang)), *_again(interview)]


def keep(interview: Interview) -> list[Output]:
    """Make what was supposed last an answer."""
    answers, interview.supposed = interview.supposed, ()
    if not answers:
        return [Output("info", message("nothing_supposed", interview.lang))]
    return interview.take(answers, [interview.echo(answer) for answer in answers])


def fork(interview: Interview, label: str) -> list[Output]:
    """Save what was supposed last as a session of its own; this one goes on as it is."""
    answers, interview.supposed = interview.supposed, ()
    if not answers or interview.beside.fork is None:
        return [Output("info", message("nothing_supposed", interview.lang))]
    made = interview.beside.fork(answers, label)
    return [Output("info", message("forked", interview.lang, id=made)), *_again(interview)]


def hold_back(interview: Interview, answers: list[Answer]) -> tuple[list[Answer], list[Output]]:
    """The answers that are taken, and a question back where the others would replace a named model by the way."""
    held = interview.brief.get("models")
    new = next((a for a in answers if a.field == "models" and a.provenance is Provenance.PARSED), None)
    if new is None or not interview.brief.stated("models") or interview.current == "models":
        return answers, []
    old, named = tuple(held.value), tuple(new.value)
    if set(map(str, old)) <= set(map(str, named)):
        return answers, []
    changed = [a for a in answers if interview.brief.stated(a.field) and interview.brief.value(a.field) != a.value]
    if len(old) == 1 and len(changed) < MANY_CHANGES:
        return answers, []
    waits = [a for a in answers if a is new or _hangs_on(a, new)]
    interview.waiting = Replacement(tuple(waits), old, named)
    return [a for a in answers if a not in waits], [Output("question", _which(interview), "models")]


def _hangs_on(answer: Answer, new: Answer) -> bool:
    """Whether an answer was read off the model's own name."""
    if answer.field in ("parameters_b", "weight_dtype") and answer.start is not None and new.start is not None:
        return new.start <= answer.start and (answer.end or 0) <= (new.end or 0)
    return answer.provenance is Provenance.DERIVED


def choice_back(interview: Interview) -> Choice | None:
    """The question that waits, with what may become of the named models; None where none waits.

    A number takes the way of that place; ``no`` leaves the models as they are.
    """
    waiting, lang = interview.waiting, interview.lang
    if waiting is None:
        return None
    shown = {key: _names(getattr(waiting, key), lang) for key in ("old", "new")}
    one = len(waiting.old) == 1
    ways = [message("replace_all", lang, **shown)]
    if not one:
        ways += [message("replace_this", lang, old=_names((old,), lang), new=shown["new"]) for old in waiting.old]
    ways.append(message("replace_none", lang, **shown))
    return Choice(message("replace_one" if one else "replace_which", lang, **shown), tuple(ways), one)


def _which(interview: Interview) -> str:
    choice = choice_back(interview)
    if choice is None:
        return ""
    lines = [] if choice.yes_or_no else [f"  {number}. {way}" for number, way in enumerate(choice.ways, 1)]
    return "\n".join([choice.text, *lines])


def _names(models: Iterable[Any], lang: str) -> str:
    return show_value(question("models"), list(models), lang)


def settle(interview: Interview, words: str) -> list[Output] | None:
    """The reply to that question; another line leaves the named model as it is, says so, and is read for itself."""
    waiting, interview.waiting = interview.waiting, None
    if waiting is None:
        return None
    ways = [waiting.new, *(_instead(waiting, one) for one in waiting.old)] if len(waiting.old) > 1 else [waiting.new]
    ways.append((*waiting.old, *(one for one in waiting.new if one not in waiting.old)))
    agreed = yes_or_no(words)
    chosen: tuple[Any, ...] | None = None
    if words.isdecimal() and 1 <= int(words[:3]) <= len(ways):
        chosen = ways[int(words) - 1]
    elif agreed:
        chosen = waiting.new
    elif _ADDED.fullmatch(words.strip(" .!")):
        chosen = ways[-1]
    if chosen is None:
        kept = Output(
            "info", message("replace_kept", interview.lang, old=_names(waiting.old, interview.lang)), "models"
        )
        return [kept, *_again(interview)] if agreed is False else [kept, *interview.say(words)]
    answers = [a.model_copy(update={"value": list(chosen)}) if a.field == "models" else a for a in waiting.answers]
    if chosen != waiting.new:
        answers = [a for a in answers if a.field == "models"]
    return interview.take(answers, [interview.echo(answer) for answer in answers])


def _instead(waiting: Replacement, one: Any) -> tuple[Any, ...]:
    kept = [model for model in waiting.old if model != one]
    return (*kept, *(model for model in waiting.new if model not in kept))
