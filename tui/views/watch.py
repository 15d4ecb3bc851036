"""Live metrics: nodes to drain first, then those to watch, each with the evidence, and the rules not evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operations.watch.live import Evidence, NodeState, NotEvaluated, Watch
from tui.views.lines import Line, Row, Say, words

NODE, RULE = "node/", "rule/"
"""What a row's key begins with."""


def watch_rows(result: Watch, say: Say) -> tuple[Row, ...]:
    """One row a node, to be drained first, then one a rule that could not be evaluated."""
    rows: list[Row] = []
    for title, states in ((say("to_drain"), result.drain), (say("to_watch"), result.watch)):
        if states:
            rows.append(Row("", (f"{title}  {len(states)}",)))
            rows += [_node(state, say) for state in states]
    if result.not_evaluated:
        rows.append(Row("", (f"{say('not_evaluated')}  {len(result.not_evaluated)}",)))
        rows += [Row(RULE + one.alert, (one.alert, one.why, "")) for one in result.not_evaluated]
    return tuple(rows)


def _node(state: NodeState, say: Say) -> Row:
    first = state.because[0]
    search = " ".join((state.node or "", *(f"{item.alert} {item.summary} {item.mode}" for item in state.because)))
    more = f"+{len(state.because) - 1}" if len(state.because) > 1 else ""
    return Row(NODE + (state.node or ""), (state.node or say("the_cluster"), first.summary, more), search)


def watch_lines(result: Watch, key: str, say: Say) -> tuple[Line, ...]:
    """The details of a row."""
    if key.startswith(NODE):
        states = [s for s in (*result.drain, *result.watch) if (s.node or "") == key.removeprefix(NODE)]
        return tuple(line for state in states[:1] for line in _state(state, say))
    missing = [one for one in result.not_evaluated if one.alert == key.removeprefix(RULE)]
    return tuple(line for one in missing for line in _missing(one, say))


def _state(state: NodeState, say: Say) -> Iterator[Line]:
    yield Line("title", state.node or say("the_cluster"))
    yield Line("field", words(state.action), say("do_now"))
    yield Line("head", say("because"))
    for item in state.because:
        yield from _evidence(item, say)


def _evidence(item: Evidence, say: Say) -> Iterator[Line]:
    value = "" if item.value is None else f" = {item.value:g}"
    yield Line("item", f"[{item.severity}] {item.summary}{f' ({item.where})' if item.where else ''}{value}")
    yet = "" if item.lasted else f", {say('not_yet_long')}"
    yield Line("quiet", f"{item.alert}, {say('threshold')} {item.threshold}{yet}", level=1)
    yield Line("quiet", f"sizewright runbook {item.mode}", level=1)
    yield Line("quiet", item.source or say("own_arithmetic"), level=1)


def _missing(one: NotEvaluated, say: Say) -> Iterator[Line]:
    yield Line("title", one.alert)
    yield Line("text", one.why)
    yield Line("head", say("metrics"))
    yield from (Line("item", name) for name in one.metrics)
