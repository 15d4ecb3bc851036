"""What a message states of its demands, in order, and what may stand in one demand together."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Amount, Mention

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

LOAD = frozenset({"users_total", "users_concurrent", "requests_per_s", "amount", "documents", "audio_hours_per_day"})
OWN = frozenset(
    {"workload", "models", "parameters_b", "amount", "requests_per_s", "gpus", "input_tokens", "audio_hours_per_day"}
)
ONE_TASK = (
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

FOR_PEOPLE = frozenset({"chat", "coding", "rag", "agents"})
"""Tasks of people, which things to be worked off are not."""

THINGS = frozenset(
    {"images", "documents", "pages", "hours of audio", "minutes of audio", "calls", "studies", "videos", "vectors"}
)
SAME_THINGS = (
    {"documents", "pages"},
    {"documents", "vectors"},
    {"pages", "vectors"},
    {"calls", "hours of audio"},
    {"calls", "minutes of audio"},
    {"hours of audio", "minutes of audio"},
    {"studies", "images"},
)


@dataclass
class Event:
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
class Part:
    """The events that belong together."""

    start: int
    events: list[Event] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """The fields it states."""
        return {event.name for event in self.events}

    def has(self, name: str) -> bool:
        """Whether a field is stated."""
        return any(event.name == name for event in self.events)


def events_of(reading: Reading) -> list[Event]:
    """The statements in their order; ``reading`` states none any more when they are asked for."""
    if reading.kept_events is None:
        reading.kept_events = _all_events(reading)
    return reading.kept_events


def _all_events(reading: Reading) -> list[Event]:
    seen: set[tuple[str, int, int]] = set()
    events = []
    for name, mention in reading.mentions:
        key = (name, mention.start, mention.end)
        if name in DEMAND and key not in seen and (reading.fields.get(name) is not None):
            seen.add(key)
            events.append(Event(name, mention.start, mention.end, mention))
    events += [Event("amount", a.start, a.end, amount=a) for a in reading.amounts]
    return sorted(events, key=lambda event: (event.start, event.end))


def same_task(one: object, other: object) -> bool:
    return one == other or {one, other} in ONE_TASK
