"""Where another demand begins: what is joined on, what is served after a training, and the people of a stock."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from assistant.interview.parser.groups.events import FOR_PEOPLE, LOAD, THINGS, Event, Part, events_of, same_task
from assistant.interview.parser.reading import Reading

_TRAINING = frozenset({"finetuning", "pretraining", "rl"})


def joined_on(reading: Reading, part: Part, event: Event) -> bool:
    """``10k images a day, plus captions with Qwen-VL``: what is joined on has a task or a kind of model of its own."""
    last = max(e.end for e in part.events)
    if last > event.start or not reading.stream.linked(last, event.start, "also"):
        return False
    _, end = reading.stream.sentence(event.start)
    following = reading.stream.linked(event.end, end, "also")
    stop = following[0].start if following else end
    own = [e for e in events_of(reading) if event.start <= e.start < stop]
    tasks = {str(e.value) for e in part.events if e.name == "workload"}
    new = {str(e.value) for e in own if e.name == "workload"}
    kinds, other = _model_kinds(reading, part.events), _model_kinds(reading, own)
    if kinds and other:
        apart = kinds.isdisjoint(other) or bool({e.name for e in own} & LOAD)
        return apart and not {*kinds, *other} & {"embedding", "reranker"}
    loads = part.names & LOAD, {e.name for e in own} & LOAD
    if all(loads):
        return bool(tasks and new) and tasks.isdisjoint(new)
    return bool(tasks and new and any(loads)) and not any(same_task(a, b) for a in tasks for b in new)


def _model_kinds(reading: Reading, events: Iterable[Event]) -> set[str]:
    known = reading.catalogue.entries("models")
    names = (name for e in events if e.name == "models" and e.mention for name in e.mention.value)
    return {str(reading.catalogue.entry("models", name).kind) for name in names if name in known}


def served_then(reading: Reading, part: Part, event: Event) -> bool:
    """``fine-tune it every week, and serve it to 80 agents``: people use what a training has made."""
    if event.name not in ("users_total", "users_concurrent", "requests_per_s"):
        return False
    trains = [e for e in part.events if e.name == "workload" and e.value in _TRAINING]
    if not trains or part.names & {"users_total", "users_concurrent", "requests_per_s"}:
        return False
    return bool(reading.stream.linked(trains[-1].end, event.end + 40, "serve"))


def things_beside_people(reading: Reading, part: Part, event: Event) -> bool:
    """``300 people chat, and 20,000 invoices a day go through OCR``: things with a task that people do not have."""
    if event.amount is None or event.amount.unit not in THINGS or not part.names & {"users_total", "users_concurrent"}:
        return False
    tasks = {str(e.value) for e in part.events if e.name == "workload"}
    if not tasks or not tasks <= FOR_PEOPLE:
        return False
    _, end = reading.stream.sentence(event.start)
    new = [str(e.value) for e in events_of(reading) if e.name == "workload" and event.start < e.start < end]
    return bool(new) and not FOR_PEOPLE & {*new} and not any(same_task(a, b) for a in tasks for b in new)


def people_of_it(reading: Reading, part: Part, event: Event) -> bool:
    """``1.5 million pages of OCR; and 70 archivists ask questions over them``."""
    if event.name != "users_total" or not part.has("amount") or part.has("users_total"):
        return False
    tasks = {e.value for e in part.events if e.name == "workload"}
    if not tasks or tasks & FOR_PEOPLE:
        return False
    _, end = reading.stream.sentence(event.start)
    return any(
        e.name == "workload" and e.value in FOR_PEOPLE and event.start < e.start < end for e in events_of(reading)
    )


def hand_on_model(reading: Reading, parts: list[Part]) -> None:
    """``and serve it``: the pronoun stands for the model of the demand before."""
    for before, part in itertools.pairwise(parts):
        models = [e for e in before.events if e.name in ("models", "parameters_b")]
        if not part.events or part.names & {"models", "parameters_b"} or not models:
            continue
        pronouns = reading.stream.linked(part.start, max(e.end for e in part.events) + 30, "it")
        if pronouns and reading.stream.linked(part.start, len(reading.text), "serve"):
            part.events += models
