"""Many or large log files over all processors, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assistant.operations.triage.archives import MAGIC_BYTES, packing
from assistant.operations.triage.patterns import Patterns, patterns_of
from assistant.operations.triage.recognise import Stretch, read_stretch
from assistant.operations.triage.sightings import Place, Seen, merged
from knowledge.catalogue import Catalogue

STRETCH_BYTES = 64 << 20
"""A larger file is read in stretches of this size, side by side."""
ALONE_BYTES = 16 << 20
"""Less than this in all is read here: starting helpers would take longer."""

_patterns: Patterns | None = None


def read_files(
    paths: Sequence[str], catalogue: Catalogue, progress: Callable[[int, int], None] | None, workers: int
) -> tuple[Seen, list[str]]:
    """What is seen in all files, and the files that could not be read."""
    global _patterns
    _patterns = patterns_of(catalogue)
    named = len(paths) > 1
    jobs, total, unreadable = _jobs(paths)
    count = workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    results = _alone(jobs, named) if total < ALONE_BYTES or count < 2 else _beside(jobs, named, count)
    parts: list[Seen] = []
    done, file, lines = 0, -1, 0
    for job, result, size in results:
        done += size
        if progress is not None:
            progress(done, total)
        for stretch, seen in zip(job, result, strict=True):
            if isinstance(seen, str):
                unreadable.append(f"{stretch.path}: {seen}")
                continue
            lines = lines if stretch.file == file else 0
            if seen.cut and seen.lines == 0:
                seen.refused, seen.cut = seen.cut[0], []
            if seen.refused is not None:
                unreadable.append(f"{stretch.path}: {seen.refused}")
                seen.refused = None
            seen.cut = [f"{stretch.path} {what}" for what in seen.cut]
            _shift(seen, lines)
            file, lines = stretch.file, lines + seen.lines
            parts.append(seen)
        if len(parts) > 64:
            parts = [merged(parts)]
    return merged(parts), unreadable


def _jobs(paths: Sequence[str]) -> tuple[list[tuple[Stretch, ...]], int, list[str]]:
    """Stretches in batches of about equal size, the bytes in all, and files that are none."""
    jobs: list[tuple[Stretch, ...]] = []
    batch: list[Stretch] = []
    size = total = 0
    unreadable: list[str] = []
    for number, path in enumerate(paths):
        try:
            stretches = list(_stretches(number, path))
        except OSError as error:
            unreadable.append(f"{path}: {error.strerror or error}")
            continue
        for stretch, length in stretches:
            batch.append(stretch)
            size, total = size + length, total + length
            if size >= STRETCH_BYTES // 4:
                jobs.append(tuple(batch))
                batch, size = [], 0
    return ([*jobs, tuple(batch)] if batch else jobs), total, unreadable


def _stretches(number: int, path: str) -> Iterator[tuple[Stretch, int]]:
    """A file's stretches with their sizes, cut at line ends."""
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    if size <= STRETCH_BYTES:
        yield Stretch(number, path), size
        return
    with Path(path).open("rb") as stream:
        if packing(stream.read(MAGIC_BYTES)) is not None:
            yield Stretch(number, path), size
            return
        begin = 0
        while begin < size:
            stream.seek(min(begin + STRETCH_BYTES, size))
            stream.readline(STRETCH_BYTES)
            end = stream.tell()
            yield Stretch(number, path, begin, end), end - begin
            begin = end


def _read(job: tuple[Stretch, ...], named: bool) -> tuple[tuple[Stretch, ...], list[Seen | str], int]:
    results: list[Seen | str] = []
    size = 0
    assert _patterns is not None  # set before any job is handed out
    for stretch in job:
        counted: list[int] = []
        try:
            results.append(read_stretch(stretch, _patterns, node_name(stretch.path) if named else None, counted.append))
        except OSError as error:
            results.append(error.strerror or str(error))
        size += sum(counted)
    return job, results, size


def node_name(path: str) -> str:
    """The node that a file is taken for: ``logs/node12.dmesg.log`` is node12."""
    return Path(path).name.partition(".")[0]


Result = tuple[tuple[Stretch, ...], list[Seen | str], int]


def _alone(jobs: Sequence[tuple[Stretch, ...]], named: bool) -> Iterator[Result]:
    for job in jobs:
        yield _read(job, named)


def _beside(jobs: Sequence[tuple[Stretch, ...]], named: bool, count: int) -> Iterator[Result]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    context = get_context("fork") if "fork" in _methods() else get_context("spawn")
    with ProcessPoolExecutor(min(count, len(jobs)), context, _inherit, (_patterns,)) as pool:
        yield from pool.map(_read, jobs, [named] * len(jobs))


def _methods() -> list[str]:
    from multiprocessing import get_all_start_methods

    return get_all_start_methods()


def _inherit(patterns: Patterns | None) -> None:
    global _patterns
    _patterns = patterns


def _shift(seen: Seen, lines: int) -> None:
    """Move the places of a stretch behind the lines before it."""
    if lines:
        for sighting in (*seen.sightings.values(), *seen.closings.values()):
            sighting.first = Place(sighting.first.file, sighting.first.line + lines)
            sighting.last = Place(sighting.last.file, sighting.last.line + lines)
        seen.phases = [(Place(place.file, place.line + lines), what) for place, what in seen.phases]
