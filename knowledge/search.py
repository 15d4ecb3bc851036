"""Full-text search over what is known: SQLite FTS5 in memory, built at first use, ranked by bm25.

A question is answered only by what covers it: ``coverage`` is the share of the question's content words, weighted by
how rare they are, that a document holds. A word that no document holds weighs most, so that a question about
something else covers little, however common its other words are.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowledge.evidence import Frozen

_WORD = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_SCHEMA = "CREATE VIRTUAL TABLE documents USING fts5(title, body, tokenize = 'porter unicode61 remove_diacritics 2')"
_TITLE_WEIGHT = 3.0


class Document(Frozen):
    """One thing that can be found: its kind (``claims``, ``rules``, ...), its id there, and its words."""

    kind: str
    id: str
    title: str
    body: str


@dataclass(frozen=True)
class Hit:
    """A document that was found. ``coverage`` is from 0 to 1; ``rank`` is bm25's, higher is better."""

    document: Document
    coverage: float
    rank: float
    words: tuple[str, ...]


class SearchIndex:
    """Documents by their words. ``synonyms`` maps a word of the question to others that do as well, apart by blanks."""

    def __init__(
        self, documents: Iterable[Document], stop_words: Iterable[str] = (), synonyms: Mapping[str, str] | None = None
    ) -> None:
        self._documents = list(documents)
        self._stop = frozenset(stop_words)
        self._synonyms = dict(synonyms or {})
        # One thread builds it and another may ask (the app's workers); it is only read after this.
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(_SCHEMA)
        rows = ((number, d.title, f"{d.id} {d.body}") for number, d in enumerate(self._documents, start=1))
        self._db.executemany("INSERT INTO documents(rowid, title, body) VALUES (?, ?, ?)", rows)

    def __len__(self) -> int:
        return len(self._documents)

    def words(self, text: str) -> list[str]:
        """The content words of a text in order, each once."""
        return list(dict.fromkeys(word for word in _WORD.findall(text.casefold()) if word not in self._stop))

    def _alternatives(self, word: str) -> list[str]:
        parts = word.split("-") if "-" in word else []
        return [word, *(part for part in parts if len(part) > 3), *self._synonyms.get(word, "").split()]

    def search(self, text: str, limit: int = 8, kinds: Sequence[str] = (), prefixes: Sequence[str] = ()) -> list[Hit]:
        """The documents that cover ``text`` best, of these kinds and id prefixes (none given: of all)."""
        words = self.words(text)
        if not words:
            return []
        holding = {word: self._holding(word) for word in words}
        weights = {word: self._weight(len(rows)) for word, rows in holding.items()}
        # A number that nothing holds says little: what is known stands at other numbers.
        total = sum(weight for word, weight in weights.items() if holding[word] or not word[0].isdigit())
        hits: list[Hit] = []
        for number, rank in self._ranked(words):
            document = self._documents[number - 1]
            if (kinds and document.kind not in kinds) or (prefixes and not document.id.startswith(tuple(prefixes))):
                continue
            held = tuple(word for word in words if number in holding[word])
            hits.append(Hit(document, sum(weights[word] for word in held) / total, rank, held))
        return sorted(hits, key=lambda hit: (-round(hit.coverage, 2), -hit.rank, hit.document.id))[:limit]

    def _weight(self, count: int) -> float:
        """Inverse document frequency; above nought also for a word that all hold."""
        return math.log((len(self._documents) + 1) / (count + 0.5)) + 0.1

    def _holding(self, word: str) -> frozenset[int]:
        rows = self._db.execute("SELECT rowid FROM documents WHERE documents MATCH ?", (self._either(word),))
        return frozenset(number for (number,) in rows)

    def _ranked(self, words: Iterable[str]) -> list[tuple[int, float]]:
        query = "SELECT rowid, bm25(documents, ?, 1.0) FROM documents WHERE documents MATCH ?"
        rows = self._db.execute(query, (_TITLE_WEIGHT, " OR ".join(map(self._either, words))))
        return [(number, -score) for number, score in rows]

    def _either(self, word: str) -> str:
        return " OR ".join(map(_quoted, self._alternatives(word)))


def _quoted(word: str) -> str:
    """A word as an FTS5 string: nothing in it is an operator."""
    return '"' + word.replace('"', '""') + '"'
