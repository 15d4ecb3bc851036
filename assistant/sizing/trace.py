"""How a figure was reached, recorded only when somebody asks: a tree of calculations.

Arithmetic takes an optional ``Trace``. Without one it does no bookkeeping at all; with one each calculation is a call
that notes its figures: formula id (see ``knowledge/data/formulas``), inputs by name, and the sources of the inputs,
from the same local variables that it computed with. An input that is itself a noted figure refers to it, so that from
any figure one goes down to what was stated or published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """One derived figure: ``value`` in the unit that ``name`` ends in.

    ``within`` names the calls that it was computed in, outermost first; ``reasons`` says which inputs are figures of
    their own, by the ``id`` of their steps. Ids are in the order of computation, inputs before what follows from them.
    """

    id: int
    name: str
    value: object
    formula: str
    inputs: Mapping[str, object]
    sources: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)


class Trace:
    """Every figure that was noted, each in its own call: figures of one name in two calls stand beside each other."""

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}
        self._within: tuple[str, ...] = ()
        self._next = 1

    @property
    def recorded(self) -> tuple[Step, ...]:
        """All steps in the order of computation."""
        return tuple(self._steps.values())

    @property
    def steps(self) -> dict[str, Step]:
        """The last step of each name: all there are, where one calculation was traced."""
        return {step.name: step for step in self._steps.values()}

    @contextmanager
    def call(self, name: str, *of: object) -> Iterator[None]:
        """The calculation ``name`` of something; what is noted meanwhile belongs to it.

        The same calculation of the same thing, made again, takes the place of the first.
        """
        outer, subject = self._within, ", ".join(str(part) for part in of if part is not None)
        self._within = (*outer, f"{name}: {subject}" if subject else name)
        depth = len(self._within)
        self._steps = {ident: step for ident, step in self._steps.items() if step.within[:depth] != self._within}
        try:
            yield
        finally:
            self._within = outer

    def note(
        self,
        name: str,
        value: object,
        formula: str,
        sources: Iterable[str] = (),
        assumed: Iterable[str] = (),
        **inputs: object,
    ) -> Step:
        """Record that ``name`` came to ``value`` by ``formula`` from ``inputs``.

        An input given as a step stands for its figure; so does one of the name and value of a figure in reach: of this
        call, of a call inside it, or of those around it.
        """
        reasons: dict[str, int] = {}
        for key, given in inputs.items():
            reason = given if isinstance(given, Step) else self._known(key, given)
            if reason is not None:
                reasons[key], inputs[key] = reason.id, reason.value
        made = Step(
            self._next, name, value, formula, inputs, tuple(dict.fromkeys(sources)), tuple(assumed), self._within,
            reasons,
        )  # fmt: skip
        self._steps[made.id] = made
        self._next += 1
        return made

    def _known(self, name: str, value: object) -> Step | None:
        """The latest figure of this name and value in reach; None where there is none."""
        for step in reversed(self._steps.values()):
            shared = min(len(step.within), len(self._within))
            if step.name == name and step.within[:shared] == self._within[:shared] and step.value == value:
                return step
        return None
