"""Every number of a text with its value, in one pass: the one reading of numbers for interview and consultant.

``16,384``, ``16.384``, ``16'384``, ``16 384``, ``1,20,000``, ``10k``, ``1.5 Mio``, ``3万``, ``三百``, ``20 - 30`` and
number words up to twelve. What one sign means (``1.024``) follows the habits of the language and what is counted;
where both readings are possible the number says so (``doubtful``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.interview.parser.numbers.values import MAGNITUDES, NUMBER_WORDS, magnitude, read_number, tidy_float
from knowledge import regexes as re

_DIGITS = (
    r"\d{1,2}(?:,\d{2}){1,4},\d{3}(?!\d)|\d{1,3}(?:(?P<sep>[.,' ])\d{3})(?:(?P=sep)\d{3}){0,5}(?:[.,]\d{1,4})?(?!\d)|"
    r"\d{1,40}(?:[.,]\d{1,9})?(?!\d)"
)
_CJK_NUMERAL = "一二两三四五六七八九十百千〇"
_WORD = "|".join(sorted((w for w in NUMBER_WORDS if w[0].isascii() or w[0] in "éüöđäï"), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![A-Za-zÀ-ÿ0-9_.'])(?<!\d,)(?:{_DIGITS})|(?<![\w-])(?:{_WORD})(?=[ -][^\W\d_])|"
    rf"[{_CJK_NUMERAL}]{{1,7}}(?=[万萬亿億兆个個名位人台枚件张張块路本通年月週周天日時时小分秒页ペ種つ份条])",
    re.IGNORECASE,
)
_MAGNITUDE_WORD = re.compile(r"[ -]?([^\W\d_]{1,10}|[万萬亿億兆千百천만억조])\.?", re.IGNORECASE)
_TWO_WORDS = re.compile(r"[ -]?(mil (?:millones|milhões))", re.IGNORECASE)
_CJK_MAGNITUDE = re.compile(r"\s?(万亿|[千百]万|[万萬亿億兆千百]|[천백]만|[천만억조])")
_RANGE = re.compile(r"\s{0,2}(?:-|~|to|bis(?: zu)?|à|hasta|até|tot|do|oder|or|a|至|到|から|에서)\s{0,2}(?=\d)")
_LETTERS = frozenset("kmbgt")
_CJK_VALUES = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"两": 2}
_CJK_TENS = {"十": 10, "百": 100, "千": 1000}


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text: its likely value (the high end of a range), its place, and whether it was a word.

    ``letter`` is the one-letter magnitude that followed it (``10k``); ``grouped`` tells that it had a thousands sign.
    """

    value: float
    start: int
    end: int
    low: float | None = None
    word: bool = False
    letter: str = ""
    grouped: bool = False
    doubtful: float | None = None
    decimal: bool = False


def numbers(text: str, language: str = "en", taken: bytes | bytearray = b"") -> Iterator[Number]:
    """The numbers of ``text`` from left to right, without those that begin in a place marked in ``taken``."""
    at = 0
    while (match := _NUMBER.search(text, at)) is not None:
        at = match.end()
        if match.start() < len(taken) and taken[match.start()]:
            continue
        found = _one(text, match, language)
        if (after := _RANGE.match(text, found.end)) and (second := _NUMBER.match(text, after.end())):
            high = _one(text, second, language)
            factor = _factor_of(text, second.end(), high, language)
            low = (
                found.value
                if found.letter or found.end > match.end() or found.value >= high.value
                else found.value * factor
            )
            if low < high.value and not found.word:
                found = Number(
                    high.value,
                    found.start,
                    high.end,
                    low,
                    False,
                    high.letter or found.letter,
                    high.grouped,
                    None,
                    high.decimal,
                )
        at = max(at, found.end)
        yield found


def _factor_of(text: str, end: int, number: Number, language: str) -> float:
    """The magnitude that stands after the second number of a range counts for the first: ``20-30k``."""
    return _magnitude(text, end, language)[0] if number.end > end else 1.0


def _one(text: str, match: re.Match[str], language: str) -> Number:
    word = match[0]
    if not word[0].isdigit():
        return _worded(text, match, language)
    plain = word.lstrip("0") or "0"
    indian = re.fullmatch(r"\d{1,2}(?:,\d{2})+,\d{3}", word)
    value = float(word.replace(",", "")) if indian else read_number(word if len(word) < 40 else plain, language)
    doubtful = None
    grouped = bool(re.search(r"\d[.,' ]\d{3}(?!\d)", word)) and float(value).is_integer()
    single = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", word)
    if single:
        other = read_number(word, language, count=True)
        doubtful = other if other != value else float(word.replace(",", "."))
    factor, end, letter = _magnitude(text, match.end(), language)
    if factor != 1.0 and single and letter != "k":  # "1.500 Mio" is a decimal or a group by its language
        grouped = float(value).is_integer()
    decimal = bool(re.search(r"[.,]\d{1,2}$", word)) and not value.is_integer()
    return Number(
        tidy_float(value * factor),
        match.start(),
        end,
        None,
        False,
        letter,
        grouped,
        doubtful if factor == 1.0 else None,
        decimal,
    )


def _magnitude(text: str, end: int, language: str) -> tuple[float, int, str]:
    """The factor of a magnitude word or letter at ``end``, where it ends, and the letter."""
    if match := _TWO_WORDS.match(text, end):
        return 1e9, match.end(), ""
    if match := _CJK_MAGNITUDE.match(text, end):
        factor = 1.0
        for sign in match[1]:
            factor *= 100.0 if sign in "百백" else MAGNITUDES[{"萬": "万", "億": "亿"}.get(sign, sign)]
        return factor, match.end(), ""
    match = _MAGNITUDE_WORD.match(text, end)
    if match is None:
        return 1.0, end, ""
    word = match[1].lower()
    if len(word) == 1 and word in _LETTERS:
        spaced = match.end(1) - end > 1
        follows = text[match.end(1) : match.end(1) + 1]
        if follows.isalnum() or (spaced and word in "gtk") or (word == "m" and follows in "²³/"):
            return 1.0, end, ""
        return MAGNITUDES[word], match.end(1), word
    if word == "w" and language == "zh" and text[match.end(1) : match.end(1) + 1] != "h":
        return 1e4, match.end(1), ""
    factor = magnitude(word, language)
    if factor == 1.0:
        return 1.0, end, ""
    return factor, match.end() if match[0].endswith(".") and len(word) <= 3 else match.end(1), ""


def _worded(text: str, match: re.Match[str], language: str) -> Number:
    word = match[0].lower()
    value = float(NUMBER_WORDS[word]) if word in NUMBER_WORDS else _ideographs(word)
    factor, end, _ = _magnitude(text, match.end(), language) if word[0] in _CJK_NUMERAL or value <= 12 else (1.0, 0, "")
    end = max(end, match.end())
    return Number(tidy_float(value * factor), match.start(), end, word=True)


def _ideographs(word: str) -> float:
    """``三百五十`` as 350."""
    total, digit = 0, 0
    for sign in word:
        if sign in _CJK_TENS:
            total, digit = total + (digit or 1) * _CJK_TENS[sign], 0
        else:
            digit = digit * 10 + _CJK_VALUES[sign]
    return float(total + digit)
