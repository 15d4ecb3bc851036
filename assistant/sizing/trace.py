"""How a figure was reached, recorded only when somebody asks.

Arithmetic takes an optional ``Trace``. Without one it does no bookkeeping at all; with one it notes, for each
result field, the formula id (see ``knowledge/data/formulas.yaml``), the inputs by name, and the sources of the
inputs, from the same local variables that it computed with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One derived figure: ``value`` in the unit that ``name`` ends in."""

    name: str
    value: object
    formula: str
    inputs: dict[str, object]
    sources: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


@dataclass
class Trace:
    """Steps in the order in which they were computed; a later note of the same name replaces the earlier."""

    steps: dict[str, Step] = field(default_factory=dict)

    def note(
        self,
        name: str,
        value: object,
        formula: str,
        sources: Iterable[str] = (),
        assumed: Iterable[str] = (),
        **inputs: object,
    ) -> None:
        """Record that ``name`` came to ``value`` by ``formula`` from ``inputs``."""
        self.steps[name] = Step(name, value, formula, inputs, tuple(dict.fromkeys(sources)), tuple(assumed))
