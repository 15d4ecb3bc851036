"""The state of one parse: the cleaned text, what has been found, and which places are taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from assistant.interview.parser.numbers.values import Amount
from assistant.interview.parser.result import Ambiguous, Derived, Excluded, Heard, HeardKind, Mention, Span
from assistant.interview.parser.result import Amount as Load
from assistant.interview.parser.scope import ruled_out
from assistant.interview.parser.stream import Stream
from knowledge import regexes as re
from knowledge.catalogue import Catalogue

if TYPE_CHECKING:
    from assistant.interview.parser.groups.events import Event

_NEGATION = re.compile(
    r"(?:\b(?:no|not|without|never|nada de|rien de|ninguna?|nenhuma?|"
    r"kein|keine|keinen|keiner|nicht|ohne|pas d[e']|pas|sans|sin|sem|não|isn't|"
    r"don't (?:want|need|have)|"
    r"instead of|rather than|statt|anstatt|au lieu de)|无|不用|不要|不在|没有)"
    r"\s?(?:(?:in|in the|the|a|an|any|im|in den|der|die|das|auf|mit|use|en|au|aux|em|no|need for|"
    r"with)\s){0,2}(?:(?:us|eu|public|foreign|amerikanische[nr]?|öffentliche[nr]?)[ -])?$",
    re.IGNORECASE,
)
_NEGATED_AFTER = re.compile(r"^\s?(?:없이|없음|불가|不行|不可以)", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:\b(?:is|does|do|should|would|could|can|will|worth|need|brauch\w*|soll\w*|ist|muss|faut-il|hace "
    r"falta)\b[^.;:!?\n]{0,30}|\bor |选择?|还是 ?|아니면 ?)$",
    re.IGNORECASE,
)


MAX_NUMBERS = 500
"""How many numbers of a message are looked at; no message that a person writes has more."""

WORKING_DAY_S = 8 * 3600
"""Seconds over which requests per day are spread until somebody says otherwise."""


@dataclass
class Reading:
    """``original`` and ``text`` have the same length; spans are cut from ``original``."""

    original: str
    text: str
    lang: str
    catalogue: Catalogue
    fields: dict[str, Mention] = field(default_factory=dict)
    derived: dict[str, Derived] = field(default_factory=dict)
    ambiguous: list[Ambiguous] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    mentions: list[tuple[str, Mention]] = field(default_factory=list)
    """Every statement of a field in the order of reading: the first holds, the others may be of another demand."""
    amounts: list[Load] = field(default_factory=list)
    unused: list[Heard] = field(default_factory=list)
    context: list[Heard] = field(default_factory=list)
    also: tuple[str, ...] = ()
    kept_events: list[Event] | None = None
    _stream: Stream | None = None
    _taken: bytearray = field(default_factory=bytearray)
    _starts: list[int] | None = None

    def __post_init__(self) -> None:
        self._taken = bytearray(len(self.text))

    def span(self, start: int, end: int) -> Span:
        """The place without spaces at its ends."""
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and (self.text[end - 1].isspace() or self.text[end - 1] in ",;:"):
            end -= 1
        return Span.model_construct(text=self.original[start:end], start=start, end=end)

    def free(self, start: int, end: int) -> bool:
        """Whether no earlier reading took any of this place."""
        return self._taken.find(1, start, end) < 0

    def take(self, start: int, end: int) -> None:
        """Mark a place as understood."""
        self._taken[start:end] = b"\x01" * (end - start)

    def find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Matches of ``pattern`` in places not taken yet, in order."""
        for match in pattern.finditer(self.text):
            if self.free(match.start(), match.end()):
                yield match

    def number_starts(self, pattern: re.Pattern[str]) -> list[int]:
        """The first places where a number may start, found once."""
        if self._starts is None:
            found = (match.start() for match in pattern.finditer(self.text))
            self._starts = list(islice(found, MAX_NUMBERS))
        return self._starts

    def before(self, start: int, reach: int = 40) -> str:
        """The text before a place, within its own sentence."""
        return re.split(r"[.;!?\n](?=\s|$)", self.text[max(0, start - reach) : start])[-1]

    def after(self, end: int, reach: int = 40) -> str:
        """The text after a place."""
        return self.text[end : end + reach]

    def negated(self, start: int, end: int) -> bool:
        """Whether the words around a place rule it out."""
        before = self.before(start)
        if self.lang == "pt" and before.lower().endswith("no "):  # "no Brasil" is "in Brazil"
            return False
        if _NEGATION.search(before) or _NEGATED_AFTER.search(self.after(end)):
            return True
        return self._stream is not None and ruled_out(self._stream, start, end)

    def negated_beside(self, start: int, end: int) -> bool:
        """Whether a negation stands right at a place: names reach further than words do."""
        return bool(_NEGATION.search(self.before(start)) or _NEGATED_AFTER.search(self.after(end)))

    def asked(self, start: int, end: int) -> bool:
        """Whether the place stands in a question whether it is so: nothing was stated then."""
        rest = re.match(r"[^.;:!\n]{0,40}?\?", self.after(end, 60))
        if re.match(r"\s?(?:还是|아니면)", self.after(end, 6)):
            return True
        return bool(rest and _ASKED.search(self.before(start, 60)))

    @property
    def stream(self) -> Stream:
        """Numbers and words of the text; numbers within what was understood by then are no numbers of their own."""
        if self._stream is None:
            self._stream = Stream(self.text, self.lang, self.also, self._taken)
        return self._stream

    def state(self, name: str, value: Any, start: int, end: int, **more: Any) -> None:
        """Record a stated field; the first mention holds at the top, later ones may belong to another demand."""
        mention = Mention.model_construct(value=value, **more, **self.span(start, end).place())
        self.mentions.append((name, mention))
        self.fields.setdefault(name, mention)

    def amount(self, unit: str, value: float, per: str | None, start: int, end: int) -> None:
        """Record a load that is counted in something else than people."""
        span = self.span(start, end)
        self.amounts.append(Load.model_construct(value=tidy(value), unit=unit, per=per, **span.place()))

    def unuse(
        self, start: int, end: int, kind: HeardKind, reason: str, field: str | None = None, value: Any = None
    ) -> None:
        """Record what was heard and cannot be sized from, with the reason."""
        self.take(start, end)
        span = self.span(start, end).place()
        self.unused.append(Heard.model_construct(kind=kind, reason=reason, field=field, value=value, **span))

    def exclude(self, field: str, value: Any, start: int, end: int) -> None:
        """List what is ruled out, once for each value."""
        if not any(e.field == field and e.value == value for e in self.excluded):
            self.excluded.append(Excluded.model_construct(field=field, value=value, span=self.span(start, end)))

    def told_of(self, start: int, end: int) -> str | None:
        """Whether a place stands in words on what was measured, or on what others published; None for a need."""
        first, _ = self.stream.sentence(start)
        clause_start, clause_end = self.stream.clause(start, end)
        if self.stream.within(first, start, "reported"):
            return "somebody else's figures"
        if self.stream.within(clause_start, clause_end, "wanted"):
            return None
        told = self.stream.within(first, clause_end, "measured")
        if told and not self.stream.within(min(told[-1].end, start), start, "wanted"):
            return "measured"
        return None

    def rate(self, value: float, low: float | None, per: str, start: int, end: int) -> None:
        """Requests per second, minute or hour as stated; per day spread over a working day, and asked."""
        seconds = {"second": 1, "minute": 60, "hour": 3600, "day": WORKING_DAY_S}[per]
        each = tidy(float(f"{value / seconds:.12g}"))
        lowest = None if low is None else tidy(float(f"{low / seconds:.12g}"))
        meanings = ("spread over 8 working hours", "spread over 24 hours")
        held = self.fields.get("requests_per_s")
        if per != "day" and held is not None and (held.note or "").startswith("taken as spread"):
            del self.fields["requests_per_s"]  # a rate that was said goes before one that was spread over a day
            self.ambiguous = [a for a in self.ambiguous if a.field != "requests_per_s"]
        doubt = per == "day" and not any(m.value == "24x7" for n, m in self.mentions if n == "operating_hours")
        note = f"taken as {meanings[0]}" if doubt else None
        self.state("requests_per_s", each, start, end, unit="req/s", low=lowest, high=each if low else None, note=note)
        if doubt and not any(a.field == "requests_per_s" for a in self.ambiguous):
            self.ambiguous.append(
                Ambiguous.model_construct(
                    field="requests_per_s",
                    span=self.span(start, end),
                    candidates=meanings,
                    question="Over how many hours of the day do these requests come?",
                    assumed=meanings[0],
                )
            )

    def state_amount(self, name: str, found: Amount, unit: str | None, start: int, end: int, **more: Any) -> None:
        """Record a stated quantity with its range."""
        self.state(name, tidy(found.value), start, end, low=found.low, high=found.high, unit=unit, **more)


def tidy(value: float) -> float | int:
    """Whole numbers without ``.0``."""
    return int(value) if float(value).is_integer() and abs(value) < 1e21 else value
