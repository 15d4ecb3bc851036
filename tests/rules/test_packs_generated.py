"""The shipped packs on 10,000 generated sets of facts: engine and oracle agree, in any order, in flat memory."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from rules import engine
from rules.base import RuleBase, load_rules
from rules.patterns import constants
from rules.regions import samples
from rules.schema import Scalar

SETS = 10_000
WARM = 1_000
MOST_GROWTH_KIB = 32 * 1024
"""What allocators may keep beyond the first thousand; a leak of 4 KiB a consultation would pass it."""


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def generated(seed: int, count: int) -> Iterator[dict[str, Scalar]]:
    """Facts on the constants of the rules, beside them and between, of a random part of the topics in random order."""
    rng = random.Random(seed)
    places = constants(base().rules.values())
    inputs = [topic for topic in base().topics.values() if topic.origin == "input"]
    values = {topic.id: samples(topic, places.get(topic.id, ())) or ["XX"] for topic in inputs}
    for _ in range(count):
        known = [topic for topic in values if rng.random() < rng.choice((0.1, 0.4, 0.8))]
        rng.shuffle(known)
        yield {topic: rng.choice(values[topic]) for topic in known}


@pytest.mark.skipif(engine.engine_name() != "durable-rules", reason="durable-rules cannot be imported")
def test_engine_and_oracle_agree_on_ten_thousand_sets_in_flat_memory() -> None:
    warm = 0
    for number, facts in enumerate(generated(7, SETS)):
        durable = engine.consult(base(), facts, "durable")
        oracle = engine.consult(base(), facts, "plain")
        assert durable.fired == oracle.fired, facts
        assert durable.facts == oracle.facts, facts
        if number == WARM:
            warm = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - warm < MOST_GROWTH_KIB


def test_the_order_of_facts_does_not_matter() -> None:
    rng = random.Random(3)
    for facts in generated(11, 100):
        shuffled = dict(rng.sample(list(facts.items()), k=len(facts)))
        assert engine.consult(base(), facts, "plain") == engine.consult(base(), shuffled, "plain")


def test_generated_sets_reach_most_rules() -> None:
    """So that agreement says something: nearly every rule fires in some of them."""
    fired: set[str] = set()
    for facts in generated(5, 2_000):
        fired |= engine.consult(base(), facts, "plain").fired
    assert len(fired) > 0.9 * len(base().rules)


def test_benchmark_a_consultation(benchmark: Any) -> None:
    """The bar is 20 ms over all packs; run with --benchmark-only."""
    sets = list(generated(13, 50))
    turn = iter(range(10**9))
    benchmark(lambda: engine.consult(base(), sets[next(turn) % len(sets)]))
