"""What would flip a decision: the nearest change of a single fact that does, found by trying.

For every topic one value is tried on each constant that rules compare it with, and one between each two. Only the
rules that the topic can reach are evaluated again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import Field

from knowledge.evidence import Frozen
from rules.base import RuleBase
from rules.consultation import Facts
from rules.decide import chooser_of
from rules.patterns import Constants, constants
from rules.prepared import Prepared, prepared
from rules.regions import samples
from rules.schema import Scalar

MOST = 5
"""Flips kept per decision, nearest first."""

_UNKNOWN_FIRST = 1.0
_OTHER_WORD = 0.5


class Flip(Frozen):
    """With ``topic`` at ``to`` and all else the same, ``choice`` would win. ``from`` None: not known now."""

    topic: str
    now: Scalar | None = Field(serialization_alias="from")
    to: Scalar
    choice: str


def flips(base: RuleBase, facts: Facts, decision: str) -> list[Flip]:
    """The nearest flips of one decision; ``facts`` as given to ``consult`` or as it returned them."""
    return all_flips(base, facts)[decision]


def all_flips(base: RuleBase, facts: Facts) -> dict[str, list[Flip]]:
    """The nearest flips of every decision, nearest first, at most one for each topic and choice."""
    index = _index(base)
    given = {topic: value for topic, value in facts.items() if base.topics[topic].origin == "input"}
    fired, known = prepared(base).run(given)
    chosen = {decision: index.choice(decision, fired) for decision in base.decisions}
    found: dict[str, dict[tuple[str, str], tuple[float, Flip]]] = {decision: {} for decision in base.decisions}
    for topic, distance, value in _changes(base, index.constants, given):
        after = index.refire(known, fired, topic, value)
        for decision in index.touched(fired ^ after):
            choice = index.choice(decision, after)
            if choice is not None and choice != chosen[decision]:
                best = found[decision].get((topic, choice))
                if best is None or distance < best[0]:
                    found[decision][topic, choice] = (
                        distance,
                        Flip(topic=topic, now=given.get(topic), to=value, choice=choice),
                    )
    return {
        decision: [flip for _, flip in sorted(near.values(), key=_order)[:MOST]] for decision, near in found.items()
    }


def _order(found: tuple[float, Flip]) -> tuple[float, str, str]:
    return found[0], found[1].topic, found[1].choice


class _Index:
    """What does not change between consultations: the supports of each rule, and the constants of each topic."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.constants: Constants = constants(base.rules.values())
        self._decisions: Mapping[str, tuple[str, ...]] = {
            rule.id: tuple(dict.fromkeys(support.decision for support in rule.supports()))
            for rule in base.rules.values()
        }

        asserters: dict[str, set[str]] = {}
        for rule in base.rules.values():
            for derived in rule.asserts():
                asserters.setdefault(derived, set()).add(rule.id)
        self._runs: dict[str, Prepared] = {}
        self._reached = {t: frozenset(r.id for stratum in strata for r in stratum) for t, strata in base.reach.items()}
        self._derived = {
            topic: [(derived, by) for derived, by in asserters.items() if by & reached]
            for topic, reached in self._reached.items()
        }

    def touched(self, changed: frozenset[str]) -> list[str]:
        """The decisions that the changed rules speak on, in declared order."""
        touched = {decision for rule in changed for decision in self._decisions[rule]}
        return [decision for decision in self.base.decisions if decision in touched]

    def choice(self, decision: str, fired: frozenset[str]) -> str | None:
        """The choice when these rules have fired."""
        return chooser_of(self.base).choice(decision, fired)

    def refire(self, known: Facts, fired: frozenset[str], topic: str, value: Scalar) -> frozenset[str]:
        """The rules that fire once ``topic`` has ``value``; ``known`` and ``fired`` are the outcome without it."""
        kept = fired - self._reached[topic]
        facts: dict[str, Scalar] = {**known, topic: value}
        for derived, rules in self._derived[topic]:
            if kept.isdisjoint(rules):
                facts.pop(derived, None)
        if topic not in self._runs:
            self._runs[topic] = prepared(self.base).only(self._reached[topic])
        return kept | self._runs[topic].run(facts)[0]


@lru_cache(maxsize=4)
def _index(base: RuleBase) -> _Index:
    return _Index(base)


def _changes(base: RuleBase, ordered: Constants, given: Facts) -> Iterator[tuple[str, float, Scalar]]:
    """Topic, distance from now, and the value to try."""
    for ident, places in ordered.items():
        topic, now = base.topics[ident], given.get(ident)
        if topic.origin == "input":
            for value in samples(topic, places, now):
                if now is None or value != now:
                    yield ident, _distance(now, value), value


def _distance(now: Any, value: Any) -> float:
    """How far a change is: relative for numbers, one half for another word, more for what is not known now."""
    if now is None:
        return _UNKNOWN_FIRST
    if isinstance(now, bool | str):
        return _OTHER_WORD
    return float(abs(value - now) / max(abs(value), abs(now)))
