"""A question on the desk: its words, the facts in it, and the sizing of them where there is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from assistant.asking.library import Library
from assistant.asking.reading.heard import Heard, listen, plain_thousands
from assistant.asking.reading.lexicon import found, lexicon
from assistant.asking.reading.query import Query, read_query
from assistant.asking.reading.said import OFFLINE, TRAINING, counts, light_facts
from assistant.interview.brief import Brief
from knowledge import regexes as re
from rules.schema import Scalar

if TYPE_CHECKING:
    from assistant.interview.parser import ParseResult
    from assistant.result import Sizing
    from knowledge.schema import Server

_GERMAN = (
    r"\b(kann|können|ich|wir|müssen|welche[rs]?|oder|wie|wieviele?|brauchen|brauche|braucht|für|ist|sind|darf|dürfen|der"
    r"|das|gibt|gilt|reicht|muss|warum|welches|ab)\b"
)
_ENGLISH = r"\b(what|which|how|why|when|where|who|is|are|do|does|can|could|should|the|of|for|with|we|our)\b"
_CODES = re.compile(r"\bs?xids?\b\W*(?:\w+\W+){0,2}?\d+")
_NUMBERS = re.compile(
    r"\d|mixtral|falcon|bloom|grok|dbrx|jamba|whisper|kimi|deepseek|llama|qwen|mistral|gemma|\bgpt\b|gaudi|\b(?:fit|fits|passt)\b"
    r"|\b(?:two|three|four|six|eight|ten|twelve|sixteen|zwei|drei|vier|sechs|acht|zehn)\b|illion|illiard|thousand|tausend|hundred|hundert"
)
"""What a name or a number of hardware, models and loads has; without one the parser need not be asked."""

HARD_FACTS = ("models", "parameters_b", "server", "accelerator", "users_total", "users_concurrent", "requests_per_s")
"""Answers from which a sizing can be made."""

_LOAD = ("models", "parameters_b", "users_total", "users_concurrent", "requests_per_s")
"""Those that say what the machines shall do."""

_KILOWATTS = re.compile(r"(\d+(?:[.,]\d+)?)\s*kw\b")


@dataclass
class Desk:
    """One question. ``text`` is as typed, ``lower`` for patterns."""

    text: str
    library: Library
    lower: str = field(init=False)
    plain: str = field(init=False)

    def __post_init__(self) -> None:
        self.plain = plain_thousands(self.text)
        self.lower = self.plain.casefold()

    @cached_property
    def heard(self) -> Heard:
        """Names and numbers of the question; reading them takes most of an answer's time, so only where it has any."""
        return listen(self.plain, self.parsed) if _NUMBERS.search(_CODES.sub(" ", self.lower)) else Heard()

    @cached_property
    def query(self) -> Query:
        """The question, typed."""
        return read_query(self.plain, self.heard)

    @cached_property
    def parsed(self) -> ParseResult:
        """What the parser understands of the question."""
        return self.library.assistant.parse(self.plain)

    @property
    def understood(self) -> Query:
        """The question as it is shown: with the country, where somebody has asked for it."""
        if "parsed" not in self.__dict__ or self.country is None:
            return self.query
        entities = self.query.entities.model_copy(update={"places": (self.country,)})
        return self.query.model_copy(update={"entities": entities})

    @cached_property
    def language(self) -> Literal["en", "de"]:
        """The language that the answer begins in."""
        if self.says(_GERMAN):
            return "de"
        return "en" if self.says(_ENGLISH) or self.parsed.language != "de" else "de"

    @cached_property
    def brief(self) -> Brief:
        """The answers that the question states; a choice that it asks for is none of them."""
        from assistant.interview.parser import to_answers

        words = lexicon().decisions
        asked = {name for spec in words.values() if found(spec.patterns, self.lower) for name in spec.fields}
        return Brief().with_answers([a for a in to_answers(self.parsed) if a.field not in asked])

    def stated(self, name: str) -> Any:
        """The value that the question states for a field, or None."""
        return self.brief.value(name)

    @cached_property
    def country(self) -> str | None:
        """The country that the question names, by its name, a place in it, or "Norwegian"."""
        stated = self.stated("country")
        if stated is not None:
            return str(stated)
        countries = self.library.catalogue.entries("countries").values()
        named = (c.id for c in countries for word in c.adjectives if self.says(rf"\b{re.escape(word.casefold())}"))
        return next(named, None)

    def says(self, pattern: str) -> bool:
        """Whether the question matches."""
        return bool(found((pattern,), self.lower))

    def either(self, english: str, german: str) -> str:
        """The wording in the question's language."""
        return german if self.language == "de" else english

    def show(self, value: float, digits: int = 4) -> str:
        """A number for people in the question's language: significant digits, thousands apart."""
        rounded = float(f"{value:.{digits}g}")
        text = f"{rounded:,.{digits}g}" if abs(rounded) < 10_000 else f"{rounded:,.0f}"
        return text.translate(str.maketrans(".,", ",.")) if self.language == "de" else text

    def gb(self, value: float) -> str:
        """A size for people: three digits, or whole from a hundred on."""
        return self.show(round(value), 9) if value >= 100 else self.show(value, 3)

    def count_of(self, name: Literal["nodes", "gpus"]) -> int | None:
        """How many servers or GPUs the question counts."""
        value = counts(self).get(name)
        return int(value) if value is not None else None

    def units_of(self, server: Server) -> int:
        """How many of a server the question counts: its own count, or its GPUs' (18 servers of a rack are one rack)."""
        rows = [int(row["count"]) for row in self.stated("gpus") or () if row.get("count")]
        if rows and server.gpu_count and rows[0] % server.gpu_count == 0:
            return rows[0] // server.gpu_count
        return self.count_of("nodes") or 1

    @property
    def kilowatts(self) -> float | None:
        """The first power in kW that the question states."""
        match = _KILOWATTS.search(self.lower)
        return float(match[1].replace(",", ".")) if match else None

    @cached_property
    def sized(self) -> Sizing | None:
        """The sizing of what the question states, where that is enough for one."""
        from knowledge.errors import SizewrightError

        if not any(self.brief.stated(name) for name in HARD_FACTS):
            return None
        try:
            return self.library.assistant.size(self.brief, questions=False)
        except SizewrightError:
            return None

    @cached_property
    def case(self) -> Sizing | None:
        """The sizing where it is of the question's own load, and does not make up what the question counts."""
        if not any(self.brief.stated(name) for name in _LOAD) or self.says(OFFLINE) or self.sized is None:
            return None
        counted = self.count_of("nodes")
        if counted is not None and counted != self.sized.facts.get("nodes"):
            return None
        makes_up = self.says(TRAINING) and not self.sized.facts.get("trains")
        return None if makes_up else self.sized

    @cached_property
    def facts(self) -> dict[str, Scalar]:
        """The facts in the question: of its sizing where there is one, else what it says itself."""
        if self.case is not None:
            return {topic: value for topic, value in self.case.facts.items() if topic in self.library.rules.topics}
        return light_facts(self)
