"""The same outcome as ``rules.plain`` for many sets of facts: rules laid out once, so that few are looked at each time.

What-ifs ask hundreds of times. A rule can fire only when all that its ``when`` names is known, so each is looked at
once its first topic is (its anchor), and again when a rule concludes one of its derived topics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rules.plain import COMPARE
from rules.schema import Condition, Rule, Scalar

if TYPE_CHECKING:
    from rules.base import RuleBase

Test = tuple[str, Callable[[Any, Any], bool], Scalar | None]


class _Laid(NamedTuple):
    """A rule: its tests of ``when`` and ``unless``, and the topics that it concludes."""

    id: str
    when: tuple[Test, ...]
    unless: tuple[Test, ...]
    asserts: tuple[str, ...]


class _Stratum(NamedTuple):
    anchored: Mapping[str, Sequence[_Laid]]
    waiting: Mapping[str, Sequence[_Laid]]


class Prepared:
    """Strata of rules, lowest first, ready to be run again and again."""

    def __init__(self, strata: Iterable[Sequence[Rule]]) -> None:
        self._laid = [[_laid(rule) for rule in rules] for rules in strata]
        self._strata = [_stratum(rules) for rules in self._laid]

    def only(self, rules: Collection[str]) -> Prepared:
        """The same strata with only these rules."""
        fewer = Prepared(())
        kept = ([rule for rule in laid if rule.id in rules] for laid in self._laid)
        fewer._strata = [_stratum(laid) for laid in kept if laid]
        return fewer

    def run(self, facts: Mapping[str, Scalar]) -> tuple[frozenset[str], dict[str, Scalar]]:
        """As ``plain.run``: the rules that fire, and the facts with those they derive."""
        known = dict(facts)
        fired: set[str] = set()
        for anchored, waiting in self._strata:
            news: Collection[str] = anchored.keys() & known.keys()
            index = anchored
            while news:
                derived: dict[str, None] = {}
                for topic in news:
                    for rule in index[topic]:
                        if rule.id not in fired and _fires(rule, known):
                            fired.add(rule.id)
                            derived |= dict.fromkeys(rule.asserts)
                fresh = [topic for topic in derived if topic not in known]
                known.update(dict.fromkeys(derived, True))
                news = [topic for topic in fresh if topic in waiting]
                index = waiting
        return frozenset(fired), known


@lru_cache(maxsize=4)
def prepared(base: RuleBase) -> Prepared:
    """All rules of a base, laid out once per process."""
    return Prepared(base.strata)


def _fires(rule: _Laid, known: Mapping[str, Scalar]) -> bool:
    for topic, holds, value in rule.when:
        if topic not in known or not holds(known[topic], value):
            return False
    for topic, holds, value in rule.unless:  # noqa: SIM110 (the innermost line of a what-if)
        if topic in known and holds(known[topic], value):
            return False
    return True


def _stratum(rules: Sequence[_Laid]) -> _Stratum:
    anchored: dict[str, list[_Laid]] = {}
    waiting: dict[str, list[_Laid]] = {}
    derivable = {topic for rule in rules for topic in rule.asserts}
    for rule in rules:
        anchored.setdefault(rule.when[0][0], []).append(rule)
        for topic in {topic for topic, _, _ in rule.when} & derivable:
            waiting.setdefault(topic, []).append(rule)
    return _Stratum(anchored, waiting)


def _laid(rule: Rule) -> _Laid:
    return _Laid(rule.id, _tests(rule.when), _tests(rule.unless), tuple(rule.asserts()))


def _tests(conditions: Iterable[Condition]) -> tuple[Test, ...]:
    return tuple((c.topic, _known if c.op == "known" else COMPARE[c.op], c.value) for c in conditions)


def _known(_value: Scalar, _nothing: None) -> bool:
    return True
