"""A language with what is said in it: what views and documents are handed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.messages import figures
from assistant.messages.catalogue import has
from assistant.messages.sentences import render
from knowledge.message import Message, Text, Value, say


@dataclass(frozen=True)
class Voice:
    """Says messages in ``lang``; ``voice("title")`` is the message ``title`` of its own room."""

    lang: str = "en"
    room: str = ""

    def __call__(self, key: str, **values: Value | Iterable[Message]) -> str:
        """The message ``key`` of the room."""
        return render(say(f"{self.room}.{key}", **values), self.lang)

    def knows(self, key: str) -> bool:
        """Whether the room has the message."""
        return has(f"{self.room}.{key}")

    def tell(self, text: Text | None) -> str:
        """A message, or words that are nobody's to translate; nothing for None."""
        return "" if text is None else render(text, self.lang)

    def word(self, group: str, name: str) -> str:
        """The word for an id in a group of words, else the id in plain letters."""
        return render(Message(f"{group}.{name}", text=name.replace("_", " ")), self.lang)

    def quantity(self, value: object, unit: str | None = None) -> str:
        """A figure with its unit; unknown where there is none."""
        if value is None:
            return figures.words("unknown", self.lang)
        if isinstance(value, bool):
            return figures.words("yes" if value else "no", self.lang)
        if isinstance(value, (int, float)):
            return figures.quantity(value, unit, self.lang)
        if isinstance(value, Message):
            return render(value, self.lang)
        if isinstance(value, Mapping):
            parts = (f"{name} {self.quantity(one)}" for name, one in value.items() if one is not None)
            return ", ".join(parts)
        if isinstance(value, (list, tuple)):
            return ", ".join(self.quantity(one, unit) for one in value)
        return str(value)

    def share(self, value: float) -> str:
        """A share rounded down, so that 100 % means all of it."""
        return figures.percent(value, self.lang, down=True)

    def reach(self, ends: tuple[float, float] | None, unit: str | None = None) -> str:
        """A range from low to high, or a dash."""
        if ends is None:
            return DASH
        low, high = (
            figures.percent(end, self.lang) if unit == "share" else figures.number(end, self.lang) for end in ends
        )
        return render(say("words.range", low=low, high=high), self.lang)


DASH = "–"
"""Stands where there is nothing to say."""
