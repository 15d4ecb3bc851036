"""Several demands in one message: which statements belong together, by list items and by clauses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from assistant.interview.parser.names.models import FOR_CODE
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Amount, Derived, Group, Mention, Span
from knowledge import regexes as re

DEMAND = frozenset(
    [
        "users_total",
        "users_concurrent",
        "active_share",
        "models",
        "parameters_b",
        "weight_dtype",
        "workload",
        "speech_task",
        "training_method",
        "training_tokens",
        "requests_per_s",
        "context_tokens",
        "input_tokens",
        "output_tokens",
        "ttft_ms",
        "tpot_ms",
        "availability",
        "documents",
        "audio_hours_per_day",
        "gpus",
        "lora_adapters",
        "operating_hours",
        "batch_days",
        "prefix_cached_share",
        "tenants",
        "utilisation",
    ]
)
"""The fields that a demand may have for itself."""

_LOAD = frozenset({"users_total", "users_concurrent", "requests_per_s", "amount", "documents", "audio_hours_per_day"})
_OWN = frozenset(
    {"workload", "models", "parameters_b", "amount", "requests_per_s", "gpus", "input_tokens", "audio_hours_per_day"}
)
_ONE_TASK = (
    {"chat", "rag"},
    {"chat", "agents"},
    {"coding", "agents"},
    {"ocr", "batch"},
    {"summarising", "batch"},
    {"rag", "embeddings"},
    {"finetuning", "coding"},
    {"speech", "batch"},
    {"vision", "batch"},
    {"ocr", "vision"},
    {"chat", "coding"},
    {"speech", "chat"},
)
"""Tasks that one demand may be called by."""

_FOR_PEOPLE = frozenset({"chat", "coding", "rag", "agents"})
"""Tasks of people, which things to be worked off are not."""

_THINGS = frozenset(
    {"images", "documents", "pages", "hours of audio", "minutes of audio", "calls", "studies", "videos", "vectors"}
)
_SAME_THINGS = (
    {"documents", "pages"},
    {"documents", "vectors"},
    {"pages", "vectors"},
    {"calls", "hours of audio"},
    {"calls", "minutes of audio"},
    {"hours of audio", "minutes of audio"},
    {"studies", "images"},
)

_ITEM = re.compile(
    r"(?:^|\n)[ \t]{0,6}(?:[-*•–‣◦]|\(?(?:\d{1,2}|[a-hA-H]|[ivx]{1,3})[.)])[ \t]+|(?<=[:;,.] )\(?(?:[a-h]|[1-9]|"
    r"i{1,3}|iv)\)\s|"
    r"(?:^|\n)[ \t]{0,6}[^\W\d_]{2,12} ?\d{1,2} ?[-–:)]|(?<=[:;] )\(?(?:1|2|3|4)[.)]\s|[①②③④⑤]"
)
_SEPARATOR = re.compile(
    r"[,;。；，、\uff64\n]|\.(?=\s|$)|[:(（]|\s(?:and|plus|und|sowie|et|ainsi que|y|e|ed|en|i|oraz|tandis que|während|"
    r"while|whereas|mientras)\s|和|以及|及|그리고|와 |과 |と",
    re.IGNORECASE,
)


@dataclass
class _Event:
    """A statement of one demand field, or an amount under the name ``amount``."""

    name: str
    start: int
    end: int
    mention: Mention | None = None
    amount: Amount | None = None

    @property
    def value(self) -> object:
        """What is stated."""
        return self.mention.value if self.mention else self.amount and (self.amount.value, self.amount.unit)


@dataclass
class _Part:
    """The events that belong together."""

    start: int
    events: list[_Event] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """The fields it states."""
        return {event.name for event in self.events}

    def has(self, name: str) -> bool:
        """Whether a field is stated."""
        return any(event.name == name for event in self.events)


def groups(reading: Reading) -> tuple[Group, ...]:
    """The demands of the message; one where everything speaks of one, none where no demand was stated."""
    events = _events(reading)
    if not events:
        return ()
    parts = _listed(reading, events) or _by_clause(reading, events)
    if len(parts) < 2:
        first = parts[0].events if parts else []  # a part that says more than a number of people goes before the others
        parts = [_Part(0, [*first, *(event for event in events if event not in first)])]
        return (_group(reading, parts[0], 0, len(reading.text)),)
    ends = [*(part.start for part in parts[1:]), len(reading.text)]
    return tuple(
        _group(reading, part, part.start, min(end, _stop(reading, part, end)))
        for part, end in zip(parts, ends, strict=True)
    )


def _hand_on_model(reading: Reading, parts: list[_Part]) -> None:
    """``and serve it``: the pronoun stands for the model of the demand before."""
    for before, part in itertools.pairwise(parts):
        models = [e for e in before.events if e.name in ("models", "parameters_b")]
        if not part.events or part.names & {"models", "parameters_b"} or not models:
            continue
        pronouns = reading.stream.linked(part.start, max(e.end for e in part.events) + 30, "it")
        if pronouns and reading.stream.linked(part.start, len(reading.text), "serve"):
            part.events += models


def _events(reading: Reading) -> list[_Event]:
    """The statements in their order; ``reading`` states none any more when they are asked for."""
    if reading.kept_events is None:
        reading.kept_events = _all_events(reading)
    return reading.kept_events


def _all_events(reading: Reading) -> list[_Event]:
    seen: set[tuple[str, int, int]] = set()
    events = []
    for name, mention in reading.mentions:
        key = (name, mention.start, mention.end)
        if name in DEMAND and key not in seen and (reading.fields.get(name) is not None):
            seen.add(key)
            events.append(_Event(name, mention.start, mention.end, mention))
    events += [_Event("amount", a.start, a.end, amount=a) for a in reading.amounts]
    return sorted(events, key=lambda event: (event.start, event.end))


def _stop(reading: Reading, part: _Part, end: int) -> int:
    """A group's words end with the sentence of its last event."""
    last = max(event.end for event in part.events)
    return max(last, min(end, reading.stream.sentence(max(last - 1, 0))[1]))


