"""The rule language in plain Python: the oracle that the engine is tested against, and its stand-in.

A naive fixed point over strata. It is the engine where durable-rules cannot be imported (Python 3.13 and later).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rules.schema import Condition, Rule, Scalar

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def holds(condition: Condition, facts: Mapping[str, Scalar]) -> bool:
    """Whether the condition holds. With a topic that is not known no condition does."""
    if condition.topic not in facts:
        return False
    return condition.op == "known" or COMPARE[condition.op](facts[condition.topic], condition.value)


def fires(rule: Rule, facts: Mapping[str, Scalar]) -> bool:
    """Whether all of ``when`` holds and nothing of ``unless``."""
    for condition in rule.when:  # plain loops: this is the innermost line of a consultation
        if not holds(condition, facts):
            return False
    for condition in rule.unless:  # noqa: SIM110
        if holds(condition, facts):
            return False
    return True


def run(strata: Iterable[Sequence[Rule]], facts: Mapping[str, Scalar]) -> tuple[frozenset[str], dict[str, Scalar]]:
    """The rules that fire, and the facts with those they derive.

    Strata come lowest first: what a rule's ``unless`` asks about is settled in a stratum below it (see
    ``rules.strata``), so the outcome does not depend on the order of rules or facts.
    """
    known = dict(facts)
    fired: set[str] = set()
    for stratum in strata:
        pending = list(stratum)
        learnt = True
        while learnt:
            newly = [rule for rule in pending if fires(rule, known)]
            fired.update(rule.id for rule in newly)
            pending = [rule for rule in pending if rule.id not in fired]
            derived = {topic for rule in newly for topic in rule.asserts()}
            learnt = not derived <= known.keys()
            known.update(dict.fromkeys(derived, True))
    return frozenset(fired), known
