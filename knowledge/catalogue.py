"""The catalogue: everything that is known, by kind and id, and by the names people write."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from knowledge.compiled import DATA, RawEntries, content_key, read_compiled, write_compiled
from knowledge.errors import AmbiguousName, BadInput, UnknownName
from knowledge.evidence import Source
from knowledge.model_names import resolve_model_name
from knowledge.names import NameIndex, Resolution, build_index, nearest_names, resolve_name
from knowledge.schema import KINDS, Accelerator, Country, Entry, Model, Named, Server, Switch

R = TypeVar("R", bound=Entry | Source)


class Entries(Mapping[str, R], Generic[R]):
    """Entries of one kind by id, each validated when it is first touched."""

    def __init__(self, kind: str, raw: Mapping[str, Mapping[str, Any]]) -> None:
        self._record = cast("type[R]", KINDS[kind])
        self._raw = raw
        self._made: dict[str, R] = {}

    def __getitem__(self, ident: str) -> R:
        if ident not in self._made:
            self._made[ident] = cast("R", self._record.model_validate(self._raw[ident]))
        return self._made[ident]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


class Catalogue:
    """What is known, as one value. ``version`` is the hash of its content; equal versions hold equal entries."""

    def __init__(self, raw: RawEntries, version: str) -> None:
        self.version = version
        self._raw = raw
        self._entries: dict[str, Entries[Any]] = {kind: Entries(kind, raw.get(kind, {})) for kind in KINDS}
        self._names: dict[str, NameIndex] = {}

    def entries(self, kind: str) -> Mapping[str, Any]:
        """All entries of a kind by id. Raises BadInput for a kind that does not exist."""
        if kind not in self._entries:
            raise BadInput("kind", kind, f"one of {', '.join(KINDS)}")
        return self._entries[kind]

    def entry(self, kind: str, ident: str) -> Any:
        """The entry with exactly this id. Raises UnknownName."""
        entries = self.entries(kind)
        if ident not in entries:
            raise UnknownName(kind, ident, "the id of an entry", self._nearest(kind, ident))
        return entries[ident]

    def resolve(self, kind: str, text: str) -> Resolution:
        """What ``text`` means among the entries of ``kind``; never raises for an unknown or ambiguous name."""
        resolve = resolve_model_name if kind == "models" else resolve_name
        return resolve(self._index(kind), text)

    def named(self, kind: str, text: str, field: str | None = None) -> Any:
        """The entry that ``text`` names. Raises AmbiguousName or UnknownName for ``field`` (default: the kind)."""
        entries = self.entries(kind)
        if text in entries:  # an id names its own entry; most calls come with one
            return entries[text]
        found = self.resolve(kind, text)
        if found.id is not None:
            return self._entries[kind][found.id]
        if found.candidates:
            raise AmbiguousName(field or kind, text, found.note or "one product", found.candidates)
        expected = found.note or f"the name of one of {len(self._entries[kind])} {kind}"
        raise UnknownName(field or kind, text, expected, found.instead if found.note else self._nearest(kind, text))

    def accelerator(self, name: str) -> Accelerator:
        """The accelerator of this name. Raises AmbiguousName or UnknownName, as do its neighbours."""
        return cast("Accelerator", self.named("accelerators", name, "gpu"))

    def model(self, name: str) -> Model:
        """The model of this name, alias or repository id."""
        return cast("Model", self.named("models", name, "model"))

    def server(self, name: str) -> Server:
        """The server of this name."""
        return cast("Server", self.named("servers", name, "server"))

    def switch(self, name: str) -> Switch:
        """The switch of this name."""
        return cast("Switch", self.named("switches", name, "switch"))

    def country(self, name: str) -> Country:
        """The country of this name, in English, German or French, by code or by one of its cities."""
        return cast("Country", self.named("countries", name, "country"))

    def source(self, ident: str) -> Source:
        """The source with this id."""
        return cast("Source", self.entry("sources", ident))

    def _index(self, kind: str) -> NameIndex:
        self.entries(kind)
        if kind not in self._names and not issubclass(KINDS[kind], Named):
            self._names[kind] = NameIndex({ident: ident for ident in self._raw.get(kind, {})})
        elif kind not in self._names and kind in self._raw.get(COMPILED_NAMES, {}):
            self._names[kind] = NameIndex.from_plain(self._raw[COMPILED_NAMES][kind])
        elif kind not in self._names:
            self._names[kind] = _built_index(kind, self._raw)
        return self._names[kind]

    def _nearest(self, kind: str, text: str) -> tuple[str, ...]:
        return nearest_names(self._index(kind), text)


COMPILED_NAMES = "~names"
"""Where the compiled form keeps the name index of each kind; no kind is called so."""


def _built_index(kind: str, raw: RawEntries) -> NameIndex:
    refused = [entry for entry in raw.get("refused", {}).values() if entry["of_kind"] == kind]
    return build_index(raw.get(kind, {}), refused)


def load_catalogue(overlays: Sequence[Path] = ()) -> Catalogue:
    """The shipped catalogue with the overlay folders merged over it, in order; see ``knowledge.check.read_folder``.

    Raises BadInput naming file, entry and YAML path when an overlay is not valid.
    """
    raw, version = _shipped()
    for folder in overlays:
        if not folder.is_dir():
            raise BadInput("overlay", str(folder), "a folder laid out as <kind>/*.yaml")
        from knowledge.check import read_folder

        raw = read_folder(folder, {kind: entries for kind, entries in raw.items() if kind != COMPILED_NAMES})
        version = hashlib.sha256(f"{version} {content_key(folder)}".encode()).hexdigest()
    return Catalogue(raw, version)


@lru_cache(maxsize=1)
def _shipped() -> tuple[RawEntries, str]:
    """Our own entries and their key; read once per process, never changed afterwards."""
    key = content_key(DATA)
    entries = read_compiled(key)
    if entries is None:
        from knowledge.check import read_folder

        entries = read_folder(DATA)
        named = [kind for kind, record in KINDS.items() if issubclass(record, Named)]
        entries[COMPILED_NAMES] = {kind: _built_index(kind, entries).plain() for kind in named}
        write_compiled(key, entries)
    return entries, key
