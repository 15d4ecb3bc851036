"""Which patterns could match a line, found out at the speed of reading.

A line is first reduced to its template: lower case, without digits. Logs repeat themselves, so nearly every template
was seen before and costs one look into a dictionary. A new one is searched once for all hints together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from assistant.operations.triage.corruption import MARK
from assistant.operations.triage.programs import Programs, Writer
from knowledge.catalogue import Catalogue
from knowledge.schema.operations import FailureMode, LogPattern, NvlinkCode, NvlinkRegister

DIGITS = b"0123456789\0"
LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
MAX_TEMPLATES = 50_000
"""Bounds the memory of templates (some 10 MB); when full it starts anew."""
MAX_TEMPLATE_BYTES = 1200

_IDENTIFIER = re.compile(rb"[a-z]*+[0-9][0-9a-z]{7,}")
"""Hashes and addresses, which make every line a template of its own; no hint holds such a word."""

ZERO = re.compile(rb"(?<![\w.])0+(?:\.0+)?(?![\w.])")
"""A number that is nothing; that a line holds one decides more often than any other number."""
_NOTHING = re.compile(r"\[1-9\](?!\\d\{)|(?<![\d\[-])0\+?(?![-\d])")
_ANY_NUMBER = re.compile(r"\{[0-9,]+\}|\[0-9\]|\[0-9A-Fa-f\]|\\[A-Za-z]")
_NAMES = re.compile(r"[A-Za-z]{2,}[0-9]+|[A-Za-z][0-9]+[A-Za-z]|\b0x", re.IGNORECASE)
"""Digits in an expression that no line is told by: any number at all, and those of names (mlx5, i40e, p2p)."""

SURE = 1 << 20
"""Added to a pattern's number where every line of the template matches it: it need not be searched for again."""

TOLD = 1 << 21
"""Added besides where no log program wrote the lines of the template: somebody says so."""

XID = -1
"""Stands for the reader of Xids and SXids among the numbers of patterns."""
NCCL_TESTS = -2
"""Stands for the reader of nccl-tests output and of the reference run's checksums."""
_READERS: tuple[tuple[str, int], ...] = (
    ("xid", XID),
    ("bus bandwidth", NCCL_TESTS),
    (MARK, NCCL_TESTS),
    ("float", NCCL_TESTS),
    *((f"] nvidia {letter}", NCCL_TESTS) for letter in "abghl"),
)


def template_of(raw: bytes) -> bytes:
    """Lower case without digits, so that lines that differ in numbers only are one."""
    return raw.translate(LOWER, DIGITS)


class Pattern:
    """A log pattern with its expression compiled.

    ``reads_numbers`` is False where no number decides but that there is a zero: then lines of one template, with a zero
    or without, all match or all do not.
    """

    __slots__ = ("entry", "reads_numbers", "regex")

    def __init__(self, entry: LogPattern) -> None:
        self.entry = entry
        self.regex = re.compile(entry.match, re.IGNORECASE)
        counted = re.search(r"\[1-9\]\\d\{", entry.match) is not None
        rest = _NOTHING.sub(" ", _NAMES.sub("", _ANY_NUMBER.sub(" ", entry.match)))
        self.reads_numbers = counted or re.search(r"[0-9]", rest) is not None


