"""What metrics say, in lines of text, as a terminal shows it and as it is copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.operations.watch.live import NodeState, Watch


def lines(result: Watch) -> Iterator[str]:
    """What the metrics say, as text: nodes to drain first, each with its evidence."""
    yield "drain: " + (", ".join(state.node or "?" for state in result.drain) or "no node")
    for state in (*result.drain, *result.watch):
        yield ""
        yield from _state_lines(state)
    yield f"{result.evaluated} rules evaluated, {len(result.not_evaluated)} not:"
    for missing in result.not_evaluated:
        yield f"  {missing.alert}: {missing.why} ({', '.join(missing.metrics)})"


def _state_lines(state: NodeState) -> Iterator[str]:
    yield f"{state.node or 'the cluster'}: {state.action.replace('_', ' ')}"
    for item in state.because:
        value = "" if item.value is None else f" = {item.value:g}"
        yield f"  [{item.severity}] {item.summary}{f' ({item.where})' if item.where else ''}{value}"
        yet = "" if item.lasted else ", not for long enough yet"
        yield f"      {item.alert}, threshold {item.threshold}{yet}; {item.source or 'our judgement'}"
