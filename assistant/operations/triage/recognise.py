"""From bytes to what was seen: the lines of a stream, each looked at only where its template could mean something."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast
from zlib import error as ZlibError

from assistant.operations.triage.codes import read_codes
from assistant.operations.triage.corruption import MARK
from assistant.operations.triage.lines import MAX_CHARS, clean, gpu_of, node_of
from assistant.operations.triage.patterns import DIGITS, LOWER, SURE, XID, Patterns
from assistant.operations.triage.sightings import Hit, Place, Seen

CHUNK_BYTES = 1 << 20
MAX_LINE_BYTES = 64 * MAX_CHARS
_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[@-_])")
_SEQUENCE = re.compile(r"SeqNum=(\d+)")
_OPERATION = re.compile(r"OpType=(\w+)")
_RANK = re.compile(r"[Rr]ank[ :]?(\d{1,6})\b")
_BUSBW = re.compile(r"Avg bus bandwidth\s*:\s*([0-9.]+)")
_TEST_ROW = re.compile(r"^\s*(\d{3,14})\s+\d+\s+(?:float|half|bfloat16|double|u?int\d+|fp8\w*)\s+\w+\s+-?\d+\s+(.*)$")
_TEST_DEVICE = re.compile(r"#\s+Rank\s+\d+.*\bon\s+(\S+)\s+device\s+\d+\s+\[\S+\]\s+(.+)$")


class Stretch(NamedTuple):
    """Part of a file: from a byte that begins a line to one that ends a line; ``end`` None is the file's end."""

    file: int
    path: str
    begin: int = 0
    end: int | None = None


def chunks(stream: BinaryIO, limit: int | None = None) -> Iterator[bytes]:
    """Whole lines, about a mebibyte at a time; a line without end is cut."""
    rest, left = b"", limit
    read = getattr(stream, "read1", stream.read)  # what is there, so that the start of a cut archive is not lost
    while data := read(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left)):
        left = None if left is None else left - len(data)
        head, newline, tail = data.rpartition(b"\n")
        if newline:
            yield rest + head + newline
            rest = tail
        elif len(rest) < MAX_LINE_BYTES:
            rest += data
    if rest:
        yield rest


def open_log(path: str, begin: int = 0) -> BinaryIO:
    """A log for reading from ``begin``; a gzip file is unpacked, UTF-16 becomes UTF-8. Raises OSError."""
    stream = Path(path).open("rb")  # noqa: SIM115 - the caller closes it
    magic = stream.read(2)
    if magic == b"\x1f\x8b":
        stream.close()
        return cast("BinaryIO", gzip.open(path))
    stream.seek(begin)
    return stream


