"""Each class of finding has a base that shows it, and a sound one that does not."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest

from knowledge.errors import BadInput
from rules.base import PACKAGE, RuleBase, read_rules
from rules.document import disagreements, markdown
from rules.lint import Finding, lint
from rules.validate import Problem

ReadBase = Callable[[str], tuple[RuleBase, list[Problem]]]

TODAY = datetime.date(2026, 11, 29)


def rule(ident: str, when: str, then: str = "{kind: question, field: x}", **more: str) -> str:
    """A rule as YAML; ``when`` and ``then`` without their brackets."""
    fields = {"reason": "Because it was measured so.", "sources": "[law, paper]", "unless": "[]"} | more
    rest = ", ".join(f"{key}: {value}" for key, value in fields.items())
    return f"- {{id: {ident}, title: Title, when: [{when}], then: [{then}], {rest}}}\n"


def gpus(op: str, value: int) -> str:
    """A condition on the number of GPUs."""
    return f"{{topic: gpus, op: '{op}', value: {value}}}"


def choose(choice: str, strength: str = "medium", direction: str = "for") -> str:
    """A conclusion on the fabric."""
    return f"{{kind: support, decision: fabric, choice: {choice}, strength: {strength}, direction: {direction}}}"


def duty(applies: str) -> str:
    """A conclusion on a duty."""
    return f"{{kind: obligation, id: duty, applies: {applies}}}"


SHARED = "{topic: shared, value: true}"
BIG = "{topic: big, value: true}"
FOUND: dict[str, tuple[str, str]] = {
    "no value of an int lies between": ("dead rule", rule("r", gpus(">", 8) + ", " + gpus("<", 9))),
    "two words at once": ("dead rule", rule("r", "{topic: work, value: training}, {topic: work, value: mixed}")),
    "outside of the topic's range": ("dead rule", rule("r", gpus(">", 200_000))),
    "nobody concludes it": ("dead rule", rule("r", BIG)),
    "unless always holds": ("dead rule", rule("r", gpus(">", 8), unless=f"[{gpus('>', 4)}]")),
    "unless known though compared": ("dead rule", rule("r", gpus(">", 8), unless="[{topic: gpus, op: known}]")),
    "subsumed": (
        "dead rule",
        rule("r", gpus(">", 8), choose("roce")) + rule("s", gpus(">", 16) + ", " + SHARED, choose("roce")),
    ),
    "duty applies and does not": (
        "contradictory conclusions",
        rule("r", gpus(">", 8), duty("true")) + rule("s", SHARED, duty("false")),
    ),
    "for and against": (
        "contradictory conclusions",
        rule("r", gpus(">", 8), choose("roce")) + rule("s", gpus(">", 8), choose("roce", direction="against")),
    ),
    "two requirements": (
        "contradictory conclusions",
        rule("r", gpus(">", 8), choose("roce", "requires")) + rule("s", SHARED, choose("infiniband", "requires")),
    ),
    "hole on the line": ("gap", rule("r", gpus("<", 500), choose("roce")) + rule("s", gpus(">", 500), choose("none"))),
    "both on the line": (
        "overlap",
        rule("r", gpus("<=", 500), choose("roce")) + rule("s", gpus(">=", 500), choose("none")),
    ),
    "reason says nothing": ("missing reason", rule("r", gpus(">", 8), reason="Title")),
    "old source": ("stale source", rule("r", gpus(">", 8), sources="[old]")),
    "nobody asks for the field": ("unknown question", rule("r", gpus(">", 8), "{kind: question, field: nothing}")),
    "nobody asks what would close it": (
        "unknown question",
        rule("r", gpus(">", 8), "{kind: obligation, id: o, applies: open, closes_with: nothing}"),
    ),
    "no calculator": ("unproduced topic", rule("r", "{topic: secret, value: true}")),
    "nobody reads": ("unread topic", rule("r", gpus(">", 8))),
    "nobody calls the item": ("unused item", rule("r", gpus(">", 8))),
    # what loading refuses, the linter lists
    "unknown topic": ("unknown topic", rule("r", "{topic: nothing, value: 1}")),
    "unknown source": ("unknown source", rule("r", gpus(">", 8), sources="[nobody]")),
    "soft source": ("soft source", rule("r", gpus(">", 8), choose("roce", "requires"), sources="[blog]")),
    "type mismatch": ("type mismatch", rule("r", "{topic: gpus, value: many}")),
    "same id": ("duplicate id", rule("r", gpus(">", 8)) + rule("r", gpus("<", 8))),
}


def findings(base: RuleBase, problems: list[Problem]) -> list[Finding]:
    """All findings, with all lists to compare with."""
    fields, produced = {"x"}, {"gpus", "power_kw", "work", "country", "shared"}
    return lint(base, problems, today=TODAY, fields=fields, produced=produced)


@pytest.mark.parametrize("name", FOUND)
def test_each_class_is_found(name: str, read_base: ReadBase) -> None:
    kind, pack = FOUND[name]
    assert kind in {finding.kind for finding in findings(*read_base(pack))}


SOUND = (
    rule("r", gpus("<", 500), choose("roce") + ", {kind: checklist, item: item}")
    + rule("s", gpus(">=", 500), choose("none"))
    + rule("big", gpus(">", 64), "{kind: assert, topic: big}")
    + rule("huge", gpus(">", 640), "{kind: assert, topic: huge}")
    + rule("t", BIG + ", {topic: country, op: '!=', value: DE}", duty("true"), unless="[{topic: huge, value: true}]")
    + rule("u", "{topic: huge, value: true}, {topic: country, value: DE}", duty("false"))
    + rule("v", "{topic: power_kw, op: '>', value: 0}, {topic: power_kw, op: '<', value: 1e-9}")
    + rule("w", SHARED + ", {topic: work, op: '!=', value: mixed}, {topic: work, op: '!=', value: training}")
    + rule("x", gpus(">", 8), unless=f"[{gpus('>', 16)}]")
)


def test_a_sound_base_has_no_errors(read_base: ReadBase) -> None:
    found = findings(*read_base(SOUND))
    assert [f for f in found if f.level == "error"] == []
    assert {(f.kind, f.entry) for f in found} == {("unread topic", "secret")}


def test_missing_reason_and_source_are_refused_by_name(read_base: ReadBase) -> None:
    for gone in ("reason", "sources"):
        empty = {"reason": "''", "sources": "[]"}[gone]
        with pytest.raises(BadInput, match=f"test.yaml: r: {gone}"):
            read_base(rule("r", gpus(">", 8), **{gone: empty}))


@pytest.mark.parametrize(
    ("date", "stale"),
    [
        ("2019-06", True),
        ("2023-11", False),
        ("2023-10", True),
        ("2021-2026 copy", False),
        ("2024", False),
        ("n. d.", False),
    ],
)
def test_age_is_that_of_the_latest_year_named(read_base: ReadBase, date: str, stale: bool) -> None:
    base, _ = read_base(rule("r", gpus(">", 8), sources="[blog]"))
    sources = {**base.sources, "blog": base.sources["blog"].model_copy(update={"date": date})}
    folder_base = RuleBase("v", base.rules, base.topics, base.checklist, base.decisions, sources, base.files)
    assert ("stale source" in {f.kind for f in lint(folder_base, today=TODAY)}) is stale


def test_shipped_base_has_no_errors() -> None:
    base, problems = read_rules([PACKAGE])
    assert [str(f) for f in lint(base, problems, today=TODAY) if f.level == "error"] == []


def test_disagreements_name_both_sides_and_why(read_base: ReadBase) -> None:
    pack = rule(
        "r", gpus(">", 8), choose("roce"), sources="[paper]", dissent="[{says: It is not so., sources: [opinion]}]"
    )
    base, _ = read_base(pack)
    (found,) = disagreements(base)
    assert (found.we_say, found.we_cite) == ("Because it was measured so.", ("paper",))
    assert (found.they_say, found.they_cite) == ("It is not so.", ("opinion",))
    assert found.why == "paper against practitioner opinion"


def test_document_cites_every_source_it_lists(read_base: ReadBase) -> None:
    base, _ = read_base(SOUND)
    text = markdown(base)
    assert "speaks moderately for fabric = roce" in text
    for source in ("law", "paper"):
        assert f'<a id="{source}">' in text
        assert f"[[{source}](#{source})]" in text
    assert Path(base.files["r"]).stem in text
