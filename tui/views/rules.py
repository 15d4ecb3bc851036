"""The rule base: packs, rules, and for each rule whether it held for the open session, condition by condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from assistant.result import Sizing
from knowledge.errors import BadInput
from rules import texts
from rules.base import RuleBase
from rules.document import source_text, then_text
from rules.engine import consult
from rules.plain import holds
from rules.schema import Condition, Rule, Scalar
from tui.views.lines import Line, Row, Say, words


@dataclass(frozen=True)
class Held:
    """What held for a session: the rules that fired and all facts, derived ones included; None without a session."""

    fired: frozenset[str]
    facts: Mapping[str, Scalar]


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


def rule_rows(
    base: RuleBase, state: Held | None, say: Say, pack: str | None = None, only_held: bool = False
) -> tuple[Row, ...]:
    """The rules by pack, each pack under a heading with how many of its rules held."""
    rows: list[Row] = []
    for name, rules in packs(base).items():
        if pack not in (None, name):
            continue
        count = f"{sum(_fired(r, state) for r in rules)}/{len(rules)} {say('held_count')}" if state else f"{len(rules)}"
        rows.append(Row("", (f"{words(name)}  {count}",)))
        rows.extend(_row(base, rule, state, say) for rule in rules if _fired(rule, state) or not only_held)
    return tuple(rows)


def _fired(rule: Rule, state: Held | None) -> bool:
    return state is not None and rule.id in state.fired


def _row(base: RuleBase, rule: Rule, state: Held | None, say: Say) -> Row:
    mark = "[x]" if _fired(rule, state) else "[ ]"
    disputed = say("disputed") if rule.dissent else ""
    cells = (mark if state else "", say.tell(texts.title(rule)), say.word("levels.grade", base.grade(rule)), disputed)
    conditions = (str(condition) for condition in rule.conditions())
    return Row(
        rule.id,
        cells,
        " ".join((rule.id, *cells, say.tell(texts.reason(rule)), *conditions, *map(then_text, rule.then))),
    )


def rule_lines(base: RuleBase, ident: str, state: Held | None, say: Say) -> tuple[Line, ...]:
    """The whole of one rule."""
    rule = base.rules[ident]
    known = say.word("levels.grade", base.grade(rule))
    fired = say("held") if _fired(rule, state) else say("not_held")
    confidence = f"{say('confidence')} {say.word('levels.confidence', rule.confidence)}"
    return (
        Line("title", say.tell(texts.title(rule))),
        Line("quiet", f"{rule.id}, {base.files[ident]}, {known}, {confidence}"),
        *((Line("field", f"{'[x]' if _fired(rule, state) else '[ ]'} {fired}", say("this_session")),) if state else ()),
        Line("head", say("when")),
        *(_condition(condition, state, say) for condition in rule.when),
        *((Line("head", say("unless")),) if rule.unless else ()),
        *(_condition(condition, state, say) for condition in rule.unless),
        Line("head", say("then")),
        *(Line("item", then_text(then)) for then in rule.then),
        Line("head", say("because")),
        Line("text", say.tell(texts.reason(rule))),
        *_cites(base, rule.sources),
        *_dissent(base, rule, say),
    )


def _condition(condition: Condition, state: Held | None, say: Say) -> Line:
    if state is None:
        return Line("item", str(condition))
    mark = "[x]" if holds(condition, state.facts) else "[ ]"
    now = state.facts.get(condition.topic)
    shown = say("not_known") if now is None else f"{say('now')} {_fact(now)}"
    return Line("text", f"{mark} {condition} ({shown})", level=1)


def _fact(value: Scalar) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cites(base: RuleBase, idents: tuple[str, ...]) -> Iterator[Line]:
    yield from (Line("quiet", source_text(base.sources[ident]), level=1) for ident in idents)


def _dissent(base: RuleBase, rule: Rule, say: Say) -> Iterator[Line]:
    if rule.dissent:
        yield Line("head", say("who_disagrees"))
    for place, dissent in enumerate(rule.dissent):
        yield Line("item", say.tell(texts.dissent(rule, place)))
        yield from _cites(base, dissent.sources)


def headless(pack: str | None, ident: str | None) -> str:
    """The command line that shows the same."""
    if ident:
        return f"sizewright rules show {ident}"
    return f"sizewright rules list {pack or ''}".rstrip()
