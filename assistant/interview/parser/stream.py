"""The text as one stream of numbers and known words, with the borders of its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from assistant.interview.parser.numbers.scan import Number, numbers
from assistant.interview.parser.vocabulary.lexicon import Word, lexicon
from knowledge import regexes as re

_ABBREVIATIONS = (
    r"ca",
    r"max",
    r"min",
    r"Nr",
    r"No",
    r"Std",
    r"Sek",
    r"Mio",
    r"Mrd",
    r"Tsd",
    r"inkl",
    r"incl",
    r"approx",
    r"bzw",
    r"evtl",
    r"ggf",
    r"env",
    r"aprox",
    r"tys",
    r"mln",
    r"ggü",
    r"z\.B",
    r"e\.g",
    r"i\.e",
    r"vs",
    r"godz",
)
_NO_END = "".join(rf"(?<!\b{word}\.)" for word in _ABBREVIATIONS)
"""Looked at behind a full stop only: before one, each place of the text would be looked at."""


_BREAK = re.compile(
    rf"(?:\.(?=\s|$){_NO_END}|[;!?](?=\s|$|[\u3040-\u9fff])|[。；！？]|(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3])\.(?!\d)|(?<=[^\x00-\x7f])\.(?=[\u3040-\u9fff])|"
    r"\n\s*(?=\n|[-*•–]\s|\(?\w{1,2}[.)]\s|[^\W\d_]{2,12} ?\d{1,2} ?[-–:)])|(?<=[.:;!?])\n|"
    r"(?<=[:;,.])\s(?=\(?[a-h1-9]\)\s)|\(?(?<![\w])[ivx]{1,3}\)\s)",
)
_LONGEST_SENTENCE = 500
"""Characters on either side of a place that count as its sentence at most, so that reading stays linear."""

_CLAUSE = re.compile(r"[,;:()（）\uff64]|\s-\s")


class Stream:
    """Numbers and words of a text in their order. ``taken`` marks places in which no number begins."""

    def __init__(self, text: str, language: str, also: tuple[str, ...], taken: bytearray) -> None:
        self.text = text
        languages = tuple(dict.fromkeys(("en", language, *also)))
        self.words: list[Word] = lexicon(languages).find(text)
        self.links: list[Word] = lexicon(languages, linking=True).find(text)
        self._word_starts = [word.start for word in self.words]
        self._word_ends = [word.end for word in self.words]
        self._link_starts = [word.start for word in self.links]
        self._language, self._taken = language, taken

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers outside of what was understood when they were first asked for."""
        return list(numbers(self.text, self._language, self._taken))

    @cached_property
    def _number_starts(self) -> list[int]:
        return [number.start for number in self.numbers]

    @cached_property
    def _number_ends(self) -> list[int]:
        return [number.end for number in self.numbers]

    @cached_property
    def breaks(self) -> list[int]:
        """Where sentences, list items and paragraphs end."""
        return [match.end() for match in _BREAK.finditer(self.text)]

    def sentence(self, start: int) -> tuple[int, int]:
        """The sentence in which a place stands; of a very long one the part around it."""
        at = bisect_right(self.breaks, start)
        first = self.breaks[at - 1] if at else 0
        last = self.breaks[at] if at < len(self.breaks) else len(self.text)
        return max(first, start - _LONGEST_SENTENCE), min(last, start + _LONGEST_SENTENCE)

    def clause(self, start: int, end: int) -> tuple[int, int]:
        """The part of a sentence, between commas, in which a place stands."""
        first, last = self.sentence(start)
        before = bisect_right(self._clause_ends, start)
        after = bisect_left(self._clause_starts, end)
        left = self._clause_ends[before - 1] if before else 0
        right = self._clause_starts[after] if after < len(self._clause_starts) else len(self.text)
        return max(first, left), min(last, right)

    @cached_property
    def _clauses(self) -> list[tuple[int, int]]:
        return [match.span() for match in _CLAUSE.finditer(self.text)]

    @cached_property
    def _clause_starts(self) -> list[int]:
        return [start for start, _ in self._clauses]

    @cached_property
    def _clause_ends(self) -> list[int]:
        return [end for _, end in self._clauses]

    def within(self, start: int, end: int, *kinds: str) -> list[Word]:
        """The words between two places, of these kinds where any are given."""
        low, high = bisect_left(self._word_starts, start), bisect_right(self._word_ends, end)
        found = self.words[low:high]
        return [word for word in found if word.kinds.intersection(kinds)] if kinds else found

    def linked(self, start: int, end: int, *kinds: str) -> list[Word]:
        """The joining words of these kinds between two places."""
        low, high = bisect_left(self._link_starts, start), bisect_left(self._link_starts, end)
        return [word for word in self.links[low:high] if word.end <= end and word.kinds.intersection(kinds)]

    def number_after(self, place: int) -> int:
        """Where the next number begins."""
        at = bisect_left(self._number_starts, place)
        return self._number_starts[at] if at < len(self._number_starts) else len(self.text)

    def number_before(self, place: int) -> int:
        """Where the last number ended."""
        at = bisect_right(self._number_ends, place)
        return self._number_ends[at - 1] if at else 0
