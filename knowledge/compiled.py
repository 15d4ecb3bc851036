"""Data files as the program loads them: checked once, then kept as a pack (see ``packs``) that cannot go stale.

In a checkout a pack is used while the file system says of every source file what it said when the pack was made: the
same size, times and inode. Otherwise the sources are hashed, and the pack is used if their bytes are the same, else
made anew. A source that was written within two seconds of the making gets no such stamp, since a second write might not
show in its times. A wheel brings a sealed pack, made by the build, of sources that nobody edits: it is used unchecked,
and if it is damaged the sources beside it are read.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from knowledge.packs import Made, Pack, Sections, packed, read_pack, write_pack

PACKAGE = Path(__file__).parent
DATA = PACKAGE / "data"

RawEntries = dict[str, dict[str, dict[str, Any]]]
"""Kind -> id -> entry as plain JSON values."""

SETTLED_NS = 2 * 10**9
"""Coarsest step of a file's times in use (FAT); git treats young files alike, see its racy-git.txt."""

_READERS = ("compiled.py", "packs.py", "yaml_files.py")
"""The code of this package that every pack depends on."""


@dataclass(frozen=True)
class Origin:
    """What a pack is made from: a folder, and patterns below it of the data files and of the code that checks them.

    ``beside`` are folders and patterns of other files that the check looks at.
    """

    folder: Path
    data: tuple[str, ...]
    code: tuple[str, ...] = ()
    beside: tuple[tuple[Path, str], ...] = ()

    def data_files(self) -> Iterator[os.DirEntry[str]]:
        """The data files, in a fixed order."""
        for pattern in self.data:
            yield from _matching(self.folder, pattern.split("/"))

    def files(self) -> Iterator[os.DirEntry[str]]:
        """All source files, in a fixed order."""
        yield from self.data_files()
        code = ((self.folder, pattern) for pattern in self.code)
        for folder, pattern in (*code, *self.beside, *((PACKAGE, reader) for reader in _READERS)):
            yield from _matching(folder, pattern.split("/"))

    def key(self) -> str:
        """SHA-256, in hex, over the files' names and bytes."""
        return hashed((os.path.relpath(file.path, self.folder), Path(file.path).read_bytes()) for file in self.files())

    def stamp(self) -> str:
        """What the file system says of the files; empty where one is too young for its times to tell a second write."""
        stats = [(file.name, file.stat()) for file in self.files()]
        youngest = max((max(stat.st_mtime_ns, stat.st_ctime_ns) for _, stat in stats), default=0)
        if youngest > time.time_ns() - SETTLED_NS:
            return ""
        told = (f"{name}:{s.st_size}:{s.st_mtime_ns}:{s.st_ctime_ns}:{s.st_ino}" for name, s in stats)
        return "\n".join(told)

    @property
    def sealed(self) -> Path:
        """Where a wheel has its pack. A checkout never has one there."""
        return self.folder / "_sealed.pack"

    def places(self) -> Iterator[Path]:
        """Where a checkout's pack may be: in the folder, else in the user's cache, under the folder's own path."""
        yield self.folder / "_compiled.pack"
        from platformdirs import user_cache_path  # only where the folder's own is missing or old

        whose = hashed([(str(self.folder.resolve()), b"")])[:12]
        yield user_cache_path("sizewright") / f"{self.folder.name}-{whose}.pack"


def load_pack(origin: Origin, make: Callable[[], Sections]) -> Pack:
    """The pack of ``origin``, made by ``make`` (which checks the sources, and raises what is wrong) where need be."""
    sealed = read_pack(origin.sealed)
    if sealed is not None:
        return sealed
    stamp = origin.stamp()  # before anything is read, so that a change in between shows at the next start
    older: list[tuple[Path, Pack]] = []
    for place in origin.places():
        pack = read_pack(place)
        if pack is not None and stamp and pack.made.stamp == stamp:
            return pack
        if pack is not None:
            older.append((place, pack))
    key = origin.key()
    for place, pack in older:
        if pack.made.key == key:  # touched, but the same
            if stamp:
                write_pack(place, pack.stamped(stamp))
            return pack
    content = packed(Made(key, stamp), make())
    any(write_pack(place, content) for place in origin.places())
    return Pack(content)


def data_files(folder: Path) -> list[Path]:
    """The YAML files of a data folder, ``<kind>/*.yaml``, in a fixed order."""
    found = (Path(entry.path) for pattern in ("*.yaml", "*.yml") for entry in _matching(folder, ["*", pattern]))
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def content_key(folder: Path) -> str:
    """SHA-256, in hex, over the names and bytes of a data folder's YAML files."""
    return hashed((path.relative_to(folder).as_posix(), path.read_bytes()) for path in data_files(folder))


def hashed(parts: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256, in hex, over named bytes, so that no two lists of parts are hashed alike."""
    import hashlib  # loads OpenSSL, which a start with a pack in place does without

    digest = hashlib.sha256()
    for name, content in parts:
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _matching(folder: Path | str, pattern: Sequence[str]) -> Iterator[os.DirEntry[str]]:
    """The files below ``folder`` by one pattern a level, by name. ``Path.glob`` takes several times as long."""
    with contextlib.suppress(NotADirectoryError, FileNotFoundError), os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if not fnmatchcase(entry.name, pattern[0]):
                continue
            if len(pattern) > 1:
                yield from _matching(entry.path, pattern[1:])
            else:
                yield entry
