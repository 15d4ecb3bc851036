"""The rule base: packs, rules, and for each rule whether it held for the open session, condition by condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from assistant.result import Sizing
from knowledge.errors import BadInput
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


def pack_rows(base: RuleBase, state: Held | None, say: Say) -> tuple[Row, ...]:
    """All rules, then one row a pack: name, rules that held, rules."""
    packs: dict[str, list[str]] = {}
    for ident in base.rules:
        packs.setdefault(pack_of(base, ident), []).append(ident)
    rows = [_pack("*", say("all_packs"), list(base.rules), state)]
    return (*rows, *(_pack(name, words(name), idents, state) for name, idents in packs.items()))


def _pack(key: str, name: str, idents: list[str], state: Held | None) -> Row:
    count = f"{len(idents)}" if state is None else f"{len(state.fired.intersection(idents))}/{len(idents)}"
    return Row(key, (name, count))


def rule_rows(base: RuleBase, pack: str, state: Held | None, say: Say, only_held: bool = False) -> tuple[Row, ...]:
    """The rules of a pack (``*`` for all) in their order."""
    return tuple(
        _row(base, rule, state, say)
        for rule in base.rules.values()
        if pack in ("*", pack_of(base, rule.id)) and (not only_held or _fired(rule, state))
    )


def _fired(rule: Rule, state: Held | None) -> bool:
    return state is not None and rule.id in state.fired


def _row(base: RuleBase, rule: Rule, state: Held | None, say: Say) -> Row:
    mark = "[x]" if _fired(rule, state) else "[ ]"
    disputed = say("disputed") if rule.dissent else ""
    cells = (mark if state else "", rule.title, words(base.grade(rule)), disputed)
    conditions = (str(condition) for condition in rule.conditions())
    return Row(rule.id, cells, " ".join((rule.id, *cells, rule.reason, *conditions, *map(then_text, rule.then))))


def rule_lines(base: RuleBase, ident: str, state: Held | None, say: Say) -> tuple[Line, ...]:
    """The whole of one rule."""
    rule = base.rules[ident]
    known = words(base.grade(rule))
    fired = say("held") if _fired(rule, state) else say("not_held")
    return (
        Line("title", rule.title),
        Line("quiet", f"{rule.id}, {base.files[ident]}, {known}, {say('confidence')} {rule.confidence}"),
        *((Line("field", f"{'[x]' if _fired(rule, state) else '[ ]'} {fired}", say("this_session")),) if state else ()),
        Line("head", say("when")),
        *(_condition(condition, state, say) for condition in rule.when),
        *((Line("head", say("unless")),) if rule.unless else ()),
        *(_condition(condition, state, say) for condition in rule.unless),
        Line("head", say("then")),
        *(Line("item", then_text(then)) for then in rule.then),
        Line("head", say("because")),
        Line("text", rule.reason),
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
    for dissent in rule.dissent:
        yield Line("item", dissent.says)
        yield from _cites(base, dissent.sources)


def headless(pack: str | None, ident: str | None) -> str:
    """The command line that shows the same."""
    if ident:
        return f"sizewright rules show {ident}"
    return f"sizewright rules list {pack if pack and pack != '*' else ''}".rstrip()
