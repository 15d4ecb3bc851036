"""From a figure down to its formula, inputs and sources: a tree, built from the recorded steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assistant.export.figures import figure_label, figure_text
from assistant.result import Plan, Sizing, Why
from tui.views.lines import Cites, Say, graded, words
from tui.views.plans import flat


@dataclass(frozen=True)
class Node:
    """One line of the tree with what stands below it. ``figure`` is set where the line is a figure of its own."""

    text: str
    children: tuple[Node, ...] = ()
    figure: str = ""


DEEPEST = 4
"""Steps inside steps that are unfolded; a figure further down is a root of its own."""


def why_tree(sizing: Sizing, say: Say) -> tuple[Node, ...]:
    """The count of GPUs, then every recorded figure of the recommended plan in the order of computation."""
    steps = {step.name: step for step in sizing.why or ()}
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    plan = sizing.plan()
    return (_count(plan, say), *(_step(step, plan, steps, sources, say, 0) for step in steps.values()))


def figure_of(key: str, sizing: Sizing) -> str:
    """The recorded figure behind a row of the plans table; the count of GPUs where the count decides the row."""
    name = key.rpartition(".")[2]
    known = {step.name for step in sizing.why or ()}
    return name if name in known else "gpus"


def _count(plan: Plan, say: Say) -> Node:
    causes = tuple(Node(say.tell(cause)) for cause in plan.causes)
    binding = Node(f"{say('figure.binding')}: {say.word('binding', plan.binding)}")
    return Node(f"GPUs = {say.quantity(plan.gpus)} x {plan.accelerator}", (binding, *causes), "gpus")


def _step(step: Why, plan: Plan, steps: Mapping[str, Why], sources: Mapping[str, Cites], say: Say, depth: int) -> Node:
    below = [Node(f"{say('formula')} {step.formula}: {step.statement}"), *_differs(step, plan, say)]
    inputs = tuple(_input(name, value, plan, steps, sources, say, depth) for name, value in step.inputs.items())
    if inputs:
        below.append(Node(say("inputs"), inputs))
    if step.assumed:
        below.append(Node(say("assumed"), tuple(Node(_assumed(name, plan, say)) for name in step.assumed)))
    if step.sources:
        below.append(Node(say("sources"), tuple(_source(ident, sources, say) for ident in step.sources)))
    return Node(
        f"{figure_label(step.name, say.lang)} = {figure_text(step.name, step.value, say.lang)}", tuple(below), step.name
    )


def _input(
    name: str, value: Any, plan: Plan, steps: Mapping[str, Why], sources: Mapping[str, Cites], say: Say, depth: int
) -> Node:
    """An input; one that is a recorded figure itself unfolds into it."""
    step = steps.get(name) or next((s for n, s in steps.items() if n.startswith(name + "_per_gpu")), None)
    if step is not None and depth < DEEPEST and step.value == value:
        return _step(step, plan, steps, sources, say, depth + 1)
    if isinstance(value, Mapping):
        return Node(
            figure_label(name, say.lang),
            tuple(Node(f"{key} = {figure_text(name, item, say.lang)}") for key, item in value.items()),
        )
    return Node(f"{figure_label(name, say.lang)} = {figure_text(name, value, say.lang)}")


def _differs(step: Why, plan: Plan, say: Say) -> Iterator[Node]:
    """Say so where the plan shows another value than the recorded step, and what stands in for what is unknown."""
    shown = {**flat(plan.network), **flat(plan.storage), **flat(plan.facility)}
    here = figure_text(step.name, shown.get(step.name), say.lang)
    if step.name in shown and here != figure_text(step.name, step.value, say.lang):
        gaps = tuple(Node(say.quantity(gap.get("why", gap))) for gap in plan.facility.get("unknown", ()))
        yield Node(f"{say('plan_shows')} {here}", gaps)


def _assumed(name: str, plan: Plan, say: Say) -> str:
    said = (say.tell(text) for text in plan.facility.get("assumptions", ()))
    return next((text for text in said if text.startswith(name)), words(name))


def _source(ident: str, sources: Mapping[str, Cites], say: Say) -> Node:
    source = sources.get(ident)
    if source is None:
        return Node(ident)
    return Node(f"{source.title} ({graded(source, say)})", (Node(source.address or say("no_address")),))
