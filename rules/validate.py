"""What makes a rule base unusable. Each problem names file and entry; loading refuses the first, lint lists all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowledge.evidence import Grade
from rules.consultation import nearest
from rules.schema import (
    AddItem,
    Assert,
    Condition,
    DecisionSpec,
    Obligation,
    Rule,
    Severity,
    Strength,
    Support,
    Then,
    Topic,
    TopicType,
    Warn,
)
from rules.strata import NegationCycle, stratify

if TYPE_CHECKING:
    from rules.base import RuleBase

MAX_COMPARISONS = 3
"""Comparisons of one rule with one topic in ``when``: they become one pattern, tested up to this many."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with an entry: the class of finding, where, what stands there, what is accepted."""

    kind: str
    file: str
    entry: str
    value: object
    expected: str
    nearest: tuple[str, ...] = ()

    def __str__(self) -> str:
        hint = f"; did you mean {', '.join(self.nearest)}?" if self.nearest else ""
        return f"{self.file}: {self.entry}: {self.value}: {self.expected}{hint}"


def problems(base: RuleBase) -> Iterator[Problem]:
    """Everything that makes ``base`` unusable, in file order."""
    for rule in base.rules.values():
        file = base.files[rule.id]
        yield from (Problem(kind, file, rule.id, *rest) for kind, *rest in _of_rule(base, rule))  # type: ignore[arg-type]
    for item in base.checklist.values():
        file = base.files[item.id]
        yield from (Problem(k, file, item.id, *rest) for k, *rest in _sources(base, item.sources))  # type: ignore[arg-type]
        if item.expected and item.expected.topic and item.expected.topic not in base.topics:
            near = nearest(item.expected.topic, base.topics)
            yield Problem("unknown topic", file, item.id, item.expected.topic, "a topic of topics.yaml", near)
    try:
        stratify(base.rules)
    except NegationCycle as error:
        first = error.rules[0]
        expected = "rules that do not block one another in a circle"
        yield Problem("negation cycle", base.files[first], first, ", ".join(error.rules), expected)


_Finding = tuple[str, object, str] | tuple[str, object, str, tuple[str, ...]]


def _of_rule(base: RuleBase, rule: Rule) -> Iterator[_Finding]:
    for condition in rule.conditions():
        yield from _condition(base.topics, condition)
    for then in rule.then:
        yield from _conclusion(base, then)
    cited = (*rule.sources, *(source for dissent in rule.dissent for source in dissent.sources))
    yield from _sources(base, cited)
    yield from _firmness(base, rule)
    comparisons = Counter(condition.topic for condition in rule.when)
    for topic, count in comparisons.items():
        if count > MAX_COMPARISONS:
            yield "too many conditions", f"{count} on {topic}", f"at most {MAX_COMPARISONS} on one topic"


def _sources(base: RuleBase, cited: tuple[str, ...]) -> Iterator[_Finding]:
    for source in cited:
        if source not in base.sources:
            yield "unknown source", source, "the id of a source", nearest(source, base.sources)


def _condition(topics: Mapping[str, Topic], condition: Condition) -> Iterator[_Finding]:
    topic = topics.get(condition.topic)
    if topic is None:
        yield "unknown topic", condition.topic, "a topic of topics.yaml", nearest(condition.topic, topics)
        return
    if topic.origin == "derived" and not (condition.op == "==" and condition.value is True):
        yield "type mismatch", str(condition), "'== true': a derived topic is true or absent, ask with unless"
    elif condition.op not in ("==", "!=", "known") and not topic.type.numeric:
        yield "type mismatch", str(condition), f"== or != for a topic of type {topic.type}"
    elif condition.op != "known":
        yield from _constant(topic, condition)


_ACCEPTED: Mapping[TopicType, tuple[type, ...]] = {
    TopicType.BOOL: (bool,),
    TopicType.INT: (int,),
    TopicType.FLOAT: (int, float),
    TopicType.STR: (str,),
}


def _constant(topic: Topic, condition: Condition) -> Iterator[_Finding]:
    value = condition.value
    if type(value) not in _ACCEPTED[topic.type]:
        yield "type mismatch", str(condition), f"a value of type {topic.type}"
    elif isinstance(value, float) and not math.isfinite(value):
        yield "type mismatch", str(condition), "a finite number"
    elif topic.values and value not in topic.values:
        yield "unknown value", str(condition), f"one of {', '.join(topic.values)}", nearest(str(value), topic.values)


def _conclusion(base: RuleBase, then: Then) -> Iterator[_Finding]:
    if isinstance(then, Support):
        yield from _support(base.decisions, then)
    elif isinstance(then, AddItem) and then.item not in base.checklist:
        yield "unknown item", then.item, "the id of a checklist item", nearest(then.item, base.checklist)
    elif isinstance(then, Assert):
        topic = base.topics.get(then.topic)
        if topic is None or topic.origin != "derived":
            near = nearest(then.topic, [t.id for t in base.topics.values() if t.origin == "derived"])
            yield "unknown topic", then.topic, "a topic of topics.yaml with origin: derived", near
    elif isinstance(then, Obligation) and then.value_topic is not None:
        if then.value_topic not in base.topics:
            yield "unknown topic", then.value_topic, "a topic of topics.yaml", nearest(then.value_topic, base.topics)
        elif then.unit is not None and base.topics[then.value_topic].unit != then.unit:
            yield "type mismatch", f"{then.id} in {then.unit}", f"the unit of {then.value_topic}"


def _support(decisions: Mapping[str, DecisionSpec], then: Support) -> Iterator[_Finding]:
    spec = decisions.get(then.decision)
    if spec is None:
        yield "unknown decision", then.decision, "a decision of decisions.yaml", nearest(then.decision, decisions)
    elif spec.choices and then.choice not in spec.choices:
        expected = f"a choice of {spec.id}: {', '.join(spec.choices)}"
        yield "unknown choice", then.choice, expected, nearest(then.choice, spec.choices)


def _firmness(base: RuleBase, rule: Rule) -> Iterator[_Finding]:
    """A rule that blocks or obliges rests on at least one law, specification or paper whose text was read."""
    firm = [base.sources[source] for source in rule.sources if source in base.sources and base.sources[source].firm]
    for then in rule.then:
        if _blocks(then) and not firm:
            yield "soft source", ", ".join(rule.sources), f"a firm source behind {_blocks(then)}"
        if isinstance(then, Obligation) and then.applies is True and not any(s.grade is Grade.LAW for s in firm):
            yield "soft source", ", ".join(rule.sources), f"a law that was read behind the duty {then.id}"


def _blocks(then: Then) -> str | None:
    if isinstance(then, Support) and then.strength is Strength.REQUIRES:
        return f"'requires' on {then.decision}"
    if isinstance(then, Warn) and then.severity is Severity.STOP:
        return f"the stop {then.id}"
    return None
