"""How a figure was reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from knowledge.evidence import Frozen


class Why(Frozen):
    """How a figure was reached: formula in words, its inputs, the sources of the inputs, what was assumed.

    ``within`` names the calculations that it belongs to, outermost first; ``reasons`` holds, by the name of an input
    that is a figure of its own, the ``id`` of the explanation of that figure.
    """

    id: int = 0
    name: str
    value: Any
    formula: str
    statement: str
    inputs: Mapping[str, Any]
    sources: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    reasons: Mapping[str, int] = Field(default_factory=dict)
