"""Targets as promises: what was wanted of a plan, what is predicted, and whether it is met.

Latency, deadlines, power, availability and budget, stated or assumed. A deadline is met where four runs of five
keep it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from assistant.planning.building.build import Site
from assistant.planning.count.count import Count
from assistant.planning.count.needs.need import Level, Need
from assistant.planning.demands.demand import Demands
from assistant.planning.demands.serving import ServingDemand
from knowledge.evidence import Frozen
from knowledge.message import Message, Text, Value, say

LATENCIES = (("ttft", "ttft_ms"), ("tpot", "tpot_ms"))
"""Targets of serving as they are called, and the figure that each is held against."""

ROUNDING = 1.0005
"""Figures are rounded where they leave the program; a target is not missed by that."""


class Target(Frozen):
    """One thing that was wanted: ``name`` is ttft, tpot, batch, deadline, power, availability or budget.

    ``met`` is None where it cannot be told; ``price`` says what would meet it.
    """

    name: str
    of: str
    unit: str
    wanted: float
    predicted: float | None
    met: bool | None
    stated: bool
    price: Text | None = None

    @property
    def missed(self) -> bool:
        """Whether it is known not to be met."""
        return self.met is False

    @property
    def told(self) -> Message:
        """What is missed and by how much, for people, with what would meet it."""
        values = self._values()
        if self.price is None:
            return say("target.missed", of=self.of, **values)
        return say("target.missed_at", of=self.of, price=self.price, **values)

    @property
    def short(self) -> Message:
        """The same in a few words."""
        return say("target.short", **self._values())

    def _values(self) -> dict[str, Value]:
        got = None if self.predicted is None else float(f"{self.predicted:.4g}")
        stated = "true" if self.stated else "false"
        return {"name": self.name, "unit": self.unit, "wanted": self.wanted, "predicted": got, "stated": stated}


def targets_of(
    said: Mapping[str, Any],
    demands: Demands,
    count: Count,
    site: Site,
    cost: Mapping[str, Any] | None,
    at: Level = "likely",
) -> tuple[Target, ...]:
    """The targets of one plan, made for prompts ``at`` that end. ``said``: the stated power, availability, budget."""
    return (
        *(target for need in count.needs for target in _latencies(need, demands, at)),
        *_batches(count, demands),
        *_deadlines(count, demands),
        *_site(said, count, site),
        *_budget(said.get("budget"), cost),
    )


def _latencies(need: Need, demands: Demands, at: Level) -> Iterator[Target]:
    demand = _demand(need, demands)
    if need.training or demand is None or demand.batch is not None:
        return
    fix = need.nearest_fix.get("change") if need.nearest_fix else None
    for name, figure in LATENCIES:
        wanted = demand.patience(demand.prompts(at)) if figure == "ttft_ms" else demand.tpot_ms
        predicted = need.figures.get(figure)
        if wanted is None:
            continue
        met = None if predicted is None else float(predicted) <= wanted * ROUNDING
        yield Target(
            name=name,
            of=need.model,
            unit="ms",
            wanted=wanted,
            predicted=predicted,
            met=met,
            stated=figure in demand.stated_targets,
            price=fix if met is False else None,
        )


def _demand(need: Need, demands: Demands) -> ServingDemand | None:
    return next((d for d in demands.serving if need.serves(d.group, d.model.name)), None)


def _batches(count: Count, demands: Demands) -> Iterator[Target]:
    for need in count.needs:
        demand = _demand(need, demands)
        hours = need.figures.get("hours")
        if demand is not None and demand.batch is not None and hours is not None:
            met = float(hours) <= demand.batch.hours * ROUNDING
            yield Target(
                name="batch", of=need.model, unit="h", wanted=demand.batch.hours, predicted=hours, met=met, stated=True
            )


def _deadlines(count: Count, demands: Demands) -> Iterator[Target]:
    """The deadline that all training jobs keep in turn, four times in five."""
    jobs = [need for need in count.needs if need.training and need.figures.get("days_wanted")]
    if not jobs or not demands.training:
        return
    wanted = float(jobs[0].figures["days_wanted"])
    known = [need.figures.get("days_p80") for need in jobs]
    sure = None if None in known else sum(float(days or 0.0) for days in known)
    met = None if sure is None else sure <= wanted * ROUNDING
    gpus = max(need.gpus_per_replica for need in jobs)
    more: Text | None = None
    if met is False and sure is not None:
        per = count.choice.gpus_per_unit
        more = say("target.more_gpus", wanted=per * ceil(gpus * sure / wanted / per), gpus=gpus)
    yield Target(
        name="deadline",
        of="; ".join(dict.fromkeys(need.model for need in jobs)),
        unit="days",
        wanted=wanted,
        predicted=sure,
        met=met,
        stated=demands.training[0].deadline_stated,
        price=more,
    )


def _site(said: Mapping[str, Any], count: Count, site: Site) -> Iterator[Target]:
    power, needed = said.get("site_power_kw"), site.facility.planned.energy_input_kw
    if power is not None:
        met = None if needed is None else needed <= float(power) * ROUNDING
        yield Target(
            name="power", of="the site", unit="kW", wanted=float(power), predicted=needed, met=met, stated=True,
            price=site.facility.nearest_fix if met is False else None,
        )  # fmt: skip
    availability = said.get("availability")
    if availability is not None:
        left = count.after.share_of_required_load
        yield Target(
            name="availability", of=f"{float(availability):.4%}", unit="x",
            wanted=1.0, predicted=left, met=left >= 1, stated=True,
            price=say("target.one_more") if left < 1 else None,
        )  # fmt: skip


def _budget(budget: object, cost: Mapping[str, Any] | None) -> Iterator[Target]:
    """A sum for the whole, held against the capital where every price is known and the currency is the same."""
    if (
        not isinstance(budget, Mapping)
        or budget.get("per")
        or not cost
        or cost.get("currency") != budget.get("currency")
    ):
        return
    capital = cost.get("capex")
    amount = float(budget["amount"])
    met = None if capital is None else float(capital) <= amount
    yield Target(
        name="budget", of="the plan", unit=str(budget.get("currency")), wanted=amount, predicted=capital, met=met,
        stated=True,
    )  # fmt: skip
