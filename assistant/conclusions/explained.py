"""From recorded steps to explanations: the formula in words, the inputs, the sources."""

from __future__ import annotations

from assistant.result import Why
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue


def explained(trace: Trace, catalogue: Catalogue) -> list[Why]:
    """One explanation for each step, in the order of computation."""
    formulas = catalogue.entries("formulas")
    out = []
    for step in trace.recorded:
        formula = formulas[step.formula]
        sources = dict.fromkeys((*formula.sources, *step.sources))
        out.append(
            Why(
                id=step.id,
                name=step.name,
                value=step.value,
                formula=step.formula,
                statement=formula.statement,
                inputs=step.inputs,
                sources=tuple(sources),
                assumed=step.assumed,
                within=step.within,
                reasons=step.reasons,
            )
        )
    return out
