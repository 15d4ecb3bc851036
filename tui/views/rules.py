"""The rule base: packs, rules, and for each rule whether it held for the open session, condition by condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from assistant.rulebook import Checked, Entry, Held, entry, packs
from tui.views.lines import Line, Row, Say, words

if TYPE_CHECKING:
    from rules.base import RuleBase
    from rules.schema import Scalar


def rule_rows(
    base: RuleBase, state: Held | None, say: Say, pack: str | None = None, only_held: bool = False
) -> tuple[Row, ...]:
    """The rules by pack, each pack under a heading with how many of its rules held."""
    rows: list[Row] = []
    for name, rules in packs(base).items():
        if pack not in (None, name):
            continue
        inside = [entry(base, rule.id, state) for rule in rules]
        count = f"{sum(bool(one.fired) for one in inside)}/{len(inside)} {say('held_count')}" if state else len(inside)
        rows.append(Row("", (f"{words(name)}  {count}",)))
        rows.extend(_row(one, say) for one in inside if one.fired or not only_held)
    return tuple(rows)


def _mark(holds: bool | None) -> str:
    return "" if holds is None else "[x]" if holds else "[ ]"


def _row(rule: Entry, say: Say) -> Row:
    disputed = say("disputed") if rule.dissent else ""
    cells = (_mark(rule.fired), say.tell(rule.title), say.word("levels.grade", rule.grade), disputed)
    conditions = (condition.text for condition in (*rule.when, *rule.unless))
    return Row(rule.id, cells, " ".join((rule.id, *cells, say.tell(rule.reason), *conditions, *rule.then)))


def rule_lines(base: RuleBase, ident: str, state: Held | None, say: Say) -> tuple[Line, ...]:
    """The whole of one rule."""
    rule = entry(base, ident, state)
    grade, confidence = say.word("levels.grade", rule.grade), say.word("levels.confidence", rule.confidence)
    return (
        Line("title", say.tell(rule.title)),
        Line("quiet", f"{rule.id}, {rule.file}, {grade}, {say('confidence')} {confidence}"),
        *_fired(rule, say),
        Line("head", say("when")),
        *_conditions(rule.when, say),
        *((Line("head", say("unless")),) if rule.unless else ()),
        *_conditions(rule.unless, say),
        Line("head", say("then")),
        *(Line("item", then) for then in rule.then),
        Line("head", say("because")),
        Line("text", say.tell(rule.reason)),
        *_cites(rule.sources),
        *_dissent(rule, say),
    )


def _fired(rule: Entry, say: Say) -> Iterator[Line]:
    if rule.fired is not None:
        yield Line("field", f"{_mark(rule.fired)} {say('held' if rule.fired else 'not_held')}", say("this_session"))


def _conditions(conditions: Iterable[Checked], say: Say) -> Iterator[Line]:
    for one in conditions:
        if one.holds is None:
            yield Line("item", one.text)
            continue
        shown = say("not_known") if one.now is None else f"{say('now')} {_fact(one.now)}"
        yield Line("text", f"{_mark(one.holds)} {one.text} ({shown})", level=1)


def _fact(value: Scalar) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cites(sources: Iterable[str]) -> Iterator[Line]:
    yield from (Line("quiet", text, level=1) for text in sources)


def _dissent(rule: Entry, say: Say) -> Iterator[Line]:
    if rule.dissent:
        yield Line("head", say("who_disagrees"))
    for says, sources in rule.dissent:
        yield Line("item", say.tell(says))
        yield from _cites(sources)


def headless(pack: str | None, ident: str | None) -> str:
    """The command line that shows the same."""
    if ident:
        return f"sizewright rules show {ident}"
    return f"sizewright rules list {pack or ''}".rstrip()
