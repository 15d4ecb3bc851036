"""The text as the parser reads it: same length, same places, but one kind of space, dash, quote and cross."""

from __future__ import annotations

from functools import lru_cache

from assistant.interview.parser.numbers.words import with_digits
from assistant.interview.parser.vocabulary.lexicon import FOLDER
from knowledge import regexes as re
from knowledge.shipped import shipped_yaml

MAX_CHARACTERS = 20_000
"""What is read of a message; the rest is reported as unread. Longer ones are mail threads and attacks."""

_MAX_DIGITS = 18
_SAME = {
    **dict.fromkeys(
        map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"),
        " ",
    ),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u2032`"), "'"),
    **dict.fromkeys(map(ord, "\u00d7\u2715\u2717\uff0a\u2217\u22c5"), "*"),
    **dict.fromkeys(
        map(
            ord,
            "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        ),
        " ",
    ),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in (0xFF0A, 0xFF0C, 0xFF0D)},
    **dict.fromkeys((c for c in (*range(0x20), *range(0x7F, 0xA0)) if c not in (0x0A, 0x0D)), " "),
    0x3001: "\uff64",
    0xFF0C: "\uff64",
    0x3002: ".",
    0x301C: "~",
}
_LONG_DIGITS = re.compile(rf"\d{{{_MAX_DIGITS + 1},}}")


_BETWEEN = re.compile(
    r"(?<=\b)(?P<head>(?:between|zwischen|entre) (?:\d{1,3}(?:[.,' ]\d{3}){1,4}|"
    r"0{0,40}\d{1,9}(?:[.,]\d{1,3})?)\s?[^\W\d_]{0,8} )"
    r"(?P<and>and|und|et|e|y)(?= \d)",
    re.IGNORECASE,
)


def _as_dash(match: re.Match[str]) -> str:
    """``between 200 and 300`` with a dash in the place of ``and``, and as long as it was."""
    return match["head"] + "-".center(len(match["and"]))


def clean(text: str) -> str:
    """``text`` cut to ``MAX_CHARACTERS``, every character in its place: control and bidi signs become spaces.

    Runs of more than 18 digits are no quantity of ours and are blanked; numbers in words become digits.
    """
    same = text[:MAX_CHARACTERS].translate(_SAME)
    same = "".join(c if not 0xD800 <= ord(c) <= 0xDFFF else " " for c in same) if _has_surrogates(same) else same
    same = _SOFT_BREAK.sub(" ", same)
    same = _LONG_DIGITS.sub(lambda m: " " * len(m[0]), same)
    return _BETWEEN.sub(_as_dash, with_digits(_COUNTED_GOODS.sub(_without_signs, same), language(same)))


_SOFT_BREAK = re.compile(r"(?<=[a-zà-ÿąćęłńśźż0-9,])\n(?=[a-zà-ÿąćęłńśźż](?![.)]))")
"""A line that goes on in lower case goes on as a sentence."""

_COUNTED_GOODS = re.compile(
    r"(?<![A-Za-z0-9_.,'])\d{1,3}(?:[.,' ]\d{3}){1,3}(?=\s?[x*]?\s?(?:nvidia |amd |"
    r"intel )?(?:[A-Z]{1,4}\d{2,4}(?!\w*GbE)|"
    r"(?:RTX|Tesla|Instinct|Ascend|DGX|HGX|GPU|Gaudi|MI)|(?:gpus?|cards?|karten|cartes|tarjetas|placas|schede|"
    r"kaart|kart|nodes?|servers?)\b|[张块枚장]|卡))"
)
"""Numbers with thousands signs right before hardware: pieces are whole, so that the sign groups in every language."""


def _without_signs(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match[0]).zfill(len(match[0]))


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and any(0xD800 <= ord(c) <= 0xDFFF for c in text)


@lru_cache(maxsize=1)
def _markers() -> dict[str, frozenset[str]]:
    raw = shipped_yaml(FOLDER / "markers.yaml")
    return {language: frozenset(words.split()) for language, words in raw.items()}


def is_common(word: str) -> bool:
    """Whether a word is among the common ones of a language."""
    return any(word in words for words in _markers().values())


def language(text: str) -> str:
    """The likeliest of the eleven languages, by script and common words; en when in doubt."""
    sample = text[:4000]
    if re.search(r"[\uac00-\ud7a3]", sample):
        return "ko"
    if len(re.findall(r"[\u3041-\u30ff]", sample)) >= 2:
        return "ja"
    if re.search(r"[\u4e00-\u9fff]", sample):
        return "zh"
    scores = _scores(sample)
    best = max(scores.values())
    return "en" if scores["en"] >= best else max(scores, key=lambda lang: (scores[lang], lang))


_FEW = 2
"""Fewer known words than this tell no language: the vocabularies of all are used then."""


def spoken_beside(text: str, main: str) -> tuple[str, ...]:
    """Languages other than the main one that a part of the text may be written in."""
    if main in ("zh", "ja", "ko"):
        return ()
    scores = _scores(text[:4000])
    if scores[main] < _FEW:
        return tuple(lang for lang in sorted(scores) if lang != main)  # too short to tell
    return tuple(lang for lang in sorted(scores) if lang != main and scores[lang] >= max(3, 0.5 * scores[main]))


@lru_cache(maxsize=8)
def _scores(sample: str) -> dict[str, int]:
    words = re.findall(r"[a-zà-ÿßąćęłńóśźż]+", sample.lower())
    scores = {lang: sum(word in known for word in words) for lang, known in _markers().items()}
    scores["pl"] += 2 * len(re.findall(r"[ąćęłńśźż]", sample.lower()))
    scores["it"] += 2 * len(re.findall(r"\b(?:dell|nell|all|sull|dall|un)'|zion[ei]\b|\bperché\b", sample.lower()))
    scores["it"] += len(re.findall(r"\bl'", sample.lower()))
    scores["nl"] += 2 * len(re.findall(r"ij[a-z]|\bge\w+d\b|[a-z]aa[a-z]", sample.lower()))
    scores["de"] += len(re.findall(r"[äöüß]", sample.lower()))
    scores["pt"] += 2 * len(re.findall(r"[ãõ]|ções|ção", sample.lower()))
    scores["es"] += 2 * len(re.findall(r"[ñ¿¡]|ción|ón\b|ónes", sample.lower()))
    scores["fr"] += len(re.findall(r"[èêàçœ]|\b[ldn]'", sample.lower()))
    return scores
