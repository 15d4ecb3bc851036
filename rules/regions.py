"""The values of a topic that rules tell apart: one on each constant, one between each two and beyond the ends."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rules.patterns import rank
from rules.schema import Scalar, Topic, TopicType


def samples(topic: Topic, places: Sequence[Any], now: Any = None) -> list[Scalar]:
    """One value in each region, within the topic's range, for ``places`` the constants in order.

    With ``now`` the values lie as near to it as a visible step allows, and its own region is left out. Of a text topic
    without listed values only the constants are known.
    """
    return list(_numbers(topic, places, now)) if topic.type.numeric else _words(topic, places)


def _words(topic: Topic, places: Sequence[Any]) -> list[Scalar]:
    """The values of a topic that has no order."""
    if topic.type is TopicType.BOOL:
        return [True, False]
    return list(topic.values or places)


def _numbers(topic: Topic, places: Sequence[Any], now: Any) -> Iterator[Scalar]:
    """One number in each region that the rules tell apart, the one nearest to ``now``, within the topic's range."""
    here = rank(places, now) if now is not None else -1
    for region in range(2 * len(places) + 1):
        value = places[region // 2] if region % 2 else _between(topic, places, region // 2, above=region > here)
        if region == here or value is None or not _in_range(topic, value):
            continue
        yield int(value) if topic.type is TopicType.INT else float(value)


def _between(topic: Topic, places: Sequence[Any], place: int, above: bool) -> Any:
    """A number between constant ``place - 1`` and constant ``place``, beside the nearer one; None if there is none."""
    low = places[place - 1] if place > 0 else None
    high = places[place] if place < len(places) else None
    start, other, sign = (low, high, 1) if (above and low is not None) or high is None else (high, low, -1)
    if start is None:  # no constants: any value
        return topic.min or 0
    step = 1 if topic.type is TopicType.INT else _step(start)
    if other is not None:
        gap = abs(other - start)
        if topic.type is TopicType.INT and gap <= 1:
            return None
        step = step if step < gap else gap / 2
    return start + sign * step


def _step(number: float) -> float:
    """A visible step beside a number: one in its third digit, 0.001 at zero."""
    return 10.0 ** (math.floor(math.log10(abs(number))) - 2) if number else 0.001


def _in_range(topic: Topic, value: float) -> bool:
    return (topic.min is None or value >= topic.min) and (topic.max is None or value <= topic.max)
