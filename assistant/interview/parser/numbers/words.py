"""Numbers above twelve in words, written over with digits: ``five hundred``, ``zweitausend``, ``cinq cents``.

The digits fill the place of the words with leading zeros, so that the text keeps its length and every place in it.
Single words up to twelve are left to ``numbers.quantity``: ``one user`` is a way to speak.
"""

from __future__ import annotations

from functools import lru_cache

from knowledge import regexes as re

_UNITS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve",
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
    "dezoito dezenove",
}
"""From one on, in order."""

_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
}
"""From twenty on, in order."""

_MORE: dict[str, dict[str, int]] = {
    "en": {"a": 1},
    "de": {"eins": 1, "fuenf": 5, "zwoelf": 12, "dreissig": 30, "fuenfzig": 50},
    "fr": {"quatre-vingts": 80, "quatre-vingt": 80, "quatre vingts": 80, "quatre vingt": 80},
    "es": {"doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500, "seiscientos": 600}
    | {"setecientos": 700, "ochocientos": 800, "novecientos": 900},
    "pt": {"duzentos": 200, "trezentos": 300, "quatrocentos": 400, "quinhentos": 500, "seiscentos": 600}
    | {"setecentos": 700, "oitocentos": 800, "novecentos": 900},
}
_HUNDRED = {"en": "hundred", "de": "hundert", "fr": "cents cent", "es": "cien ciento", "pt": "cem cento"}
_THOUSAND = {"en": "thousand", "de": "tausend", "fr": "mille", "es": "mil", "pt": "mil"}
_JOINED = {"en": "and", "de": "und", "fr": "et", "es": "y", "pt": "e"}
_BARE = frozenset({"de", "fr", "es", "pt"})
"""Languages in which ``hundert`` alone is a hundred."""

_VAGUE = re.compile(
    r"(?:[\d.,]|\b(?:half|few|couple|several|many|some|paar|mehrere|einige|viele|wenige|quelques|plusieurs|varios|"
    r"unos|algunos|alguns|vários|uns)(?: of)?(?: an?)?)[ -]?$",
    re.IGNORECASE,
)
"""Before these words a number is not exact, or has begun in digits already."""


@lru_cache(maxsize=8)
def _values(lang: str) -> dict[str, int]:
    values = {word: n for n, word in enumerate(_UNITS[lang].split(), 1)}
    values |= {word: 10 * n for n, word in enumerate(_TENS[lang].split(), 2)}
    values |= dict.fromkeys(_HUNDRED[lang].split(), 100) | {_THOUSAND[lang]: 1000}
    return values | _MORE[lang]


@lru_cache(maxsize=8)
def _token(lang: str) -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, _values(lang)), key=len, reverse=True))
    word, joined = f"(?P<word>{words})", f"(?P<and>{_JOINED[lang]})"
    # English "and" begins with its number word "a"; Portuguese "e" begins number words.
    return re.compile(f"{joined}|{word}" if lang == "en" else f"{word}|{joined}", re.IGNORECASE)


@lru_cache(maxsize=8)
def _run(lang: str) -> re.Pattern[str]:
    """A run of number words; German writes them as one word."""
    words = "|".join(sorted(map(re.escape, _values(lang)), key=len, reverse=True))
    gap = "[ -]?" if lang == "de" else "[ -]"
    joined = rf"(?:{gap}{_JOINED[lang]})?{gap}"
    return re.compile(rf"(?<![\w.,'/-])(?:{words})(?:{joined}(?:{words})){{0,9}}(?![\w'-])", re.IGNORECASE)


MOST_SINGLE = 12
"""Numbers up to this stay words."""


def with_digits(text: str, lang: str) -> str:
    """``text``, as long as it was, with numbers above twelve that are written in words as digits.

    English and German are read in every text, French, Spanish and Portuguese in their own. A run of words that makes
    no number stays as it is.
    """
    for one in dict.fromkeys(("en", "de", *((lang,) if lang in _UNITS else ()))):
        text = _run(one).sub(lambda match, one=one: _digits(match, one), text)  # type: ignore[misc]
    text = _HALF.sub(lambda match: "500000".zfill(len(match[0])), text)
    return _A_MILLION.sub("1", text)


_HALF = re.compile(
    r"(?<![\w-])(?:half an? million|eine[rn]? halbe[n]? million|un demi-million|medio millón(?: de)?|"
    r"meio milhão(?: de)?)(?!\w)",
    re.IGNORECASE,
)
"""Half a million, as 500000 with leading zeros."""

_A_MILLION = re.compile(r"(?<!half )(?<!quarter )(?<![\w-])a(?= (?:million|billion)\b)", re.IGNORECASE)


def _digits(match: re.Match[str], lang: str) -> str:
    """The run with its numbers in digits: the longest part that makes one number, then the rest likewise."""
    if _VAGUE.search(match.string[max(0, match.start() - 20) : match.start()]):
        return match[0]
    words = [found for found in _token(lang).finditer(match[0]) if found["word"]]
    parts = [_values(lang)[found["word"].lower()] for found in words]
    text, first = match[0], 0
    while first < len(words):
        ends = [end for end in range(len(words), first, -1) if parts[end : end + 1] not in ([100], [1000])]
        end, value = next(((e, v) for e in ends if (v := _value(parts[first:e], lang)) is not None), (first + 1, 0))
        start, stop = words[first].start(), words[end - 1].end()
        if value > MOST_SINGLE:
            text = text[:start] + str(value).zfill(stop - start) + text[stop:]
        first = end
    return text


def _value(parts: list[int], lang: str) -> int | None:
    """The number that parts such as 2, 1000, 5, 100 make together; None where they make none."""
    total, group = 0, 0
    for place, part in enumerate(parts):
        bare = lang in _BARE and (place == 0 or total > 0)
        if part == 1000:
            if total or not (group or bare):
                return None
            total, group = max(group, 1) * 1000, 0
        elif part == 100 and lang not in ("es", "pt"):
            if group > 99 or not (group or bare):
                return None
            group = max(group, 1) * 100
        elif _adds(group, part, lang):
            group += part
        else:
            return None
    return total + group


def _adds(group: int, part: int, lang: str) -> bool:
    """Whether ``part`` may follow what was said since the thousands: ``twenty`` takes ``five``, not ``thirty``."""
    if group % 100 == 0:
        return part < 100 or group == 0
    ten = group % 100
    if lang == "de":
        return ten < 10 and part in range(20, 100, 10)
    return ten % 10 == 0 and ((part < 10 and ten >= 20) or (lang == "fr" and ten in (60, 80) and part < 17))
