"""Several demands in one message: which statements belong together, by list items and by clauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.interview.parser.groups.events import (
    FOR_PEOPLE,
    LOAD,
    ONE_TASK,
    OWN,
    SAME_THINGS,
    THINGS,
    Event,
    Part,
    events_of,
    same_task,
)
from assistant.interview.parser.groups.joined import (
    hand_on_model,
    joined_on,
    people_of_it,
    served_then,
    things_beside_people,
)
from assistant.interview.parser.names.models import FOR_CODE
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Derived, Group, Mention, Span
from knowledge import regexes as re

_ITEM = re.compile(
    r"(?:^|\n)[ \t]{0,6}(?:[-*•–‣◦]|\(?(?:\d{1,2}|[a-hA-H]|[ivx]{1,3})[.)])[ \t]+|(?<=[:;,.] )\(?(?:[a-h]|[1-9]|"
    r"i{1,3}|iv)\)\s|"
    r"(?:^|\n)[ \t]{0,6}[^\W\d_]{2,12} ?\d{1,2} ?[-–:)]|(?<=[:;] )\(?(?:1|2|3|4)[.)]\s|"
    r"(?<=[.:;,\uff64])\(?[1-9]\)(?=\d|[^\x00-\x7f])|[①②③④⑤]"
)
_SEPARATOR = re.compile(
    r"[,;。；，、\uff64\n]|\.(?=\s|$)|[:(（]|\s(?:and|plus|und|sowie|et|ainsi que|y|e|ed|en|i|oraz|tandis que|während|"
    r"while|whereas|mientras)\s|和|以及|及|그리고|와 |과 |と",
    re.IGNORECASE,
)


def groups(reading: Reading) -> tuple[Group, ...]:
    """The demands of the message; one where everything speaks of one, none where no demand was stated."""
    events = events_of(reading)
    if not events:
        return ()
    parts = _listed(reading, events) or _by_clause(reading, events)
    if len(parts) < 2:
        first = parts[0].events if parts else []  # a part that says more than a number of people goes before the others
        parts = [Part(0, [*first, *(event for event in events if event not in first)])]
        return (_group(reading, parts[0], 0, len(reading.text)),)
    ends = [*(part.start for part in parts[1:]), len(reading.text)]
    return tuple(
        _group(reading, part, part.start, min(end, _stop(reading, part, end)))
        for part, end in zip(parts, ends, strict=True)
    )


def _stop(reading: Reading, part: Part, end: int) -> int:
    """A group's words end with the sentence of its last event."""
    last = max(event.end for event in part.events)
    return max(last, min(end, reading.stream.sentence(max(last - 1, 0))[1]))


def _listed(reading: Reading, events: list[Event]) -> list[Part]:
    """Items of a list that state a demand each."""
    starts = [match.start() + len(match[0]) - len(match[0].lstrip()) for match in _ITEM.finditer(reading.text)]
    if len(starts) < 2:
        return []
    parts = []
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else _last_item_end(reading, start)
        own = [event for event in events if start <= event.start < end]
        if any(event.name in LOAD | {"workload", "models", "parameters_b", "gpus"} for event in own):
            parts.append(Part(start, own))
    return parts if len(parts) >= 2 else []


def _last_item_end(reading: Reading, start: int) -> int:
    line = reading.original.find("\n", start + 1)
    if line >= 0:
        return line
    return reading.stream.sentence(start + 4)[1]


def _by_clause(reading: Reading, events: list[Event]) -> list[Part]:
    parts = [Part(0)]
    for event in events:
        current = parts[-1]
        if _starts_another(reading, current, event):
            start = _start_of(reading, current, event)
            moved = [e for e in current.events if e.start >= start]
            current.events = [e for e in current.events if e.start < start]
            parts.append(Part(start, moved))
        parts[-1].events.append(event)
    hand_on_model(reading, parts)
    return _distinct(parts)


def _starts_another(reading: Reading, part: Part, event: Event) -> bool:
    last = part.events[-1] if part.events else None
    same = [e.end for e in part.events if e.name == event.name and e.end <= event.start]
    if last is None or not _SEPARATOR.search(reading.text, same[-1] if same else last.end, event.start):
        return False
    if joined_on(reading, part, event):
        return True
    if not part.names & LOAD and not (part.has("workload") and part.names & {"models", "parameters_b", "gpus"}):
        return False
    held = [e for e in part.events if e.name == event.name]
    if held and reading.stream.within(held[-1].end, event.start, "correction"):
        return False
    if (
        served_then(reading, part, event)
        or people_of_it(reading, part, event)
        or things_beside_people(reading, part, event)
    ):
        return True
    if event.name in ("users_total", "users_concurrent"):
        return any(e.value != event.value for e in held)
    if event.name == "amount" and event.amount:
        units = {e.amount.unit for e in held if e.amount}
        return any(
            u != event.amount.unit and {u, event.amount.unit} <= THINGS and {u, event.amount.unit} not in SAME_THINGS
            for u in units
        )
    if event.name == "workload" and last.end <= event.start and part.names & LOAD and _load_follows(reading, event):
        if not held:
            return event.value in FOR_PEOPLE and part.has("amount") and not part.has("users_total")
        return not any(e.value == event.value for e in held)
    if event.name == "workload":
        tasks = {str(e.value) for e in held}
        return bool(tasks) and not any(t == event.value or {t, event.value} in ONE_TASK for t in tasks)
    return False


