"""``sizewright rules``: what it prints, its exit status, and an overlay's rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cli import main

OVERLAY = """
- id: house.rule
  title: Our own rule
  when: [{topic: gpus, op: '>', value: 8}]
  then: [{kind: support, decision: fabric_technology, choice: infiniband, strength: weak}]
  reason: Our own staff know InfiniBand.
  sources: [%s]
"""


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> object:
    assert main(["rules", *arguments, "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_list_and_show(capsys: pytest.CaptureFixture[str]) -> None:
    rules = _json(capsys, "list")
    assert isinstance(rules, list)
    first = rules[0]
    shown = _json(capsys, "show", first["id"])
    assert isinstance(shown, dict)
    assert shown["reason"] == first["reason"]
    assert {source["id"] for source in shown["source_texts"]} >= set(first["sources"])
    of_pack = _json(capsys, "list", first["pack"])
    assert isinstance(of_pack, list)
    assert {rule["pack"] for rule in of_pack} == {first["pack"]}


@pytest.mark.parametrize("arguments", [("show", "no.such.rule"), ("list", "no_such_pack")])
def test_unknown_names_are_bad_input(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert main(["rules", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert arguments[1] in captured.err


def test_check_passes_on_the_shipped_base(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "check", "--today", "2026-11-29")
    assert isinstance(found, dict)
    assert found["errors"] == 0


def test_check_fails_on_an_overlay_with_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    packs = tmp_path / "rules" / "packs"
    packs.mkdir(parents=True)
    (packs / "house.yaml").write_text(OVERLAY % "no_such_source")
    found = _json(capsys, "check", "--overlay", str(tmp_path), status=1)
    assert isinstance(found, dict)
    assert [(f["kind"], f["entry"]) for f in found["findings"] if f["level"] == "error"] == [
        ("unknown source", "house.rule")
    ]
    assert main(["rules", "list", "--overlay", str(tmp_path)]) == 2
    assert "house.rule" in capsys.readouterr().err


def test_overlay_rules_stand_beside_ours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = _json(capsys, "list")
    assert isinstance(rules, list)
    packs = tmp_path / "rules" / "packs"
    packs.mkdir(parents=True)
    (packs / "house.yaml").write_text(OVERLAY % rules[0]["sources"][0])
    ours = _json(capsys, "list", "house", "--overlay", str(tmp_path))
    assert isinstance(ours, list)
    assert [rule["id"] for rule in ours] == ["house.rule"]


def test_conflicts_show_both_statements(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "conflicts")
    assert isinstance(found, list)
    assert len(found) >= 30  # the founding texts contradict the primary sources in some thirty places
    for item in found:
        assert item["why"]
        assert all(side["text"] and side["grade"] for side in (item["ours"], item["theirs"]))
    assert {item["kind"] for item in found} == {"rule", "claim", "catalogue"}


def test_document_names_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    rules = _json(capsys, "list")
    assert isinstance(rules, list)
    assert main(["rules", "doc"]) == 0
    text = capsys.readouterr().out
    assert all(f"`{rule['id']}`" in text for rule in rules)
    assert "Not legal advice" in text
