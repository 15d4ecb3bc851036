"""From facts to advice: what the rules conclude becomes decisions, duties, warnings and a checklist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assistant.result import ChecklistEntry, Decision, Dissent, Expected, Flip, Notice, Obligation, Reason
from knowledge.evidence import Frozen
from knowledge.message import Message, say
from rules import decide as rule_decisions
from rules import texts
from rules.base import RuleBase
from rules.consultation import Consultation
from rules.engine import consult
from rules.flips import Flip as Turn
from rules.flips import all_flips
from rules.schema import AddItem, ChecklistItem, Phase, Question, Scalar, Warn
from rules.schema import Obligation as Duty

Facts = Mapping[str, Scalar]

PLACEHOLDER = re.compile(r"(?<=--gpu )GPU\b|(?<=-np )GPUS\b|\b(?:MODEL|TOKENS|REQUESTS|GPUS_PER_NODE)\b")
"""Words in capitals of checklist commands that a plan can fill."""

PHASES = {phase.value: place for place, phase in enumerate(Phase)}


class Advice(Frozen):
    """What the rules say of a set of facts."""

    engine: str
    decisions: tuple[Decision, ...]
    obligations: tuple[Obligation, ...]
    warnings: tuple[Notice, ...]
    checklist: tuple[ChecklistEntry, ...]
    questions: tuple[str, ...]

    def decision(self, ident: str) -> Decision:
        """The decision of that id."""
        return next(d for d in self.decisions if d.id == ident)


def advise(base: RuleBase, facts: Facts, words: Mapping[str, str] | None = None) -> Advice:
    """Consult the rules on ``facts``; ``words`` fill the placeholders of checklist commands (``GPU``, ``MODEL``)."""
    consultation = consult(base, facts)
    flips = all_flips(base, facts)
    return Advice(
        engine=consultation.engine,
        decisions=tuple(_decision(d, flips.get(d.id, []), base) for d in rule_decisions.decide(base, consultation)),
        obligations=tuple(_obligations(consultation, base)),
        warnings=tuple(_warnings(consultation)),
        checklist=tuple(_filled(entry, words or {}) for entry in _checklist(consultation, base)),
        questions=tuple(dict.fromkeys(c.then.field for c in consultation.conclusions if isinstance(c.then, Question))),
    )


def _decision(found: rule_decisions.Decision, flips: Iterable[Turn], base: RuleBase) -> Decision:
    because = {r.rule: _reason(r, base) for r in found.because}
    against = {r.rule: _reason(r, base) for r in found.against if r.rule not in because}
    return Decision(
        id=found.id,
        title=texts.decision(base.decisions[found.id]),
        choice=found.choice or "none",
        runner_up=found.runner_up,
        because=tuple(because.values()),
        against=tuple(against.values()),
        dissent=tuple(_dissent(found, base)),
        flips_when=tuple(_flip(flip, base) for flip in flips),
        sources=found.sources,
        confidence=found.confidence,
    )


def _dissent(found: rule_decisions.Decision, base: RuleBase) -> Iterable[Dissent]:
    """What others say against the rules that spoke, each once."""
    said: dict[str, Dissent] = {}
    for reason in (*found.because, *found.against):
        rule = base.rules[reason.rule]
        for place, other in enumerate(rule.dissent):
            said.setdefault(other.says, Dissent(says=texts.dissent(rule, place), sources=other.sources))
    return said.values()


def _reason(reason: rule_decisions.Reason, base: RuleBase) -> Reason:
    return Reason(
        rule=reason.rule,
        text=texts.reason(base.rules[reason.rule]),
        strength=reason.strength.value,
        grade=reason.grade.value,
        sources=reason.sources,
    )


def _flip(flip: Turn, base: RuleBase) -> Flip:
    topic = base.topics[flip.topic]
    unit = topic.unit if topic.type.numeric else None
    change = say(
        "advice.flip",
        what=texts.topic(topic),
        to=_fact(flip.to, unit),
        now=say("advice.not_known") if flip.now is None else _fact(flip.now, unit),
    )
    return Flip(topic=flip.topic, now=flip.now, to=flip.to, choice=flip.choice, change=change)


def _fact(value: Scalar, unit: str | None) -> Message:
    """The value of a fact in words."""
    if isinstance(value, bool) or not isinstance(value, str):
        return say("advice.value", value=value) if unit is None else say("advice.quantity", value=value, unit=unit)
    return say("advice.word", value=value)


def _obligations(consultation: Consultation, base: RuleBase) -> Iterable[Obligation]:
    """Each duty once: true stands above open, open above false, as the strictest reading."""
    order = {True: 0, "open": 1, False: 2}
    best: dict[str, Obligation] = {}
    for conclusion in consultation.conclusions:
        duty = conclusion.then
        if not isinstance(duty, Duty):
            continue
        value = consultation.facts.get(duty.value_topic) if duty.value_topic else None
        made = Obligation(
            id=duty.id,
            title=texts.title(conclusion.rule),
            applies=duty.applies,
            **_figures(duty, value),
            by=texts.duty(conclusion.rule, duty, "by"),
            holds_from=duty.holds_from,
            what=texts.duty(conclusion.rule, duty, "what"),
            draft=duty.draft,
            note=texts.duty(conclusion.rule, duty, "note"),
            reason=texts.reason(conclusion.rule),
            closes_with=duty.closes_with,
            sources=conclusion.rule.sources,
        )
        if duty.id not in best or order[made.applies] < order[best[duty.id].applies]:
            best[duty.id] = made
    return best.values()


LOGARITHM = "log10 "
"""Units of topics whose values the engine holds as logarithms, because it bounds its floats."""


def _figures(duty: Duty, value: object) -> dict[str, Any]:
    """Threshold, value and unit of a duty; logarithms are shown as the numbers they stand for."""
    number = float(value) if isinstance(value, int | float) else None
    unit = duty.unit
    if unit is None or not unit.startswith(LOGARITHM):
        return {"threshold": duty.threshold, "value": number, "unit": unit}
    return {
        "threshold": None if duty.threshold is None else 10.0**duty.threshold,
        "value": None if number is None else 10.0**number,
        "unit": unit.removeprefix(LOGARITHM),
    }


def _warnings(consultation: Consultation) -> Iterable[Notice]:
    """The gravest first."""
    order = ("stop", "caution", "info")
    found = {
        c.then.id: Notice(
            id=c.then.id, severity=c.then.severity.value, text=texts.warning(c.rule, c.then), sources=c.rule.sources
        )
        for c in consultation.conclusions
        if isinstance(c.then, Warn)
    }
    return sorted(found.values(), key=lambda notice: order.index(notice.severity))


def _checklist(consultation: Consultation, base: RuleBase) -> Iterable[ChecklistEntry]:
    """The items of this design by phase, each once, with the rule that put it there."""
    found: dict[str, ChecklistEntry] = {}
    for conclusion in consultation.conclusions:
        if isinstance(conclusion.then, AddItem) and conclusion.then.item not in found:
            item = base.checklist[conclusion.then.item]
            found[item.id] = entry_of(item, consultation.facts, texts.reason(conclusion.rule))
    return sorted(found.values(), key=lambda entry: PHASES[entry.phase])


def _filled(entry: ChecklistEntry, words: Mapping[str, str]) -> ChecklistEntry:
    """An item whose command names what the plan knows; what it does not know stays a word in capitals."""
    if entry.command is None:
        return entry
    command = PLACEHOLDER.sub(lambda match: words.get(match[0], match[0]), entry.command)
    return entry.model_copy(update={"command": command})


def entry_of(item: ChecklistItem, facts: Facts, because: Message | None) -> ChecklistEntry:
    """A checklist item with the number that this design expects; none where it cannot be computed."""
    return ChecklistEntry(
        id=item.id,
        phase=item.phase.value,
        item=texts.item(item),
        command=item.command,
        expected=_expected(item, facts),
        owner_role=texts.role(item.owner_role),
        sources=item.sources,
        because=because,
    )


def _expected(item: ChecklistItem, facts: Facts) -> Expected | None:
    if item.expected is None:
        return None
    value = facts.get(item.expected.topic) if item.expected.topic else item.expected.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Expected(
        value=float(value), unit=item.expected.unit or "", op=item.expected.op, tolerance=item.expected.tolerance
    )
