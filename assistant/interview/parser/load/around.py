"""A number of a message with what stands around it: its noun, its unit, how often, and the words of its clause."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.interview.parser.numbers.scan import Number
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.stream import Stream
from assistant.interview.parser.vocabulary.lexicon import Word
from knowledge import regexes as re

COUNTED = (
    "people", "requests", "queries", "sessions", "images", "pages", "documents", "audio", "calls", "studies",
    "vectors", "videos", "streams", "tokens", "adapters", "tenants", "steps", "dimensions",
)  # fmt: skip
"""What a load counts, by kind of the vocabulary."""

AMOUNTS = frozenset(
    {
        "requests",
        "queries",
        "images",
        "pages",
        "documents",
        "audio",
        "calls",
        "studies",
        "vectors",
        "videos",
        "streams",
        "tokens",
    }
)
TIMES = ("t_second", "t_ms", "t_minute", "t_hour", "t_day", "t_week", "t_month", "t_year")
PERIODS = ("p_second", "p_minute", "p_hour", "p_day", "p_week", "p_month", "p_quarter", "p_year")
SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
_HEARD = ("audio", "calls")
"""What is counted in hours and minutes."""

_MOST_BETWEEN = 3
_SKIPPED = frozenset(
    {"glue", "approx", "active", "at_once", "peak", "average", "stock", "input", "output", "per", "only"}
)
_PERCENT = re.compile(
    r"\s?(?:%|percent|prozent|pour ?cent|por ?ciento|por cento|per cento|procent|proc\.|％|퍼센트|パーセント)",
    re.IGNORECASE,
)
_ATTACHED = re.compile(r"[^\W\d_]")
"""A number that runs into a word which is no magnitude is none: ``5oo people``."""

_PHYSICAL = re.compile(
    r"\s?-?(?:[kMG]?Wh?(?:p|el)?\b|[kM]?VA\b|[kM]?V\b|A\b|Hz\b|[KMGT]i?B(?:ps|/s)?\b|[GMT]bit|[GM]bps|GbE\b|°|m²|"
    r"m2\b|mm\b|cm\b|kg\b|HE\b|RU\b|(?:kilo|mega)?watts?\b|amps?\b|volts?\b|kilowatt|megawatt|kW)",
)
"""A number with such a unit counts nothing: ``400 kW connection``."""

_VOLTS = re.compile(r"\s?\d{3}(?:/\d{3})?\s?V", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:few|several|some|many|couple of|ein paar|einige\w?|mehrere\w?|viele|quelques|plusieurs|unos|unas|algun[oa]s|"
    r"vari[oa]s|alcune|diverse|parecchi\w?|enkele|verschillende|kilka|kilkadziesiąt|umas|alguns|algumas)\s$|"
    r"[几数]$|몇 ?$",
    re.IGNORECASE,
)
"""``a few dozen``: how many was not said."""

_LARGE = re.compile(r"illi(?:on|ard|ón|ão|õ)|hundr?ed|thousand|dozen|tausend|hundert|dutzend", re.IGNORECASE)
"""A magnitude that was not read: the number before it would be wrong."""

_UNIT_SLASH = re.compile(
    r"\s?/\s?(?P<unit>s|sec|second|sek|min|minute|h|hr|hour|stunde|d|day|tag|jour|día|dia|giorno|dag|week|woche|"
    r"month|monat|mois|mes|year|jahr|an|秒|分|分钟|小时|时间|天|日|月|年|초|분|시간|일|월|년)(?![A-Za-zÀ-ÿ])",
    re.IGNORECASE,
)
_SLASH = {
    **dict.fromkeys(("s", "sec", "second", "sek", "秒", "초"), "second"),
    **dict.fromkeys(("min", "minute", "分", "分钟", "분"), "minute"),
    **dict.fromkeys(("h", "hr", "hour", "stunde", "小时", "时间", "시간"), "hour"),
    **dict.fromkeys(("d", "day", "tag", "jour", "día", "dia", "giorno", "dag", "天", "日", "일"), "day"),
    **dict.fromkeys(("week", "woche"), "week"),
    **dict.fromkeys(("month", "monat", "mois", "mes", "月", "월"), "month"),
    **dict.fromkeys(("year", "jahr", "an", "年", "년"), "year"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what was found around it. ``end`` takes in its noun and its period."""

    number: Number
    noun: str | None
    noun_text: str
    per: str | None
    unit: str | None
    start: int
    end: int
    right: frozenset[str]
    left: frozenset[str]
    clause: frozenset[str]
    percent: bool = False

    def near(self, *kinds: str) -> bool:
        """Whether a word of these kinds stands on either side, within the clause."""
        return bool(self.right.intersection(kinds) or self.left.intersection(kinds))


def quantities(reading: Reading) -> list[Quantity]:
    """Every number of the message that nothing has taken yet, with its surroundings."""
    stream = reading.stream
    free = (number for number in stream.numbers if reading.free(number.start, number.end))
    return [_around(stream, number) for number in free if not _vague(reading, number)]


def _vague(reading: Reading, number: Number) -> bool:
    """``some 200`` are about 200, ``some dozens`` are not said."""
    written = reading.original[number.start].isdigit()
    return not written and bool(_VAGUE.search(reading.text, max(0, number.start - 24), number.start))


