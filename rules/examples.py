"""Facts under which a rule fires, and the nearest ones under which it does not: to read a rule by, and to test it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from rules import plain
from rules.base import RuleBase
from rules.patterns import constants
from rules.plain import holds
from rules.regions import samples
from rules.schema import Condition, Rule, Scalar, TopicType

Facts = Mapping[str, Scalar]

_ANOTHER = "XX"
"""A word that no rule names: ISO 3166 keeps it free."""

_TRIES = 400
"""Ways to satisfy a rule's derived topics that are tried."""


def firing(base: RuleBase, rule: Rule) -> dict[str, Scalar] | None:
    """The fewest facts found under which the rule fires; None where none were found."""
    for facts in islice(_ways(base, rule, frozenset()), _TRIES):
        if rule.id in plain.run(base.strata, facts)[0]:
            return facts
    return None


def refusing(base: RuleBase, rule: Rule, facts: Facts) -> dict[str, Scalar] | None:
    """``facts`` with one of them changed or left out so that the rule does not fire; None where all keep it firing."""
    places = constants(base.rules.values())
    for topic in facts:
        values = samples(base.topics[topic], places.get(topic, ()), facts[topic])
        for changed in (*({**facts, topic: value} for value in values), {k: v for k, v in facts.items() if k != topic}):
            if rule.id not in plain.run(base.strata, changed)[0]:
                return changed
    return None


def _ways(base: RuleBase, rule: Rule, seen: frozenset[str]) -> Iterator[dict[str, Scalar]]:
    """Sets of input facts that meet ``when``; a derived topic is met by any rule that concludes it."""
    own: dict[str, list[Condition]] = {}
    derived: list[str] = []
    for condition in rule.when:
        if base.topics[condition.topic].origin == "derived":
            derived.append(condition.topic)
        else:
            own.setdefault(condition.topic, []).append(condition)
    values = {topic: _meeting(base, topic, conditions, rule) for topic, conditions in own.items()}
    routes = [list(_routes(base, topic, seen | {rule.id})) for topic in derived]
    for chosen in product(*routes):
        for picked in product(*values.values()):
            facts = dict(zip(values, picked, strict=True))
            for route in chosen:
                facts = {**route, **facts}
            yield facts


def _routes(base: RuleBase, topic: str, seen: frozenset[str]) -> Iterator[dict[str, Scalar]]:
    for other in base.rules.values():
        if topic in other.asserts() and other.id not in seen:
            yield from islice(_ways(base, other, seen), 6)


def _meeting(base: RuleBase, topic: str, conditions: list[Condition], rule: Rule) -> list[Scalar]:
    """Values that meet the conditions, those first that ``unless`` does not ask about."""
    places = sorted({c.value for c in rule.conditions() if c.topic == topic and c.value is not None}, key=_order)
    kind = base.topics[topic]
    tried = samples(kind, places)
    if kind.type is TopicType.STR and not kind.values:
        tried = [*tried, _ANOTHER]
    met = [value for value in tried if all(holds(c, {topic: value}) for c in conditions)]
    return sorted(met, key=lambda value: any(holds(c, {topic: value}) for c in rule.unless))[:3]


def _order(value: object) -> tuple[str, object]:
    return (type(value).__name__ if isinstance(value, bool | str) else "number", value)
