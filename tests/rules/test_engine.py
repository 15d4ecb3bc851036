"""The adapter: boundary values, the choice of engine, the library's limits, and survival."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import BadInput
from rules import engine
from rules.base import RuleBase, load_rules
from rules.patterns import MAX_PATTERNS, MAX_TOPICS, constants, patterns, rank, split
from rules.schema import Rule, Topic, TopicType

MakeBase = Callable[[str], RuleBase]

ROOT = Path(__file__).parents[2]
needs_durable = pytest.mark.skipif(engine._library() is None, reason="durable-rules cannot be imported")
both = pytest.mark.parametrize("name", ["plain", pytest.param("durable", marks=needs_durable)])

AT_500 = """
- {id: above, title: T, when: [{topic: power_kw, op: '>', value: 500}]@}
- {id: at_least, title: T, when: [{topic: power_kw, op: '>=', value: 500}]@}
- {id: at, title: T, when: [{topic: power_kw, op: '==', value: 500}]@}
- {id: not_at, title: T, when: [{topic: power_kw, op: '!=', value: 500}]@}
- {id: at_most, title: T, when: [{topic: power_kw, op: '<=', value: 500}]@}
- {id: below, title: T, when: [{topic: power_kw, op: '<', value: 500}]@}
- {id: unknown, title: T, when: [{topic: gpus, op: known}], unless: [{topic: power_kw, op: known}]@}
"""
ABOVE, BELOW = {"above", "at_least", "not_at"}, {"not_at", "at_most", "below"}


@both
@pytest.mark.parametrize(
    ("power_kw", "expected"),
    [
        (500, {"at_least", "at", "at_most"}),
        (500.0, {"at_least", "at", "at_most"}),
        (500.00000000000006, ABOVE),  # the next float above 500
        (499.99999999999994, BELOW),  # and below
        (1e308, ABOVE),
        (3e16, ABOVE),  # Python prints 3e+16, which the library cannot parse
        (1e-7, BELOW),  # 1e-07 neither
        (5e-324, BELOW),
        (0, BELOW),
        (-0.0, BELOW),
        (-1e300, BELOW),
    ],
)
def test_on_the_line_and_beside_it(make_base: MakeBase, name: str, power_kw: float, expected: set[str]) -> None:
    facts: dict[str, object] = {"power_kw": power_kw, "gpus": 1}
    assert engine.consult(make_base(AT_500), facts, name).fired == expected


@both
def test_what_is_not_known_meets_no_comparison(make_base: MakeBase, name: str) -> None:
    base = make_base(AT_500)
    assert engine.consult(base, {"gpus": 1}, name).fired == {"unknown"}
    assert engine.consult(base, {}, name).fired == frozenset()


@both
def test_unless_sees_what_other_rules_conclude(make_base: MakeBase, name: str) -> None:
    base = make_base("""
- {id: small, title: T, when: [{topic: gpus, op: '>', value: 0}], unless: [{topic: big, value: true}]@}
- {id: huge, title: T, when: [{topic: big, value: true}],
   then: [{kind: assert, topic: huge}], reason: R, sources: [law]}
- {id: big, title: T, when: [{topic: gpus, op: '>', value: 100}],
   then: [{kind: assert, topic: big}], reason: R, sources: [law]}
""")
    assert engine.consult(base, {"gpus": 5}, name).fired == {"small"}
    found = engine.consult(base, {"gpus": 500}, name)
    assert found.fired == {"big", "huge"}
    assert found.facts == {"gpus": 500, "big": True, "huge": True}
    assert [c.matched for c in found.conclusions] == [(("big", True),), (("gpus", 500),)]


@both
@pytest.mark.parametrize(
    "text", ["training\x00", "", "\ud800", "a" * 100_000, "tr'ai\"n\\ing", "\u202e", "{'a': 1}", "训练", "TRAINING"]
)
def test_any_text_is_only_itself(make_base: MakeBase, name: str, text: str) -> None:
    base = make_base(
        "- {id: r, title: T, when: [{topic: country, value: DE}]@}\n"
        "- {id: s, title: T, when: [{topic: country, op: '!=', value: DE}]@}"
    )
    assert engine.consult(base, {"country": text}, name).fired == {"s"}
    assert engine.consult(base, {"country": "DE"}, name).fired == {"r"}


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"gpu": 8}, "topic"),
        ({"gpus": "8"}, "gpus"),
        ({"gpus": 8.0}, "gpus"),
        ({"gpus": True}, "gpus"),
        ({"gpus": None}, "gpus"),
        ({"power_kw": float("nan")}, "power_kw"),
        ({"power_kw": float("inf")}, "power_kw"),
        ({"power_kw": 10**400}, "power_kw"),
        ({"shared": 1}, "shared"),
        ({"work": "trainig"}, "work"),
        ({"country": ["DE"]}, "country"),
        ({"big": True}, "big"),
    ],
)
def test_facts_that_are_refused(make_base: MakeBase, facts: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        engine.consult(make_base(AT_500), facts)
    assert refused.value.field == field


def test_conclusions_in_order_of_priority_then_pack(make_base: MakeBase) -> None:
    base = make_base("""
