"""Numbers as people write them in seven languages: group and decimal signs, magnitudes in letters and words, ranges.

``1.000 Benutzer`` is a thousand and ``1.5 kW`` is not; ``12 Billionen Token`` are 12e12 in German and ``12 billion``
12e9 in English. All patterns are bounded in length, so that matching takes time linear in the text.
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge import regexes as re
from knowledge.errors import BadInput

PLAIN = r"(?:\d{1,3}(?:[.,' ]\d{3}){1,5}(?:[.,]\d{1,4})?(?![\d])|0{0,60}\d{1,18}(?:[.,]\d{1,9})?)"
"""A number without its magnitude; one that was written in words has leading zeros."""

_LONG_SCALE = frozenset({"de", "fr", "es", "it", "nl", "pl"})
"""Languages in which a billion is a million millions. Brazilian Portuguese uses the short scale."""

MAGNITUDES: dict[str, float] = {
    "k": 1e3,
    "tsd": 1e3,
    "tausend": 1e3,
    "thousand": 1e3,
    "mille": 1e3,
    "mil": 1e3,
    "hundred": 1e2,
    "hundert": 1e2,
    "lakh": 1e5,
    "lakhs": 1e5,
    "crore": 1e7,
    "crores": 1e7,
    "m": 1e6,
    "mio": 1e6,
    "mn": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "millionen": 1e6,
    "millón": 1e6,
    "millones": 1e6,
    "milhão": 1e6,
    "milhões": 1e6,
    "mil millones": 1e9,
    "mil milhões": 1e9,
    "bn": 1e9,
    "b": 1e9,
    "g": 1e9,
    "mrd": 1e9,
    "milliarde": 1e9,
    "milliarden": 1e9,
    "milliard": 1e9,
    "mila": 1e3,
    "milione": 1e6,
    "milioni": 1e6,
    "miliardo": 1e9,
    "miliardi": 1e9,
    "duizend": 1e3,
    "miljoen": 1e6,
    "mln": 1e6,
    "miljard": 1e9,
    "mld": 1e9,
    "tys": 1e3,
    "tysiąc": 1e3,
    "tysiące": 1e3,
    "tysięcy": 1e3,
    "milion": 1e6,
    "miliony": 1e6,
    "milionów": 1e6,
    "miliard": 1e9,
    "miliardy": 1e9,
    "miliardów": 1e9,
    "milliards": 1e9,
    "bilhão": 1e9,
    "bilhões": 1e9,
    "trn": 1e12,
    "t": 1e12,
    "billionen": 1e12,
    "billón": 1e12,
    "billones": 1e12,
    "trilhão": 1e12,
    "trilhões": 1e12,
    "bilione": 1e12,
    "bilioni": 1e12,
    "biljoen": 1e12,
    "bilion": 1e12,
    "biliony": 1e12,
    "bilionów": 1e12,
    "trillón": 1e18,
    "万亿": 1e12,
    "千": 1e3,
    "万": 1e4,
    "亿": 1e8,
    "兆": 1e12,
    "천": 1e3,
    "만": 1e4,
    "억": 1e8,
    "조": 1e12,
}
_BY_LANGUAGE: dict[str, tuple[float, float]] = {
    "billion": (1e9, 1e12),
    "billions": (1e9, 1e12),
    "trillion": (1e12, 1e18),
    "trillions": (1e12, 1e18),
}
"""Words that mean (short scale, long scale)."""

_WORDS = sorted((*MAGNITUDES, *_BY_LANGUAGE), key=len, reverse=True)
MAGNITUDE = "(?:" + "|".join(re.escape(w) for w in _WORDS if len(w) > 1 or not w.isascii()) + r")(?![a-zà-ÿ])\.?"

ALL_LETTERS = "kKmMbBgGtT"
"""One-letter magnitudes."""

NOT_WITHIN = r"(?<![A-Za-zÀ-ÿ0-9_.,'/-])"
"""A number does not start within a word or another number."""

RANGE_WORD = r"(?:-|~|to|up to|bis(?: zu)?|à|až|hasta|até|a|y|或|到|至|에서)"

_COUNTED_WORDS = {
    1: "one single uma ein eine einen einem eins un une una uno 一 één een jeden jedna jedno jedną",
    2: "two zwei deux dos dois 二 两 twee dwa dwie due",
    3: "three drei trois tres três 三 drie trzy tre",
    4: "four vier quatre cuatro quatro 四 cztery quattro",
    5: "five fünf cinq cinco 五 vijf pięć cinque",
    6: "six sechs seis 六 zes sześć sei",
    7: "seven sieben sept siete sete 七 zeven siedem sette",
    8: "eight acht huit ocho oito 八 osiem otto",
    9: "nine neun neuf nueve nove 九 negen dziewięć",
    10: "ten zehn dix diez dez 十 tien dziesięć dieci",
    11: "eleven elf onze undici jedenaście",
    12: "twelve zwölf douze dozen dutzend twaalf dodici dwanaście douzaine",
}
NUMBER_WORDS: dict[str, int] = {word: n for n, words in _COUNTED_WORDS.items() for word in words.split()}
WORD = (
    r"(?:" + "|".join(sorted((w for w in NUMBER_WORDS if w.isascii() or w[0].isascii()), key=len, reverse=True)) + r")"
)
CJK_DIGIT = "[一二两三四五六七八九十]"

NUMBER_START = re.compile(rf"{NOT_WITHIN}(?:\d|{CJK_DIGIT}|{WORD}(?= ))", re.IGNORECASE)
"""Where a number may start."""


def quantity(units: str = "", words: bool = False, letters: str = ALL_LETTERS) -> str:
    """A pattern for one quantity with its groups ``a`` (number or low end), ``b`` (high end), ``as`` and ``s``.

    ``units`` is the pattern that must follow; ``words`` also takes number words up to twelve, ``letters`` also the
    magnitudes k, M, B, T.
    """
    magnitude = f"(?:{MAGNITUDE}|[{letters}](?![A-Za-zÀ-ÿ0-9]))" if letters else MAGNITUDE
    number = f"(?:{PLAIN}|{WORD}(?= )|{CJK_DIGIT})" if words else PLAIN
    return (
        rf"{NOT_WITHIN}(?:(?:<=?|>=?|~|≤|≥|about |ca\.? ?|circa |rund |etwa |around |约|약 ?)\s?)?"
        rf"(?P<a>{number})(?:[ -]?(?P<as>{magnitude}))?"
        rf"(?:\s{{0,2}}{RANGE_WORD}\s{{0,2}}(?P<b>{PLAIN}))?(?:[ -]?(?P<s>{magnitude}))?\+?" + units
    )


@dataclass(frozen=True)
class Amount:
    """A number, and its range where one was written; ``value`` is the high end then."""

    value: float
    low: float | None = None
    high: float | None = None

    def times(self, factor: float) -> Amount:
        """The amount in another unit."""

        def scaled(x: float | None) -> float | None:
            return None if x is None else tidy_float(x * factor)

        return Amount(tidy_float(self.value * factor), scaled(self.low), scaled(self.high))


def tidy_float(value: float) -> float:
    """Without the dust of binary fractions: 0.3 MW are 300 kW."""
    return float(f"{value:.12g}")


def amount(match: re.Match[str], lang: str, count: bool = False) -> Amount:
    """The amount that a ``quantity`` pattern matched. ``count`` marks things that are counted, never fractions."""
    groups = match.groupdict()
    low_text, high_text = groups["a"], groups.get("b")
    own, last = groups.get("as"), groups.get("s")
    first = read_number(low_text, lang, count) * magnitude(own or (None if high_text is None else last) or "", lang)
    if high_text is None:
        return Amount(tidy_float(first * (magnitude(last, lang) if last and not own else 1.0)))
    second = read_number(high_text, lang, count) * magnitude(last or own or "", lang)
    if second <= first:
        return Amount(tidy_float(first))
    return Amount(tidy_float(second), tidy_float(first), tidy_float(second))


def magnitude(word: str, lang: str) -> float:
    """The factor that a magnitude word means in a language; 1 for no word."""
    key = word.strip(" .").lower()
    if key in _BY_LANGUAGE:
        return _BY_LANGUAGE[key][lang in _LONG_SCALE]
    return MAGNITUDES.get(key, 1.0)


def read_number(text: str, lang: str = "en", count: bool = False) -> float:
    """One number by the habits of a language. Raises BadInput when it is none.

    A sign that groups three digits is a thousands sign for counted things and where it stands twice; for measures a
    single one is decimal or grouping as the language has it.
    """
    word = text.strip().lower()
    if word in NUMBER_WORDS:
        return float(NUMBER_WORDS[word])
    plain = word.replace("'", "").replace(" ", "")
    try:
        return float(_decimal_point(plain, lang, count))
    except ValueError:
        raise BadInput("number", text, "a number such as 1500, 1.5 or 1,500") from None


def _decimal_point(text: str, lang: str, count: bool) -> str:
    dots, commas = text.count("."), text.count(",")
    if dots and commas:
        decimal = max(".,", key=text.rfind)
        return text.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    sign = "." if dots else ","
    if not dots and not commas:
        return text
    head, *rest = text.split(sign)
    grouped = all(len(part) == 3 for part in rest) and head not in ("", "0") and len(head) <= 3
    if grouped and (len(rest) > 1 or count or _groups_with(sign, lang)):
        return text.replace(sign, "")
    return text.replace(sign, ".")


def _groups_with(sign: str, lang: str) -> bool:
    """Whether a language groups thousands with this sign; French and others group with a space."""
    return (sign == ".") if lang in ("de", "es", "pt", "it", "nl") else (sign == "," and lang not in ("fr", "pl"))
