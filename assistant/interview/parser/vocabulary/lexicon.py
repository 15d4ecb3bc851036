"""The words of each language and their kinds, read from YAML, and the one pass that finds them in a text.

A file lists kinds of words; each kind has its ``words`` and at least two ``examples`` of its use. A word may be a
phrase (``at the same time``); a star at its end stands for any ending (``utilisat*``), one at its start for any
beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from knowledge import regexes as re
from knowledge.shipped import shipped_folder

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "pl", "zh", "ja", "ko")
_IDEOGRAPH = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
TOKEN = re.compile(rf"[{_IDEOGRAPH}]|[^\W\d_{_IDEOGRAPH}]+|[%/§°€$£]")
_LONGEST_GAP = 2


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase of the vocabulary in a text, and the kinds of which it is one."""

    start: int
    end: int
    kinds: frozenset[str]


@dataclass(slots=True)
class _Node:
    """One step of a phrase: the exact words and the stems that may come next, and what ends here."""

    exact: dict[str, _Node] = field(default_factory=dict)
    stems: dict[str, _Node] = field(default_factory=dict)
    tails: dict[str, _Node] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)

    def after(self, token: str) -> Iterator[_Node]:
        """The nodes that ``token`` leads to, the exact one first, then the longest stem."""
        if token in self.exact:
            yield self.exact[token]
        if self.stems:
            for length in range(len(token), 1, -1):
                if (node := self.stems.get(token[:length])) is not None:
                    yield node
                    break
        if self.tails:
            for begin in range(1, len(token) - 2):
                if (node := self.tails.get(token[begin:])) is not None:
                    yield node
                    break

    def step(self, word: str) -> _Node:
        """The node of a word of a phrase, made where there is none."""
        if word.endswith("*"):
            return self.stems.setdefault(word[:-1], _Node())
        if word.startswith("*"):
            return self.tails.setdefault(word[1:], _Node())
        return self.exact.setdefault(word, _Node())


_PIECE = re.compile(rf"[{_IDEOGRAPH}]|\*?[^\W\d_{_IDEOGRAPH}]+\*?|[%/§°€$£]")


class Lexicon:
    """All words of some languages as one tree of phrases."""

    def __init__(self, vocabularies: Iterable[Mapping[str, Iterable[str]]]) -> None:
        self._root = _Node()
        for vocabulary in vocabularies:
            for kind, words in vocabulary.items():
                for word in words:
                    self._add(word, kind)

    def _add(self, phrase: str, kind: str) -> None:
        node = self._root
        for piece in _PIECE.findall(phrase.lower()):
            node = node.step(piece)
        node.kinds.add(kind)

    def find(self, text: str) -> list[Word]:
        """The longest phrase at each place, left to right, in time linear in the text."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters change their length
            lowered = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
        tokens = [(m[0], m.start(), m.end()) for m in TOKEN.finditer(lowered)]
        found, at = [], 0
        while at < len(tokens):
            stop, kinds = self._longest(lowered, tokens, at)
            if kinds:
                found.append(Word(tokens[at][1], tokens[stop - 1][2], frozenset(kinds)))
            at = max(stop, at + 1)
        return found

    def _longest(self, text: str, tokens: list[tuple[str, int, int]], at: int) -> tuple[int, set[str]]:
        best: tuple[int, set[str]] = (at, set())
        open_: list[tuple[int, _Node]] = [(at, self._root)]
        while open_:
            place, node = open_.pop()
            if node.kinds and place > best[0]:
                best = (place, node.kinds)
            elif node.kinds and place == best[0]:
                best = (place, best[1] | node.kinds)
            if place >= len(tokens) or (place > at and not _near(text, tokens[place - 1][2], tokens[place][1])):
                continue
            open_ += [(place + 1, following) for following in node.after(tokens[place][0])]
        return best


def _near(text: str, end: int, start: int) -> bool:
    """Whether two tokens may belong to one phrase: at most a space, hyphen or apostrophe stands between."""
    return start - end <= _LONGEST_GAP and all(c in " -'\n_" for c in text[end:start])


@lru_cache(maxsize=16)
def words_of(language: str) -> Mapping[str, tuple[str, ...]]:
    """The kinds of words of one language."""
    kinds: dict[str, tuple[str, ...]] = {}
    for name, document in shipped_folder(FOLDER / language).items():
        for kind, entry in document.items() if name != _LINKS else ():
            kinds[kind] = (*kinds.get(kind, ()), *entry["words"])
    return kinds


_LINKS = "links.yaml"
"""Holds small words that join others ("over", "plus", "instead of"): found apart, so that they hide no other word."""


@lru_cache(maxsize=16)
def links_of(language: str) -> Mapping[str, tuple[str, ...]]:
    """The kinds of joining words of one language."""
    return {kind: tuple(entry["words"]) for kind, entry in shipped_folder(FOLDER / language)[_LINKS].items()}


@lru_cache(maxsize=32)
def lexicon(languages: tuple[str, ...], linking: bool = False) -> Lexicon:
    """The vocabulary of some languages, built once for each set: what words mean, or the words that join them."""
    read = links_of if linking else words_of
    return Lexicon(read(language) for language in languages)
