"""PyTorch's flight-recorder dumps of several ranks, compared: who is behind, who is missing, who went another way.

A dump is JSON or a pickle. A pickle is read by a reader that knows plain values alone and calls nothing.
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from assistant.operations.triage.sightings import Hit
from knowledge.errors import SizewrightError

MAX_BYTES = 256 << 20
_RANK = re.compile(r"(?:^|[^a-z])rank[_-]?(\d{1,6})|_(\d{1,6})(?:\.json|\.pkl|\.pickle)?$")
CODE = "flight_recorder"


class Position(NamedTuple):
    """Where a rank stands in a process group: numbers of collectives, and the name of the last one enqueued."""

    completed: int
    enqueued: int
    operation: str


class Dump(NamedTuple):
    """One rank's positions by process group, and its operations by (group, number)."""

    rank: int
    groups: Mapping[str, Position]
    operations: Mapping[tuple[str, int], str]


class _Plain(pickle.Unpickler):
    """Unpickles numbers, texts, lists and mappings; whatever names a class or function is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is no plain value")


def is_dump(path: str) -> bool:
    """Whether a file looks like a dump: by its first bytes, without reading the rest."""
    file = Path(path)
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        head = stream.read(4096)
    if head[:1] == b"\x80":
        return b"entries" in head or b"pg_config" in head or b"version" in head
    return head.lstrip()[:1] == b"{" and any(word in head for word in (b'"pg_config"', b'"pg_status"', b'"entries"'))


def read_dump(path: str, number: int) -> Dump:
    """A dump; its rank by the document, else the file's name, else ``number``. Raises SizewrightError and OSError."""
    file = Path(path)
    if file.stat().st_size > MAX_BYTES:
        raise SizewrightError(f"larger than {MAX_BYTES >> 20} MiB")
    try:
        with file.open("rb") as stream:
            binary = stream.read(1) == b"\x80"
            stream.seek(0)
            document = _Plain(stream).load() if binary else json.load(stream)
    except (ValueError, RecursionError, pickle.UnpicklingError, EOFError, KeyError, IndexError, TypeError, MemoryError):
        raise SizewrightError("not a dump of plain values") from None
    entries = document.get("entries") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise SizewrightError("no entries in the dump")
    named = _RANK.search(file.name)
    told = document.get("rank", named and (named.group(1) or named.group(2)))
    rank = int(told) if str(told).isdecimal() else number
    return Dump(rank, *_positions(entry for entry in entries if isinstance(entry, dict)))


def _positions(entries: Iterator[dict[str, Any]]) -> tuple[dict[str, Position], dict[tuple[str, int], str]]:
    groups: dict[str, Position] = {}
    operations: dict[tuple[str, int], str] = {}
    for entry in entries:
        sequence = entry.get("collective_seq_id", entry.get("seq_id"))
        if not isinstance(sequence, int) or entry.get("is_p2p") is True:
            continue
        name = entry.get("process_group")
        group = str(name[0] if isinstance(name, (list, tuple)) and name else entry.get("pg_id", name))
        operation = str(entry.get("profiling_name", "?")).removeprefix("nccl:")
        before = groups.get(group, Position(0, 0, "?"))
        done = sequence if entry.get("state") == "completed" else 0
        latest = operation if sequence >= before.enqueued else before.operation
        groups[group] = Position(max(before.completed, done), max(before.enqueued, sequence), latest)
        operations[group, sequence] = operation
    return groups, operations


def compare(dumps: Sequence[Dump]) -> Iterator[tuple[Hit, str]]:
    """One hit a rank in every process group whose ranks are not level, or that all wait in the same collective."""
    for group in sorted({group for dump in dumps for group in dump.groups}):
        yield from _compare_group(group, [dump for dump in dumps if group in dump.groups])
    ranks = {dump.rank for dump in dumps}
    if absent := sorted(set(range(max(ranks, default=-1) + 1)) - ranks):
        text = f"no dump of rank{'s' if len(absent) > 1 else ''} {', '.join(map(str, absent[:16]))}"
        yield Hit("collective_missing_rank", "pytorch", CODE, note=text), text


def _compare_group(group: str, dumps: Sequence[Dump]) -> Iterator[tuple[Hit, str]]:
    positions = {dump.rank: dump.groups[group] for dump in dumps}
    enqueued = [p.enqueued for p in positions.values()]
    waiting = max(p.enqueued - p.completed for p in positions.values())
    if len(set(enqueued)) == 1 and not waiting:
        return
    note = _story(group, positions, dumps)
    for rank, position in sorted(positions.items(), key=lambda item: (item[1].enqueued, item[0]))[:256]:
        text = f"group {group} rank {rank}: completed {position.completed}, enqueued {position.enqueued}"
        details = (("seq", str(position.enqueued)),)
        hit = Hit("collective_missing_rank", "pytorch", CODE, None, None, note, details, str(rank))
        yield hit, f"{text} ({position.operation})"


def _story(group: str, positions: Mapping[int, Position], dumps: Sequence[Dump]) -> str:
    last = min(p.enqueued for p in positions.values())
    names = {dump.operations[group, last] for dump in dumps if (group, last) in dump.operations}
    if len(names) > 1:
        return f"group {group}: at collective {last} ranks call different operations: {', '.join(sorted(names))}"
    behind = sorted(rank for rank, p in positions.items() if p.enqueued == last)
    if len(behind) == len(positions):
        return f"group {group}: all ranks are in collective {last}; look at the link or GPU that does not finish it"
    listed = ", ".join(map(str, behind[:16]))
    return f"group {group}: rank {listed} did not come to collective {last + 1}, which the others wait in"
