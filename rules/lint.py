"""The linter of the rule base: what would mislead, or never be seen, though it loads.

``error`` findings fail the build, ``note`` findings are for an author to read.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from knowledge.evidence import Grade
from rules.base import RuleBase
from rules.plain import holds
from rules.regions import samples
from rules.schema import AddItem, Condition, Obligation, Question, Rule, Strength, Topic, TopicType
from rules.validate import Problem

MAX_SOURCE_AGE_YEARS = 3.0
"""Beyond this a source is called stale; laws are not, they hold until they are changed."""

_SHORTEST_REASON = 15


@dataclass(frozen=True)
class Finding:
    """Something for the author: class of finding, where, and what."""

    kind: str
    level: Literal["error", "note"]
    file: str
    entry: str
    text: str


def lint(
    base: RuleBase,
    problems: Iterable[Problem] = (),
    *,
    today: datetime.date,
    max_age_years: float = MAX_SOURCE_AGE_YEARS,
    produced: Collection[str] | None = None,
    fields: Collection[str] | None = None,
) -> list[Finding]:
    """All findings, errors first.

    ``problems`` come from ``read_rules``. ``produced`` are the topics that the calculators assert and ``fields`` those
    of the brief; what they are compared with is left out where they are None.
    """
    rules = list(base.rules.values())
    found = [Finding(p.kind, "error", p.file, p.entry, f"{p.value}: {p.expected}") for p in problems]
    whole = {rule.id for rule in rules} - {finding.entry for finding in found}
    sound = [rule for rule in rules if rule.id in whole]
    for rule in sound:
        found += (_at(base, rule, "missing reason", "error", text) for text in _reason(rule))
        found += (_at(base, rule, "dead rule", "error", text) for text in _dead(base, rule))
        found += (_at(base, rule, "unknown question", "error", text) for text in _fields(rule, fields))
    found += _pairs(base, sound)
    found += _ranges(base, sound)
    found += _stale(base, today, max_age_years)
    found += _unused(base, produced)
    return sorted(dict.fromkeys(found), key=lambda finding: finding.level)


def _at(base: RuleBase, rule: Rule, kind: str, level: Literal["error", "note"], text: str) -> Finding:
    return Finding(kind, level, base.files[rule.id], rule.id, text)


def _reason(rule: Rule) -> Iterator[str]:
    if len(rule.reason.strip()) < _SHORTEST_REASON or rule.reason.strip().rstrip(".") == rule.title.strip().rstrip("."):
        yield f"{rule.reason!r} does not say why"


def _fields(rule: Rule, fields: Collection[str] | None) -> Iterator[str]:
    for then in rule.then:
        asked = then.field if isinstance(then, Question) else then.closes_with if isinstance(then, Obligation) else None
        if fields is not None and asked is not None and asked not in fields:
            yield f"{asked} is not a field of the brief"


# --- rules that cannot fire -----------------------------------------------------------------------------------------


def _dead(base: RuleBase, rule: Rule) -> Iterator[str]:
    for topic in dict.fromkeys(condition.topic for condition in rule.when):
        if not _met(base, [c for c in rule.when if c.topic == topic], topic):
            yield f"no value of {topic} meets its conditions"
        if base.topics[topic].origin == "derived" and not any(topic in r.asserts() for r in base.rules.values()):
            yield f"no rule concludes {topic}"
    for condition in rule.unless:
        if _implied(base, rule.when, condition):
            yield f"'unless {condition}' holds whenever 'when' does"


def _met(base: RuleBase, conditions: Sequence[Condition], topic: str) -> list[Any]:
    """The sample values of the topic that meet all the conditions on it."""
    return [v for v in _values(base.topics[topic], conditions) if all(holds(c, {topic: v}) for c in conditions)]


def _values(topic: Topic, conditions: Iterable[Condition]) -> list[Any]:
    places = sorted({c.value for c in conditions if c.value is not None})
    values: list[Any] = list(samples(topic, places))
    return [*values, "\0"] if topic.type is TopicType.STR and not topic.values else values


def _implied(base: RuleBase, when: Sequence[Condition], condition: Condition) -> bool:
    """Whether ``condition`` holds wherever ``when`` does, judged topic by topic."""
    same = [c for c in when if c.topic == condition.topic]
    if not same:
        return False
    values = _values(base.topics[condition.topic], [*same, condition])
    met = [value for value in values if all(holds(c, {condition.topic: value}) for c in same)]
    return bool(met) and all(holds(condition, {condition.topic: value}) for value in met)


# --- two rules at odds ----------------------------------------------------------------------------------------------


def _pairs(base: RuleBase, rules: Sequence[Rule]) -> Iterator[Finding]:
    for first, second in combinations(rules, 2):
        if not _share_a_target(first, second):
            continue
        if _covers(base, first, second) or _covers(base, second, first):
            wide, narrow = (first, second) if _covers(base, first, second) else (second, first)
            if set(narrow.then) <= set(wide.then):
                yield _at(base, narrow, "dead rule", "error", f"{wide.id} concludes the same whenever it fires")
        elif not _together(base, first, second):
            continue
        for level, text in _contradictions(first, second):
            yield _at(base, second, "contradictory conclusions", level, f"and {first.id}: {text}")


def _targets(rule: Rule) -> set[str]:
    named = {support.decision for support in rule.supports()}
    return named | {getattr(then, "id", "") or getattr(then, "item", "") for then in rule.then} - {""}


def _share_a_target(first: Rule, second: Rule) -> bool:
    return not _targets(first).isdisjoint(_targets(second)) or bool(set(first.then) & set(second.then))


def _covers(base: RuleBase, wide: Rule, narrow: Rule) -> bool:
    """Whether ``wide`` fires whenever ``narrow`` does."""
    return all(_implied(base, narrow.when, condition) for condition in wide.when) and set(wide.unless) <= set(
        narrow.unless
    )


def _together(base: RuleBase, first: Rule, second: Rule) -> bool:
    """Whether both may fire on the same facts, as far as their conditions alone tell."""
    both = (*first.when, *second.when)
    if any(_implied(base, both, condition) for condition in (*first.unless, *second.unless)):
        return False
    return all(_met(base, [c for c in both if c.topic == topic], topic) for topic in {c.topic for c in both})


def _contradictions(first: Rule, second: Rule) -> Iterator[tuple[Literal["error", "note"], str]]:
    duties = {then.id: then for then in first.then if isinstance(then, Obligation)}
    for then in second.then:
        other = duties.get(then.id) if isinstance(then, Obligation) else None
        if isinstance(then, Obligation) and other is not None and {then.applies, other.applies} == {True, False}:
            yield "error", f"the duty {then.id} both applies and does not"
    same = set(first.when) == set(second.when) and set(first.unless) == set(second.unless)
    for one in first.supports():
        for two in second.supports():
            if one.decision != two.decision:
                continue
            opposed = one.choice == two.choice and one.direction != two.direction
            if same and opposed:
                yield "error", f"for and against {one.choice} on the same conditions"
            required = one.strength is two.strength is Strength.REQUIRES
            if required and (opposed or (one.choice != two.choice and one.direction == two.direction == "for")):
                yield "note", f"requirements on {one.decision} clash: {one.choice} and {two.choice}"


# --- numeric ranges -------------------------------------------------------------------------------------------------


def _ranges(base: RuleBase, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Gaps and overlaps among rules that differ only in the range of one numeric topic and settle the same thing."""
    for (target, topic), members in _families(base, rules).items():
        if len(members) < 2:
            continue
        ranges = {rule.id: [c for c in rule.when if c.topic == topic] for rule in members}
        every = [condition for conditions in ranges.values() for condition in conditions]
        values = sorted(_values(base.topics[topic], every))
        hits = [
            [rule for rule in members if all(holds(c, {topic: value}) for c in ranges[rule.id])] for value in values
        ]
        for text in _gaps(values, hits):
            yield _at(base, members[0], "gap", "note", f"{target[0]}: no rule for {topic} at {text}")
        for value, rules_there in zip(values, hits, strict=True):
            for first, second in combinations(rules_there, 2):
                if _outcome(first, target[0]) != _outcome(second, target[0]):
                    text = f"{target[0]}: {first.id} concludes otherwise for {topic} at {value:g}"
                    yield _at(base, second, "overlap", "error", text)
                    break


