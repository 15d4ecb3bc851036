"""Reading and checking data folders: ours and a company's overlay, equally strictly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from knowledge.compiled import RawEntries, data_files
from knowledge.errors import BadInput
from knowledge.names import build_index
from knowledge.schema import KINDS, Named
from knowledge.yaml_files import read_yaml


def read_folder(folder: Path, base: RawEntries | None = None) -> RawEntries:
    """The entries of ``folder`` merged over ``base``, every entry of the folder checked against its record.

    An entry replaces the one of the same id whole; with ``extends: ID`` it starts from that entry of its kind (of the
    base, or further up in the folder) and replaces only the fields it names. Raises BadInput naming file, entry and
    YAML path.
    """
    merged: RawEntries = {kind: dict((base or {}).get(kind, {})) for kind in KINDS}
    own: dict[tuple[str, str], str] = {}
    for path in data_files(folder):
        kind = path.parent.name
        if kind not in KINDS:
            raise BadInput(str(path), kind, f"a folder named after a kind: {', '.join(KINDS)}", _near(kind))
        for number, raw in enumerate(_entries(path)):
            ident = _ident(path, number, raw)
            if (kind, ident) in own:
                raise BadInput(f"{path}: {ident}", ident, f"an id of its own; {own[kind, ident]} has it too")
            own[kind, ident] = str(path)
            merged[kind][ident] = _checked(path, kind, _extended(path, raw, merged[kind]))
    _check_references(merged, own)
    _check_names(folder, merged)
    return merged


def _entries(path: Path) -> list[Any]:
    document = read_yaml(path)
    if document is None:
        return []
    if not isinstance(document, list):
        raise BadInput(str(path), type(document).__name__, "a list of entries")
    return document


def _ident(path: Path, number: int, raw: object) -> str:
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
        raise BadInput(f"{path}: entry {number + 1}", _shown(raw), "a mapping with an id that is a string")
    ident: str = raw["id"]
    return ident


def _extended(path: Path, raw: dict[str, Any], known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if "extends" not in raw:
        return raw
    parent, ident = raw["extends"], raw["id"]
    if not isinstance(parent, str) or parent not in known:
        raise BadInput(f"{path}: {ident}: extends", parent, "the id of an entry of the same kind")
    inherited = dict(known[parent])
    if parent != ident:  # another entry's names stay its own
        inherited = {key: value for key, value in inherited.items() if key not in _NAMES}
    return inherited | {key: value for key, value in raw.items() if key != "extends"}


_NAMES = frozenset({"name", "aliases", "assumed_for", "ambiguous_as", "variants"})


def _checked(path: Path, kind: str, raw: dict[str, Any]) -> dict[str, Any]:
    try:
        KINDS[kind].model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{path}: {raw['id']}{': ' + where if where else ''}",
            _shown(first["input"]),
            first["msg"],
            _near_field(kind, first),
        ) from error
    return raw


def _near_field(kind: str, error: Mapping[str, Any]) -> tuple[str, ...]:
    if error["type"] != "extra_forbidden":
        return ()
    from difflib import get_close_matches

    return tuple(get_close_matches(str(error["loc"][-1]), list(KINDS[kind].model_fields), n=2))


def _check_references(merged: RawEntries, own: Mapping[tuple[str, str], str]) -> None:
    """Every source id cited by the folder's own entries exists, and so does every server's accelerator."""
    known = merged["sources"]
    for (kind, ident), path in own.items():
        raw = merged[kind][ident]
        if kind not in ("sources", "models"):
            for where, source in _cited(raw):
                if source not in known:
                    raise BadInput(f"{path}: {ident}: {where}", source, "the id of a source", _close(source, known))
        for where, other, target in _links(kind, raw):
            if target not in merged[other]:
                raise BadInput(f"{path}: {ident}: {where}", target, f"an id of {other}", _close(target, merged[other]))


def _links(kind: str, raw: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The ids of other entries that an entry names: field, kind of the other, id."""
    if kind == "servers":
        for part in filter(None, (raw["accelerator"], *raw.get("accelerator_options", ()))):
            yield "accelerator", "accelerators", part
    elif kind == "claims":
        for target in raw.get("contradicts", ()):
            yield "contradicts", "claims", target
        for target in raw.get("rests_on", ()):
            yield "rests_on", "claims", target
    elif kind == "refused":
        for target in raw.get("instead", ()):
            yield "instead", raw["of_kind"], target


def _cited(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Every source id in a raw entry, with its YAML path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _cited(item, f"{where}.{key}" if where else str(key))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            if isinstance(item, str) and where.rpartition(".")[2] == "sources":
                yield f"{where}.{number}", item
            else:
                yield from _cited(item, f"{where}.{number}")


def _check_names(folder: Path, merged: RawEntries) -> None:
    for kind, entries in merged.items():
        if not issubclass(KINDS[kind], Named):
            continue  # known by id alone
        try:
            build_index(entries)
        except ValueError as error:
            raise BadInput(
                f"{folder / kind}: names", str(error), "each name for one entry, or listed in ambiguous_as"
            ) from error


def _close(text: object, known: Mapping[str, Any]) -> tuple[str, ...]:
    from difflib import get_close_matches

    return tuple(get_close_matches(str(text), list(known), n=3))


def _near(kind: str) -> tuple[str, ...]:
    return _close(kind, KINDS)


def _shown(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, type(None))) else type(value).__name__
