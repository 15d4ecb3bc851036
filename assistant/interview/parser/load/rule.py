"""A rule that reads one field from one quantity: the number with what stands after it, or before it.

Rules whose number comes first are tried only where a number stands, which keeps a parse fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assistant.interview.parser.numbers.units import factor
from assistant.interview.parser.numbers.values import ALL_LETTERS, NUMBER_START, Amount, amount, quantity
from assistant.interview.parser.reading import Reading
from knowledge import regexes as re

END = r"(?![A-Za-zÀ-ÿ])"
"""No letter follows."""

CLEAR = r"(?![A-Za-z0-9%])"
"""The number ends here and has no unit of its own."""

IS = (
    r"\s?(?:of|:|=|is|about|approx\.?|around|up to|under|below|<=?|>=?|von|ca\.?|etwa|rund|unter|bis zu|max\.?|"
    r"ist|liegt bei|"
    r"de|à|jusqu'à|约|小于|低于|不超过|~|at|für|for|en|sous|moins de|menos de)?\s?"
)
"""What may stand between a label and its number."""


@dataclass(frozen=True)
class Quantity:
    """A number with what stands before and after it, read as one match of all their groups."""

    label: re.Match[str] | None
    number: re.Match[str]
    tail: re.Match[str]

    def __getitem__(self, name: str) -> str:
        """The text of a group; empty where it took no part."""
        return next((m[name] or "" for m in self._parts() if name in m.re.groupindex), "")

    def _parts(self) -> tuple[re.Match[str], ...]:
        return (self.number, self.tail) if self.label is None else (self.label, self.number, self.tail)

    @property
    def text(self) -> str:
        """All that was matched."""
        return self.number.string[self.start : self.end]

    @property
    def start(self) -> int:
        """Where the label, or without one the number, starts."""
        return self.number.start() if self.label is None else self.label.start()

    @property
    def end(self) -> int:
        """Where what stands after the number ends."""
        return self.tail.end()

    @property
    def gap(self) -> tuple[int, int]:
        """A stretch between that belongs to others ("3 people use LLAMA 405B at the same time"), empty at the end."""
        part = next((m for m in self._parts() if "gap" in m.re.groupindex), None)
        return (self.end, self.end) if part is None else part.span("gap")


Convert = Callable[[Amount, Quantity], Amount]
Check = Callable[[Reading, Quantity], bool]


def _as_is(found: Amount, _: Quantity) -> Amount:
    return found


def _always(_: Reading, __: Quantity) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """A field, what stands before (``label``) and after (``tail``) its number, and what becomes of it.

    The quantity is converted to ``unit`` and stated, unless it is out of ``least`` to ``most`` or ``check`` refuses.
    ``words`` takes number words too, ``letters`` are the one-letter magnitudes that may follow the number.
    """

    field: str
    label: str | None
    tail: str
    unit: str | None = None
    words: bool = False
    letters: str = ALL_LETTERS
    convert: Convert = _as_is
    check: Check = _always
    count: bool = False
    least: float = 0.0
    most: float = float("inf")


def after(field: str, tail: str, unit: str | None = None, **more: Any) -> Rule:
    """A rule for a number followed by ``tail``."""
    return Rule(field, None, tail, unit, **more)


def before(field: str, label: str, tail: str = "", unit: str | None = None, **more: Any) -> Rule:
    """A rule for a ``label`` followed by a number and ``tail``."""
    return Rule(field, label, tail, unit, **more)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=16)
def _number(words: bool, letters: str) -> re.Pattern[str]:
    return re.compile(quantity(words=words, letters=letters), re.IGNORECASE)


def read_quantities(reading: Reading, rules: tuple[Rule, ...]) -> None:
    """State the quantity of each rule in order; what a rule understood is closed to those after it."""
    for rule in rules:
        for match in _matches(reading, rule):
            found = rule.convert(amount(match.number, reading.lang, rule.count), match)
            if not rule.least <= found.value <= rule.most or not rule.check(reading, match):
                continue
            if reading.negated(match.start, match.end):
                continue
            reading.take(match.start, match.gap[0])
            reading.take(match.gap[1], match.end)
            reading.state_amount(rule.field, found, rule.unit, match.start, match.end)


def _matches(reading: Reading, rule: Rule) -> Iterator[Quantity]:
    for label, start in _places(reading, rule):
        number = _number(rule.words, rule.letters).match(reading.text, start)
        tail = number and _compiled(rule.tail).match(reading.text, number.end())
        if number and tail:
            match = Quantity(label, number, tail)
            # What stands in a gap may be taken by another reading.
            if reading.free(match.start, match.gap[0]) and reading.free(match.gap[1], match.end):
                yield match


def _places(reading: Reading, rule: Rule) -> Iterator[tuple[re.Match[str] | None, int]]:
    """Where a rule's number may start."""
    if rule.label is None:
        for start in reading.number_starts(NUMBER_START):
            yield None, start
    else:
        for label in _compiled(rule.label).finditer(reading.text):
            yield label, label.end()


def by_unit(unit: str) -> Convert:
    """Conversion of the group ``unit`` that ``unit_pattern`` matched."""
    return lambda found, match: found.times(factor(unit, match["unit"]))


def percent(found: Amount, _: Quantity) -> Amount:
    """Percent to a share."""
    return found.times(0.01)


_POWERS_OF_TWO = {n * 1000: n * 1024 for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)} | {
    10**6: 2**20,
    2 * 10**6: 2**21,
}


def binary_thousands(found: Amount, match: Quantity | re.Match[str]) -> Amount:
    """``128k`` tokens of context are 131,072; ``120k`` are 120,000."""
    if not (match["as"] or match["s"]):
        return found

    def exact(x: float | None) -> float | None:
        return None if x is None else _POWERS_OF_TWO.get(int(x), x)

    return Amount(exact(found.value) or found.value, exact(found.low), exact(found.high))


_MEASURED = re.compile(
    r"\b(?:we|i|they|you) (?:only )?(?:get|got|see|measured?|reach|peak)\W{0,2}(?:about |only )?$|"
    r"\byour\b[^.;\n]{0,25}$",
    re.IGNORECASE,
)
_TOO_LOW = re.compile(r"^[^.;!?\n]{0,40}\b(?:seems|is) (?:way )?too (?:low|slow)", re.IGNORECASE)


def wanted(reading: Reading, match: Quantity) -> bool:
    """Whether the figure is asked for: not one that somebody measured or that a page claims."""
    return wanted_at(reading, match.start, match.end)


def wanted_at(reading: Reading, start: int, end: int) -> bool:
    """``wanted`` for any place in the text."""
    return not _MEASURED.search(reading.before(start)) and not _TOO_LOW.search(reading.after(end, 80))


_PER = re.compile(r"\b(?:per|pro|je|par|por)\s?$", re.IGNORECASE)


def whole(reading: Reading, match: Quantity) -> bool:
    """Whether the figure counts the whole: wanted, and not one per something."""
    return not _PER.search(reading.before(match.start)) and wanted(reading, match)