def _around(stream: Stream, number: Number) -> Quantity:
    first, last = stream.sentence(number.start)
    until, since = min(last, stream.number_after(number.end)), max(first, stream.number_before(number.start))
    clause_start, clause_end = stream.clause(number.start, number.end)
    right = [w for w in stream.within(number.end, until) if not _belongs_to_next(stream, w, until, last)]
    left = stream.within(max(since, clause_start), number.start)
    end, percent = number.end, _PERCENT.match(stream.text, number.end)
    if percent:
        end = percent.end()
    noun, unit = None, None
    place = end
    for word in () if _PHYSICAL.match(stream.text, number.end) else right:
        if word.start < end:
            continue
        between = stream.text[place : word.start]
        if _LARGE.search(between) or (place == number.end and _ATTACHED.match(between)):
            break
        if (
            len(between.split()) > _MOST_BETWEEN
            or re.search(r"[,()（）:;\uff64]", between)
            or (len(between) > 6 and not between.isascii() and not between.count(" "))
        ):
            break
        if word.end - word.start == 1 and stream.text[word.end : word.end + 1] == "'":
            place = word.end
            continue  # d'images: an article, no day
        if unit is None and noun is None and word.kinds.intersection(TIMES) and not between.strip(" -"):
            unit = next(t[2:] for t in TIMES if t in word.kinds)
            place = end = word.end
            continue
        if kind := next((k for k in COUNTED if k in word.kinds and not (unit and k not in _HEARD)), None):
            word, kind = _compound(stream, right, word, kind)
            if _VOLTS.match(stream.text, word.end):
                break  # 两路380V: feeds, not lines of a switchboard
            kind = "audio" if unit else kind
            noun, end = (kind, stream.text[word.start : word.end]), word.end
            break
        if word.kinds & _SKIPPED and not word.kinds.intersection(PERIODS):
            place = word.end
            continue
        break
    per, end = _period(stream, number, end, right, left)
    if (
        noun is None
        and re.search(r"[A-Za-z]", stream.text[number.end : end] or "")
        and per == "second"
        and re.match(r"\s?(?:rps|qps)\b", stream.text[number.end : end], re.I)
    ):
        noun = ("requests", "requests")
    if noun is None and re.match(r"\s?rpm\b", stream.text[number.end : end], re.IGNORECASE):
        noun, per = ("requests", "requests"), "minute"
    start = number.start
    clause = stream.within(clause_start, clause_end)
    return Quantity(
        number, noun and noun[0], noun[1] if noun else "", per, unit, start, end,
        frozenset(
            k for w in right for k in w.kinds
            if w.start < max(clause_end, end) or (k in ("at_once", "active", "half") and w.start - end < 50)
        ),
        frozenset(k for w in left for k in w.kinds),
        frozenset(k for w in clause for k in w.kinds), bool(percent),
    )  # fmt: skip


def _compound(stream: Stream, right: list[Word], word: Word, kind: str) -> tuple[Word, str]:
    """``customer calls``, ``user requests``: the last noun of the compound is what is counted."""
    following = next((w for w in right if w.start == word.end + 1), None)
    if following is not None and stream.text[word.end] == " " and kind == "people":
        other = next((k for k in COUNTED if k in following.kinds and k != "people"), None)
        if other and "p_day" not in following.kinds:
            return following, other
    return word, kind


def _belongs_to_next(stream: Stream, word: Word, number: int, last: int) -> bool:
    """``(同時50人)``: a word right before the next number is said of that one."""
    if number >= last:
        return False
    between = stream.text[word.end : number]
    return (
        len(between) <= 8
        and not re.search(r"[,;)）\uff64]", between)
        and "at_once" in word.kinds
        and not stream.within(word.end, number, *COUNTED)
    )


def _period(stream: Stream, number: Number, end: int, right: list[Word], left: list[Word]) -> tuple[str | None, int]:
    if slash := _UNIT_SLASH.match(stream.text, end):
        return _SLASH[slash["unit"].lower()], slash.end()
    for word in right:
        if word.start < number.end or (word.start == number.end and word.kinds.intersection(TIMES)):
            continue
        if period := next((p[2:] for p in PERIODS if p in word.kinds), None):
            between = stream.text[end : word.start] if word.start > end else ""
            spaceless = len(between) > 4 and re.search(r"[\u3040-\u9fff\uac00-\ud7a3]", between)
            if len(between.split()) <= _MOST_BETWEEN and not spaceless and not re.search(r"[,;()\uff64]", between):
                return period, max(end, word.end)
    if left and (period := next((p[2:] for p in PERIODS if p in left[-1].kinds), None)):
        between = stream.text[left[-1].end : number.start]
        if len(between.split()) <= 2 and len(between) <= 14:
            return period, end
    return None, end


def said_before(reading: Reading, one: Quantity) -> str | None:
    """``the queries reach 300 per second``: the noun stands before its number in the sentence."""
    first, _ = reading.stream.sentence(one.start)
    for word in reversed(reading.stream.within(max(first, one.start - 80), one.start)):
        if kind := next((k for k in COUNTED if k in word.kinds), None):
            return kind
    return None


def count(one: Quantity) -> float:
    """The number of counted things: where a sign may group or divide, it groups."""
    return one.number.doubtful if one.number.doubtful and one.number.doubtful > one.number.value else one.number.value
