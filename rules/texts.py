"""The texts of the rule base as messages: the English stands in the packs, other languages under the same ids.

An overlay's rules have no other language; they are said as their author wrote them.
"""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.message import Message, verbatim
from rules.base import RuleBase
from rules.schema import ChecklistItem, DecisionSpec, Obligation, Rule, Topic, Warn


def title(rule: Rule) -> Message:
    """What the rule is called."""
    return verbatim(f"rules.{rule.id}.title", rule.title)


def reason(rule: Rule) -> Message:
    """Why the rule concludes what it does."""
    return verbatim(f"rules.{rule.id}.reason", rule.reason)


def warning(rule: Rule, warn: Warn) -> Message:
    """What the rule warns of."""
    return verbatim(f"rules.{rule.id}.warning", warn.text)


def dissent(rule: Rule, place: int) -> Message:
    """What the source at this place in the rule's list says against it."""
    return verbatim(f"rules.{rule.id}.dissent.{place}", rule.dissent[place].says)


def duty(rule: Rule, obligation: Obligation, part: str) -> Message | None:
    """A part of a duty (``by``, ``what`` or ``note``), where the rule states it."""
    text = getattr(obligation, part)
    return None if text is None else verbatim(f"rules.{rule.id}.duty.{obligation.id}.{part}", text)


def item(entry: ChecklistItem) -> Message:
    """What the checklist item asks to be done."""
    return verbatim(f"items.{entry.id}", entry.item)


def role(name: str) -> Message:
    """Who owns a checklist item."""
    return verbatim(f"roles.{name.replace(' ', '_')}", name)


def decision(spec: DecisionSpec) -> Message:
    """What is decided."""
    return verbatim(f"decisions.{spec.id}", spec.title)


def topic(entry: Topic) -> Message:
    """What a fact is about."""
    return verbatim(f"topics.{entry.id}", entry.description)


def every_text(base: RuleBase) -> Iterator[Message]:
    """All texts of the base."""
    for rule in base.rules.values():
        yield title(rule)
        yield reason(rule)
        yield from (dissent(rule, place) for place in range(len(rule.dissent)))
        for then in rule.then:
            if isinstance(then, Warn):
                yield warning(rule, then)
            elif isinstance(then, Obligation):
                parts = (duty(rule, then, part) for part in ("by", "what", "note"))
                yield from (part for part in parts if part is not None)
    yield from map(item, base.checklist.values())
    yield from map(role, dict.fromkeys(entry.owner_role for entry in base.checklist.values()))
    yield from map(decision, base.decisions.values())
    yield from map(topic, base.topics.values())
