"""The settled design: one plan as it stands, and what is decided of it once the plan and the customer have had a say.

The rules lean to a choice; what the customer names, what the plan is built of and what its racks need stand above
that. Each such override is found here and nowhere else; ``conclusions.reasons`` says in words why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assistant.planning.building.build import Site
from assistant.planning.count.count import Count
from assistant.planning.count.formats import family
from assistant.planning.count.knobs import PlanName
from assistant.planning.count.named import Named
from assistant.planning.count.ranking import Candidate
from assistant.planning.demands.demand import Demands
from assistant.planning.settled.facts import Facts
from assistant.planning.site.services import Service
from assistant.planning.view import Answers
from knowledge.evidence import Frozen
from knowledge.message import Text
from rules.base import RuleBase
from rules.preview import previews_of

REDUNDANCY = {"n": "none", "n+1": "n_plus_1", "2n": "2n"}
"""What the customer says of redundancy, as the decision's choices."""

LATENCY = ("TTFT", "TPOT")
"""What demands a count where a latency target does."""

Ground = Literal[
    "named", "least_power", "least_cost", "format_stated", "format_published", "built", "stated", "rack_density"
]


class Override(Frozen):
    """What is decided in the place of the rules' lean, and on what ground."""

    choice: str
    ground: Ground


@dataclass(frozen=True)
class Built:
    """One plan as it stands: its hardware, its site, and the services on it."""

    name: PlanName
    count: Count
    site: Site
    services: tuple[Service, ...]

    @property
    def gpus(self) -> int:
        """GPUs of the plan: those named, else those bought."""
        return self.count.named_gpus or self.count.gpus

    @property
    def fits(self) -> bool:
        """Whether the models start on machines that the site carries and the fabric joins, be a latency target met or
        not (see ``targets``)."""
        late = [need for need in self.count.needs if not need.fits]
        only_late = bool(late) and all(need.binding in LATENCY and not need.training for need in late)
        return (self.count.fits or (only_late and self.count.choice.fits)) and self.stands

    @property
    def stands(self) -> bool:
        """Whether the site carries the machines and the fabric joins them."""
        return self.site.facility.fits and self._joined

    @property
    def why_not(self) -> Text | None:
        """What does not fit first; None where it fits."""
        if self.fits:
            return None
        fabric = self.site.fabric
        return (
            self.count.why_not or self.site.facility.why_not or (fabric.why_not if fabric and not fabric.fits else None)
        )

    @property
    def _joined(self) -> bool:
        return self.site.fabric is None or self.site.fabric.fits


@dataclass(frozen=True)
class Settled:
    """The recommended plan with what is decided of it: every decision's choice, and whether each duty applies."""

    demands: Demands
    named: Named | None
    ranked: tuple[Candidate, ...]
    built: Built
    facts: Facts
    overrides: Mapping[str, Override]
    choices: Mapping[str, str]
    duties: Mapping[str, bool | str]


def settled_of(
    brief: Answers,
    demands: Demands,
    named: Named | None,
    ranked: tuple[Candidate, ...],
    built: Built,
    facts: Facts,
    rules: RuleBase,
) -> Settled:
    """The design, with each override applied once."""
    leaning = previews_of(rules).preview(facts)
    choices = {name: choice or "none" for name, choice in leaning.choices.items()}
    overrides = dict(_overrides(brief, choices, built, named, ranked))
    return Settled(
        demands=demands,
        named=named,
        ranked=ranked,
        built=built,
        facts=facts,
        overrides=overrides,
        choices={name: overrides[name].choice if name in overrides else choice for name, choice in choices.items()},
        duties=leaning.duties,
    )


def _overrides(
    brief: Answers,
    choices: Mapping[str, str],
    built: Built,
    named: Named | None,
    ranked: tuple[Candidate, ...],
) -> Iterator[tuple[str, Override]]:
    """Decision -> what stands above the rules' lean on it."""
    ground: Ground = "least_cost" if ranked and ranked[0].cost else "least_power"
    yield "accelerator", Override(choice=built.count.accelerator, ground="named" if named else ground)
    used = family(served_format(built.count))
    if used is not None and used != choices["precision"]:
        yield (
            "precision",
            Override(choice=used, ground="format_stated" if brief.stated("weight_dtype") else "format_published"),
        )
    if choices["oversubscription"] == "more":
        # A thinner top layer than the plan has stays the runner-up: a saving for the detailed design.
        yield "oversubscription", Override(choice="non_blocking", ground="built")
    asked = REDUNDANCY.get(str(brief.value("redundancy"))) if brief.stated("redundancy") else None
    if asked is not None and asked != choices["redundancy"]:
        yield "redundancy", Override(choice=asked, ground="stated")
    cooling = str(built.site.facility.cooling)
    if built.fits and cooling != choices["cooling"]:
        yield "cooling", Override(choice=cooling, ground="rack_density")


def served_format(count: Count) -> str | None:
    """The weight format of the first model served."""
    return next((need.weight_dtype for need in count.needs if need.weight_dtype), None)
