"""Decisions: what wins, who speaks for and against, and that every flip does flip."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from rules import engine, plain
from rules.base import RuleBase, load_rules
from rules.consultation import check_facts
from rules.decide import Decision, decide, evidence_weight
from rules.flips import _changes, _Index, all_flips, flips
from rules.patterns import constants
from rules.regions import samples
from rules.schema import Topic, TopicType

MakeBase = Callable[[str], RuleBase]


def support(ident: str, choice: str, strength: str, sources: str, direction: str = "for", when: str = "") -> str:
    """A rule that speaks on the fabric, for any number of GPUs unless ``when`` says otherwise."""
    condition = when or "{topic: gpus, op: '>=', value: 0}"
    return (
        f"- {{id: {ident}, title: {ident}, when: [{condition}], reason: Because of {ident}., sources: [{sources}],\n"
        f"   then: [{{kind: support, decision: fabric, choice: {choice}, strength: {strength},\n"
        f"           direction: {direction}}}]}}\n"
    )


def decided(base: RuleBase, facts: Mapping[str, object], ident: str = "fabric") -> Decision:
    """The decision reached from the facts."""
    return next(d for d in decide(base, engine.consult(base, facts, "plain")) if d.id == ident)


WINS = [
    # strong 3 against medium 2 + weak 1: a tie at 3, which falls to the choice declared first
    (["infiniband strong paper", "roce medium paper", "roce weak paper"], "roce"),
    # 3 against 2
    (["infiniband strong paper", "roce medium paper"], "infiniband"),
    # a blog counts half: 1.5 against 2
    (["infiniband strong blog", "roce medium paper"], "roce"),
    # a law known only from a summary counts half too
    (["infiniband strong law_summary", "roce medium paper"], "roce"),
    # opinions add up apart: three strong ones do not outweigh one weak reason with evidence
    (["infiniband strong opinion"] * 3 + ["roce weak blog"], "roce"),
    # alone they choose
    (["infiniband weak opinion"], "infiniband"),
    # what nobody verified does not decide: the default stays
    (["infiniband strong unverified"], "none"),
    # what speaks against a choice takes from it: 3 - 2 against 2
    (["infiniband strong paper", "infiniband medium spec against", "roce medium paper"], "roce"),
    # a requirement decides against any sum
    (["none requires law", "roce strong paper", "roce strong spec"], "none"),
    # an exclusion too
    (["roce requires spec against", "roce strong paper", "infiniband weak blog"], "infiniband"),
    # two requirements: the better grade wins (law before specification)
    (["roce requires spec", "infiniband requires law"], "infiniband"),
    # required by a specification and ruled out by law
    (["roce requires spec", "roce requires law against"], "none"),
]


@pytest.mark.parametrize(("votes", "choice"), WINS)
def test_what_wins(make_base: MakeBase, votes: list[str], choice: str) -> None:
    pack = "".join(support(f"r{number}", *vote.split()) for number, vote in enumerate(votes))
    assert decided(make_base(pack), {"gpus": 8}).choice == choice


def test_nothing_fires_leaves_the_default(make_base: MakeBase) -> None:
    decision = decided(make_base(support("a", "roce", "strong", "paper")), {})
    assert (decision.choice, decision.because, decision.confidence) == ("none", (), "low")


def test_open_decision_takes_what_is_supported(make_base: MakeBase) -> None:
    pack = support("a", "h200-sxm-141gb", "strong", "paper").replace("decision: fabric", "decision: accelerator")
    base = make_base(pack)
    assert decided(base, {"gpus": 8}, "accelerator").choice == "h200-sxm-141gb"
    assert decided(base, {}, "accelerator").choice is None


def test_reasons_stand_on_their_sides_with_grades(make_base: MakeBase) -> None:
    base = make_base(
        support("pro", "roce", "strong", "paper, blog")
        + support("rival", "infiniband", "weak", "opinion")
        + support("contra", "roce", "weak", "spec", "against")
        + support("not_rival", "infiniband", "medium", "spec", "against")
    )
    decision = decided(base, {"gpus": 8})
    assert decision.choice == "roce"
    assert decision.runner_up == "none"
    assert [r.rule for r in decision.because] == ["pro", "not_rival"]
    assert [r.rule for r in decision.against] == ["contra", "rival"]
    assert decision.because[0].grades == ("paper", "vendor_blog")
    assert decision.sources == ("paper", "blog", "spec", "opinion")


def test_clashing_requirements_are_shown(make_base: MakeBase) -> None:
    base = make_base(support("a", "roce", "requires", "spec") + support("b", "infiniband", "requires", "law"))
    decision = decided(base, {"gpus": 8})
    assert [r.rule for r in decision.because] == ["b"]
    assert [r.rule for r in decision.against] == ["a"]
    assert decision.notes == ("Requirements conflict: infiniband (b) and roce (a); the better grade was followed.",)
    assert decision.runner_up == "roce"


def test_excluded_choice_is_no_runner_up(make_base: MakeBase) -> None:
    base = make_base(
        support("a", "infiniband", "requires", "spec", "against")
        + support("b", "infiniband", "strong", "paper")
        + support("c", "roce", "weak", "paper")
    )
    assert decided(base, {"gpus": 8}).runner_up == "none"


def test_only_read_texts_weigh_in_full(make_base: MakeBase) -> None:
    sources = make_base(support("a", "roce", "weak", "paper")).sources
    weights = {ident: evidence_weight(source) for ident, source in sources.items()}
    assert weights == {
        "law": 1, "law_summary": 0.5, "spec": 1, "paper": 1, "blog": 0.5, "old": 0.5, "opinion": 0, "unverified": 0,
    }  # fmt: skip


# --- flips ----------------------------------------------------------------------------------------------------------


def test_nearest_flip_of_a_number(make_base: MakeBase) -> None:
    base = make_base(
        support("large", "infiniband", "strong", "paper", when="{topic: gpus, op: '>', value: 1024}")
        + support("some", "roce", "medium", "paper", when="{topic: gpus, op: '>=', value: 16}")
    )
    found = flips(base, {"gpus": 512}, "fabric")
    assert [(f.topic, f.now, f.to, f.choice) for f in found] == [
        ("gpus", 512, 1025, "infiniband"),  # 513 / 1025 away
        ("gpus", 512, 15, "none"),  # 497 / 512 away
    ]
    assert found[0].model_dump(by_alias=True) == {"topic": "gpus", "from": 512, "to": 1025, "choice": "infiniband"}


def test_flip_through_what_other_rules_conclude(make_base: MakeBase) -> None:
    base = make_base(
        "- {id: big, title: T, when: [{topic: power_kw, op: '>=', value: 100}], reason: It is derived.,\n"
        "   sources: [paper], then: [{kind: assert, topic: big}]}\n"
        + support("a", "infiniband", "strong", "paper", when="{topic: big, value: true}")
        + support("b", "roce", "weak", "paper", when="{topic: power_kw, op: known}")
    )
    assert [(f.to, f.choice) for f in flips(base, {"power_kw": 90.0}, "fabric")] == [(100.0, "infiniband")]
    assert [(f.to, f.choice) for f in flips(base, {"power_kw": 100.0}, "fabric")] == [(99.0, "roce")]


def test_what_is_not_known_may_flip_too(make_base: MakeBase) -> None:
    base = make_base(support("a", "roce", "strong", "paper", when="{topic: shared, value: false}"))
    assert [(f.now, f.to, f.choice) for f in flips(base, {}, "fabric")] == [(None, False, "roce")]


@pytest.mark.parametrize("seed", range(4))
def test_every_flip_of_the_shipped_base_flips(seed: int) -> None:
    rng, base = random.Random(seed), load_rules()
    ordered = constants(base.rules.values())
    facts = {
        topic.id: _some_value(rng, topic, list(ordered.get(topic.id, ())))
        for topic in base.topics.values()
        if topic.origin == "input" and rng.random() < 0.7
    }
    before = {d.id: d.choice for d in decide(base, engine.consult(base, facts, "plain"))}
    found = all_flips(base, engine.consult(base, facts, "plain").facts)
    assert set(found) == set(base.decisions)
    assert any(found.values())
    for ident, changes in found.items():
        for flip in changes:
            assert facts.get(flip.topic) == flip.now
            after = decided(base, {**facts, flip.topic: flip.to}, ident)
            assert after.choice == flip.choice != before[ident]


@pytest.mark.parametrize("seed", range(3))
def test_refiring_a_part_is_firing_all(seed: int) -> None:
    rng, base = random.Random(seed), load_rules()
    index = _Index(base)
    facts = {
        topic.id: _some_value(rng, topic, list(index.constants.get(topic.id, ())))
        for topic in base.topics.values()
        if topic.origin == "input" and rng.random() < 0.7
    }
    given = check_facts(base.topics, facts)
    fired, known = plain.run(base.strata, given)
    for topic, _, value in _changes(base, index.constants, given):
        assert index.refire(known, fired, topic, value) == plain.run(base.strata, {**given, topic: value})[0]


def _some_value(rng: random.Random, topic: Topic, places: list[object]) -> object:
    values = list(samples(topic, places)) or ["elsewhere"]
    value = rng.choice(values)
    return float(value) if topic.type is TopicType.FLOAT else value
