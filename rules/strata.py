"""Which rules have to be settled before which.

A rule whose ``unless`` names a derived topic can only be judged when every rule that may conclude that topic has been.
Rules are put in strata: a rule stands at or above the rules that conclude what its ``when`` names, and strictly above
those that conclude what its ``unless`` names. (Apt, Blair, Walker 1988, "Towards a theory of declarative knowledge".)
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.schema import Rule


class NegationCycle(ValueError):
    """Rules that block one another in a circle; ``rules`` are their ids."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        super().__init__(f"rules block one another in a circle: {', '.join(rules)}")
        self.rules = rules


def stratify(rules: Mapping[str, Rule]) -> tuple[tuple[Rule, ...], ...]:
    """The rules by stratum, lowest first, in their own order within each. Raises NegationCycle."""
    level = dict.fromkeys(rules, 0)
    topic_level = {topic: 0 for rule in rules.values() for topic in rule.asserts()}
    for _ in range(len(rules) + 2):
        raised = [ident for ident, rule in rules.items() if level[ident] < _needed(rule, topic_level)]
        for ident in raised:
            level[ident] = _needed(rules[ident], topic_level)
        for ident, rule in rules.items():
            for topic in rule.asserts():
                topic_level[topic] = max(topic_level[topic], level[ident])
        if not raised:
            return _grouped(rules, level)
    raise NegationCycle(tuple(raised))


def _needed(rule: Rule, topic_level: Mapping[str, int]) -> int:
    at = [topic_level.get(c.topic, 0) for c in rule.when]
    above = [topic_level[c.topic] + 1 for c in rule.unless if c.topic in topic_level]
    return max(at + above)


def _grouped(rules: Mapping[str, Rule], level: Mapping[str, int]) -> tuple[tuple[Rule, ...], ...]:
    top = max(level.values(), default=-1)
    return tuple(tuple(r for i, r in rules.items() if level[i] == n) for n in range(top + 1))