class Reader:
    """Reads lines into ``Seen``. ``node`` is the host of lines that name none."""

    def __init__(self, patterns: Patterns, file: int = 0, node: str | None = None) -> None:
        self.seen = Seen()
        self._patterns = patterns
        self._file = file
        self._node = node
        self._gpu: str | None = None

    def feed(self, chunk: bytes) -> None:
        """Look at the lines of a chunk."""
        if b"\x1b" in chunk:
            chunk = _ANSI.sub(b"", chunk)
        templates = chunk.translate(LOWER, DIGITS).split(b"\n")
        if not templates[-1]:
            templates.pop()
        known, candidates = self._patterns.known, self._patterns.candidates
        raw: list[bytes] = []
        for number, template in enumerate(templates):
            found = known(template)
            if found == ():
                continue
            raw = raw or chunk.split(b"\n")
            if found is None and len(template) > MAX_CHARS and b"\r" in template:
                self._overwritten(raw[number], Place(self._file, self.seen.lines + number + 1))
                continue
            if found is None:
                template, found = candidates(raw[number])
            if found:
                self._line(raw[number], template, found, Place(self._file, self.seen.lines + number + 1))
        self.seen.lines += len(templates)

    def _line(self, raw: bytes, template: bytes, found: tuple[int, ...], place: Place) -> None:
        self._patterns.learn(template, found, self._text(clean(raw), found, place))

    def _overwritten(self, raw: bytes, place: Place) -> None:
        """A line of a progress bar, which begins anew many times: each beginning is looked at alone."""
        for part in raw.split(b"\r"):
            template, found = self._patterns.candidates(part)
            if found:
                self._line(part, template, found, place)

    def _text(self, text: str, found: tuple[int, ...], place: Place) -> int | None:
        """The number of the pattern that the line matched."""
        for number in found:
            if number < 0:
                done = self._codes(text, place) if number == XID else _nccl_tests(text, self.seen)
            else:
                done = self._pattern(number, text, place)
            if done:
                return number
        return None

    def _codes(self, text: str, place: Place) -> bool:
        hits = read_codes(text, self._patterns)
        for hit in hits:
            self._add(hit, text, place)
        return bool(hits)

    def _pattern(self, number: int, text: str, place: Place) -> bool:
        pattern = self._patterns.all[number % SURE]
        match = pattern.regex.search(text) if number < SURE else None
        if match is None and number < SURE:
            return False
        entry = pattern.entry
        if entry.use == "fault":
            self.seen.fault(text)
        elif entry.use == "context":
            if match is not None:
                self._context(match, place)
            return False
        elif entry.mode is not None:
            rank = _RANK.search(text)
            hit = Hit(
                entry.mode,
                entry.kind,
                entry.code or entry.id,
                gpu_of(text) or self._gpu,
                entry.action,
                entry.note,
                tuple(_details(text)) if entry.kind == "pytorch" else (),
                rank.group(1) if rank else None,
            )
            self._add(hit, text, place)
        return True

    def _context(self, match: re.Match[str], place: Place) -> None:
        groups = match.groupdict()
        if groups.get("gpu"):
            self._gpu = gpu_of(groups["gpu"])
        elif groups.get("phase") and len(self.seen.phases) < 10_000:
            self.seen.phases.append((place, groups["phase"]))

    def _add(self, hit: Hit, text: str, place: Place) -> None:
        node = node_of(text) or self._node
        if node:
            self.seen.nodes.add(node)
        self.seen.add(hit, node, place, text)


def _details(text: str) -> Iterator[tuple[str, str]]:
    for name, pattern in (("seq", _SEQUENCE), ("op", _OPERATION), ("rank", _RANK)):
        if found := pattern.search(text):
            yield name, found.group(1)


def _nccl_tests(text: str, seen: Seen) -> bool:
    """Note bandwidths, devices and wrong results of nccl-tests; lines of it that say more go on to the patterns."""
    if found := _TEST_DEVICE.search(text):
        seen.facts.append(("device", f"{found.group(1)} {found.group(2).strip()}"))
    elif found := _BUSBW.search(text):
        seen.facts.append(("busbw", found.group(1)))
    elif found := _TEST_ROW.search(text):
        seen.facts.append(("row", f"{found.group(1)} {found.group(2)}"))
    elif MARK in text:
        seen.facts.append(("checksum", text.partition(MARK)[2].strip()))
    return False


def read_stretch(
    stretch: Stretch, patterns: Patterns, node: str | None, progress: Callable[[int], None] | None = None
) -> Seen:
    """What is seen in a stretch of a file. ``progress`` is told of bytes read. Raises OSError."""
    with open_log(stretch.path, stretch.begin) as stream:
        limit = None if stretch.end is None else stretch.end - stretch.begin
        return read_stream(stream, patterns, stretch.file, node, limit, progress)


def read_stream(
    stream: BinaryIO,
    patterns: Patterns,
    file: int = 0,
    node: str | None = None,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Seen:
    """What is seen in a stream of bytes; a gzip stream that ends early is read as far as it goes."""
    reader = Reader(patterns, file, node)
    try:
        for chunk in chunks(stream, limit):
            reader.feed(chunk)
            if progress is not None:
                progress(len(chunk))
    except (EOFError, gzip.BadGzipFile, ZlibError):
        pass
    return reader.seen
