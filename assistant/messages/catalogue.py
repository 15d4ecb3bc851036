"""The sentences of each language, from its folder of YAML files; a file is read when its first message is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from knowledge.shipped import shipped_yaml

FOLDER = Path(__file__).parent
FIRST = "en"
"""The language that has every message; another falls back on it rather than say nothing."""

LANGUAGES: tuple[str, ...] = tuple(
    sorted((path.name for path in FOLDER.iterdir() if path.is_dir() and path.name.isalpha()), key=lambda n: n != FIRST)
)
"""Every folder is a language, English first."""


@cache
def room(name: str, lang: str, folder: Path = FOLDER) -> Mapping[str, str]:
    """Message id -> template of one file; nothing where the language has no such file."""
    path = folder / lang / f"{name}.yaml"
    return dict(_flat(name, shipped_yaml(path) or {})) if path.is_file() else {}


def template(ident: str, lang: str, folder: Path = FOLDER) -> str | None:
    """The sentence of a message in ``lang``, else in English, else None."""
    name = ident.partition(".")[0]
    found = room(name, lang, folder).get(ident)
    return found if found is not None or lang == FIRST else room(name, FIRST, folder).get(ident)


def has(ident: str, lang: str = FIRST) -> bool:
    """Whether ``lang`` itself has a sentence for the message."""
    return ident in room(ident.partition(".")[0], lang)


def rooms(lang: str, folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of a language's files."""
    return tuple(sorted(path.stem for path in (folder / lang).glob("*.yaml")))


def _flat(prefix: str, node: object) -> Iterator[tuple[str, str]]:
    if isinstance(node, Mapping):
        for key, below in node.items():
            yield from _flat(f"{prefix}.{key}", below)
    else:
        yield prefix, str(node)
