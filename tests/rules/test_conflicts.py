"""Contradictions: both numbers, a side, and a reason, of rules, claims and catalogue values."""

from __future__ import annotations

from functools import lru_cache

from knowledge.catalogue import load_catalogue
from knowledge.evidence import Grade, SeenAs, Source
from knowledge.schema import Claim
from rules.base import load_rules
from rules.conflicts import Contradiction, contradictions, weigh


@lru_cache(maxsize=1)
def every() -> list[Contradiction]:
    return contradictions(load_rules(), load_catalogue())


def _between(first: str, second: str) -> Contradiction:
    return next(c for c in every() if {c.ours.id, c.theirs.id} == {first, second})


def test_all_three_kinds_are_listed_with_a_reason() -> None:
    assert {found.kind for found in every()} == {"rule", "claim", "catalogue"}
    assert all(found.why for found in every())


def test_rack_power_of_gb200() -> None:
    """HPE's QuickSpecs give 132 kW, many pages 120 kW: plan the vendor's."""
    found = _between("B-006", "B-007")
    assert (found.ours.value, found.theirs.value, found.ours.unit) == (132.0, 120.0, "kW")
    assert (found.side, found.ours.grade) == ("ours", Grade.VENDOR_SPECIFICATION)


def test_kubernetes_and_training() -> None:
    """The loss of 20 % that a founding text claims stands against measured runs."""
    found = _between("F6-021", "S3-17")
    assert (found.ours.id, found.side) == ("F6-021", "ours")


def test_two_opinions_decide_nothing() -> None:
    """80 % and 70 % of use: both are opinion."""
    found = _between("G-003", "S2-19")
    assert found.side == "neither"
    assert {found.ours.value, found.theirs.value} == {80.0, 70.0}


def test_no_unverified_claim_is_sided_with() -> None:
    better = [c for c in every() if c.kind == "claim" and c.side == "ours" and c.ours.grade is Grade.UNVERIFIED]
    assert better == []


def _claim(ident: str, source: str, against: str, **more: object) -> Claim:
    fields = {"id": ident, "topic": "test", "statement": "A statement long enough.", "sources": [source]}
    return Claim.model_validate({**fields, "contradicts": [against], **more})


def test_the_better_grade_and_the_own_judgement() -> None:
    sources = {
        name: Source(id=name, title=name, grade=grade, seen_as=seen_as)
        for name, grade, seen_as in (
            ("law", Grade.LAW, SeenAs.PRIMARY_TEXT),
            ("told", Grade.LAW, SeenAs.SUMMARY_BY_OTHERS),
            ("guide", Grade.PRACTITIONER_OPINION, SeenAs.SEED_TEXT),
            ("sum", Grade.PRACTITIONER_OPINION, SeenAs.OWN_ARITHMETIC_OR_JUDGEMENT),
        )
    }
    assert weigh(_claim("a", "told", "b"), _claim("b", "law", "a"), sources).ours.id == "b"
    assert weigh(_claim("a", "guide", "b"), _claim("b", "sum", "a"), sources).ours.id == "b"
    judged = _claim("a", "guide", "b", judgement="It was measured.", judged_against=True)
    found = weigh(judged, _claim("b", "guide", "a"), sources)
    assert (found.ours.id, found.side, found.why) == ("b", "ours", "It was measured.")


def test_a_rule_does_not_win_against_a_better_source() -> None:
    """Meta's paper against the advice to take the reference design: the rule leans, and RoCE stays the alternative."""
    found = [c for c in every() if c.kind == "rule" and c.ours.id == "fab.infiniband_default_training"]
    assert {(c.theirs.grade, c.side) for c in found} == {
        (Grade.PAPER, "neither"),
        (Grade.PRACTITIONER_OPINION, "ours"),
    }


def test_every_shipped_value_that_is_contradicted_says_why_it_is_kept() -> None:
    """Each with a reason of its own: only the same part in two forms, or the same mistake, shares one."""
    found = [c for c in every() if c.kind == "catalogue"]
    assert len(found) >= 92
    assert all(": " in c.why and "checked against" not in c.why for c in found)
    assert len({c.why for c in found}) > 0.85 * len(found)
