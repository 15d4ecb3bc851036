"""The files that a line of paths names: files, folders, patterns; for the command and the app alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from knowledge.errors import BadInput

MOST_FILES = 20_000
"""A folder of more is refused: it is hardly one of logs."""


def log_files(given: Sequence[str]) -> list[str]:
    """Every file that ``given`` names, each once: a folder stands for its files, a pattern for what it finds.

    A path that is neither stays as it is: the reader says what is wrong with it. Raises BadInput where a pattern or
    folder holds no file, or a folder too many.
    """
    found: dict[str, None] = {}
    for text in given:
        found.update(dict.fromkeys(_named(text)))
    return list(found)


def _named(text: str) -> Iterator[str]:
    path = Path(text).expanduser()
    if path.is_dir():
        inside = sorted(str(one) for one in path.rglob("*") if one.is_file())
        if not 0 < len(inside) <= MOST_FILES:
            raise BadInput("FILE", text, f"a folder of 1 to {MOST_FILES} files; it holds {len(inside)}")
        yield from inside
    elif has_magic(text) and not path.exists():
        matches = sorted(one for one in glob(str(path), recursive=True) if Path(one).is_file())
        if not matches:
            raise BadInput("FILE", text, "a pattern that finds a file")
        yield from matches
    else:
        yield str(path)
