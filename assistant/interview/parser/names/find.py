"""Names of the catalogue in running text: the longest run of words that resolves, from left to right."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous, Span
from knowledge import regexes as re
from knowledge.catalogue import Catalogue
from knowledge.names import Resolution, name_key

_TOKEN = re.compile(
    r"(?P<count>(?<![A-WYZa-wyz0-9.])\d{1,6}[xX*](?=[A-Za-z0-9])(?!\d{1,3}[bB]\b))|"
    r"(?P<word>[A-Za-zÀ-ÖØ-öø-ÿ0-9]+(?:\.\d+[A-Za-z]*)?\+?)"
)
STYLE = re.compile(
    r"-(?:like|style|ähnlich|artig)|[ -](?:alternatives?|replacement|clone|equivalent|ersatz|competitor)\b",
    re.IGNORECASE,
)
"""What stands after a name that is only compared with."""

_JOINT = re.compile(r"(?:[ \-_/:(]{1,2}|\.|)$")
_COMMON = (
    "a an the and or of on in at to for with we i you it is are was be do does how many much what which my our "
    "your this that "
    "from by as not no if so but can will per each about than then them they need want use using run serve "
    "have has had get got "
    "der die das und oder mit für wir ich ein eine einen auf im am ist sind wie viele was soll bis bei zu von "
    "je pro nicht kein "
    "le la les des une pour avec nous dans et du un de en los las para con por os as com uma two three four five six"
)
_STOP = frozenset(_COMMON.split())


@dataclass(frozen=True)
class Name:
    """A run of words that means one entry, or one of several ``candidates``."""

    start: int
    end: int
    resolution: Resolution
    kind: str

    @property
    def likeliest(self) -> str | None:
        """The entry meant, or the likeliest of the candidates; None for a refused product."""
        return self.resolution.id or next(iter(self.resolution.candidates), None)

    def words(self, reading: Reading) -> str:
        """The name as written."""
        return reading.text[self.start : self.end].strip()


def refusal(field: str, span: Span, name: Name) -> Ambiguous:
    """A known product that is deliberately not sized: the reason, and what to name instead."""
    instead = f"; instead: {', '.join(name.resolution.instead)}" if name.resolution.instead else ""
    return Ambiguous.model_construct(
        field=field, span=span, candidates=(), question=f"{span.text}: {name.resolution.note}{instead}"
    )


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


_MOST_REMEMBERED = 20_000
"""Words whose answer is kept, so that hostile text cannot fill the memory."""


class _Starts:
    """How the names of one kind may begin: looked up before any name is put together, as most words begin none."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._sorted = sorted(key for key in keys if not key.startswith("~"))
        self._asked: dict[str, bool] = {}
        self._pieces = frozenset(piece for key in keys if key.startswith("~") for piece in key[1:].split())

    def may_start(self, word: str) -> bool:
        """Whether a name begins with this word, or holds it where the order of its words is free."""
        found = self._asked.get(word)
        if found is None:
            found = self._may_start(word)
            if len(self._asked) < _MOST_REMEMBERED:
                self._asked[word] = found
        return found

    def _may_start(self, word: str) -> bool:
        key = name_key(word)
        at = bisect_left(self._sorted, key)
        begins = at < len(self._sorted) and self._sorted[at].startswith(key)
        return begins or key in self._pieces or key.removesuffix("s") in self._pieces or key[:4].isdecimal()


@lru_cache(maxsize=16)
def _starts(catalogue: Catalogue, kind: str) -> _Starts:
    index = catalogue._index(kind)  # the names themselves; the public way resolves one text at a time
    return _Starts([*index.exact, *index.assumed, *index.ambiguous, *index.refused])


def _longest(
    reading: Reading,
    kinds: tuple[str, ...],
    tokens: list[tuple[int, int]],
    known: dict[str, tuple[str, Resolution] | None],
) -> Name | None:
    text, (start, first_end) = reading.text, tokens[0]
    first = text[start:first_end]
    if first.lower() in _STOP or not reading.free(start, first_end):
        return None
    if not any(_starts(reading.catalogue, kind).may_start(first) for kind in kinds):
        return None
    ends = [first_end]
    for (_, before), (begin, end) in itertools.pairwise(tokens):
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
_MEMORY = re.compile(r"\d{1,5}[ -]?(?:[GgTtMm]i?[Bbo](?:ps)?|[GgTkK])")
_COUNTED = re.compile(
    r"^\d{1,6}(?: (?!(?:Ti|Super|D)\b)[A-Za-z]|\s?[xX*]\s?[A-Za-z0-9])|(?:\s[xX*]\s?|\s?\*\s?)\d{1,4}$"
)
_MODEL_WORD = re.compile(r"[A-Za-z]{2}|^[A-Z]\d")
_HARDWARE = frozenset(
    {"gpu", "gpus", "card", "cards", "server", "servers", "switch", "tensor", "core", "accelerator", "accelerators"}
)
_COUNTRY_CODES = frozenset({"US", "USA", "UK", "UAE", "DE", "CH", "FR", "NL"})


def _forms(words: str, kind: str) -> Iterator[str]:
    """Spellings under which a run of words is looked up; none where it cannot be a name of that kind."""
    if kind == "countries":
        first, *others = re.split(r"[ \-_/:(]+", words)
        named = words[0].isupper() and not words.isupper() and (len(first) >= 4 or others)
        if words in _COUNTRY_CODES or (named and not _HARDWARE & {word.lower() for word in (first, *others)}):
            yield words
        return
    if kind == "models":
        if _MODEL_WORD.search(words) and len(words) > 1:
            yield words
        return
    if (
        _MEMORY.fullmatch(words)
        or _COUNTED.search(words)
        or not _GPU_WORD.search(words)
        or words.lower().endswith(("hgx", "gpu", "gpus", "card", "cards"))
    ):
        return
    yield words
    if re.search(r"\d\D?s$", words):
        yield words[:-1]
    if re.fullmatch(r"910[A-Ca-c]", words):
        yield f"Ascend {words}"
    if re.match(r"\d{4}\D", words):
        yield f"RTX {words}"
        yield f"RTX {words.rstrip('gG')}GB"
    if re.search(r"[A-Za-z]\w*[ -]\d{2,3}[gG]?$", words):
        yield words.rstrip("gG") + "GB"