_Family = tuple[tuple[str, frozenset[Condition], frozenset[Condition]], str]


def _families(base: RuleBase, rules: Sequence[Rule]) -> dict[_Family, list[Rule]]:
    found: dict[_Family, list[Rule]] = {}
    for rule in rules:
        numeric = {c.topic for c in rule.when if base.topics[c.topic].type.numeric and c.op != "known"}
        for target in _settled(rule):
            for topic in sorted(numeric):
                rest = frozenset(condition for condition in rule.when if condition.topic != topic)
                found.setdefault(((target, rest, frozenset(rule.unless)), topic), []).append(rule)
    return found


def _settled(rule: Rule) -> list[str]:
    """What the rule pronounces on: decisions it speaks for a choice of, and duties."""
    decisions = (support.decision for support in rule.supports() if support.direction == "for")
    return list(dict.fromkeys([*decisions, *(then.id for then in rule.then if isinstance(then, Obligation))]))


def _outcome(rule: Rule, target: str) -> frozenset[object]:
    supports = ((s.choice, s.direction) for s in rule.supports() if s.decision == target and s.direction == "for")
    duties = (then.applies for then in rule.then if isinstance(then, Obligation) and then.id == target)
    return frozenset((*supports, *duties))


def _gaps(values: Sequence[Any], hits: Sequence[Sequence[Rule]]) -> Iterator[str]:
    """Values that no rule covers though rules cover values on both sides."""
    covered = [index for index, rules in enumerate(hits) if rules]
    for index in range(covered[0], covered[-1]) if covered else ():
        if not hits[index]:
            yield f"{values[index]:g}"


