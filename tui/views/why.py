"""From a figure down to its formula, inputs and sources: a tree, built from the recorded steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assistant.export.figures import figure_label, figure_text
from assistant.output import plain
from assistant.result import Plan, Sizing, Why
from tui.views.lines import Cites, Say, graded, words
from tui.views.plans import flat


@dataclass(frozen=True)
class Node:
    """One line of the tree with what stands below it. ``figure`` is set where the line is a figure of its own."""

    text: str
    children: tuple[Node, ...] = ()
    figure: str = ""


DEEPEST = 12
"""Steps inside steps that are unfolded; no calculation goes deeper, but a stored tree might be wrong."""


class Steps:
    """Recorded steps by their id, so that an input finds the very figure that it was."""

    def __init__(self, steps: Iterable[Why]) -> None:
        self.by_id = {step.id: step for step in steps if step.id}

    def behind(self, step: Why, name: str) -> Why | None:
        """The step that an input of ``step`` is the figure of; None where it was stated or published."""
        found = self.by_id.get(step.reasons.get(name, 0))
        return found if found is not step else None


def why_tree(sizing: Sizing, say: Say) -> tuple[Node, ...]:
    """The count of GPUs, then every recorded figure of the recommended plan in the order of computation."""
    found = sizing.why or ()
    sources: Mapping[str, Cites] = {source.id: source for source in sizing.sources}
    steps, plan = Steps(found), sizing.plan()
    named = Counter(step.name for step in found)
    nodes = (_step(step, plan, steps, sources, say, 0, named[step.name] > 1) for step in found)
    return (_count(plan, say), *nodes)


def figure_of(key: str, sizing: Sizing) -> str:
    """The recorded figure behind a row of the plans table; the count of GPUs where the count decides the row."""
    name = key.rpartition(".")[2]
    known = {step.name for step in sizing.why or ()}
    return name if name in known else "gpus"


def _count(plan: Plan, say: Say) -> Node:
    causes = tuple(Node(say.tell(cause)) for cause in plan.causes)
    binding = Node(f"{say('figure.binding')}: {say.word('binding', plan.binding)}")
    return Node(f"GPUs = {say.quantity(plan.gpus)} x {plan.card}", (binding, *causes), "gpus")


def _step(
    step: Why, plan: Plan, steps: Steps, sources: Mapping[str, Cites], say: Say, depth: int, one_of_many: bool = False
) -> Node:
    """A figure with what it follows from; ``one_of_many``: of which calculation it is, as others have its name."""
    below = [Node(f"{say('formula')} {step.formula}: {step.statement}"), *_differs(step, plan, say)]
    inputs = tuple(_input(step, name, plan, steps, sources, say, depth) for name in step.inputs)
    if inputs:
        below.append(Node(say("inputs"), inputs))
    if step.assumed:
        below.append(Node(say("assumed"), tuple(Node(_assumed(name, plan, say)) for name in step.assumed)))
    if step.sources:
        below.append(Node(say("sources"), tuple(_source(ident, sources, say) for ident in step.sources)))
    of = f" ({step.within[-1]})" if one_of_many and step.within else ""
    text = f"{figure_label(step.name, say.lang)}{of} = {figure_text(step.name, step.value, say.lang)}"
    return Node(text, tuple(below), step.name)


def _input(of: Why, name: str, plan: Plan, steps: Steps, sources: Mapping[str, Cites], say: Say, depth: int) -> Node:
    """An input of a step; one that is a recorded figure itself unfolds into it."""
    value, reason = of.inputs[name], steps.behind(of, name)
    if reason is not None and depth < DEEPEST:
        return _step(reason, plan, steps, sources, say, depth + 1)
    if isinstance(value, Mapping):
        return Node(
            figure_label(name, say.lang),
            tuple(Node(f"{key} = {figure_text(name, item, say.lang)}") for key, item in value.items()),
        )
    return Node(f"{figure_label(name, say.lang)} = {figure_text(name, value, say.lang)}")


def _differs(step: Why, plan: Plan, say: Say) -> Iterator[Node]:
    """Say so where the plan shows another value than the recorded step, and what stands in for what is unknown."""
    shown = {**flat(plan.network), **flat(plan.storage), **flat(plain(plan.facility))}
    here = figure_text(step.name, shown.get(step.name), say.lang)
    if step.name in shown and here != figure_text(step.name, step.value, say.lang):
        gaps = tuple(Node(say.quantity(gap.why)) for gap in plan.facility.unknown)
        yield Node(f"{say('plan_shows')} {here}", gaps)


def _assumed(name: str, plan: Plan, say: Say) -> str:
    said = (say.tell(text) for text in plan.facility.assumptions)
    return next((text for text in said if text.startswith(name)), words(name))


def _source(ident: str, sources: Mapping[str, Cites], say: Say) -> Node:
    source = sources.get(ident)
    if source is None:
        return Node(ident)
    return Node(f"{source.title} ({graded(source, say)})", (Node(source.address or say("no_address")),))
