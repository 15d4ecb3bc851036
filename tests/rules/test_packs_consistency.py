"""The packs as a whole: no contradiction between duties, hard conclusions on firm ground, drafts that oblige nobody."""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from typing import Any

from knowledge.evidence import Grade
from rules.base import RuleBase, load_rules
from rules.engine import consult
from rules.schema import Obligation, Scalar, Severity, Strength, Support, Warn


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def test_drafts_oblige_nobody() -> None:
    drafts = [t for r in base().rules.values() for t in r.then if isinstance(t, Obligation) and t.draft]
    assert {d.id for d in drafts} == {"eu_rating_label", "de_enefg_bill", "es_data_centre", "gb_data_centre_nis"}
    assert all(d.applies == "open" for d in drafts)


def test_duties_that_apply_rest_on_law_that_was_read() -> None:
    for rule in base().rules.values():
        if any(isinstance(t, Obligation) and t.applies is True for t in rule.then):
            sources = [base().sources[s] for s in rule.sources]
            assert any(s.firm and s.grade is Grade.LAW for s in sources), rule.id


def test_every_duty_that_applies_says_who_what_and_since_when() -> None:
    for rule in base().rules.values():
        for then in rule.then:
            if isinstance(then, Obligation) and then.applies is True:
                assert all((then.by, then.what, then.holds_from)), rule.id


def test_no_two_rules_say_different_things_of_one_duty() -> None:
    """Every mix of place, power, rest of site, exemption and date gives each duty at most one answer."""
    de, fr = {"country": "DE"}, {"country": "FR"}
    in_eu: dict[str, Scalar] = {"country_is_eu": True}
    places: list[dict[str, Scalar]] = [{}, in_eu, {"country_is_eu": False}, {**in_eu, **de}, {**in_eu, **fr}]
    powers: list[dict[str, Scalar]] = [{}, *(_powers(kw) for kw in (40.0, 299.0, 300.0, 500.0, 1000.0, 1000.5))]
    others: list[dict[str, Scalar]] = [
        {},
        {"defence_site": True},
        {"hosting": "on_prem", "site_operator": "self"},
        {"hosting": "colocation"},
        {"data_centre_live_date_after_2026_07_01": True},
        {"trains": True, "workload": "pretraining", "training_flop_log10": 25.5},
        {"trains": True, "workload": "finetuning", "training_flop_log10": 24.6, "data_class": "health"},
    ]
    for place, power, other, rest in itertools.product(places, powers, others, (None, 0.0, 800.0)):
        facts = {**place, **power, **other, **_whole(power, rest)}
        said = Counter(c.then.id for c in consult(base(), facts).conclusions if isinstance(c.then, Obligation))
        assert all(count == 1 for count in said.values()), (facts, said)


def _powers(kw: float) -> dict[str, Scalar]:
    return {"nominal_it_kw": kw, "connection_kw": kw, "energy_input_kw": kw}


def _whole(power: dict[str, Scalar], rest: float | None) -> dict[str, Scalar]:
    if rest is None:
        return {}
    return {f"whole_site_{name}": float(kw) + rest for name, kw in power.items()}


def _is_hard(then: Any) -> bool:
    return (
        (isinstance(then, Support) and then.strength is Strength.REQUIRES)
        or (isinstance(then, Warn) and then.severity is Severity.STOP)
        or (isinstance(then, Obligation) and then.applies is True)
    )


def test_hard_rules_rest_on_firm_sources() -> None:
    hard = [rule for rule in base().rules.values() if any(map(_is_hard, rule.then))]
    assert len(hard) >= 25
    assert [rule.id for rule in hard if not any(base().sources[s].firm for s in rule.sources)] == []


def test_cautions_name_something_that_was_published() -> None:
    for rule in base().rules.values():
        if any(isinstance(t, Warn) and t.severity is Severity.CAUTION for t in rule.then):
            assert any(base().sources[s].address for s in rule.sources), rule.id
