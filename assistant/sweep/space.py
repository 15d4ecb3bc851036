"""Which points: fields that stay, and fields that are varied, as the command line names them."""

from __future__ import annotations

import difflib
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from knowledge.errors import BadInput

SIZE, SIMULATE = "size", "simulate"
MOST_POINTS = 10_000_000
_RANGE = re.compile(r"(-?[\d.]+(?:[eE][+-]?\d+)?):(-?[\d.]+(?:[eE][+-]?\d+)?):([\d.]+(?:[eE][+-]?\d+)?)")


class Space(NamedTuple):
    """Points of ``part``: ``base`` in all of them, and one value of each varied field, the last varying fastest."""

    part: str
    said: str | None
    base: Mapping[str, Any]
    varied: Mapping[str, tuple[Any, ...]]

    @property
    def total(self) -> int:
        """Points in all."""
        return math.prod(len(values) for values in self.varied.values())

    def points(self, skip: int = 0) -> Iterator[dict[str, Any]]:
        """The varied fields of each point, after the first ``skip``."""
        combinations = itertools.product(*self.varied.values())
        for values in itertools.islice(combinations, skip, None):
            yield dict(zip(self.varied, values, strict=True))


def space_of(part: str, said: str | None, settings: Sequence[str], varied: Sequence[str]) -> Space:
    """A space from ``FIELD=VALUE`` and ``FIELD=VALUES``. Raises BadInput for unknown fields and what is no list."""
    base = dict(_pair("--set", text) for text in settings)
    values = {field: _values(field, text) for field, text in (_pair("--vary", text) for text in varied)}
    known = fields_of(part)
    for field in (*base, *values):
        if field not in known:
            near = difflib.get_close_matches(field.replace("-", "_"), known, n=3, cutoff=0.5)
            raise BadInput(field, "a field", f"fields of {part}: {', '.join(known)}", near)
    if not values:
        raise BadInput("--vary", "nothing", "FIELD=VALUE,VALUE,..., as in users_total=100,200,400")
    if said is not None and part != SIZE:
        raise BadInput("--say", said, f"a message goes with {SIZE} alone", [SIZE])
    space = Space(part, said, base, values)
    if space.total > MOST_POINTS:
        raise BadInput("--vary", f"{space.total:,} points", f"at most {MOST_POINTS:,}")
    return space


def fields_of(part: str) -> tuple[str, ...]:
    """The fields that a part takes."""
    if part == SIZE:
        from assistant.interview.questions import load_questions

        return tuple(question.id for question in load_questions().questions)
    if part == SIMULATE:
        from assistant.operations.simulator.request import SimulateRequest
        from assistant.sizing.training.parts.request import TrainRequest

        names = dict.fromkeys((*SimulateRequest.model_fields, *TrainRequest.model_fields))
        return tuple(name for name in names if name != "job")
    from assistant.requests.estimates import load

    return tuple(load(part)[0].model_fields)


def _pair(option: str, text: str) -> tuple[str, str]:
    field, sign, value = text.partition("=")
    if not sign or not field.strip():
        raise BadInput(option, text, "FIELD=VALUE is expected, as in users_total=500")
    return field.strip().replace("-", "_"), value.strip()


def _values(field: str, text: str) -> tuple[Any, ...]:
    """``a,b,c``, ``low:high:step`` with both ends, or a JSON list."""
    if match := _RANGE.fullmatch(text):
        return _range(field, text, *(float(part) for part in match.groups()))
    if text.startswith("["):
        try:
            listed = json.loads(text)
        except ValueError as error:
            raise BadInput("--vary", f"{field}={text}", f"not valid JSON: {error}") from None
        return tuple(listed)
    values = tuple(part.strip() for part in text.split(",") if part.strip())
    if not values:
        raise BadInput("--vary", f"{field}={text}", "at least one value")
    return values


def _range(field: str, text: str, low: float, high: float, step: float) -> tuple[Any, ...]:
    if step <= 0 or high < low or (high - low) / step > MOST_POINTS:
        raise BadInput("--vary", f"{field}={text}", "low:high:step that goes upwards, as in 100:500:100")
    found = (low + place * step for place in range(math.floor((high - low) / step + 1e-9) + 1))
    return tuple(int(value) if value == int(value) else value for value in found)