def _load_follows(reading: Reading, event: Event) -> bool:
    """Whether a load of its own is said after a task, before the sentence ends or another task is named."""
    _, last = reading.stream.sentence(event.start)
    ends = [
        e.start
        for e in events_of(reading)
        if e.name == "workload" and e.start > event.end and not same_task(e.value, event.value)
    ]
    stop = min([last, *ends])
    return any(e.name in LOAD and event.start <= e.start < stop for e in events_of(reading))


def _start_of(reading: Reading, part: Part, event: Event) -> int:
    """The last border before the event that does not lie before the load of the part so far."""
    loads = [e.end for e in part.events if e.name in LOAD]
    floor = max([0, *loads])
    borders = [m.start() for m in _SEPARATOR.finditer(reading.text, floor, event.start)]
    first, _ = reading.stream.sentence(event.start)
    if borders and first > floor:
        return first
    return borders[-1] if borders else event.start


def _distinct(parts: list[Part]) -> list[Part]:
    """Parts that differ in more than a number of people; the others join their neighbour."""
    kept: list[Part] = []
    for part in parts:
        if not part.events:
            continue
        if kept and not part.names & OWN and not ({"users_total", "users_concurrent"} <= part.names):
            kept[-1].events += part.events
        elif (
            kept
            and len(kept) == 1
            and not kept[0].names & OWN
            and not ({"users_total", "users_concurrent"} <= kept[0].names)
        ):
            part.events = [*kept[0].events, *part.events] if not part.names & LOAD else part.events
            kept = [part]
        else:
            kept.append(part)
    return kept


_RANK = (
    "rl",
    "pretraining",
    "finetuning",
    "ocr",
    "speech",
    "image_generation",
    "video",
    "coding",
    "agents",
    "rag",
    "embeddings",
    "reranking",
    "summarising",
    "vision",
    "batch",
    "chat",
    "hpc",
    "mixed",
)


def _group(reading: Reading, part: Part, start: int, end: int) -> Group:
    fields: dict[str, Mention] = {}
    for event in part.events:
        if event.mention is None:
            continue
        held = fields.get(event.name)
        if held is None or (event.name == "requests_per_s" and (held.note or "").startswith("taken as spread")):
            fields[event.name] = event.mention
        elif event.name in ("models", "gpus"):
            fields[event.name] = _joined(held, event.mention)
        elif event.name == "workload" and _RANK.index(str(event.value)) < _RANK.index(str(held.value)):
            fields[event.name] = event.mention
    amounts = tuple(event.amount for event in part.events if event.amount)
    span = reading.span(start, end)
    return Group.model_construct(
        fields={name: fields[name] for name in sorted(fields)},
        derived=_derived(reading, fields),
        amount=next(
            (a for a in amounts if a.per and a.unit in THINGS),
            next((a for a in amounts if a.per), amounts[0] if amounts else None),
        ),
        amounts=amounts,
        **span.place(),
    )


def _joined(held: Mention, more: Mention) -> Mention:
    new = [value for value in more.value if value not in held.value]
    if not new:
        return held
    place = Span.model_construct(text=more.text, start=more.start, end=more.end)
    return held.model_copy(update={"value": [*held.value, *new], "also": (*held.also, place)})


_OF_KIND = {"embedding": "embeddings", "reranker": "reranking", "asr": "speech", "diffusion": "image_generation"}


def _derived(reading: Reading, fields: Mapping[str, Mention]) -> dict[str, Derived]:
    """The task that a model's kind tells, where none is said."""
    if "workload" in fields or "models" not in fields:
        return {}
    task = _task_of_models(reading, fields)
    if not task and "users_total" in fields:
        return {"workload": Derived.model_construct(value="chat", because="people are to use a language model")}
    return task


def _task_of_models(reading: Reading, fields: Mapping[str, Mention]) -> dict[str, Derived]:
    known = reading.catalogue.entries("models")
    names: Iterable[str] = (name for name in fields["models"].value if name in known)
    for name in names:
        kind = reading.catalogue.entry("models", name).kind
        task = _OF_KIND.get(kind) or ("coding" if FOR_CODE.search(f"{name} {fields['models'].text}") else None)
        if task:
            return {"workload": Derived.model_construct(value=task, because=f"{name} is such a model")}
    return {}