- {id: late, title: T, priority: 200, when: [{topic: gpus, op: '>', value: 0}]@}
- {id: b, title: T, when: [{topic: gpus, op: '>', value: 0}]@}
- {id: a, title: T, when: [{topic: gpus, op: '>', value: 0}]@}
- {id: early, title: T, priority: 1, when: [{topic: gpus, op: '>', value: 0}]@}
""")
    assert [c.rule.id for c in engine.consult(base, {"gpus": 1}).conclusions] == ["early", "b", "a", "late"]


# --- the choice of engine -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["plain", " PLAIN "])
def test_environment_chooses(monkeypatch: pytest.MonkeyPatch, make_base: MakeBase, wanted: str) -> None:
    monkeypatch.setenv("SIZEWRIGHT_ENGINE", wanted)
    assert engine.engine_name() == "plain"
    assert engine.consult(make_base(AT_500), {"gpus": 1}).engine == "plain"


@needs_durable
def test_durable_where_it_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIZEWRIGHT_ENGINE", raising=False)
    assert engine.engine_name() == "durable-rules"


def test_plain_where_it_cannot_be_imported(monkeypatch: pytest.MonkeyPatch, make_base: MakeBase) -> None:
    monkeypatch.delenv("SIZEWRIGHT_ENGINE", raising=False)
    monkeypatch.setattr(engine, "_library", lambda: None)
    assert engine.consult(make_base(AT_500), {"gpus": 1}).engine == "plain"
    with pytest.raises(BadInput, match="cannot be imported"):
        engine.engine_name("durable")


def test_unknown_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEWRIGHT_ENGINE", "drools")
    with pytest.raises(BadInput, match="SIZEWRIGHT_ENGINE"):
        engine.engine_name()


@needs_durable
def test_an_exception_that_the_library_swallows_is_raised(monkeypatch: pytest.MonkeyPatch, make_base: MakeBase) -> None:
    def broken(_self: object, _rule: Rule) -> Callable[[Any], None]:
        def act(_context: Any) -> None:
            raise ZeroDivisionError("in an action")

        return act

    monkeypatch.setattr(engine._RuleSet, "_action", broken)
    base = make_base(AT_500.replace("id: above", "id: never_compiled_before"))
    with pytest.raises(engine.EngineFailure, match="in an action"):
        engine.consult(base, {"power_kw": 600}, "durable")


# --- limits of the library ------------------------------------------------------------------------------------------


def _rules(count: int, topic: str, value: str) -> str:
    line = "- {{id: r{n}, title: T, when: [{{topic: {topic}, op: '>=', value: {value}}}]@}}"
    return "\n".join(line.format(n=n, topic=topic.format(n=n), value=value.format(n=n)) for n in range(count))


@both
def test_more_thresholds_on_one_topic_than_the_library_bears(make_base: MakeBase, name: str) -> None:
    base = make_base(_rules(300, "gpus", "{n}"))
    assert len(engine.consult(base, {"gpus": 149}, name).fired) == 150


@needs_durable
def test_more_topics_than_the_library_bears(folder: Path, make_base: MakeBase) -> None:
    more = "".join(f"- {{id: t{n}, type: int, description: T}}\n" for n in range(900))
    (folder / "topics.yaml").write_text((folder / "topics.yaml").read_text() + more)
    base = make_base(_rules(900, "t{n}", "5"))
    facts = {f"t{n}": 5 if n % 3 == 0 else 4 for n in range(900)}
    assert engine.consult(base, facts, "durable").fired == {f"r{n}" for n in range(0, 900, 3)}


def test_sets_stay_within_the_limits(make_base: MakeBase) -> None:
    rules = list(make_base(_rules(300, "gpus", "{n}")).rules.values())
    chunks = split(rules)
    assert [rule for chunk in chunks for rule in chunk] == rules
    assert all(len({rule.when[0].value for rule in chunk}) <= MAX_PATTERNS for chunk in chunks)
    assert MAX_PATTERNS < 64
    assert MAX_TOPICS < 511


def test_ranks_keep_order_and_equality() -> None:
    rng = random.Random(7)
    for _ in range(300):
        places = sorted({rng.choice([rng.uniform(-1e3, 1e3), rng.randint(-3, 3), 1e25]) for _ in range(6)})
        one, two = (rng.choice([*places, rng.uniform(-1e3, 1e3), 1e300]) for _ in range(2))
        if two in places:  # what is compared is always a constant
            first, second = rank(places, one), rank(places, two)
            assert ((first < second), (first == second), (first > second)) == (one < two, one == two, one > two)


def test_every_pattern_is_anchored_and_holds_only_small_integers() -> None:
    base = load_rules()
    ordered = constants(base.rules.values())
    for rule in base.rules.values():
        for pattern in patterns(rule, ordered):
            ((_, test),) = pattern.items()
            parts = test.get("$and", [test])
            assert set(parts[0]) == {"topic"}
            for part in parts[1:]:
                inner = part.get("value", next(iter(part.values())))
                number = inner["value"] if isinstance(inner, dict) else inner
                assert isinstance(number, int)
                assert 0 <= number <= 2 * len(ordered[parts[0]["topic"]])


# --- the shipped packs ----------------------------------------------------------------------------------------------


def shipped_facts(rng: random.Random, base: RuleBase, share: float) -> dict[str, object]:
    """Random facts on and beside the constants of the shipped rules, in random order."""
    ordered = constants(base.rules.values())
    topics = [topic for topic in base.topics.values() if topic.origin == "input" and rng.random() < share]
    rng.shuffle(topics)
    return {topic.id: _value(rng, topic, list(ordered.get(topic.id, ()))) for topic in topics}


def _value(rng: random.Random, topic: Topic, places: list[Any]) -> object:
    if topic.type is TopicType.BOOL:
        return rng.random() < 0.5
    if topic.type is TopicType.STR:
        return rng.choice([*topic.values] or [*places, "elsewhere"])
    number = rng.choice(places or [1]) + rng.choice([-1, 0, 0, 1])
    return int(number) if topic.type is TopicType.INT else float(number)


@needs_durable
@pytest.mark.parametrize("seed", range(6))
def test_shipped_packs_conclude_the_same_in_both(seed: int) -> None:
    rng, base = random.Random(seed), load_rules()
    for _ in range(20):
        facts = shipped_facts(rng, base, share=rng.choice([0.2, 0.6, 1.0]))
        durable, oracle = engine.consult(base, facts, "durable"), engine.consult(base, facts, "plain")
        assert durable.conclusions == oracle.conclusions
        assert durable.facts == oracle.facts


SURVIVAL = """
import random, resource, sys
sys.path[:0] = [{root!r}, {here!r}]
import test_engine as t
from rules import engine
from rules.base import load_rules

