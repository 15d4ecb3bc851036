"""Rules as durable-rules patterns, inside the subset in which the library was measured to be right.

Every pattern is anchored by its topic and compares with constants only. Values are written as small whole numbers,
their rank among the constants that the rules compare the topic with.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rules.schema import Condition, Rule, Scalar

MAX_PATTERNS = 40
"""Different patterns on one topic in one rule set; the library fails above 64 (its MAX_STACK_SIZE)."""

MAX_TOPICS = 400
"""Different topics in one rule set; compiling more than 511 never returns (its NEXT_BUCKET_LENGTH is 512)."""

MAX_RULES = 400
"""Rules in one rule set; as many were measured to work."""

Constants: TypeAlias = Mapping[str, Sequence[Any]]
"""Topic -> the constants that any rule compares it with, in order, without repeats."""

_OPERATOR = {"!=": "$neq", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}


def constants(rules: Iterable[Rule]) -> Constants:
    """The constants of each topic that the rules test; the values of a topic are of one type, so they have an order."""
    found: dict[str, set[Scalar]] = {}
    for rule in rules:
        for condition in rule.conditions():
            values = found.setdefault(condition.topic, set())
            if condition.value is not None:
                values.add(condition.value)
    return {topic: sorted(values) for topic, values in found.items()}


def rank(ordered: Sequence[Any], value: Scalar) -> int:
    """The place of ``value`` among the constants: 2i+1 on constant i, 2i between constants i-1 and i.

    Comparing ranks is comparing values: exact on the line and beside it, whatever the size of a number.
    """
    place = bisect.bisect_left(ordered, value)
    return 2 * place + (place < len(ordered) and ordered[place] == value)


def patterns(rule: Rule, ordered: Constants) -> list[dict[str, Any]]:
    """The rule's condition: one pattern a topic of ``when``, and its gate where it has an ``unless``.

    The library's own negation is not used: with two negated patterns in a rule, or a negated and a plain one on the
    same topic, it fires rules that it must not. What ``unless`` names is settled before its stratum is run, so the
    adapter asserts the gate, a boolean fact of the rule's own, when nothing in ``unless`` holds.
    """
    by_topic: dict[str, list[Condition]] = {}
    for condition in rule.when:
        by_topic.setdefault(condition.topic, []).append(condition)
    found = [_pattern(group, ordered) for group in by_topic.values()]
    if rule.unless:
        found.append({"topic": gate(rule)})
    return [{f"m_{number}": pattern} for number, pattern in enumerate(found)]


def gate(rule: Rule) -> str:
    """The topic of the fact that lets a rule with an ``unless`` fire; no declared topic has such a name."""
    return f"~{rule.id}"


def _pattern(group: Sequence[Condition], ordered: Constants) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"topic": group[0].topic}]
    for condition in group:
        if condition.value is None:
            continue
        place = {"value": rank(ordered[condition.topic], condition.value)}
        parts.append(place if condition.op == "==" else {_OPERATOR[condition.op]: place})
    return parts[0] if len(parts) == 1 else {"$and": parts}


def split(rules: Iterable[Rule]) -> list[list[Rule]]:
    """The rules in as few sets as the library's limits allow, first fit, in their own order within each."""
    chunks: list[_Chunk] = []
    for rule in rules:
        for chunk in chunks:
            if chunk.takes(rule):
                break
        else:
            chunk = _Chunk()
            chunks.append(chunk)
        chunk.add(rule)
    return [chunk.rules for chunk in chunks]


class _Chunk:
    """A rule set in the making."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self._tests: dict[str, set[tuple[object, ...]]] = {}

    def takes(self, rule: Rule) -> bool:
        """Whether the rule can join without breaking a limit."""
        added: dict[str, set[tuple[object, ...]]] = {}
        for topic, test in _tests(rule):
            added.setdefault(topic, set()).add(test)
        return (
            len(self.rules) < MAX_RULES
            and len(self._tests.keys() | added.keys()) <= MAX_TOPICS
            and all(len(self._tests.get(t, set()) | tests) <= MAX_PATTERNS for t, tests in added.items())
        )

    def add(self, rule: Rule) -> None:
        """Put the rule in."""
        self.rules.append(rule)
        for topic, test in _tests(rule):
            self._tests.setdefault(topic, set()).add(test)


def _tests(rule: Rule) -> Iterator[tuple[str, tuple[object, ...]]]:
    """What the library has to test of each topic, counted generously: each comparison, and each combined pattern."""
    by_topic: dict[str, list[tuple[object, ...]]] = {}
    for condition in rule.when:
        by_topic.setdefault(condition.topic, []).append((condition.op, condition.value))
    for topic, comparisons in by_topic.items():
        yield from ((topic, comparison) for comparison in comparisons)
        if len(comparisons) > 1:
            yield topic, tuple(comparisons)
    if rule.unless:
        yield gate(rule), ("gate",)
