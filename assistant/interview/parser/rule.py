"""A rule that reads one field from one quantity: the number with what stands after it, or before it.

Rules whose number comes first are tried only where a number stands, which keeps a parse fast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assistant.interview.parser.numbers import ALL_LETTERS, NUMBER_START, Amount, amount, quantity
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.units import factor

Convert = Callable[[Amount, re.Match[str]], Amount]
Check = Callable[[Reading, re.Match[str]], bool]

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


def _as_is(found: Amount, _: re.Match[str]) -> Amount:
    return found


def _always(_: Reading, __: re.Match[str]) -> bool:
    return True


@dataclass(frozen=True)
class Rule:
    """A pattern for one field: its quantity is converted to ``unit`` and stated unless ``check`` refuses."""

    field: str
    pattern: re.Pattern[str]
    unit: str | None
    number_first: bool
    convert: Convert = _as_is
    check: Check = _always
    count: bool = False
    least: float = 0.0
    most: float = float("inf")


def after(
    field: str,
    words_after: str,
    unit: str | None = None,
    *,
    words: bool = False,
    letters: str = ALL_LETTERS,
    convert: Convert = _as_is,
    check: Check = _always,
    count: bool = False,
    least: float = 0.0,
    most: float = float("inf"),
) -> Rule:
    """A rule for a number followed by ``words_after``."""
    pattern = re.compile(quantity(words_after, words=words, letters=letters), re.IGNORECASE)
    return Rule(field, pattern, unit, True, convert, check, count, least, most)


def before(
    field: str,
    label: str,
    words_after: str = "",
    unit: str | None = None,
    *,
    words: bool = False,
    letters: str = ALL_LETTERS,
    convert: Convert = _as_is,
    check: Check = _always,
    count: bool = False,
    least: float = 0.0,
    most: float = float("inf"),
) -> Rule:
    """A rule for a ``label`` followed by a number and ``words_after``."""
    pattern = re.compile(label + quantity(words_after, words=words, letters=letters), re.IGNORECASE)
    return Rule(field, pattern, unit, False, convert, check, count, least, most)


def read_quantities(reading: Reading, rules: tuple[Rule, ...]) -> None:
    """State the quantity of each rule in order; what a rule understood is closed to those after it."""
    for rule in rules:
        for match in _matches(reading, rule):
            found = rule.convert(amount(match, reading.lang, rule.count), match)
            if not rule.least <= found.value <= rule.most or not rule.check(reading, match):
                continue
            if reading.negated(*match.span()):
                continue
            inner = match.span("gap") if "gap" in rule.pattern.groupindex else (match.end(), match.end())
            reading.take(match.start(), inner[0])
            reading.take(inner[1], match.end())
            reading.state_amount(rule.field, found, rule.unit, *match.span())


def _matches(reading: Reading, rule: Rule) -> Iterator[re.Match[str]]:
    tried: Iterator[re.Match[str] | None] = rule.pattern.finditer(reading.text)
    if rule.number_first:
        tried = (rule.pattern.match(reading.text, start) for start in reading.number_starts(NUMBER_START))
    for match in tried:
        # What stands in a gap ("3 people to use llama 405b at the same time") may be taken by another reading.
        inner = match.start("gap") if match and "gap" in rule.pattern.groupindex else match.end() if match else 0
        if match and reading.free(match.start(), inner):
            yield match


def by_unit(unit: str) -> Convert:
    """Conversion of the group ``unit`` that ``unit_pattern`` matched."""
    return lambda found, match: found.times(factor(unit, match["unit"]))


def percent(found: Amount, _: re.Match[str]) -> Amount:
    """Percent to a share."""
    return found.times(0.01)


_POWERS_OF_TWO = {n * 1000: n * 1024 for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)} | {
    10**6: 2**20,
    2 * 10**6: 2**21,
}


def binary_thousands(found: Amount, match: re.Match[str]) -> Amount:
    """``128k`` tokens of context are 131,072; ``120k`` are 120,000."""
    if not (match.groupdict().get("as") or match.groupdict().get("s")):
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


def wanted(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the figure is asked for: not one that somebody measured or that a page claims."""
    return not _MEASURED.search(reading.before(match.start())) and not _TOO_LOW.search(reading.after(match.end(), 80))


_PER = re.compile(r"\b(?:per|pro|je|par|por)\s?$", re.IGNORECASE)


def whole(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the figure counts the whole: wanted, and not one per something."""
    return not _PER.search(reading.before(match.start())) and wanted(reading, match)
