"""The catalogue: everything that is known, by kind and id, and by the names people write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from knowledge.compiled import DATA, PACKAGE, Origin, content_key, hashed, load_pack
from knowledge.errors import AmbiguousName, BadInput, UnknownName
from knowledge.model_names import resolve_model_name
from knowledge.names import NameIndex, Resolution, build_index, nearest_names, resolve_name
from knowledge.packs import Pack, Sections
from knowledge.schema import KINDS

if TYPE_CHECKING:
    from knowledge.evidence import Source
    from knowledge.schema import Accelerator, Country, Entry, Model, Server, Switch

R = TypeVar("R", bound="Entry | Source")


MOST_REMEMBERED = 4096
"""Names of which is remembered what they mean: a batch of requests says few again and again."""


class Entries(Mapping[str, R], Generic[R]):
    """Entries of one kind by id, each validated when it is first touched."""

    def __init__(self, kind: str, raw: Mapping[str, Mapping[str, Any]]) -> None:
        self._kind = kind
        self._raw = raw
        self._made: dict[str, R] = {}

    def __getitem__(self, ident: str) -> R:
        if ident not in self._made:
            self._made[ident] = cast("R", KINDS[self._kind].model_validate(self._raw[ident]))
        return self._made[ident]

    def __contains__(self, ident: object) -> bool:
        return ident in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


class Catalogue:
    """What is known, as one value. ``version`` is the hash of its content; equal versions hold equal entries."""

    def __init__(self, raw: Sections, version: str) -> None:
        self.version = version
        self._raw = raw
        self._entries: dict[str, Entries[Any]] = {}
        self._names: dict[str, NameIndex] = {}
        self._resolved: dict[tuple[str, str], Resolution] = {}

    def entries(self, kind: str) -> Mapping[str, Any]:
        """All entries of a kind by id. Raises BadInput for a kind that does not exist."""
        if kind not in KINDS:
            raise BadInput("kind", kind, f"one of {', '.join(KINDS)}")
        if kind not in self._entries:
            self._entries[kind] = Entries(kind, self._raw.get(kind, {}))
        return self._entries[kind]

    def entry(self, kind: str, ident: str) -> Any:
        """The entry with exactly this id. Raises UnknownName."""
        entries = self.entries(kind)
        if ident not in entries:
            raise UnknownName(kind, ident, "the id of an entry", self._nearest(kind, ident))
        return entries[ident]

    def resolve(self, kind: str, text: str) -> Resolution:
        """What ``text`` means among the entries of ``kind``; never raises for an unknown or ambiguous name."""
        if (kind, text) not in self._resolved:
            if len(self._resolved) >= MOST_REMEMBERED:
                self._resolved.clear()
            resolve = resolve_model_name if kind == "models" else resolve_name
            self._resolved[kind, text] = resolve(self._index(kind), text)
        return self._resolved[kind, text]

    def named(self, kind: str, text: str, field: str | None = None) -> Any:
        """The entry that ``text`` names. Raises AmbiguousName or UnknownName for ``field`` (default: the kind)."""
        entries = self.entries(kind)
        if text in entries:  # an id names its own entry; most calls come with one
            return entries[text]
        found = self.resolve(kind, text)
        if found.id is not None:
            return self.entries(kind)[found.id]
        if found.candidates:
            raise AmbiguousName(field or kind, text, found.note or "one product", found.candidates)
        expected = found.note or f"the name of one of {len(self.entries(kind))} {kind}"
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
        if kind not in self._names:
            self._names[kind] = self._index_of(kind)
        return self._names[kind]

    def _index_of(self, kind: str) -> NameIndex:
        compiled = self._raw.get(COMPILED_NAMES)
        if compiled is not None and kind in compiled:
            return NameIndex.from_plain(compiled[kind])
        if compiled is None and _has_names(kind):
            return _built_index(kind, self._raw)
        return NameIndex({ident: ident for ident in self.entries(kind)})

    def _nearest(self, kind: str, text: str) -> tuple[str, ...]:
        return nearest_names(self._index(kind), text)


COMPILED_NAMES = "~names"
"""Where the compiled form keeps the name index of each kind; no kind is called so."""

ORIGIN = Origin(PACKAGE, ("data/*/*.yaml", "data/*/*.yml"), ("schema/*.py", "evidence.py", "names.py", "check.py"))


def _has_names(kind: str) -> bool:
    """Whether people call entries of the kind by several names. It defines the record: with a pack nobody asks."""
    from knowledge.schema import Named

    return issubclass(KINDS[kind], Named)


def _built_index(kind: str, raw: Sections) -> NameIndex:
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
        from knowledge.check import read_folder  # every record, and YAML: only for who has an overlay

        raw = read_folder(folder, {kind: dict(raw[kind]) for kind in raw if kind != COMPILED_NAMES})
        version = hashed([(version, content_key(folder).encode())])
    return Catalogue(raw, version)


@lru_cache(maxsize=1)
def _shipped() -> tuple[Sections, str]:
    """Our own entries and their key; opened once per process, never changed afterwards."""
    opened = pack()
    return opened, opened.made.key


def pack() -> Pack:
    """Our own entries as a pack. Raises BadInput where one is not valid."""
    return load_pack(ORIGIN, _checked)


def _checked() -> Sections:
    from knowledge.check import read_folder  # see above

    entries = read_folder(DATA)
    return {
        **entries,
        COMPILED_NAMES: {kind: _built_index(kind, entries).plain() for kind in filter(_has_names, KINDS)},
    }