class Patterns:
    """All patterns of the catalogue, and a memory of templates."""

    def __init__(self, catalogue: Catalogue) -> None:
        entries: Iterable[LogPattern] = catalogue.entries("log_patterns").values()
        self.all = tuple(Pattern(entry) for entry in entries)
        self.programs = Programs(catalogue.entries("log_programs").values())
        self.modes: Mapping[str, FailureMode] = catalogue.entries("failure_modes")
        self.xids: dict[int, Any] = {xid.code: xid for xid in catalogue.entries("xids").values()}
        self.sxids: dict[int, Any] = {sxid.code: sxid for sxid in catalogue.entries("sxids").values()}
        self.sub_codes: tuple[NvlinkCode, ...] = tuple(catalogue.entries("nvlink_codes").values())
        self.registers: tuple[NvlinkRegister, ...] = tuple(catalogue.entries("nvlink_registers").values())
        self.meanings = {code: f"Xid {code}: {xid.meaning or xid.description}" for code, xid in self.xids.items()}
        self.mode_of_xid = {code: mode.id for mode in self.modes.values() for code in mode.xids}
        self.closing_xids = {code: mode.id for mode in self.modes.values() for code in mode.closed_by_xids}
        self.closing_sxids = {code: mode.id for mode in self.modes.values() for code in mode.closed_by_sxids}
        # The readers come after what says that a line is harmless or ends something.
        self._readers = max((n for n, p in enumerate(self.all) if p.entry.use in ("benign", "closes")), default=0) + 0.5
        self._numbers = self._by_hint()
        alternatives = _trie(self._numbers)
        self._any = re.compile(alternatives)
        self._each = re.compile(b"(?=(" + alternatives + b"))")
        self._known: dict[bytes, tuple[int, ...]] = {}
        self._writers: dict[bytes, Writer] = {}

    def _by_hint(self) -> dict[bytes, frozenset[int]]:
        numbers: dict[bytes, set[int]] = {}
        for number, pattern in enumerate(self.all):
            for hint in pattern.entry.hints:
                numbers.setdefault(template_of(hint.encode()), set()).add(number)
        for hint, number in _READERS:
            numbers.setdefault(hint.encode(), set()).add(number)
        numbers.pop(b"", None)
        # A longer hint that is found stands for the shorter ones it begins with.
        return {
            hint: frozenset().union(*(found for other, found in numbers.items() if hint.startswith(other)))
            for hint in numbers
        }

    def known(self, template: bytes) -> tuple[int, ...] | None:
        """Numbers of the patterns that a line of this template may match, or None for a new template."""
        return self._known.get(template)

    def candidates(self, raw: bytes) -> tuple[bytes, tuple[int, ...]]:
        """The line's template without identifiers, and the numbers of the patterns it holds a hint of, in order."""
        template = template_of(_IDENTIFIER.sub(b"", raw[:MAX_TEMPLATE_BYTES].lower()))
        found = self._known.get(template)
        return template, self._remember(template, self._search(template)) if found is None else found

    def _remember(self, template: bytes, found: tuple[int, ...]) -> tuple[int, ...]:
        if len(self._known) >= MAX_TEMPLATES:
            self._known.clear()
        self._known[template] = found
        return found

    def of_numbers(self, raw: bytes, template: bytes, found: tuple[int, ...]) -> tuple[bytes, tuple[int, ...]]:
        """The template told apart by whether the line holds a zero, and what was learnt of its patterns."""
        own = template + (b"\x01" if b"0" in raw and ZERO.search(raw) else b"\x02")
        learnt = self._known.get(own)
        return own, found if learnt is None else learnt

    def writer(self, template: bytes, text: str) -> Writer:
        """The writer of a line; lines of one template are one program's."""
        found = self._writers.get(template)
        if found is None:
            if len(self._writers) >= MAX_TEMPLATES:
                self._writers.clear()
            found = self._writers[template] = self.programs.writer(text)
        return found

    def learn(self, template: bytes, tried: tuple[int, ...], match: int | None) -> None:
        """Of the patterns ``tried`` on a line of this template, up to the one that did match, keep those that may yet.

        A match by which no number decides ends the search for all lines of the template; one that moreover only says
        that the line is harmless ends it before it began.
        """
        at = len(tried) if match is None else tried.index(match if match < 0 or match in tried else match & (SURE - 1))
        kept = tuple(n for n in tried[:at] if n < 0 or self.all[n].reads_numbers or self.all[n].entry.use == "context")
        if match is not None:
            if match < 0 or match & SURE or self.all[match & (SURE - 1)].reads_numbers:
                kept += tried[at:]
            elif (
                kept
                or self.all[match & (SURE - 1)].entry.use != "benign"
                or self.all[match & (SURE - 1)].entry.harmless
            ):
                kept += (match | SURE,)
        self._remember(template, kept)

    def _search(self, template: bytes) -> tuple[int, ...]:
        if self._any.search(template) is None:
            return ()
        numbers: set[int] = set()
        for hint in set(self._each.findall(template)):
            numbers |= self._numbers[hint]
        return tuple(sorted(numbers, key=lambda n: self._readers if n < 0 else n))


@lru_cache(maxsize=2)
def patterns_of(catalogue: Catalogue) -> Patterns:
    """The patterns of a catalogue, compiled once: a pasted line takes no longer than reading it."""
    return Patterns(catalogue)


def _trie(words: Iterable[bytes]) -> bytes:
    """One expression for all words, the longest first at each place, branching letter by letter."""
    root: dict[int, Any] = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node[-1] = {}
    return _expression(root)


def _expression(node: Mapping[int, Any]) -> bytes:
    branches = [re.escape(bytes((letter,))) + _expression(below) for letter, below in node.items() if letter >= 0]
    if not branches:
        return b""
    joined = b"(?:" + b"|".join(branches) + b")" if len(branches) > 1 or -1 in node else branches[0]
    return joined + b"?" if -1 in node else joined
