"""A chat log or an e-mail as answers and as a transcript: turns are parsed in order, so that the later word wins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from assistant.interview.brief import Answer, Brief
from assistant.interview.chatlog import Turn, speakers, turns_of
from assistant.interview.noted import in_short
from assistant.interview.parser import parse, to_answers
from assistant.output import harmless, plain
from knowledge.errors import BadInput
from knowledge.evidence import Frozen

if TYPE_CHECKING:
    from knowledge.catalogue import Catalogue


class Reading(Frozen):
    """One turn and the answers that it gives; of our own turns nothing is taken."""

    turn: Turn
    answers: tuple[Answer, ...]
    own: bool = False


def read_log(text: str, catalogue: Catalogue, own: Collection[str] = ()) -> tuple[Reading, ...]:
    """Every turn of a log with what it states; ``own`` are speakers on our side, whose proposals are no facts.

    Raises BadInput where an own speaker does not occur, or nothing is said by anybody else.
    """
    turns = turns_of(harmless(text))
    known = speakers(turns)
    for name in own:
        if name not in known:
            raise BadInput("--us", name, "a speaker of the log", known)
    readings = tuple(_reading(turn, catalogue, turn.speaker in own) for turn in turns)
    if not any(reading.answers for reading in readings):
        raise BadInput("FILE", f"{len(turns)} turns", "a log in which somebody states what a sizing could use")
    return readings


def _reading(turn: Turn, catalogue: Catalogue, own: bool) -> Reading:
    answers = () if own else tuple(to_answers(parse(turn.text, catalogue)))
    return Reading(turn=turn, answers=answers, own=own)


def brief_of(readings: Sequence[Reading]) -> Brief:
    """The answers of a whole log; a correction takes the place of what it corrects."""
    return Brief().with_answers(answer for reading in readings for answer in reading.answers)


def corrections(readings: Sequence[Reading]) -> list[tuple[Answer, Answer]]:
    """What was said and what later took its place."""
    found: list[tuple[Answer, Answer]] = []
    held: dict[str, Answer] = {}
    for answer in (answer for reading in readings for answer in reading.answers):
        before = held.get(answer.field)
        if before is not None and before.value != answer.value:
            found.append((before, answer))
        held[answer.field] = answer
    return found


def as_transcript(readings: Sequence[Reading], title: str, lang: str) -> str:
    """The log as a transcript in YAML: what was said, what of it was understood, and nothing concluded yet; the
    conclusions are for a person to work out and add."""
    steps = [
        {"say": reading.turn.text, "understood": {a.field: _told(a) for a in reading.answers}}
        for reading in readings
        if not reading.own
    ]
    document: dict[str, Any] = {"transcript": 1, "title": title, "lang": lang, "steps": steps, "concluded": []}
    text: str = yaml.safe_dump(plain(document), sort_keys=False, allow_unicode=True, width=110)
    return text


def _told(answer: Answer) -> Any:
    noted = in_short(answer)
    if noted is not None:
        return noted
    if answer.low is None and answer.high is None:
        return answer.value
    return {"value": answer.value, "low": answer.low, "high": answer.high}
