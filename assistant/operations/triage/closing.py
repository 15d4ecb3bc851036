"""Which line ended what: a link that came up again, a service that answers again, smoothing that is back at work."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.operations.triage.sightings import Closing, Key, Sighting


def closing_of(mode: str, key: Key, opened: Sighting, closings: Mapping[Closing, Sighting]) -> Sighting | None:
    """The sighting that ends ``opened``, where it came after the last line of it."""
    for closing, sighting in closings.items():
        if mode in closing.modes and _same(key, closing) and _after(sighting, opened):
            return sighting
    return None


def _same(key: Key, closing: Closing) -> bool:
    """Whether both are about the same thing; what one of them leaves open is no contradiction."""
    nodes = key.node is None or closing.node is None or key.node == closing.node
    return nodes and (key.gpu is None or closing.gpu is None or key.gpu == closing.gpu)


def _after(closing: Sighting, opened: Sighting) -> bool:
    if closing.last.file == opened.last.file:
        return closing.last > opened.last
    ends, begins = closing.last_at, opened.last_at
    return bool(ends and begins and ends.clock == begins.clock and ends.seconds > begins.seconds)
