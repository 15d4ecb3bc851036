"""The sentences of each language, from its folder of YAML files; a file is read when its first message is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from knowledge.shipped import shipped_yaml

FOLDER = Path(__file__).parent
FIRST = "en"
"""The language that has every message; another falls back on it rather than say nothing."""

LONGEST_NAME = 64
"""Characters of a room's name."""

LANGUAGES: tuple[str, ...] = tuple(
    sorted((path.name for path in FOLDER.iterdir() if path.is_dir() and path.name.isalpha()), key=lambda n: n != FIRST)
)
"""Every folder is a language, English first."""


@cache
def room(name: str, lang: str, folder: Path = FOLDER) -> Mapping[str, str]:
    """Message id -> template of one room: its file, or the files of its folder; nothing where the language has none.

    A name may come from a stored document, which anyone can write: what is no plain word names no file.
    Raises BadInput for a file that is no valid YAML.
    """
    if not name.isidentifier() or len(name) > LONGEST_NAME:
        return {}
    whole = folder / lang / f"{name}.yaml"
    paths = [whole] if whole.is_file() else sorted((folder / lang / name).glob("*.yaml"))
    read = shipped_yaml if folder == FOLDER else _read
    return dict(pair for path in paths for pair in _flat(name, read(path) or {}))


def _read(path: Path) -> object:
    from knowledge.yaml_files import read_yaml  # PyYAML, for other folders than ours

    return read_yaml(path)


def template(ident: str, lang: str, folder: Path = FOLDER) -> str | None:
    """The sentence of a message in ``lang``, else in English, else None."""
    name = ident.partition(".")[0]
    found = room(name, lang, folder).get(ident)
    return found if found is not None or lang == FIRST else room(name, FIRST, folder).get(ident)


def has(ident: str, lang: str = FIRST) -> bool:
    """Whether ``lang`` itself has a sentence for the message."""
    return ident in room(ident.partition(".")[0], lang)


def rooms(lang: str, folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of a language's rooms."""
    return tuple(sorted({path.stem for path in (folder / lang).iterdir() if path.is_dir() or path.suffix == ".yaml"}))


def _flat(prefix: str, node: object) -> Iterator[tuple[str, str]]:
    """The leaves of a tree, each under its path."""
    if isinstance(node, Mapping):
        for key, below in node.items():
            yield from _flat(f"{prefix}.{key}", below)
    elif isinstance(node, list):
        for place, below in enumerate(node):
            yield from _flat(f"{prefix}.{place}", below)
    else:
        yield prefix, str(node)