# --- sources and leftovers ------------------------------------------------------------------------------------------


def _stale(base: RuleBase, today: datetime.date, max_age_years: float) -> Iterator[Finding]:
    cited: dict[str, Rule] = {}
    for rule in base.rules.values():
        for cites in rule.sources:
            cited.setdefault(cites, rule)
    for ident, rule in cited.items():
        source = base.sources.get(ident)
        if source is None or source.grade is Grade.LAW:
            continue
        age = _age_years(source.date or "", today)
        if age is not None and age > max_age_years:
            yield _at(base, rule, "stale source", "note", f"{ident} is of {source.date}, {age:.1f} years old")


def _age_years(date: str, today: datetime.date) -> float | None:
    """Years since the latest year (and month, else its end) that a source's date names."""
    named = [(int(year), int(month or 12)) for year, month in re.findall(r"(\d{4})(?:-(\d{2})(?!\d))?", date)]
    if not named:
        return None
    year, month = max(named)
    return today.year - year + (today.month - month) / 12


def _unused(base: RuleBase, produced: Collection[str] | None) -> Iterator[Finding]:
    shown = {then.value_topic for rule in base.rules.values() for then in rule.then if isinstance(then, Obligation)}
    read = shown | base.tested_by.keys() | {i.expected.topic for i in base.checklist.values() if i.expected}
    for topic in base.topics.values():
        if topic.id not in read:
            yield Finding("unread topic", "note", base.files[topic.id], topic.id, "no rule reads it")
        elif produced is not None and topic.origin == "input" and topic.id not in produced:
            yield Finding("unproduced topic", "error", base.files[topic.id], topic.id, "no calculator produces it")
    called = {then.item for rule in base.rules.values() for then in rule.then if isinstance(then, AddItem)}
    for item in sorted(base.checklist.keys() - called):
        yield Finding("unused item", "note", base.files[item], item, "no rule puts it on a checklist")
