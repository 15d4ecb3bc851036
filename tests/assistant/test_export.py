"""Exports: from one document, harmless, the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from assistant.export import render, write
from assistant.export.csv_checklist import guarded
from assistant.export.document import build_document
from assistant.export.text import render as render_text
from assistant.output import plain
from assistant.result import Sizing
from assistant.store_types import ItemState
from knowledge.errors import BadInput


def exported(sizing: Sizing, suffix: str) -> str:
    states = {"fabric.nccl": ItemState(done=True, by="Network team", evidence="371 GB/s")}
    return render(suffix, sizing, build_document(sizing, "Smoke [test]", states))


@pytest.mark.parametrize("suffix", ["md", "json", "csv"])
def test_second_run_gives_the_same_bytes(sizing: Sizing, suffix: str) -> None:
    assert exported(sizing, suffix).encode() == exported(sizing, suffix).encode()


def test_csv_is_readable_and_guarded(sizing: Sizing) -> None:
    text = exported(sizing, "csv")
    assert text.startswith("\ufeff")
    header, row = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    cells = dict(zip(header, row, strict=True))
    assert cells["item"] == "'=Test the fabric"
    assert cells["expected"] == ">= 370 GB/s ± 5%"
    assert (cells["done"], cells["by"], cells["evidence"]) == ("yes", "Network team", "371 GB/s")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_formula_starts_are_guarded(cell: str) -> None:
    assert guarded(cell) == "'" + cell


def test_markdown_escapes_user_text(sizing: Sizing) -> None:
    text = exported(sizing, "md")
    assert "# First sizing: Smoke \\[test\\]" in text
    assert "\\<house\\> \\| pipe" in text
    assert "http://data.europa.eu/eli/dir/2023/1791/oj" in text


def test_json_is_the_whole_sizing(sizing: Sizing) -> None:
    assert plain(Sizing.model_validate(json.loads(exported(sizing, "json")))) == plain(sizing)


def test_text_fits_the_width(sizing: Sizing) -> None:
    text = render_text(build_document(sizing), width=80)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_unbuilt_and_unknown_formats_name_the_built_ones(sizing: Sizing) -> None:
    with pytest.raises(BadInput, match=r"not built yet; formats are md, json, csv"):
        exported(sizing, "pdf")
    with pytest.raises(BadInput, match=r"not a format; formats are md, json, csv"):
        exported(sizing, "exe")


def test_write_is_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a.md"
    write(target, "one")
    with pytest.raises(BadInput, match="--force"):
        write(target, "two")
    assert target.read_text() == "one"
    write(target, "two", force=True)
    assert target.read_text() == "two"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]
    with pytest.raises(BadInput, match="folder"):
        write(tmp_path / "no" / "a.md", "x")
