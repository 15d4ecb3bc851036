"""Names of the catalogue in running text: the longest run of words that resolves, from left to right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.interview.parser.reading import Reading
from knowledge.names import Resolution

COUNT = r"\d{1,6}\s?[x*]\s?(?=[A-Za-z0-9])"
_TOKEN = re.compile(
    r"(?P<count>(?<![A-Za-z0-9.])\d{1,6}\s?[xX*]\s?(?=[A-Za-z0-9]))|(?P<word>[A-Za-zÀ-ÖØ-öø-ÿ0-9]+(?:\.\d+[A-Za-z]*)?\+?)"
)
_JOINT = re.compile(r"(?:[ \-_/:(]{1,2}|\.|)$")
_STOP = frozenset(
    "a an the and or of on in at to for with we i you it is are was be do does how many much what which my our your this that "
    "from by as not no if so but can will per each about than then them they need want use using run serve have has had get got "
    "der die das und oder mit für wir ich ein eine einen auf im am ist sind wie viele was soll bis bei zu von je pro nicht kein "
    "le la les des une pour avec nous dans et du un de en los las para con por os as com uma two three four five six".split()
)


@dataclass(frozen=True)
class Name:
    """A run of words that means one entry, or one of several ``candidates``."""

    start: int
    end: int
    resolution: Resolution
    kind: str

    @property
    def likeliest(self) -> str | None:
        """The entry meant, or the likeliest of the candidates."""
        return self.resolution.id or next(iter(self.resolution.candidates), None)


def find_names(reading: Reading, kinds: tuple[str, ...], longest: int) -> Iterator[Name]:
    """Names of these kinds, longest run of at most ``longest`` words first, in places not taken yet."""
    tokens = [(m.start(), m.end()) for m in _TOKEN.finditer(reading.text) if m.lastgroup == "word"]
    known: dict[str, tuple[str, Resolution] | None] = {}
    i = 0
    while i < len(tokens):
        name = _longest(reading, kinds, tokens[i : i + longest], known)
        if name is None:
            i += 1
            continue
        yield name
        while i < len(tokens) and tokens[i][0] < name.end:
            i += 1


def _longest(
    reading: Reading,
    kinds: tuple[str, ...],
    tokens: list[tuple[int, int]],
    known: dict[str, tuple[str, Resolution] | None],
) -> Name | None:
    text, (start, first_end) = reading.text, tokens[0]
    if text[start:first_end].lower() in _STOP or not reading.free(start, first_end):
        return None
    ends = [first_end]
    for (_, before), (begin, end) in zip(tokens, tokens[1:], strict=False):
        if not _JOINT.fullmatch(text[before:begin]) or text[before:begin] == ". " or not reading.free(begin, end):
            break
        ends.append(end)
    for end in reversed(ends):
        found = _resolve(reading, kinds, text[start:end], known)
        if found is not None:
            return Name(start, end, found[1], found[0])
    return None


def _resolve(
    reading: Reading, kinds: tuple[str, ...], words: str, known: dict[str, tuple[str, Resolution] | None]
) -> tuple[str, Resolution] | None:
    if words not in known:
        known[words] = None
        for kind in kinds:
            for form in _forms(words, kind):
                resolution = reading.catalogue.resolve(kind, form)
                if resolution.id is not None or resolution.candidates or resolution.note:
                    known[words] = (kind, resolution)
                    return known[words]
    return known[words]


_GPU_WORD = re.compile(r"\d|^(?:dgx|hgx|mac|macbook|titan|gaudi|spark|trainium|inferentia|ascend)", re.IGNORECASE)
_MEMORY = re.compile(r"\d{1,5}[ -]?(?:[GTM]i?[BbO]?[ps]?|k|K)", re.IGNORECASE)
_MODEL_WORD = re.compile(r"[A-Za-z]{2}|^[A-Z]\d")
_COUNTRY_CODES = frozenset({"US", "USA", "UK", "UAE", "GB", "DE", "CH", "FR", "NL"})


def _forms(words: str, kind: str) -> Iterator[str]:
    """Spellings under which a run of words is looked up; none where it cannot be a name of that kind."""
    if kind == "countries":
        long_enough = len(words) >= 4 and words[0].isupper() and not words.isupper()
        if long_enough or words in _COUNTRY_CODES:
            yield words
        return
    if kind == "models":
        if _MODEL_WORD.search(words) and len(words) > 1:
            yield words
        return
    if (
        _MEMORY.fullmatch(words)
        or not _GPU_WORD.search(words)
        or words.lower().endswith(("hgx", "gpu", "gpus", "card", "cards"))
    ):
        return
    yield words
    if re.search(r"[A-Za-z].*\d\D?s$", words):
        yield words[:-1]
    if re.search(r"[A-Za-z]\w*[ -]\d{2,3}[gG]?$", words):
        yield words.rstrip("gG") + "GB"
