"""``sizewright catalogue`` through its own functions."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from assistant.commands.knowledge import catalogue as command
from knowledge.errors import AmbiguousName, BadInput, UnknownName


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    return command.run(parser.parse_args(["catalogue", *words]))


def test_list_of_kinds_and_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    assert "accelerators" in capsys.readouterr().out
    assert run("list", "switches") == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("qm9700"))
    assert "1,720" in row  # NVIDIA: W with active cables


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "accelerators", "--json") == 0
    rows = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["h100-sxm-80gb"]["bandwidth_gb_per_s"]["value"] == 3350


def test_show_prints_value_sources_and_conflicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "DGX", "H100") == 0
    text = capsys.readouterr().out
    assert "max_power_kw: 10.2" in text
    assert "against: 38,557" in text
    assert "https://docs.nvidia.com/dgx/dgxh100-user-guide" in text


def test_show_says_what_a_vague_name_was_taken_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", "h100", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["id"] == "h100-sxm-80gb"
    assert "SXM" in document["note_on_name"]
    assert {source["id"] for source in document["source_texts"]} >= {"hopper-whitepaper"}


@pytest.mark.parametrize(("name", "error"), [("a100", AmbiguousName), ("k80", UnknownName), ("zzzzzz", UnknownName)])
def test_show_refuses(name: str, error: type[BadInput]) -> None:
    with pytest.raises(error):
        run("show", name)


def test_unknown_kind() -> None:
    with pytest.raises(BadInput):
        run("list", "gpus")


def test_check_with_and_without_an_overlay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", "--json") == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
    (tmp_path / "nics").mkdir()
    (tmp_path / "nics" / "own.yaml").write_text("- {id: x}", encoding="utf-8")
    with pytest.raises(BadInput, match=r"own\.yaml: x"):
        run("check", "--overlay", str(tmp_path))
