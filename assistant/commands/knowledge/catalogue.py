"""``sizewright catalogue``: specifications with their sources, and the check of a company's overlay."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from assistant.catalogue import COLUMNS, open_catalogue
from assistant.output import print_json
from knowledge.catalogue import Catalogue
from knowledge.errors import AmbiguousName, BadInput, UnknownName
from knowledge.evidence import Cited
from knowledge.schema import KINDS

NAMED_FIRST = ("accelerators", "servers", "switches", "models", "nics", "optics", "storage", "facilities", "countries")


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    """Options of ``catalogue``."""
    parser: argparse.ArgumentParser = subparsers.add_parser("catalogue", help="specifications, with their sources")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the kinds, or the entries of one kind")
    listing.add_argument("kind", nargs="?", metavar="KIND", help=f"one of {', '.join(KINDS)}")
    show = actions.add_parser("show", help="every field of one entry, with sources and conflicts")
    show.add_argument("name", nargs="+", metavar="NAME", help="an id or a name; KIND/ID for one kind only")
    check = actions.add_parser("check", help="check the catalogue, and an overlay over it")
    check.add_argument("--overlay", metavar="DIR", help="a folder laid out as <kind>/*.yaml")
    for action in (listing, show, check):
        action.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def run(args: argparse.Namespace) -> int:
    """List, show or check. Raises BadInput for an unknown kind or name, or an overlay that is not valid."""
    catalogue = open_catalogue(getattr(args, "overlay", None))
    if args.action == "list":
        _list(catalogue, args.kind, args.json)
    elif args.action == "show":
        _show(catalogue, " ".join(args.name), args.json)
    else:
        _check(catalogue, args.json)
    return 0


def _list(catalogue: Catalogue, kind: str | None, as_json: bool) -> None:
    if kind is None:
        counts = {name: len(catalogue.entries(name)) for name in KINDS}
        if as_json:
            print_json(counts)
        else:
            _table([("kind", "entries"), *((name, str(count)) for name, count in counts.items())])
        return
    records = catalogue.entries(kind).values()
    if as_json:
        print_json([_document(kind, record) for record in records])
        return
    columns = ("id", "name", *COLUMNS.get(kind, ()))
    _table([columns, *(tuple(_cell(getattr(record, column, None)) for column in columns) for record in records)])


def _show(catalogue: Catalogue, name: str, as_json: bool) -> None:
    kind, record, note = find(catalogue, name)
    if as_json:
        print_json(_document(kind, record) | {"note_on_name": note, "source_texts": _sources(catalogue, record)})
        return
    print(f"{kind}/{record.id}" + (f"  ({note})" if note else ""))
    for field, value in record:
        for line in _lines(field, value):
            print("  " + line)
    texts = _sources(catalogue, record)
    if texts:
        print("sources")
        for text in texts:
            where = text["address"] or "no address"
            print(f"  {text['id']}: {text['title']} [{text['grade']}, {text['seen_as']}] {where}")


def _check(catalogue: Catalogue, as_json: bool) -> None:
    from knowledge.provenance import weak_values

    weak = list(weak_values(catalogue))
    counts = {kind: len(catalogue.entries(kind)) for kind in KINDS}
    if as_json:
        print_json({"valid": True, "version": catalogue.version, "entries": counts, "weak_values": weak})
        return
    print(f"valid: {sum(counts.values())} entries, version {catalogue.version[:12]}")
    print(f"{len(weak)} deciding values rest on unverified or third-party sources alone")


def find(catalogue: Catalogue, name: str) -> tuple[str, Any, str | None]:
    """The kind, the record and the note on its name. Raises AmbiguousName or UnknownName."""
    kind, slash, rest = name.partition("/")
    if slash and kind in KINDS:
        return _of_kind(catalogue, kind, rest)
    found = {kind: catalogue.resolve(kind, name) for kind in NAMED_FIRST}
    for kind, resolution in found.items():
        if resolution.id is not None:
            return kind, catalogue.entry(kind, resolution.id), resolution.note
    for kind in KINDS:
        if kind not in NAMED_FIRST and name in catalogue.entries(kind):
            return kind, catalogue.entry(kind, name), None
    for resolution in found.values():
        if resolution.candidates:
            raise AmbiguousName("NAME", name, resolution.note or "one entry", resolution.candidates)
    reasons = [resolution for resolution in found.values() if resolution.note]
    if reasons:
        raise UnknownName("NAME", name, reasons[0].note or "", reasons[0].instead)
    raise UnknownName("NAME", name, "the id or name of an entry", _nearest(catalogue, name))


def _of_kind(catalogue: Catalogue, kind: str, name: str) -> tuple[str, Any, str | None]:
    if name in catalogue.entries(kind):
        return kind, catalogue.entry(kind, name), None
    return kind, catalogue.named(kind, name), catalogue.resolve(kind, name).note


def _nearest(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    for kind in NAMED_FIRST:
        try:
            catalogue.named(kind, name)
        except BadInput as error:
            if error.nearest:
                return error.nearest
    return ()


def _document(kind: str, record: BaseModel) -> dict[str, Any]:
    return {"kind": kind, **record.model_dump(mode="json")}


def _sources(catalogue: Catalogue, record: BaseModel) -> list[dict[str, Any]]:
    known = catalogue.entries("sources")
    idents = dict.fromkeys(ident for ident in _source_ids(record.model_dump()) if ident in known)
    return [known[ident].model_dump(mode="json") for ident in idents]


def _source_ids(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from item if key == "sources" else _source_ids(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _source_ids(item)


def _lines(field: str, value: Any) -> Iterator[str]:
    """A field as lines of text: value with its unit in the name, note, sources, then each conflict."""
    if isinstance(value, Cited):
        cited = f"  [{', '.join(value.sources)}]" if value.sources else ""
        note = f"  ({value.note})" if value.note else ""
        yield f"{field}: {_cell(value.value)}{note}{cited}"
        for conflict in value.conflicts:
            note = f"  ({conflict.note})" if conflict.note else ""
            yield f"    against: {_cell(conflict.value)}{note}  [{', '.join(conflict.sources)}]"
    elif isinstance(value, Mapping) and value:
        yield f"{field}:"
        for key, item in value.items():
            yield from ("  " + line for line in _lines(str(key), item))
    elif value not in (None, (), {}):
        yield f"{field}: {_cell(value)}"


def _cell(value: Any) -> str:
    if isinstance(value, Cited):
        value = value.value
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, BaseModel):
        return " ".join(f"{key} {_cell(item)}" for key, item in value if item is not None)
    if isinstance(value, (list, tuple)):
        return ", ".join(_cell(item) for item in value)
    return str(value)


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [min(max(len(row[column]) for row in rows), 48) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(f"{cell[:width]:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
