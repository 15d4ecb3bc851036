"""The account of a message: every figure ends as a field, as context, or as heard and not used with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from assistant.interview.parser.numbers.context import DATE, Kind, contexts
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Group, Heard, Span
from knowledge import regexes as re

_KINDS: tuple[str, ...] = get_args(Kind)
_DIGITS = re.compile(r"\d+")

_UNIT = re.compile(
    r"(?P<price>\s?(?:€|\$|£|eur\b|usd\b|chf\b|ct\b|cents?\b|元|円))|"
    r"(?P<memory>[ -]?(?:[kmgt]i?b|[gt]o|g)\b(?!ps|e|/s| ethernet)(?: (?:of )?(?:ram|vram|memory|speicher|mémoire|"
    r"memoria))?)|"
    r"(?P<link>\s?-?(?:[gmt]bit(?:/s)?|[gmt]bps|gbe|gb/s|[gmt]b/s)\b)|(?P<power>\s?-?(?:v|a|volts?|amps?|ampere|"
    r"hz|kva|va)\b)|"
    r"(?P<warm>\s?°\s?[cf]?\b)|(?P<room>\s?(?:m²|m2|sqm|qm|u\b|he\b|ru\b|mm\b|cm\b|m\b|kg\b|lbs?\b|km\b))|"
    r"(?P<time>\s?-?(?:s|sec|min|h|d|hours?|days?|weeks?|months?|years?|minutes?|seconds?|stunden?|tagen?|wochen?|"
    r"monaten?|jahren?|minuten?|sekunden?|heures?|jours?|semaines?|mois|ans?|horas?|días?|dias?|semanas?|meses|"
    r"años?|anos?|ore|giorni|"
    r"settimane|mesi|anni|uur|uren|dagen|weken|maanden|jaar|godzin\w*|dni|tygodni\w*|miesi\w+|lat)\b|\s?(?:秒|分|小时|"
    r"天|年|月|日|时间|초|시간|년))|"
    r"(?P<share>\s?%)|(?P<compute>\s?(?:[kmgtpe]?flops?|gpu[- ]?hours?|gpu-?h|cores?|vcpus?|cpus?|kerne))",
    re.IGNORECASE,
)
_WHY = {
    "price": "a price or a sum whose use was not said",
    "memory": "memory or a file's size; memory is worked out from model, format and length",
    "link": "the speed of a link; the fabric is chosen by the design",
    "power": "an electrical rating that makes no power by itself",
    "warm": "a temperature; it belongs to the cooling's own questions",
    "room": "a measure of the room or of the goods",
    "time": "a time whose meaning for the sizing was not said",
    "share": "a share of what was not said",
    "compute": "an amount of computing that the sizing works out itself",
}
_NOT_KNOWN = "a number whose meaning for the sizing was not said"


def read_context(reading: Reading) -> None:
    """Set aside addresses, telephone numbers, versions and references before any figure is looked at."""
    for found in contexts(reading.text):
        if reading.free(found.start, found.end):
            reading.take(found.start, found.end)
            if found.kind == "date" and (hours := _HOURS.search(reading.text[found.start : found.end])):
                _opening_hours(reading, found.start, found.end, int(hours[1]), int(hours[2]))
                continue
            reading.context.append(
                Heard.model_construct(kind=found.kind, **reading.span(found.start, found.end).place())
            )


_HOURS = re.compile(
    r"^(\d{1,2})(?::00)? ?(?:uhr|am|h)? {0,3}(?:-|bis|und|to|until|à|a) {0,3}(\d{1,2})(?::00)? ?(?:uhr|pm|am|h)\b",
    re.IGNORECASE,
)


def _opening_hours(reading: Reading, start: int, end: int, first: int, last: int) -> None:
    """``8 bis 17 Uhr``, ``9am-5pm``: hours of operation a day."""
    hours = (last - first) % 12 if "pm" in reading.text[start:end].lower() and last <= 12 else (last - first) % 24
    reading.unuse(
        start,
        end,
        "quantity",
        "hours of operation are taken as office hours or around the clock",
        "hours_per_day",
        hours,
    )


def keep_amounts(reading: Reading) -> None:
    """List the loads that no field of the brief takes: they stay with their demand, and the sizing says so."""
    stated = {(mention.start, mention.end) for _, mention in reading.mentions}
    worked_out = [derived.because for derived in reading.derived.values()]
    for one in reading.amounts:
        if (one.start, one.end) not in stated and not any(f'"{one.text}"' in because for because in worked_out):
            often = f" a {one.per}" if one.per else ""
            reason = f"a load in {one.unit}{often}: kept with its demand, no field of the sizing takes it yet"
            value = {"value": one.value, "unit": one.unit, "per": one.per}
            reading.unused.append(
                Heard.model_construct(
                    kind="quantity",
                    reason=reason,
                    field="amount",
                    value=value,
                    text=one.text,
                    start=one.start,
                    end=one.end,
                )
            )


def settle_account(reading: Reading, groups: Iterable[Group]) -> None:
    """Give every figure that no field, group, doubt or exclusion holds a place among context or unused."""
    covered = bytearray(len(reading.text))
    shown = list(_shown(reading, groups))
    _list_repeated(reading, shown)
    for start, end in (*shown, *_spans(reading)):
        covered[start:end] = b"\x01" * (end - start)
    for match in DATE.finditer(reading.text):
        if not any(covered[match.start() : match.end()]):
            covered[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
            reading.context.append(Heard.model_construct(kind="date", **reading.span(*match.span()).place()))
    for digits in _DIGITS.finditer(reading.original[: len(reading.text)]):
        if all(covered[digits.start() : digits.end()]):
            continue
        start, end = _whole(reading, digits.start(), digits.end())
        covered[start:end] = b"\x01" * (end - start)
        _leave(reading, start, end)


def _shown(reading: Reading, groups: Iterable[Group]) -> Iterable[tuple[int, int]]:
    """The places of the fields at the top and of those in the groups."""
    for mention in (*reading.fields.values(), *(m for group in groups for m in group.fields.values())):
        yield mention.start, mention.end
        yield from ((also.start, also.end) for also in mention.also)
    yield from ((amount.start, amount.end) for group in groups for amount in group.amounts)


def _list_repeated(reading: Reading, shown: list[tuple[int, int]]) -> None:
    """A second figure for a field of the same demand: heard, while the first holds."""
    for name, mention in reading.mentions:
        if any(start < mention.end and mention.start < end for start, end in shown) or not re.search(
            r"\d", mention.text
        ):
            continue
        held = reading.fields.get(name)
        if held is not None and not any(one.start < mention.end and mention.start < one.end for one in reading.unused):
            reason = f'another figure for {name} was said first: "{held.text}"'
            reading.unused.append(
                Heard.model_construct(
                    kind="quantity",
                    reason=reason,
                    field=name,
                    value=mention.value,
                    text=mention.text,
                    start=mention.start,
                    end=mention.end,
                )
            )


def _spans(reading: Reading) -> Iterable[tuple[int, int]]:
    yield from ((one.start, one.end) for one in (*reading.unused, *reading.context))
    yield from ((doubt.span.start, doubt.span.end) for doubt in reading.ambiguous)
    yield from ((out.span.start, out.span.end) for out in reading.excluded)


def _whole(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """The word that holds the digits: ``1.3M`` and not its parts, ``AS-4124GO``."""
    text = reading.text
    while (
        start > 0
        and (_in_word(text[start - 1]) or (text[start - 1] in ".,'/:_+-" and start > 1 and _in_word(text[start - 2])))
        and end - start < 60
    ):
        start -= 1
    while (
        end < len(text)
        and (_in_word(text[end]) or (text[end] in ".,'/:_+-" and end + 1 < len(text) and _in_word(text[end + 1])))
        and end - start < 120
    ):
        end += 1
    return start, end


_FIRST_IDEOGRAPH = "\u2e80"


def _in_word(sign: str) -> bool:
    """Ideographs stand without spaces: they are no part of the word that a figure stands in."""
    return sign.isalnum() and sign < _FIRST_IDEOGRAPH


def _leave(reading: Reading, start: int, end: int) -> None:
    unit = _UNIT.match(reading.text, end) or _inner(reading.text[start:end])
    kind = unit.lastgroup if unit else None
    if unit and unit.string is reading.text:
        end = unit.end()
    span = Span.model_construct(text=reading.original[start:end], start=start, end=end).place()
    if kind == "price":
        reading.context.append(Heard.model_construct(kind="price", **span))
        return
    named = re.search(r"[^\W\d_]{2,}", reading.text[start:end]) and kind is None
    reason = "a name that the catalogue does not hold" if named else _WHY.get(kind or "", _NOT_KNOWN)
    reading.unused.append(Heard.model_construct(kind="name" if named else "quantity", reason=reason, **span))


_PORTS = re.compile(r"(?:\d{1,3}[x*])?(?:25|40|50|100|200|400|800|1600)g", re.IGNORECASE)
"""Speeds of ports as they are sold."""


def _inner(word: str) -> re.Match[str] | None:
    """The unit within a word such as ``1200G`` or ``8x400G``."""
    if _PORTS.fullmatch(word):
        return _UNIT.match(f"{word}bit/s", len(word) - 1)
    number = re.match(r"(?:\d+[x*])?\d+(?:[.,]\d+)?", word)
    return _UNIT.match(word, number.end()) if number else None