def _listed(reading: Reading, events: list[_Event]) -> list[_Part]:
    """Items of a list that state a demand each."""
    starts = [match.start() + len(match[0]) - len(match[0].lstrip()) for match in _ITEM.finditer(reading.text)]
    if len(starts) < 2:
        return []
    parts = []
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else _last_item_end(reading, start)
        own = [event for event in events if start <= event.start < end]
        if any(event.name in _LOAD | {"workload", "models", "parameters_b", "gpus"} for event in own):
            parts.append(_Part(start, own))
    return parts if len(parts) >= 2 else []


def _last_item_end(reading: Reading, start: int) -> int:
    line = reading.original.find("\n", start + 1)
    if line >= 0:
        return line
    return reading.stream.sentence(start + 4)[1]


def _by_clause(reading: Reading, events: list[_Event]) -> list[_Part]:
    parts = [_Part(0)]
    for event in events:
        current = parts[-1]
        if _starts_another(reading, current, event):
            start = _start_of(reading, current, event)
            moved = [e for e in current.events if e.start >= start]
            current.events = [e for e in current.events if e.start < start]
            parts.append(_Part(start, moved))
        parts[-1].events.append(event)
    _hand_on_model(reading, parts)
    return _distinct(parts)


def _starts_another(reading: Reading, part: _Part, event: _Event) -> bool:
    last = part.events[-1] if part.events else None
    same = [e.end for e in part.events if e.name == event.name and e.end <= event.start]
    if last is None or not _SEPARATOR.search(reading.text, same[-1] if same else last.end, event.start):
        return False
    if _joined_on(reading, part, event):
        return True
    if not part.names & _LOAD and not (part.has("workload") and part.names & {"models", "parameters_b", "gpus"}):
        return False
    held = [e for e in part.events if e.name == event.name]
    if held and reading.stream.within(held[-1].end, event.start, "correction"):
        return False
    if _served_then(reading, part, event) or _people_of_it(reading, part, event):
        return True
    if event.name in ("users_total", "users_concurrent"):
        return any(e.value != event.value for e in held)
    if event.name == "amount" and event.amount:
        units = {e.amount.unit for e in held if e.amount}
        return any(
            u != event.amount.unit and {u, event.amount.unit} <= _THINGS and {u, event.amount.unit} not in _SAME_THINGS
            for u in units
        )
    if event.name == "workload" and last.end <= event.start and part.names & _LOAD and _load_follows(reading, event):
        if not held:
            return event.value in _FOR_PEOPLE and part.has("amount") and not part.has("users_total")
        return not any(e.value == event.value for e in held)
    if event.name == "workload":
        tasks = {str(e.value) for e in held}
        return bool(tasks) and not any(t == event.value or {t, event.value} in _ONE_TASK for t in tasks)
    return False


