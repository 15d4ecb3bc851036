"""The shipped packs on 10,000 generated sets of facts: engine and oracle agree, in any order, in flat memory."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from rules import engine, plain
from rules.base import RuleBase, load_rules
from rules.consultation import check_facts
from rules.patterns import constants
from rules.prepared import prepared
from rules.regions import samples
from rules.schema import Scalar

SHARES = 5
SETS = 2_000
"""Sets a share: 10,000 in all, in shares that workers take side by side."""
WARM = 200
MOST_GROWTH_KIB = 8 * 1024
"""What allocators may keep beyond the first sets of a share; a leak of 5 KiB a consultation would pass it."""


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def generated(seed: int, count: int) -> Iterator[dict[str, Scalar]]:
    """Facts on the constants of the rules, beside them and between, of few to nearly all topics in random order."""
    rng = random.Random(seed)
    places = constants(base().rules.values())
    inputs = [topic for topic in base().topics.values() if topic.origin == "input"]
    values = {topic.id: samples(topic, places.get(topic.id, ())) or ["XX"] for topic in inputs}
    for _ in range(count):
        known = rng.sample(list(values), k=round(len(values) * rng.choice((0.05, 0.2, 0.4, 0.8))))
        yield {topic: rng.choice(values[topic]) for topic in known}


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_prepared_rules_and_the_oracle_agree() -> None:
    """What-ifs run on rules laid out once, of all topics or of those that one topic reaches."""
    everything = prepared(base())
    for number, facts in enumerate(generated(99, 300)):
        known = check_facts(base().topics, facts)
        assert everything.run(known) == plain.run(base().strata, known), facts
        strata = base().reach[list(base().reach)[number % len(base().reach)]]
        some = everything.only({rule.id for stratum in strata for rule in stratum})
        assert some.run(known) == plain.run(strata, known), facts


@pytest.mark.skipif(engine.engine_name() != "durable-rules", reason="durable-rules cannot be imported")
@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.long
def test_engine_and_oracle_agree_on_ten_thousand_sets_in_flat_memory(share: int) -> None:
    """Both from the same checked facts. Nearly every rule fires in some set, so that agreement says something."""
    warm, reached = 0, set[str]()
    for number, facts in enumerate(generated(share, SETS)):
        known = check_facts(base().topics, facts)
        fired, derived = engine._compiled(base()).run(known)
        assert (fired, derived) == plain.run(base().strata, known), facts
        reached |= fired
        if number == WARM:
            warm = peak_kib()
    assert peak_kib() - warm < MOST_GROWTH_KIB
    assert len(reached) > 0.85 * len(base().rules)


def test_the_order_of_facts_does_not_matter() -> None:
    rng = random.Random(3)
    for facts in generated(11, 100):
        shuffled = dict(rng.sample(list(facts.items()), k=len(facts)))
        assert engine.consult(base(), facts, "plain") == engine.consult(base(), shuffled, "plain")


def test_benchmark_a_consultation(benchmark: Any) -> None:
    """The bar is 20 ms over all packs; run with --benchmark-only."""
    sets = list(generated(13, 50))
    turn = iter(range(10**9))
    assert benchmark(lambda: engine.consult(base(), sets[next(turn) % len(sets)])).engine == engine.engine_name()
