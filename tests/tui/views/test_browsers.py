"""Catalogue and rules as people browse them."""

from __future__ import annotations

import pytest

from assistant.result import Sizing
from assistant.rulebook import Held, held, next_pack, packs
from assistant.service import Assistant
from knowledge.schema import KINDS
from tui.views import catalogue as catalogue_view
from tui.views.lines import matching, say_in
from tui.views.rules import rule_lines, rule_rows

SAY = say_in("en")


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def test_every_entry_of_every_kind_can_be_shown(assistant: Assistant) -> None:
    kinds = [row.key for row in catalogue_view.kind_rows(assistant.catalogue)]
    assert set(kinds) <= set(KINDS)
    for kind in kinds:
        rows = catalogue_view.entry_rows(assistant.catalogue, kind)
        assert len(rows) == len(assistant.catalogue.entries(kind))
        ident = rows[0].key.removeprefix(f"{kind}/")
        assert catalogue_view.entry_lines(assistant.catalogue, kind, ident, SAY)


def test_a_search_finds_aliases(assistant: Assistant) -> None:
    rows = catalogue_view.entry_rows(assistant.catalogue, "accelerators")
    assert "accelerators/h100-sxm-80gb" in [row.key for row in matching(rows, "h100 sxm5")]


def test_an_entry_shows_values_units_and_sources(assistant: Assistant) -> None:
    lines = catalogue_view.entry_lines(assistant.catalogue, "accelerators", "h100-sxm-80gb", SAY)
    said = {line.label: line.text for line in lines if line.label}
    # NVIDIA H100 datasheet: 3.35 TB/s, 700 W; 81,559 MiB by nvidia-smi is 85,520,809,984 bytes (81,559 x 2^20 is
    # 85,520,809,984)
    assert said["bandwidth"] == "3,350 GB/s"
    assert said["TDP"] == "700 W"
    assert said["memory"] == "85,520,809,984 bytes"
    assert said["FP4"] == "unknown"  # no FP4 on Hopper
    assert any(line.text == "https://www.nvidia.com/en-us/data-center/h100/" for line in lines)


def test_a_conflict_is_shown_against_its_value(assistant: Assistant) -> None:
    lines = catalogue_view.entry_lines(assistant.catalogue, "cooling", "air", SAY)
    against = [line.text for line in lines if line.label == "Against"]
    assert "40.8" in against  # four DGX H100 at 10.2 kW in one rack


def test_commands_of_the_catalogue() -> None:
    assert catalogue_view.headless(None, None) == "sizewright catalogue list"
    assert catalogue_view.headless("models", None) == "sizewright catalogue list models"
    assert catalogue_view.headless("switches", "qm9700") == "sizewright catalogue show switches/qm9700"


def test_rules_stand_by_pack_with_how_many_held(assistant: Assistant) -> None:
    base = assistant.rules
    first = next(iter(base.rules))
    rows = rule_rows(base, Held(frozenset({first}), {}), SAY)
    assert sum(not row.heading for row in rows) == len(base.rules)
    assert sum(row.heading for row in rows) == len(packs(base))
    assert [row.key for row in rule_rows(base, Held(frozenset({first}), {}), SAY, only_held=True) if row.key] == [first]


def test_packs_go_round(assistant: Assistant) -> None:
    names = list(packs(assistant.rules))
    assert next_pack(assistant.rules, None) == names[0]
    assert next_pack(assistant.rules, names[-1]) is None


def test_a_rule_says_for_each_condition_whether_it_holds(assistant: Assistant) -> None:
    base = assistant.rules
    rule = next(r for r in base.rules.values() if r.when[0].op == "==" and isinstance(r.when[0].value, bool))
    condition = rule.when[0]
    opposite = Held(frozenset(), {condition.topic: not condition.value})
    texts = [line.text for line in rule_lines(base, rule.id, opposite, SAY)]
    assert f"[ ] {condition} (now {not condition.value})" in texts
    unknown = [line.text for line in rule_lines(base, rule.id, Held(frozenset(), {}), SAY)]
    assert f"[ ] {condition} (not known)" in unknown
    alone = [line.text for line in rule_lines(base, rule.id, None, SAY)]
    assert str(condition) in alone


def test_facts_of_other_rules_are_no_failure(assistant: Assistant, sizing: Sizing) -> None:
    assert held(assistant.rules, None) is None
    assert held(assistant.rules, sizing.model_copy(update={"facts": {"gone_topic": 1}})) is None
    found = held(assistant.rules, sizing.model_copy(update={"facts": {"workload": "rag", "serves": True}}))
    assert found is not None
    assert found.facts["workload"] == "rag"