def _same_task(one: object, other: object) -> bool:
    return one == other or {one, other} in _ONE_TASK


_TRAINING = frozenset({"finetuning", "pretraining", "rl"})


def _joined_on(reading: Reading, part: _Part, event: _Event) -> bool:
    """``10k images a day, plus captions with Qwen-VL``: what is joined on has a task or a kind of model of its own."""
    last = max(e.end for e in part.events)
    if last > event.start or not reading.stream.linked(last, event.start, "also"):
        return False
    _, end = reading.stream.sentence(event.start)
    following = reading.stream.linked(event.end, end, "also")
    stop = following[0].start if following else end
    own = [e for e in _events(reading) if event.start <= e.start < stop]
    tasks = {str(e.value) for e in part.events if e.name == "workload"}
    new = {str(e.value) for e in own if e.name == "workload"}
    kinds, other = _model_kinds(reading, part.events), _model_kinds(reading, own)
    if kinds and other:
        apart = kinds.isdisjoint(other) or bool({e.name for e in own} & _LOAD)
        return apart and not {*kinds, *other} & {"embedding", "reranker"}
    loads = part.names & _LOAD, {e.name for e in own} & _LOAD
    if all(loads):
        return bool(tasks and new) and tasks.isdisjoint(new)
    return bool(tasks and new and any(loads)) and not any(_same_task(a, b) for a in tasks for b in new)


def _model_kinds(reading: Reading, events: Iterable[_Event]) -> set[str]:
    known = reading.catalogue.entries("models")
    names = (name for e in events if e.name == "models" and e.mention for name in e.mention.value)
    return {str(reading.catalogue.entry("models", name).kind) for name in names if name in known}


def _served_then(reading: Reading, part: _Part, event: _Event) -> bool:
    """``fine-tune it every week, and serve it to 80 agents``: people use what a training has made."""
    if event.name not in ("users_total", "users_concurrent", "requests_per_s"):
        return False
    trains = [e for e in part.events if e.name == "workload" and e.value in _TRAINING]
    if not trains or part.names & {"users_total", "users_concurrent", "requests_per_s"}:
        return False
    return bool(reading.stream.linked(trains[-1].end, event.end + 40, "serve"))


def _people_of_it(reading: Reading, part: _Part, event: _Event) -> bool:
    """``1.5 million pages of OCR; and 70 archivists ask questions over them``."""
    if event.name != "users_total" or not part.has("amount") or part.has("users_total"):
        return False
    tasks = {e.value for e in part.events if e.name == "workload"}
    if not tasks or tasks & _FOR_PEOPLE:
        return False
    _, end = reading.stream.sentence(event.start)
    return any(
        e.name == "workload" and e.value in _FOR_PEOPLE and event.start < e.start < end for e in _events(reading)
    )


def _load_follows(reading: Reading, event: _Event) -> bool:
    """Whether a load of its own is said after a task, before the sentence ends or another task is named."""
    _, last = reading.stream.sentence(event.start)
    ends = [
        e.start
        for e in _events(reading)
        if e.name == "workload" and e.start > event.end and not _same_task(e.value, event.value)
    ]
    stop = min([last, *ends])
    return any(e.name in _LOAD and event.start <= e.start < stop for e in _events(reading))


def _start_of(reading: Reading, part: _Part, event: _Event) -> int:
    """The last border before the event that does not lie before the load of the part so far."""
    loads = [e.end for e in part.events if e.name in _LOAD]
    floor = max([0, *loads])
    borders = [m.start() for m in _SEPARATOR.finditer(reading.text, floor, event.start)]
    first, _ = reading.stream.sentence(event.start)
    if borders and first > floor:
        return first
    return borders[-1] if borders else event.start


def _distinct(parts: list[_Part]) -> list[_Part]:
    """Parts that differ in more than a number of people; the others join their neighbour."""
    kept: list[_Part] = []
    for part in parts:
        if not part.events:
            continue
        if kept and not part.names & _OWN and not ({"users_total", "users_concurrent"} <= part.names):
            kept[-1].events += part.events
        elif (
            kept
            and len(kept) == 1
            and not kept[0].names & _OWN
            and not ({"users_total", "users_concurrent"} <= kept[0].names)
        ):
            part.events = [*kept[0].events, *part.events] if not part.names & _LOAD else part.events
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


def _group(reading: Reading, part: _Part, start: int, end: int) -> Group:
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
            (a for a in amounts if a.per and a.unit in _THINGS),
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
