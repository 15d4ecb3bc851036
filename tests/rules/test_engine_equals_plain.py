"""The engine against the oracle: generated rule bases inside the rule language, any facts, any order."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest

from knowledge.evidence import Grade, SeenAs, Source
from rules import engine
from rules.base import RuleBase
from rules.schema import Rule, Scalar, Topic
from rules.strata import NegationCycle, stratify

pytestmark = pytest.mark.skipif(engine.engine_name() != "durable-rules", reason="durable-rules cannot be imported")

_SERIAL = count()
SOURCES = {
    "law": Source(id="law", title="A law", address="https://example.org", grade=Grade.LAW, seen_as=SeenAs.PRIMARY_TEXT)
}
CONSTANTS: dict[str, list[Any]] = {
    "bool": [True, False],
    "int": [-3, 0, 1, 2, 3, 500, 2**40, 2**70],
    "float": [-1.5, 0.0, 1e-9, 0.1, 0.3, 499.0, 499.999999, 500, 500.0, 500.000001, 1e23, 1e25, 1.5e300],
    "str": ["", "DE", "FR", "roce", 'quo"te', "new\nline", "Zürich", "🦆", "\ud800", "\x00", "True", "500"],
}
EXTRA: dict[str, list[Any]] = {
    "bool": [],
    "int": [4, 10**30],
    "float": [7, 499.5, 1e-300, -1e300],
    "str": ["other", "x" * 5000],
}


def generated_base(rng: random.Random) -> RuleBase:
    """A random base of 1 to 60 rules over 3 to 12 input topics and 4 derived ones, stratified."""
    kinds = list(CONSTANTS)
    topics = {f"t{n}": Topic(id=f"t{n}", type=rng.choice(kinds), description="-") for n in range(rng.randint(3, 12))}
    derived = {f"d{n}": Topic(id=f"d{n}", type="bool", description="-", origin="derived") for n in range(4)}
    while True:
        rules = {f"r{n}": _rule(rng, n, topics, derived) for n in range(rng.randint(1, 60))}
        try:
            stratify(rules)
        except NegationCycle:
            continue
        files = dict.fromkeys(rules, "generated")
        return RuleBase(f"generated-{next(_SERIAL)}", rules, topics | derived, {}, {}, SOURCES, files)


def _condition(rng: random.Random, topic: Topic) -> dict[str, Any]:
    if topic.origin == "derived":
        return {"topic": topic.id, "value": True}
    if rng.random() < 0.08:
        return {"topic": topic.id, "op": "known"}
    ops = ["==", "!=", "<", "<=", ">", ">="] if topic.type.numeric else ["==", "!="]
    return {"topic": topic.id, "op": rng.choice(ops), "value": rng.choice(CONSTANTS[topic.type])}


def _rule(rng: random.Random, number: int, topics: dict[str, Topic], derived: dict[str, Topic]) -> Rule:
    pool = list(topics.values()) * 2 + list(derived.values())
    chosen = rng.choices(pool, k=rng.choice([1, 1, 2, 2, 3, 4, 6, 8]))
    unless = rng.choices(pool, k=rng.choice([0, 0, 0, 1, 2, 3]))
    then: list[dict[str, Any]] = [{"kind": "question", "field": "x"}]
    if rng.random() < 0.3:
        then.append({"kind": "assert", "topic": rng.choice(list(derived))})
    return Rule.model_validate(
        {
            "id": f"r{number}",
            "title": "-",
            "when": [_condition(rng, topic) for topic in chosen],
            "unless": [_condition(rng, topic) for topic in unless],
            "then": then,
            "reason": "-",
            "sources": ["law"],
        }
    )


def generated_facts(rng: random.Random, base: RuleBase) -> dict[str, Scalar]:
    """Values on the constants, beside them and anywhere, for a random part of the topics, in a random order."""
    inputs = [topic for topic in base.topics.values() if topic.origin == "input" and rng.random() < 0.85]
    rng.shuffle(inputs)
    return {topic.id: rng.choice(CONSTANTS[topic.type] + EXTRA[topic.type]) for topic in inputs}


@pytest.mark.parametrize("seed", range(100, 110))
def test_order_of_assertion_does_not_matter(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)

    def shuffled(values: Iterable[str]) -> list[str]:
        listed = list(values)
        return rng.sample(listed, k=len(listed))

    base = generated_base(rng)
    for _ in range(10):
        facts = generated_facts(rng, base)
        oracle = engine.consult(base, facts, "plain")
        with monkeypatch.context() as patched:
            patched.setattr(engine, "sorted", shuffled, raising=False)  # the adapter asserts in sorted order
            durable = [engine.consult(base, facts, "durable") for _ in range(4)]
        assert {found.fired for found in durable} == {oracle.fired}


@pytest.mark.parametrize("seed", range(100))
def test_same_conclusions_from_both(seed: int) -> None:
    rng = random.Random(seed)
    base = generated_base(rng)
    for _ in range(20):
        facts = generated_facts(rng, base)
        durable = engine.consult(base, facts, "durable")
        oracle = engine.consult(base, facts, "plain")
        assert durable.engine == "durable-rules"
        assert durable.fired == oracle.fired
        assert durable.conclusions == oracle.conclusions
        assert durable.facts == oracle.facts
