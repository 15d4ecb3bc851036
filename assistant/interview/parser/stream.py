"""The text as one stream of numbers and known words, with the borders of its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from assistant.interview.parser.numbers.scan import Number, numbers
from assistant.interview.parser.vocabulary.lexicon import Word, lexicon
from knowledge import regexes as re

_SHORT = r"(?<!\bca)(?<!\bmax)(?<!\bmin)(?<!\bNr)(?<!\bNo)(?<!\bStd)(?<!\bSek)(?<!\bMio)(?<!\bMrd)(?<!\bTsd)(?<!\binkl)(?<!\bincl)(?<!\bapprox)(?<!\bbzw)(?<!\bevtl)(?<!\bggf)(?<!\benv)(?<!\baprox)(?<!\btys)(?<!\bmln)(?<!\bggü)(?<!\bz\.B)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bgodz)"
_BREAK = re.compile(
    rf"(?:{_SHORT}\.(?=\s|$)|[;!?](?=\s|$|[\u3040-\u9fff])|[。；！？]|(?<=[^\x00-\x7f])\.(?=[\u3040-\u9fff])|"
    r"\n\s*(?=\n|[-*•–]\s|\(?\w{1,2}[.)]\s|[^\W\d_]{2,12} ?\d{1,2} ?[-–:)])|(?<=[.:;!?])\n|"
    r"(?<=[:;,.])\s(?=\(?[a-h1-9]\)\s)|\(?(?<![\w])[ivx]{1,3}\)\s)",
)
_CLAUSE = re.compile(r"[,;:()（）]|\s-\s")


class Stream:
    """Numbers and words of a text in their order. ``taken`` marks places in which no number begins."""

    def __init__(self, text: str, language: str, also: tuple[str, ...], taken: bytearray) -> None:
        self.text = text
        self.words: list[Word] = lexicon(tuple(dict.fromkeys(("en", language, *also)))).find(text)
        self.numbers: list[Number] = list(numbers(text, language, taken))
        self._word_starts = [word.start for word in self.words]
        self._word_ends = [word.end for word in self.words]
        self._number_starts = [number.start for number in self.numbers]
        self._number_ends = [number.end for number in self.numbers]

    @cached_property
    def breaks(self) -> list[int]:
        """Where sentences, list items and paragraphs end."""
        return [match.end() for match in _BREAK.finditer(self.text)]

    def sentence(self, start: int) -> tuple[int, int]:
        """The sentence in which a place stands."""
        at = bisect_right(self.breaks, start)
        return (self.breaks[at - 1] if at else 0), (self.breaks[at] if at < len(self.breaks) else len(self.text))

    def clause(self, start: int, end: int) -> tuple[int, int]:
        """The part of a sentence, between commas, in which a place stands."""
        first, last = self.sentence(start)
        left = [m.end() for m in _CLAUSE.finditer(self.text, first, start)]
        right = _CLAUSE.search(self.text, end, last)
        return (left[-1] if left else first), (right.start() if right else last)

    def within(self, start: int, end: int, *kinds: str) -> list[Word]:
        """The words between two places, of these kinds where any are given."""
        low, high = bisect_left(self._word_starts, start), bisect_right(self._word_ends, end)
        found = self.words[low:high]
        return [word for word in found if word.kinds.intersection(kinds)] if kinds else found

    def number_after(self, place: int) -> int:
        """Where the next number begins."""
        at = bisect_left(self._number_starts, place)
        return self._number_starts[at] if at < len(self._number_starts) else len(self.text)

    def number_before(self, place: int) -> int:
        """Where the last number ended."""
        at = bisect_right(self._number_ends, place)
        return self._number_ends[at - 1] if at else 0
