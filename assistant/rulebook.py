"""The rule base as a face reads it: packs, and of each rule whether it held for a sizing, condition by condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from knowledge.errors import BadInput
from rules import texts
from rules.base import RuleBase
from rules.document import source_text, then_text
from rules.engine import consult
from rules.plain import holds
from rules.schema import Condition, Rule, Scalar

if TYPE_CHECKING:
    from assistant.result import Sizing
    from knowledge.message import Message


@dataclass(frozen=True)
class Held:
    """What held for a session: the rules that fired and all facts, derived ones included; None without a session."""

    fired: frozenset[str]
    facts: Mapping[str, Scalar]


@dataclass(frozen=True)
class Checked:
    """A condition in words; with facts, whether it holds and what its topic's value is (None where not known)."""

    text: str
    holds: bool | None
    now: Scalar | None


@dataclass(frozen=True)
class Entry:
    """All that one rule says. ``fired`` is None where there are no facts to hold it against."""

    id: str
    file: str
    title: Message
    reason: Message
    grade: str
    confidence: str
    fired: bool | None
    when: tuple[Checked, ...]
    unless: tuple[Checked, ...]
    then: tuple[str, ...]
    sources: tuple[str, ...]
    dissent: tuple[tuple[Message, tuple[str, ...]], ...]


def held(base: RuleBase, sizing: Sizing | None) -> Held | None:
    """Consult the rules on a sizing's facts. None where there is no sizing, or its facts are of other rules."""
    if sizing is None:
        return None
    try:
        consultation = consult(base, sizing.facts, engine="plain")
    except BadInput:
        return None
    return Held(consultation.fired, consultation.facts)


def pack_of(base: RuleBase, ident: str) -> str:
    """The pack that a rule stands in."""
    return PurePosixPath(base.files[ident]).stem


def packs(base: RuleBase) -> dict[str, list[Rule]]:
    """The rules by pack, both in their order."""
    found: dict[str, list[Rule]] = {}
    for rule in base.rules.values():
        found.setdefault(pack_of(base, rule.id), []).append(rule)
    return found


def next_pack(base: RuleBase, pack: str | None) -> str | None:
    """The pack after ``pack`` in a round that starts and ends with all packs."""
    names: list[str | None] = [None, *packs(base)]
    return names[(names.index(pack) + 1) % len(names)] if pack in names else None


def entry(base: RuleBase, ident: str, state: Held | None) -> Entry:
    """One rule by its id. Raises KeyError where there is none."""
    rule = base.rules[ident]
    return Entry(
        id=rule.id,
        file=base.files[ident],
        title=texts.title(rule),
        reason=texts.reason(rule),
        grade=base.grade(rule),
        confidence=rule.confidence,
        fired=None if state is None else rule.id in state.fired,
        when=tuple(_checked(rule.when, state)),
        unless=tuple(_checked(rule.unless, state)),
        then=tuple(map(then_text, rule.then)),
        sources=_cited(base, rule.sources),
        dissent=tuple(
            (texts.dissent(rule, place), _cited(base, one.sources)) for place, one in enumerate(rule.dissent)
        ),
    )


def _checked(conditions: Iterable[Condition], state: Held | None) -> Iterator[Checked]:
    for condition in conditions:
        known = None if state is None else holds(condition, state.facts)
        yield Checked(str(condition), known, state.facts.get(condition.topic) if state else None)


def _cited(base: RuleBase, idents: Iterable[str]) -> tuple[str, ...]:
    return tuple(source_text(base.sources[ident]) for ident in idents)
