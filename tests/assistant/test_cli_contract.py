"""docs/contract.md and the program say the same."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from assistant import cli
from assistant.commands.knowledge.schema import MODELS, model_of
from assistant.result import Plan, Sizing

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "contract.md").read_text(encoding="utf-8")
TABLES = {"request": "-request", "result": "-result"}


def documented() -> dict[str, list[str]]:
    """Schema name -> the fields that the page's tables name for it."""
    found: dict[str, list[str]] = defaultdict(list)
    part, table = "", ""
    for line in PAGE.splitlines():
        if line.startswith("#"):
            part, table = line.rpartition(" ")[2], ""
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells and cells[0] in ("field", "field of a plan", *TABLES):
            table = (
                "size"
                if cells[0] == "field"
                else "plan"
                if cells[0] != cells[0].split()[0]
                else part + TABLES[cells[0]]
            )
        elif cells and table and (name := re.fullmatch(r"`(\w+)`", cells[0])):
            found[table].append(name[1])
    return found


@pytest.mark.parametrize(("name", "fields"), documented().items())
def test_every_documented_field_is_there(name: str, fields: list[str]) -> None:
    model = Plan if name == "plan" else model_of(name)
    assert set(fields) <= set(model.model_fields)


def test_the_tables_are_read_at_all() -> None:
    tables = documented()
    assert {"size", "plan", "serve-request", "serve-result", "train-result", "fabric-result"} <= set(tables)
    assert {"gpus", "binding", "servers"} <= set(tables["plan"])


def test_every_field_of_a_sizing_is_documented() -> None:
    assert set(documented()["size"]) == set(Sizing.model_fields)
    assert set(documented()["plan"]) == set(Plan.model_fields)


@pytest.mark.parametrize("command", [*cli.COMMANDS, *cli.PLANNED])
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"`(sizewright )?{command}\b", PAGE)


def test_what_is_said_to_be_missing_is_missing() -> None:
    listed = PAGE.partition("Not built yet")[2].partition("as export formats")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == set(cli.PLANNED)


def test_every_part_has_request_and_result() -> None:
    parts = {name.removesuffix("-request") for name in MODELS if name.endswith("-request")}
    assert parts == set(re.findall(r"^### estimate (\w+)$", PAGE, re.MULTILINE))
