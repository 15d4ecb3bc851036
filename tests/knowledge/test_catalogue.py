"""Loading: every entry is valid, and the compiled form is the YAML's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from knowledge import compiled
from knowledge.catalogue import COMPILED_NAMES, _built_index, load_catalogue
from knowledge.check import read_folder
from knowledge.errors import BadInput, UnknownName
from knowledge.schema import KINDS, Named, cited_fields
from knowledge.yaml_files import parse_yaml


def test_every_entry_of_every_kind_is_valid() -> None:
    catalogue = load_catalogue()
    for kind in KINDS:
        for ident, record in catalogue.entries(kind).items():
            assert record.id == ident


def test_shipped_and_compiled_are_the_same() -> None:
    loaded = {kind: dict(entries) for kind, entries in load_catalogue()._raw.items() if kind != COMPILED_NAMES}
    assert loaded == read_folder(compiled.DATA)


def test_compiled_names_are_those_of_the_entries() -> None:
    raw = read_folder(compiled.DATA)
    for kind in ("models", "accelerators", "countries"):
        assert load_catalogue()._index(kind) == _built_index(kind, raw)


def test_the_kinds_with_compiled_names_are_those_whose_record_says_so() -> None:
    assert [kind for kind in KINDS if issubclass(KINDS[kind], Named)] == list(load_catalogue()._raw[COMPILED_NAMES])


def test_addresses_are_public_or_the_source_is_unverified() -> None:
    for source in load_catalogue().entries("sources").values():
        if source.address is None:
            assert source.grade.value in ("unverified", "practitioner_opinion", "third_party"), source.id
        else:
            assert source.address.startswith(("http://", "https://")), source.id


def test_no_internal_index_number_is_left() -> None:
    for path in compiled.data_files(compiled.DATA):
        text = path.read_text(encoding="utf-8")
        assert "secondary source, file" not in text, path
        assert "file number" not in text, path


def test_a_conflict_differs_from_the_value() -> None:
    catalogue = load_catalogue()
    for kind in ("accelerators", "servers", "switches", "optics", "storage"):
        for ident, record in catalogue.entries(kind).items():
            for name, cited in cited_fields(record):
                assert cited.value not in [conflict.value for conflict in cited.conflicts], f"{ident} {name}"


def test_unknown_kind_and_id() -> None:
    with pytest.raises(BadInput, match="accelerators"):
        load_catalogue().entries("gpus")
    with pytest.raises(UnknownName):
        load_catalogue().entry("sources", "no-such-source")


def test_the_key_follows_every_byte_and_name(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(compiled.DATA / "nics", folder / "nics")
    before = compiled.content_key(folder)
    assert compiled.content_key(folder) == before
    file = next((folder / "nics").glob("*.yaml"))
    file.write_bytes(file.read_bytes() + b"\n")
    changed = compiled.content_key(folder)
    file.rename(file.with_name("other.yaml"))
    assert len({before, changed, compiled.content_key(folder)}) == 3


def test_yaml_scalars() -> None:
    """YAML 1.2: Norway's code, a date and a ratio stay text; 1e9 is a number; .inf is no number here."""
    text = "{no: NO, date: 2024-10-31, ratio: 1:30, yes: yes, big: 1e9, inf: .inf, oct: 010, nothing: null, t: true}"
    assert parse_yaml(text, "x") == {
        "no": "NO",
        "date": "2024-10-31",
        "ratio": "1:30",
        "yes": "yes",
        "big": 1e9,
        "inf": ".inf",
        "oct": "010",
        "nothing": None,
        "t": True,
    }


def test_a_repeated_key_is_an_error() -> None:
    with pytest.raises(BadInput, match="twice"):
        parse_yaml("a: 1\nb: 2\na: 3\n", "x.yaml")
