"""What the rules conclude, without reasons: choices and duties of many similar sets of facts, as what-ifs need them.

The same conclusions as ``engine.consult`` with ``decide``. Facts that no condition can tell apart are one case, and
each case is worked out once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from rules.base import RuleBase
from rules.consultation import Facts
from rules.decide import chooser_of
from rules.prepared import prepared
from rules.schema import Obligation, Scalar

STRICTEST = (True, "open", False)
"""Of several readings of one duty the first of these holds."""


@dataclass(frozen=True)
class Preview:
    """Decision id -> choice (None where no rule speaks on an open decision), and duty id -> whether it applies."""

    choices: Mapping[str, str | None]
    duties: Mapping[str, bool | str]


@dataclass(frozen=True, eq=False)
class Previews:
    """The previews of one rule base."""

    base: RuleBase
    _known: dict[Hashable, Preview] = field(default_factory=dict)

    def preview(self, facts: Facts) -> Preview:
        """What follows from ``facts``."""
        case = self._case(facts)
        if case not in self._known:
            self._known[case] = self._worked_out(facts)
        return self._known[case]

    def _case(self, facts: Facts) -> Hashable:
        """The facts as far as any condition tells them apart."""
        constants = self._constants
        return frozenset(
            (topic, _place(value, constants[topic])) for topic, value in facts.items() if topic in constants
        )

    @cached_property
    def _constants(self) -> Mapping[str, tuple[tuple[float, ...], frozenset[Scalar]]]:
        """Topic -> what conditions compare it with: numbers in order, and all else."""
        found: dict[str, set[Scalar]] = {}
        for rule in self.base.rules.values():
            for condition in (*rule.when, *rule.unless):
                found.setdefault(condition.topic, set()).update(() if condition.value is None else (condition.value,))
        return {
            topic: (
                tuple(sorted(v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool))),
                frozenset(v for v in values if not isinstance(v, (int, float)) or isinstance(v, bool)),
            )
            for topic, values in found.items()
        }

    def _worked_out(self, facts: Facts) -> Preview:
        fired, _ = prepared(self.base).run(facts)
        chooser = chooser_of(self.base)
        choices = {decision: chooser.choice(decision, fired) for decision in self.base.decisions}
        duties: dict[str, bool | str] = {}
        for rule in (self.base.rules[ident] for ident in sorted(fired)):
            for then in rule.then:
                if isinstance(then, Obligation):
                    other = duties.get(then.id, then.applies)
                    duties[then.id] = min(then.applies, other, key=STRICTEST.index)
        return Preview(choices, duties)


def _place(value: Scalar, constants: tuple[tuple[float, ...], frozenset[Scalar]]) -> Hashable:
    """Where a value stands among the constants: two values at one place meet the same conditions."""
    numbers, others = constants
    if isinstance(value, (bool, str)):
        return value if value in others else ""
    return bisect_left(numbers, value), bisect_right(numbers, value)


@lru_cache(maxsize=4)
def previews_of(base: RuleBase) -> Previews:
    """The previews of a rule base, kept as long as the process uses it."""
    return Previews(base)
