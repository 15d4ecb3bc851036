"""From conclusions to decisions: the choice, the runner-up, who speaks for and against, and what would flip it.

What firm sources require decides alone. Otherwise reasons are added up by strength (strong 3, medium 2, weak 1) and
grade; opinions are added up apart and only break ties, so that no number of them outweighs one reason with evidence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from knowledge.evidence import Frozen, Grade, SeenAs, Source
from rules.base import RuleBase
from rules.consultation import Consultation
from rules.schema import DecisionSpec, Dissent, Level, Rule, Strength, Support

POINTS: Mapping[Strength, int] = {
    Strength.REQUIRES: 3,
    Strength.STRONG: 3,
    Strength.MEDIUM: 2,
    Strength.WEAK: 1,
}
EVIDENCE_WEIGHT: Mapping[Grade, float] = {
    Grade.LAW: 1.0,
    Grade.VENDOR_SPECIFICATION: 1.0,
    Grade.PAPER: 1.0,
    Grade.MEASUREMENT: 1.0,
    Grade.VENDOR_BLOG: 0.5,
    Grade.THIRD_PARTY: 0.5,
    Grade.PRACTITIONER_OPINION: 0.0,
    Grade.UNVERIFIED: 0.0,
}
"""What a reason counts for, by the grade of its weightiest source; see ``evidence_weight``."""

_GRADES = list(Grade)
_CLEAR_LEAD = 3.0


def evidence_weight(source: Source) -> float:
    """The weight of a source: by grade, half for a law, specification or paper whose text was not read."""
    if source.seen_as is SeenAs.NOT_VERIFIED:
        return 0.0
    unread = EVIDENCE_WEIGHT[source.grade] == 1.0 and source.grade is not Grade.MEASUREMENT and not source.firm
    return 0.5 if unread else EVIDENCE_WEIGHT[source.grade]


class Reason(Frozen):
    """One rule that speaks for or against a choice."""

    rule: str
    choice: str
    direction: str
    strength: Strength
    reason: str
    sources: tuple[str, ...]
    grade: Grade
    grades: tuple[Grade, ...]
    confidence: Level


class Decision(Frozen):
    """A settled question.

    ``because`` speaks for the choice (or against its rivals, where nothing else does), ``against`` against it or for
    a rival. ``notes`` say where requirements conflict. ``choice`` is None only for an open decision that no rule
    speaks on (see ``DecisionSpec.choices``).
    """

    id: str
    title: str
    choice: str | None
    runner_up: str | None
    because: tuple[Reason, ...]
    against: tuple[Reason, ...]
    sources: tuple[str, ...]
    confidence: Level
    dissent: tuple[Dissent, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ballot:
    """One support, with what it counts for."""

    rule: Rule
    support: Support
    grade: Grade
    evidence: float
    opinion: float

    @property
    def requires(self) -> bool:
        """Whether the reason decides alone."""
        return self.support.strength is Strength.REQUIRES


def decide(base: RuleBase, consultation: Consultation) -> list[Decision]:
    """Every decision of the base, in declared order, from what the rules concluded."""
    fired = consultation.fired
    ballots = all_ballots(base)
    return [
        _decision(base, spec, [ballot for ballot in ballots.get(spec.id, ()) if ballot.rule.id in fired])
        for spec in base.decisions.values()
    ]


@lru_cache(maxsize=4)
def all_ballots(base: RuleBase) -> Mapping[str, Sequence[Ballot]]:
    """The supports of all rules by decision, whether they have fired or not."""
    found: dict[str, list[Ballot]] = {}
    for rule in base.rules.values():
        for support in rule.supports():
            found.setdefault(support.decision, []).append(_ballot(base, rule, support))
    return found


class Chooser:
    """The choice of each decision for sets of fired rules, worked out once: what-ifs ask the same over and over."""

    def __init__(self, base: RuleBase) -> None:
        ballots = all_ballots(base)
        self._specs = base.decisions
        self._ballots = {
            decision: [(ballot.rule.id, ballot) for ballot in ballots.get(decision, ())] for decision in base.decisions
        }
        self._known: dict[tuple[str, ...], str | None] = {}

    def choice(self, decision: str, fired: Collection[str]) -> str | None:
        """What is chosen when these rules have fired; None where no rule speaks on an open decision."""
        spoken = self._ballots[decision]
        key = (decision, *(rule for rule, _ in spoken if rule in fired))
        if key not in self._known:
            spec = self._specs[decision]
            ranked = rank_choices(spec, [ballot for rule, ballot in spoken if rule in fired])
            self._known[key] = ranked[0] if ranked else spec.default
        return self._known[key]


@lru_cache(maxsize=4)
def chooser_of(base: RuleBase) -> Chooser:
    """The chooser of a rule base, kept as long as the process uses it."""
    return Chooser(base)


def _ballot(base: RuleBase, rule: Rule, support: Support) -> Ballot:
    grade = base.grade(rule)
    points = POINTS[support.strength] * (1 if support.direction == "for" else -1)
    weight = max(evidence_weight(base.sources[source]) for source in rule.sources)
    opinion = points if grade is Grade.PRACTITIONER_OPINION else 0
    return Ballot(rule, support, grade, points * weight, opinion)


def rank_choices(spec: DecisionSpec, ballots: Sequence[Ballot]) -> list[str]:
    """The choices that are not excluded, best first; ties fall in declared order, the default first when all tie.

    A choice that a ``requires`` speaks for leaves only the required ones; of two, the better grade stands first.
    Where requirements exclude every choice, all are ranked.
    """
    spoken = (ballot.support.choice for ballot in ballots)
    choices = spec.choices or tuple(dict.fromkeys(spoken))
    score = dict.fromkeys(choices, (0.0, 0.0))
    for ballot in ballots:
        evidence, opinion = score[ballot.support.choice]
        score[ballot.support.choice] = (evidence + ballot.evidence, opinion + ballot.opinion)
    required, excluded = _required(ballots, "for"), _required(ballots, "against")
    untouched = all(value == (0.0, 0.0) for value in score.values())

    def place(choice: str) -> tuple[Any, ...]:
        evidence, opinion = score[choice]
        demand = _demand(required.get(choice), excluded.get(choice))
        return (demand, -evidence, -opinion, choice != spec.default if untouched else False, choices.index(choice))

    return sorted(choices, key=place)


def _required(ballots: Iterable[Ballot], direction: str) -> dict[str, int]:
    """Choice -> place of the strongest grade that requires (or, direction against, excludes) it."""
    found: dict[str, int] = {}
    for ballot in ballots:
        if ballot.requires and ballot.support.direction == direction:
            place = _GRADES.index(ballot.grade)
            found[ballot.support.choice] = min(place, found.get(ballot.support.choice, place))
    return found


def _demand(required: int | None, excluded: int | None) -> tuple[int, int]:
    """Sort key: required first (better grade first), then what nothing demands, then excluded (worse grade first).

    Required and excluded at once: the better grade wins, and at equal grade the exclusion.
    """
    if required is not None and (excluded is None or required < excluded):
        return (0, required)
    return (1, 0) if excluded is None else (2, -excluded)


def _decision(base: RuleBase, spec: DecisionSpec, ballots: Sequence[Ballot]) -> Decision:
    ranked = rank_choices(spec, ballots)
    choice = ranked[0] if ranked else spec.default
    because, against = _sides(ballots, choice)
    counted = [*because, *against]
    reasons = tuple(_reason(base, ballot) for ballot in because)
    return Decision(
        id=spec.id,
        title=spec.title,
        choice=choice,
        runner_up=_runner_up(ranked, ballots),
        because=reasons,
        against=tuple(_reason(base, ballot) for ballot in against),
        sources=tuple(dict.fromkeys(source for ballot in counted for source in ballot.rule.sources)),
        confidence=_confidence(ballots, ranked, because),
        dissent=tuple(dict.fromkeys(dissent for ballot in counted for dissent in ballot.rule.dissent)),
        notes=tuple(_clashes(ballots)),
    )


def _sides(ballots: Sequence[Ballot], choice: str | None) -> tuple[list[Ballot], list[Ballot]]:
    """Ballots for the choice (or against a rival), and those against it (or for a rival), the weightiest first."""
    because: list[Ballot] = []
    against: list[Ballot] = []
    for ballot in ballots:
        own, pro = ballot.support.choice == choice, ballot.support.direction == "for"
        (because if own == pro else against).append(ballot)
    return sorted(because, key=_weight(choice)), sorted(against, key=_weight(choice))


def _weight(choice: str | None) -> Any:
    def key(ballot: Ballot) -> tuple[Any, ...]:
        return (ballot.support.choice != choice, not ballot.requires, -abs(ballot.evidence), -abs(ballot.opinion))

    return key


def _runner_up(ranked: Sequence[str], ballots: Sequence[Ballot]) -> str | None:
    """The best of the rest, if it is not excluded."""
    excluded = _required(ballots, "against")
    return next((choice for choice in ranked[1:] if choice not in excluded), None)


def _reason(base: RuleBase, ballot: Ballot) -> Reason:
    rule, support = ballot.rule, ballot.support
    return Reason(
        rule=rule.id,
        choice=support.choice,
        direction=support.direction,
        strength=support.strength,
        reason=rule.reason,
        sources=rule.sources,
        grade=ballot.grade,
        grades=tuple(base.sources[source].read_grade for source in rule.sources),
        confidence=rule.confidence,
    )


def _confidence(ballots: Sequence[Ballot], ranked: Sequence[str], because: Sequence[Ballot]) -> Level:
    """High: required without a clash, or a clear lead on evidence; low: no evidence speaks for the choice."""
    if not ranked or not any(ballot.evidence for ballot in because):
        return "low"
    if any(_clashes(ballots)):
        return "medium"
    if any(ballot.requires and ballot.support.choice == ranked[0] for ballot in because):
        return "high"
    total = {choice: sum(b.evidence for b in ballots if b.support.choice == choice) for choice in ranked}
    lead = total[ranked[0]] - max((total[choice] for choice in ranked[1:]), default=0.0)
    if lead <= 0:
        return "low"
    sure = any(ballot.rule.confidence == "high" for ballot in because)
    return "high" if lead >= _CLEAR_LEAD and sure else "medium"


def _clashes(ballots: Sequence[Ballot]) -> Iterator[str]:
    """Requirements that cannot all be met, in words."""
    required, excluded = _required(ballots, "for"), _required(ballots, "against")
    if len(required) > 1:
        voices = " and ".join(_voices(ballots, "for", sorted(required)))
        yield f"Requirements conflict: {voices}; the better grade was followed."
    for choice in sorted(required.keys() & excluded.keys()):
        yield f"{choice} is both required and ruled out; the better grade was followed."


def _voices(ballots: Sequence[Ballot], direction: str, choices: Iterable[str]) -> Iterator[str]:
    for choice in choices:
        rules = (
            b.rule.id for b in ballots if b.requires and (b.support.choice, b.support.direction) == (choice, direction)
        )
        yield f"{choice} ({', '.join(dict.fromkeys(rules))})"