base, rng = load_rules(), random.Random(1)
few = t.shipped_facts(rng, base, share=0.03)
def peak_kb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(20):
    engine.consult(base, t.shipped_facts(rng, base, share=1.0), "durable")
before = peak_kb()
for _ in range(100):
    engine.consult(base, t.shipped_facts(rng, base, share=1.0), "durable")
for _ in range({count}):
    engine.consult(base, few, "durable")
print(peak_kb() - before)
"""


def _run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
        check=False,
    )


@needs_durable
def test_survives_many_consultations_in_bounded_memory() -> None:
    count = int(os.environ.get("SIZEWRIGHT_TEST_CONSULTATIONS", "1500"))
    done = _run(SURVIVAL.format(root=str(ROOT), here=str(Path(__file__).parent), count=count))
    assert done.returncode == 0, done.stderr
    grown_kb = int(done.stdout)
    assert grown_kb < 20_000  # a kept session costs 22 MB, so a single leaked one would show


# --- canaries: the day one of these fails, the library has changed --------------------------------------------------

JOIN = """
from durable.lang import *
with ruleset("canary"):
    @when_all(c.first << (m.kind == "A") & (m.value > 10), c.second << (m.kind == "B") & (m.value > c.first.value))
    def above(c): pass
    @when_all(c.first << (m.kind == "A") & (m.value > 50), c.second << (m.kind == "B") & (m.value < c.first.value))
    def below(c): pass
assert_fact("canary", {"kind": "A", "value": 100})
assert_fact("canary", {"kind": "B", "value": 200})
"""
UNOPENED = """
from durable import engine
rules = engine.Ruleset("canary", None, {"r": {"all": [{"a": {"t": 1}}, {"b": {"t": 2}}], "run": lambda c: None}})
for n in range(50):
    rules.assert_fact({"t": 1, "sid": str(n)})
    rules.delete_state(str(n))
"""

CANARY_RUNS = 25


@needs_durable
@pytest.mark.skipif(sys.platform != "linux", reason="the crash is known on Linux")
@pytest.mark.parametrize("code", [JOIN, UNOPENED], ids=["compare two facts", "delete a session without an action"])
def test_library_still_crashes_where_we_do_not_go(code: str) -> None:
    """Memory that was freed is read: what stands there by then is chance, so that not every run ends in a signal."""
    assert any(_run(code, MALLOC_PERTURB_="165").returncode < 0 for _ in range(CANARY_RUNS))
