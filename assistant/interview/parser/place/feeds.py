"""Electrical feeds in words and figures: volts, amps, phases, how many, whether one must carry all, and where."""

from __future__ import annotations

import math

from assistant.interview.parser.numbers.values import NUMBER_WORDS
from assistant.interview.parser.reading import Reading, tidy
from assistant.interview.parser.result import Derived, Heard
from knowledge import regexes as re

_AMPS = re.compile(r"(?<![\w.,])(?P<a>\d{2,4})\s?-?(?:a|amps?|ampere|安|アンペア)(?![\w])", re.IGNORECASE)
_VOLTS = re.compile(r"(?<![\w.,])(?P<v>\d{3})(?:/\d{3})?\s?-?v(?:olts?|ac)?(?![\w])", re.IGNORECASE)
_THREE = re.compile(
    r"(?<!\w)(?:3|three|drei)[ -]?(?:ph(?:ase)?n?|~|phasig)\w{0,3}|(?<=[\dx*])3\s?[x*]\s?(?=\d{2,3}\s?a)", re.IGNORECASE
)
LINE_VOLTS, PHASE_VOLTS = 400.0, 230.0
"""Voltage of a feed where none is named, between lines and to neutral, as in most of the world."""

CONTINUOUS_SHARE = 0.8
"""Load that a breaker may carry for hours: NEC 210.20(A) sizes it at 125 % of the continuous load."""


def read_feed_words(reading: Reading) -> None:
    """Derive ``rack_feed_kw`` and keep ``power_feeds`` of the first amps that nothing else took."""
    stream = reading.stream
    for match in _AMPS.finditer(reading.text):
        if not reading.free(*match.span()):
            continue
        first, last = stream.sentence(match.start())
        volts = next(
            (
                v
                for v in _VOLTS.finditer(reading.text, max(first, match.start() - 40), min(last, match.end() + 40))
                if reading.free(*v.span())
            ),
            None,
        )
        around = (max(first, match.start() - 50), min(last, match.end() + 60))
        single, three = (
            stream.within(*around, "single_phase"),
            stream.within(*around, "three_phase") or _THREE.search(reading.text, *around),
        )
        feeds = stream.within(*around, "feeds")
        if not (single or three or feeds or volts):
            continue
        _state(
            reading,
            match,
            volts,
            1 if single and not (three and not single) else 3 if three else None,
            around,
            first,
            last,
        )
        return


def _state(
    reading: Reading,
    amps: re.Match[str],
    volts: re.Match[str] | None,
    phases: int | None,
    around: tuple[int, int],
    first: int,
    last: int,
) -> None:
    stream = reading.stream
    value: dict[str, object] = {"amps": int(amps["a"])}
    spans = [amps.span()]
    if volts is not None:
        value["volts"] = int(volts["v"])
        spans.append(volts.span())
    if phases:
        value["phases"] = phases
    count = _feeds_count(reading, around, amps)
    if count:
        value["count"] = count
    if stream.within(first, last, "redundant"):
        value["redundant"] = True
    if stream.within(first, last, "per_rack"):
        value["per"] = "rack"
    line = float(volts["v"]) if volts else LINE_VOLTS if phases != 1 else PHASE_VOLTS
    factor = math.sqrt(3) if phases == 3 else 1.0
    each_kw = factor * line * int(amps["a"]) / 1e3
    kind = "three-phase " if phases == 3 else ""
    because = f"{kind}{amps['a']} A at {line:g} V carry {each_kw:.1f} kW"
    because += f"; {each_kw * CONTINUOUS_SHARE:.1f} kW for long under the 80 % rule"
    if count and value.get("redundant"):
        because += "; of feeds that back each other up only one counts"
    start, end = min(s for s, _ in spans), max(e for _, e in spans)
    if phases is not None:
        reading.take(start, end)
        heard = Heard.model_construct(
            kind="other", reason=f"worked out: {because}", field="power_feeds", value=value,
            **reading.span(start, end).place(),
        )  # fmt: skip
        reading.context.append(heard)
        reading.derived.setdefault(
            "rack_feed_kw", Derived.model_construct(value=round(each_kw, 2), unit="kW", because=because)
        )
        return
    reading.unuse(start, end, "quantity", f"a feed's rating: {because}", "power_feeds", value)


def _feeds_count(reading: Reading, around: tuple[int, int], amps: re.Match[str]) -> int | None:
    """The small number before the amps or the volts: ``two 415V feeds``, ``2 départs``."""
    for number in reversed([n for n in reading.stream.numbers if around[0] <= n.start < amps.start()]):
        if (
            number.value <= 8
            and float(number.value).is_integer()
            and not re.match(r"\s?(?:[x*]\s?\d{2,3}\s?a)?\s?racks?", reading.text[number.end : number.end + 8])
        ):
            reading.take(number.start, number.end)
            return int(number.value)
    words = re.findall(r"[^\W\d_]+", reading.text[around[0] : amps.start()].lower())
    return next((NUMBER_WORDS[w] for w in reversed(words) if 1 < NUMBER_WORDS.get(w, 0) <= 8), None)


def read_site_of_feeds(reading: Reading) -> None:
    """Derive ``site_power_kw`` of the feeds of a room: all that are usable, one of those that back each other up.

    Not taken as stated: a breaker may carry 80 % for hours, and what else hangs on the feeds is asked.
    """
    each = reading.derived.get("rack_feed_kw")
    amps = next(_AMPS.finditer(reading.text), None)
    if each is None or amps is None or "site_power_kw" in reading.fields:
        return
    first, last = reading.stream.sentence(amps.start())
    if reading.stream.within(first, last, "per_rack") or not reading.stream.within(first, last, "feeds"):
        return
    before = reading.text[max(first, amps.start() - 50) : amps.start()].lower()
    said = [int(w) if w.isdecimal() else NUMBER_WORDS.get(w, 0) for w in re.findall(r"[^\W\d_]+|\b\d\b", before)]
    count = next((n for n in reversed(said) if 1 <= n <= 8), 1)
    spare = any(not reading.negated(w.start, w.end) for w in reading.stream.within(first, last, "redundant"))
    spare = spare or reading.fields.get("redundancy") is not None
    usable = 1 if spare else count
    because = f"{usable} x {each.because}; {usable * each.value * CONTINUOUS_SHARE:.1f} kW of it for long"
    value = round(usable * each.value, 1)
    reading.derived["site_power_kw"] = Derived.model_construct(value=value, unit="kW", because=because, sure=False)


def read_room(reading: Reading) -> None:
    """Racks that are there: heard, and planned anew."""
    for number in reading.stream.numbers:
        if not reading.free(number.start, number.end):
            continue
        following = reading.stream.within(number.end, number.end + 24, "racks")
        if following and len(reading.text[number.end : following[0].start].split()) <= 1 and number.value < 10_000:
            reading.unuse(
                number.start,
                following[0].end,
                "quantity",
                "racks that are there; the plan counts its own",
                "racks",
                tidy(number.value),
            )


def read_room_cooling(reading: Reading) -> None:
    """The cooling that a room has, where no answer took the words already."""
    used = reading.fields.get("liquid_cooling")
    for kind, name, value in (("chilled_water", "chilled_water", True), ("air_cooled", "cooling_present", "air")):
        words = reading.stream.within(0, len(reading.text), kind)
        if words and (used is None or used.end <= words[0].start or words[0].end <= used.start):
            reading.unuse(
                words[0].start,
                words[0].end,
                "constraint",
                "the cooling of the room; its limits are asked for",
                name,
                value,
            )
