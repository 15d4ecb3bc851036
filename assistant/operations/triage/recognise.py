"""From bytes to what was seen: the lines of a stream, each looked at only where its template could mean something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from assistant.operations.triage.archives import SAMPLE_BYTES, cut_errors, is_text, opened, unpacked
from assistant.operations.triage.codes import read_codes
from assistant.operations.triage.corruption import MARK
from assistant.operations.triage.lines import MAX_CHARS, clean, node_of, subject_of
from assistant.operations.triage.patterns import DIGITS, LOWER, NCCL_TESTS, SURE, TOLD, XID, Pattern, Patterns
from assistant.operations.triage.programs import Writer
from assistant.operations.triage.sightings import MAX_DETAILS, MAX_TEXTS, MAX_TOLD, Closing, Hit, Place, Seen, Sighting

CHUNK_BYTES = 1 << 20
MAX_LINE_BYTES = 64 * MAX_CHARS
MAX_REPEATS = 20_000
"""Lines that say the same but for their time and process, remembered to be counted only."""
_ANSI = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[@-_])")
_CLOCK = re.compile(
    rb"^(?:<\d+>)?(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?"
    rb"|[A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]+|\[ *\d+\.\d+\])"
)
_PROCESS = re.compile(
    rb"pid[= ]'?\d+|:\d+:\d+(?= \[)|\[\d+\](?=:)|\b0x[0-9a-fA-F]+|\bCh [0-9a-f]{8}|<\d+>|SeqNum=\d+"
    rb"|(?:opcode|len)[ =]\d+"
)
"""What differs from line to line of one fault and is of no account once the first few were kept."""
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
    """Whole lines, about a mebibyte at a time; a line without end is cut, a stream that breaks gives what it gave."""
    rest, left = b"", limit
    read = getattr(stream, "read1", stream.read)  # what is there, so that the start of a cut archive is not lost
    try:
        while data := read(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left)):
            left = None if left is None else left - len(data)
            head, newline, tail = data.rpartition(b"\n")
            if newline:
                yield rest + head + newline
                rest = tail
            elif len(rest) < MAX_LINE_BYTES:
                rest += data
    except cut_errors():
        if rest:
            yield rest
        raise
    if rest:
        yield rest


class Reader:
    """Reads lines into ``Seen``. ``node`` is the host of lines that name none."""

    def __init__(self, patterns: Patterns, file: int = 0, node: str | None = None) -> None:
        self.seen = Seen()
        self._patterns = patterns
        self._file = file
        self._node = node
        self._gpu: str | None = None
        self._repeats: dict[tuple[bytes, str | None], tuple[Sighting, ...]] = {}

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
        template, found = self._patterns.of_numbers(raw, template, found)
        if not found:
            return
        clock = _CLOCK.match(raw)
        said = (_PROCESS.sub(b"", raw[clock.end() :] if clock else raw), self._gpu)
        known = self._repeats.get(said)
        if known is not None:
            for sighting in known:
                sighting.again(place, raw)
            return
        match, counted = self._text(clean(raw), template, found, place)
        self._patterns.learn(template, found, match)
        nothing = not counted and self._is_quiet(found, match)
        if nothing or (
            counted and all(s.count > MAX_TEXTS and (not s.details or len(s.details) >= MAX_DETAILS) for s in counted)
        ):
            if len(self._repeats) >= MAX_REPEATS:
                self._repeats.clear()
            self._repeats[said] = counted

    def _is_quiet(self, found: tuple[int, ...], match: int | None) -> bool:
        """Whether the line, and every other that says the same, is nothing at all: not even noted."""
        patterns = self._patterns.all
        if any(n == NCCL_TESTS or (n >= 0 and patterns[n & (SURE - 1)].entry.use == "context") for n in found):
            return False
        if match is None:
            return True
        entry = patterns[match & (SURE - 1)].entry if match >= 0 else None
        return entry is not None and entry.use == "benign" and not entry.harmless

    def _overwritten(self, raw: bytes, place: Place) -> None:
        """A line of a progress bar, which begins anew many times: each beginning is looked at alone."""
        for part in raw.split(b"\r"):
            template, found = self._patterns.candidates(part)
            if found:
                self._line(part, template, found, place)

    def _text(
        self, text: str, template: bytes, found: tuple[int, ...], place: Place
    ) -> tuple[int | None, tuple[Sighting, ...]]:
        """The number of the pattern that the line matched, and the sightings to which it was added."""
        writer: Writer | None = None
        for number in found:
            if number < 0:
                if number != XID:
                    _nccl_tests(text, self.seen)
                    continue
                counted = self._codes(text, template, place)
                if counted is not None:
                    return number, counted
                continue
            pattern = self._patterns.all[number & (SURE - 1)]
            told = bool(number & TOLD)
            if not number & SURE:
                match = pattern.regex.search(text)
                if match is None:
                    continue
                if pattern.entry.use == "context":
                    self._context(pattern, match, place)
                    continue
                writer = writer or self._patterns.writer(template, text)
                if not _fits(pattern, writer):
                    continue
                told = not writer.logged
            return number | (TOLD if told else 0), self._matched(pattern, text, place, writer, told)
        return None, ()

    def _codes(self, text: str, template: bytes, place: Place) -> tuple[Sighting, ...] | None:
        writer = self._patterns.writer(template, text)
        hits = [] if writer.foreign else read_codes(text, self._patterns)
        return tuple(one for hit in hits for one in self._coded(hit, text, place)) if hits else None

    def _coded(self, hit: Hit, text: str, place: Place) -> Iterator[Sighting]:
        if hit.closes:
            self.seen.close(Closing((hit.mode,), node_of(text) or self._node, hit.gpu), hit, place, text)
            self.seen.excuse(hit.note or f"code {hit.code} ends an earlier one", hit, place, text)
        else:
            yield self._add(hit, text, place)

    def _matched(
        self, pattern: Pattern, text: str, place: Place, writer: Writer | None, told: bool
    ) -> tuple[Sighting, ...]:
        entry = pattern.entry
        if entry.use == "fault":
            self.seen.fault(text, writer.program if writer else None)
        elif entry.use == "benign":
            if entry.harmless:
                self.seen.excuse(entry.harmless, Hit("", entry.kind, entry.id), place, text)
        elif entry.use == "closes":
            gpu = subject_of(text, entry.kind) or self._gpu
            hit = Hit("", entry.kind, entry.code or entry.id, gpu)
            self.seen.close(Closing(entry.closes, node_of(text) or self._node, gpu), hit, place, text)
        elif entry.mode is not None and not (told and place.line > MAX_TOLD):
            rank = _RANK.search(text)
            hit = Hit(
                entry.mode,
                entry.kind,
                entry.code or entry.id,
                subject_of(text, entry.kind) or self._gpu,
                entry.action,
                entry.note,
                tuple(_details(text)) if entry.kind == "pytorch" else (),
                rank.group(1) if rank else None,
                told,
            )
            return (self._add(hit, text, place),)
        return ()

    def _context(self, pattern: Pattern, match: re.Match[str], place: Place) -> None:
        groups = match.groupdict()
        if pattern.entry.part is not None:
            part = pattern.entry.part
            self.seen.parts[part] = not pattern.entry.lacks or self.seen.parts.get(part, False)
        elif groups.get("gpu"):
            self._gpu = subject_of(groups["gpu"], "other")
        elif groups.get("phase") and len(self.seen.phases) < 10_000:
            self.seen.phases.append((place, groups["phase"]))

    def _add(self, hit: Hit, text: str, place: Place) -> Sighting:
        node = node_of(text) or self._node
        if node:
            self.seen.nodes.add(node)
        return self.seen.add(hit, node, place, text)


def _fits(pattern: Pattern, writer: Writer) -> bool:
    """Whether the pattern is one for lines of this program and level."""
    entry = pattern.entry
    if entry.use == "benign":
        return True
    if writer.foreign or (entry.programs and writer.program is not None and writer.program not in entry.programs):
        return False
    return entry.informs or entry.use == "closes" or not writer.quiet


def _details(text: str) -> Iterator[tuple[str, str]]:
    for name, pattern in (("seq", _SEQUENCE), ("op", _OPERATION), ("rank", _RANK)):
        if found := pattern.search(text):
            yield name, found.group(1)


def _nccl_tests(text: str, seen: Seen) -> None:
    """Note bandwidths, devices and wrong results of nccl-tests; lines of it that say more go on to the patterns."""
    if found := _TEST_DEVICE.search(text):
        seen.facts.append(("device", f"{found.group(1)} {found.group(2).strip()}"))
    elif found := _BUSBW.search(text):
        seen.facts.append(("busbw", found.group(1)))
    elif found := _TEST_ROW.search(text):
        seen.facts.append(("row", f"{found.group(1)} {found.group(2)}"))
    elif MARK in text:
        seen.facts.append(("checksum", text.partition(MARK)[2].strip()))


def read_stretch(
    stretch: Stretch, patterns: Patterns, node: str | None, progress: Callable[[int], None] | None = None
) -> Seen:
    """What is seen in a stretch of a file. ``progress`` is told of bytes read. Raises OSError."""
    with opened(stretch.path) as stream:
        if stretch.begin:
            stream.seek(stretch.begin)
        limit = None if stretch.end is None else stretch.end - stretch.begin
        packed = unpacked(stream) if limit is None else stream
        return read_stream(packed, patterns, stretch.file, node, limit, progress)


def read_stream(
    stream: BinaryIO,
    patterns: Patterns,
    file: int = 0,
    node: str | None = None,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Seen:
    """What is seen in a stream of bytes; one that ends early is read as far as it goes, and ``cut`` says so."""
    reader = Reader(patterns, file, node)
    sample = b""
    try:
        for chunk in chunks(stream, limit):
            sample = sample or chunk[:SAMPLE_BYTES]
            reader.feed(chunk)
            if progress is not None:
                progress(len(chunk))
    except cut_errors() as error:
        reader.seen.cut.append(f"ends early after {reader.seen.lines} lines ({error})")
    if not reader.seen.sightings and not is_text(sample):
        reader.seen.refused = "not text: most of its bytes are no letters"
    return reader.seen
