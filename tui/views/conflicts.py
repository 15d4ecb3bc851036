"""Contradictions: both statements with value, grade and sources, which one we side with, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from tui.views.lines import Cites, Line, Row, Say, source_lines, words

if TYPE_CHECKING:
    from rules.conflicts import Contradiction, Statement


def conflict_rows(found: Sequence[Contradiction], say: Say) -> tuple[Row, ...]:
    """One row a contradiction, under a heading for those of rules, of claims and of the catalogue's values."""
    rows: list[Row] = []
    for kind, group in groupby(enumerate(found), key=lambda pair: pair[1].kind):
        items = list(group)
        rows.append(Row("", (f"{say(f'conflict.{kind}')}  {len(items)}",)))
        rows.extend(_row(str(place), item, say) for place, item in items)
    return tuple(rows)


def _row(key: str, item: Contradiction, say: Say) -> Row:
    undecided = "" if item.side == "ours" else say("undecided")
    cells = (words(item.about), _short(item.ours), _short(item.theirs), undecided)
    texts = (item.ours.text, item.theirs.text, *item.ours.sources, *item.theirs.sources, item.why)
    return Row(key, cells, " ".join((item.about, item.ours.id, item.theirs.id, *cells, *texts)))


def _short(said: Statement) -> str:
    return _value(said) if said.value is not None else words(said.grade)


def _value(said: Statement) -> str:
    return f"{said.value:g} {said.unit or ''}".rstrip()


def conflict_lines(item: Contradiction, sources: Mapping[str, Cites], say: Say) -> tuple[Line, ...]:
    """Both sides of one contradiction, and the verdict above them."""
    verdict = say("side_ours") if item.side == "ours" else say("side_neither")
    return (
        Line("title", words(item.about)),
        Line("field", verdict, say("we_side_with")),
        Line("field", item.why, say("because")),
        *_side(say("the_first"), item.ours, sources, say),
        *_side(say("the_second"), item.theirs, sources, say),
    )


def _side(title: str, said: Statement, sources: Mapping[str, Cites], say: Say) -> Iterator[Line]:
    yield Line("head", title)
    yield Line("text", said.text)
    if said.value is not None:
        yield Line("field", _value(said), say("value"))
    yield Line("field", words(said.grade), say("grade"))
    yield Line("quiet", said.id)
    yield from source_lines(said.sources, sources, say)
