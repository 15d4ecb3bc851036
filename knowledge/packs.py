"""Packs: plain JSON values in one file, each parsed when it is asked for.

A pack is three parts: a line of JSON that says what it was made from, with a checksum of the rest; a line with the
place of each section; and the sections, each a line with the place of every value and then the values themselves.
Opening a pack reads the file and parses its first two lines. A line never holds a line end, since JSON escapes it.

The form is JSON on purpose. A pack may lie in a folder that the user can write, and so can whatever runs as the user:
pickle would run code planted there, and marshal, which trusts its input, could crash the interpreter. The worst that a
planted pack can hold is a wrong value, and entries are validated by their record when they are first touched.
"""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = 1

Sections = Mapping[str, Mapping[str, Any]]
"""Section -> name -> a JSON value."""


class Made(NamedTuple):
    """What a pack was made from: ``key`` hashes the sources' bytes, ``stamp`` is what the file system says of them."""

    key: str
    stamp: str


class Section(Mapping[str, Any]):
    """The values of one section by name. Each is parsed anew when it is asked for, so nobody can change another's."""

    def __init__(self, content: bytes, start: int) -> None:
        end = content.index(b"\n", start)
        self._content = content
        self._base = end + 1
        self._places: dict[str, tuple[int, int]] = json.loads(content[start:end])

    def __getitem__(self, name: str) -> Any:
        start, end = self._places[name]
        return json.loads(self._content[self._base + start : self._base + end])

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Pack(Mapping[str, Section]):
    """The sections of a pack by name. Raises ValueError for content that is not one, or not whole."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._table = content.index(b"\n") + 1
        told = json.loads(content[: self._table])
        rest = memoryview(content)[self._table :]
        if not isinstance(told, dict) or told.get("pack") != FORMAT or told.get("sum") != zlib.crc32(rest):
            raise ValueError("not a whole pack of this format")
        self.made = Made(told["key"], told["stamp"])
        self._base = content.index(b"\n", self._table) + 1
        self._places: dict[str, tuple[int, int]] = json.loads(content[self._table : self._base])
        self._opened: dict[str, Section] = {}

    def __getitem__(self, name: str) -> Section:
        if name not in self._opened:
            self._opened[name] = Section(self.content, self._base + self._places[name][0])
        return self._opened[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def stamped(self, stamp: str) -> bytes:
        """The content of the same pack, made from files that were touched and still say the same."""
        return _headed(Made(self.made.key, stamp), self.content[self._table :])


def packed(made: Made, sections: Sections) -> bytes:
    """The sections as a pack's content. Raises TypeError or ValueError for a value that JSON does not have."""
    table, body = _beside_one_another({name: _section(values) for name, values in sections.items()})
    return _headed(made, _json(table) + b"\n" + body)


def read_pack(place: Path) -> Pack | None:
    """The pack at ``place``, or None where there is none that is whole."""
    try:
        return Pack(place.read_bytes())
    except (OSError, ValueError, KeyError):
        return None


def write_pack(place: Path, content: bytes) -> bool:
    """Put a pack at ``place``, whole or not at all; whether that could be done."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=place.name, suffix=".tmp")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)
        os.replace(name, place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        return False
    return True


def _section(values: Mapping[str, Any]) -> bytes:
    index, joined = _beside_one_another({name: _json(value) for name, value in values.items()})
    return _json(index) + b"\n" + joined


def _beside_one_another(parts: Mapping[str, bytes]) -> tuple[dict[str, tuple[int, int]], bytes]:
    """The parts joined, and where each starts and ends."""
    places: dict[str, tuple[int, int]] = {}
    end = 0
    for name, part in parts.items():
        places[name] = (end, end + len(part))
        end += len(part)
    return places, b"".join(parts.values())


def _headed(made: Made, rest: bytes) -> bytes:
    return _json({"pack": FORMAT, "key": made.key, "stamp": made.stamp, "sum": zlib.crc32(rest)}) + b"\n" + rest


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
