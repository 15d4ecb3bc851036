"""docs/decisions.md: every choice of every decision is reached by a brief, and the page is in step with them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.service import Assistant
from assistant.validation.decisions import Reached, markdown, reached
from knowledge.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
BRIEFS = ROOT / "tests" / "data" / "decisions" / "briefs.yaml"


@lru_cache(maxsize=1)
def rows() -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = read_yaml(BRIEFS)
    return read


@lru_cache(maxsize=1)
def found() -> dict[str, dict[str, Reached]]:
    return reached(Assistant(), rows())


def test_every_choice_is_reached() -> None:
    decisions = Assistant().rules.decisions
    missing = {ident: [c for c in spec.choices if c not in found()[ident]] for ident, spec in decisions.items()}
    assert {ident: choices for ident, choices in missing.items() if choices} == {}


def test_facts_stand_only_where_no_brief_can() -> None:
    assert all("brief" in row or row.get("why") for row in rows())
    assert [row["id"] for row in rows() if "facts" in row] == ["few-ports", "thin-top-layer", "tank-facts"]


def test_most_choices_have_a_flip() -> None:
    """What firm sources require has none: no single fact moves it."""
    without = [(d, c) for d, choices in found().items() for c, how in choices.items() if not how.decision.flips_when]
    assert [pair for pair in without if pair[0] != "accelerator"] == []


def test_the_page_is_in_step() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    assert page == markdown(Assistant(), rows()), "run: sizewright rules decisions tests/data/decisions/briefs.yaml"
