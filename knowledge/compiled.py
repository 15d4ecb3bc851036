"""The raw entries of a data folder: read from YAML and checked, or from the compiled form of the same bytes.

The compiled form is one JSON file keyed by the SHA-256 of every YAML file's name and bytes and of the code that
checks them, so it cannot go stale: with another key it is ignored and, where a folder can be written, replaced.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
DATA = PACKAGE / "data"
COMPILED = PACKAGE / "_compiled.json"
_CODE = ("schema/*.py", "evidence.py", "yaml_files.py", "names.py", "check.py", "compiled.py")

RawEntries = dict[str, dict[str, dict[str, Any]]]
"""Kind -> id -> entry as plain JSON values."""


def data_files(folder: Path) -> list[Path]:
    """The YAML files of a data folder, ``<kind>/*.yaml``, in a fixed order."""
    return sorted(
        (*folder.glob("*/*.yaml"), *folder.glob("*/*.yml")), key=lambda path: path.relative_to(folder).as_posix()
    )


def content_key(folder: Path) -> str:
    """SHA-256, in hex, over the names and bytes of the folder's YAML files and of the code that checks them."""
    digest = hashlib.sha256()
    code = [path for pattern in _CODE for path in sorted(PACKAGE.glob(pattern))]
    for root, paths in ((folder, data_files(folder)), (PACKAGE, code)):
        for path in paths:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def read_compiled(key: str, own_place: Path | None = None) -> RawEntries | None:
    """The compiled entries with this key, or None. ``own_place`` is the package's form, by default the catalogue's."""
    for place in _places(key, own_place or COMPILED):
        try:
            document = json.loads(place.read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and document.get("key") == key:
            entries: RawEntries = document["entries"]
            return entries
    return None


def write_compiled(key: str, entries: Mapping[str, Any], own_place: Path | None = None) -> Path | None:
    """Write the compiled form where that is possible; the place, or None. A failure to write is harmless."""
    text = compiled_text(key, entries)
    for place in _places(key, own_place or COMPILED):
        try:
            _write_atomically(place, text)
        except OSError:
            continue
        return place
    return None


def compiled_text(key: str, entries: Mapping[str, Any]) -> str:
    """The compiled form as JSON text."""
    return json.dumps({"key": key, "entries": entries}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _write_atomically(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=place.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, place)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _places(key: str, own_place: Path) -> Iterator[Path]:
    """Where the compiled form may be: in the package, else in the user's cache (one file a key)."""
    yield own_place
    from platformdirs import user_cache_path  # only when the package's own form is missing or old

    yield user_cache_path("sizewright") / f"{own_place.parent.name}-{key[:16]}.json"
