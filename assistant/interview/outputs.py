"""What an interview says, and what it gives to be saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assistant.interview.brief import Answer

Says = Literal["welcome", "question", "understood", "error", "info", "summary", "end"]


@dataclass(frozen=True)
class Output:
    """One thing said; ``kind`` tells a face how to show it, ``field`` which question it belongs to."""

    kind: Says
    text: str
    field: str | None = None


@dataclass(frozen=True)
class Event:
    """What there is to save: answers given, taken back or not known, a field that was skipped, a step back or again."""

    kind: Literal["answer", "dont_know", "skip", "undo", "redo"]
    answers: tuple[Answer, ...]
