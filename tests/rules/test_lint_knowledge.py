"""The linter of claims and questions: each class of finding has a base that has it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from knowledge.schema import Claim
from rules.base import RuleBase, load_rules
from rules.document import markdown
from rules.lint_knowledge import lint_knowledge
from tests.shared import catalogue


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def claims() -> dict[str, Claim]:
    return dict(catalogue().entries("claims"))


def changed(ident: str, **fields: Any) -> dict[str, Claim]:
    """The shipped claims with one of them changed."""
    known = claims()
    return known | {ident: known[ident].model_copy(update=fields)}


def kinds(given: dict[str, Claim]) -> set[tuple[str, str]]:
    return {(found.kind, found.entry) for found in lint_knowledge(base(), given)}


def test_shipped_claims_have_no_finding() -> None:
    assert lint_knowledge(base(), claims()) == []


@pytest.mark.parametrize(
    ("kind", "entry", "given"),
    [
        ("unknown claim", "reg.eed.defence", {k: v for k, v in claims().items() if k != "L-EED-02"}),
        ("unverified alone", "reg.eed.defence", changed("L-EED-02", seen_as="not_verified")),
        ("judged claim", "reg.eed.defence", changed("L-EED-02", judged_against=True)),
        ("used claim", "L-EED-02", changed("L-EED-02", unused="No rule needs it.")),
        ("unused claim", "L-TAX-01", changed("L-TAX-01", unused=None)),
        ("one-sided contradiction", "B-006", changed("B-007", contradicts=())),
    ],
)
def test_each_class_is_found(kind: str, entry: str, given: dict[str, Claim]) -> None:
    assert (kind, entry) in kinds(given)


def test_questions_that_nothing_reads() -> None:
    found = lint_knowledge(base(), claims(), ["country", "shoe_size"], {"country"})
    assert [(finding.kind, finding.entry) for finding in found] == [("unread question", "shoe_size")]
    assert lint_knowledge(base(), claims(), ["shoe_size"], None) == []


def test_the_document_holds_every_claim_with_its_grade_and_contradictions() -> None:
    text = markdown(base(), claims())
    assert all(f'<a id="{ident}">' in text for ident in claims())
    assert "`B-008` (unverified)" in text
    assert "Against: [[B-006](#B-006)]" in text
