"""What goes into a consultation and what comes out of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from knowledge.errors import BadInput
from rules.schema import Rule, Scalar, Then, Topic, TopicType

Facts: TypeAlias = Mapping[str, Scalar]
"""Topic id -> value, in the topic's unit. A topic that is not known is left out."""

_PYTHON_TYPE = {TopicType.BOOL: bool, TopicType.INT: int, TopicType.FLOAT: float, TopicType.STR: str}


@dataclass(frozen=True)
class Conclusion:
    """One thing that follows: what, by which rule, and the facts that the rule matched."""

    rule: Rule
    then: Then
    matched: tuple[tuple[str, Scalar], ...]


@dataclass(frozen=True)
class Consultation:
    """All conclusions from a set of facts, by rule priority and then in the order of the packs.

    ``engine`` is ``durable-rules`` or ``plain``; ``facts`` are the facts given and the derived ones.
    """

    engine: str
    facts: Facts
    conclusions: tuple[Conclusion, ...]

    @property
    def fired(self) -> frozenset[str]:
        """Ids of the rules that held."""
        return frozenset(conclusion.rule.id for conclusion in self.conclusions)


def fact_value(topic: Topic, value: object) -> Scalar:
    """``value`` as the topic's type; an int becomes a float if that is the type. Raises BadInput naming the topic."""
    if topic.type is TopicType.FLOAT and type(value) is int:
        return _as_float(topic, value)
    if type(value) is not _PYTHON_TYPE[topic.type]:
        raise BadInput(topic.id, value, f"a value of type {topic.type}, not {type(value).__name__}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(topic.id, value, "a finite number; leave out what is not known")
    if topic.values and value not in topic.values:
        raise BadInput(topic.id, value, f"one of {', '.join(topic.values)}", nearest(str(value), topic.values))
    assert isinstance(value, bool | int | float | str)
    return value


def check_facts(topics: Mapping[str, Topic], facts: Mapping[str, object]) -> dict[str, Scalar]:
    """The facts in their topics' types, sorted by topic, so that the order of asking never shows.

    Raises BadInput for a topic that is not declared, one that only rules conclude, or a value of another type.
    """
    checked: dict[str, Scalar] = {}
    for ident in sorted(facts):
        topic = topics.get(ident)
        if topic is None:
            raise BadInput("topic", ident, "a topic declared in topics.yaml", nearest(ident, topics))
        if topic.origin == "derived":
            raise BadInput(ident, facts[ident], "no value: only rules conclude this topic")
        checked[ident] = fact_value(topic, facts[ident])
    return checked


def conclusions(rules: Mapping[str, Rule], fired: frozenset[str], facts: Facts) -> Iterator[Conclusion]:
    """What the fired rules conclude, in order of presentation."""
    for rule in sorted((rule for ident, rule in rules.items() if ident in fired), key=lambda rule: rule.priority):
        matched = tuple((topic, facts[topic]) for topic in dict.fromkeys(c.topic for c in rule.when))
        for then in rule.then:
            yield Conclusion(rule, then, matched)


def _as_float(topic: Topic, value: int) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise BadInput(topic.id, value, "a number below 1e308") from error


def nearest(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three of the known names that resemble ``text``, best first."""
    import difflib  # only for who wrote a wrong word

    return tuple(difflib.get_close_matches(text, list(known), n=3))
