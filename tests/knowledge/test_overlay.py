"""A company's overlay: merged by id, checked as strictly as ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.catalogue import load_catalogue
from knowledge.errors import BadInput, UnknownName

SOURCE = """
- id: acme-sheet
  title: Acme datasheet
  address: https://acme.example/x1
  grade: vendor_specification
  seen_as: primary_text
"""
CARD = """
- id: acme-x1
  name: Acme X1
  vendor: Acme
  generation: x
  form: OAM
  memory_label_gb: 64
  memory_bytes: {value: 68719476736, sources: [acme-sheet]}
  tdp_w: {value: 300, sources: [acme-sheet]}
"""


def overlay(folder: Path, **files: str) -> Path:
    for kind, text in {"sources": SOURCE, **files}.items():
        (folder / kind).mkdir(exist_ok=True)
        (folder / kind / "acme.yaml").write_text(text, encoding="utf-8")
    return folder


def test_an_entry_is_added(tmp_path: Path) -> None:
    base, merged = load_catalogue(), load_catalogue([overlay(tmp_path, accelerators=CARD)])
    assert merged.accelerator("acme x1").tdp_w.value == 300
    assert merged.accelerator("H100").id == "h100-sxm-80gb"
    assert merged.version != base.version
    with pytest.raises(UnknownName):
        base.accelerator("acme x1")


def test_extends_replaces_only_the_fields_it_names(tmp_path: Path) -> None:
    text = "- {id: dgx-h100, extends: dgx-h100, max_power_kw: {value: 9.5, sources: [acme-sheet], note: metered}}"
    server = load_catalogue([overlay(tmp_path, servers=text)]).server("DGX H100")
    assert server.max_power_kw.value == 9.5
    assert server.rack_units.value == 8
    assert load_catalogue().server("DGX H100").max_power_kw.value == 10.2


def test_extends_another_entry_leaves_its_names(tmp_path: Path) -> None:
    text = "- {id: acme-h100, extends: h100-sxm-80gb, name: Acme H100, tdp_w: {value: 500, sources: [acme-sheet]}}"
    catalogue = load_catalogue([overlay(tmp_path, accelerators=text)])
    assert catalogue.accelerator("acme h100").bandwidth_gb_per_s.value == 3350
    assert catalogue.accelerator("H100 SXM").id == "h100-sxm-80gb"


def test_the_same_id_replaces_the_whole_entry(tmp_path: Path) -> None:
    text = CARD.replace("acme-x1", "t4").replace("Acme X1", "T4 of Acme")
    assert load_catalogue([overlay(tmp_path, accelerators=text)]).accelerator("t4").bandwidth_gb_per_s.value is None


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (CARD.replace("tdp_w", "tdp_watt"), "acme-x1: tdp_watt"),
        (CARD.replace("value: 300", "value: -300"), "acme-x1: tdp_w.value"),
        (CARD.replace("value: 300", "value: .nan"), "acme-x1: tdp_w.value"),
        (CARD.replace("value: 300", "value: true"), "acme-x1: tdp_w.value"),
        (CARD.replace("value: 300", "value: '300'"), "acme-x1: tdp_w.value"),
        (CARD.replace("value: 300, sources: [acme-sheet]", "value: 300"), "acme-x1"),
        (
            CARD.replace("68719476736, sources: [acme-sheet]", "68719476736, sources: [acme-shet]"),
            "memory_bytes.sources.0",
        ),
        (CARD + "  vendor: Twice\n", "acme.yaml"),
        (CARD + CARD, "acme-x1"),
        (CARD.replace("name: Acme X1", "name: MI300X"), "names"),
        (CARD + "  extends: nothing\n", "extends"),
        ("- just text", "entry 1"),
        ("key: value", "acme.yaml"),
        ("- {id: [unclosed", "acme.yaml"),
        ("- &a [*a]", "acme.yaml"),
    ],
)
def test_errors_name_file_entry_and_path(tmp_path: Path, text: str, where: str) -> None:
    with pytest.raises(BadInput) as error:
        load_catalogue([overlay(tmp_path, accelerators=text)])
    assert where in error.value.field
    assert "accelerators" in error.value.field


def test_a_misspelt_field_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        load_catalogue([overlay(tmp_path, accelerators=CARD.replace("tdp_w", "tdp_ww"))])
    assert "tdp_w" in error.value.nearest


def test_an_unknown_kind_and_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="accelerators"):
        load_catalogue([overlay(tmp_path, accelerator=CARD)])
    with pytest.raises(BadInput):
        load_catalogue([tmp_path / "nowhere"])


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    folder = overlay(tmp_path, accelerators=CARD)
    (folder / "accelerators" / "acme.yaml").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(BadInput):
        load_catalogue([folder])
