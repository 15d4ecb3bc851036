"""Plans around hardware that the customer names: as named, one step smaller, one step larger."""

from __future__ import annotations

from math import ceil
from typing import Any

from assistant.output import plain
from assistant.planning.building.build import most_units_on_site
from assistant.planning.building.networks import Surroundings
from assistant.planning.count.count import Count, count_for, spares, units_of
from assistant.planning.count.knobs import Knobs, PlanName, fixed_nodes, knobs_of, limits_of
from assistant.planning.count.named import Named
from assistant.planning.count.needs.need import Level, Need
from assistant.planning.count.needs.serving import serving_need
from assistant.planning.count.needs.training import codes_need, training_needs
from assistant.planning.count.packing import Rooms, after_failure, placed, units_for, without
from assistant.planning.demands.demand import Demands, ServingDemand
from assistant.planning.power import pue_of, site_limit_kw
from assistant.planning.view import Answers
from assistant.sizing.equipment.nodes import ServerChoice, choose_server
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeRequest
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.errors import BadInput
from knowledge.message import Message, Text, say
from knowledge.schema import Accelerator

CLUSTER_DOMAIN = 8
"""Servers of so many GPUs that fill a site are taken to be joined by a compute fabric, which takes power too."""


def count_of_named(
    name: PlanName, named: Named, demands: Demands, brief: Answers, catalogue: Catalogue, trace: Trace | None = None
) -> Count:
    """The count of one plan around named hardware.

    Recommended is as named, whatever the load. Lean is a server fewer, or what the low end of a stated load takes if
    that is fewer still; roomy a server more, or what the high end takes with one to spare. Without a stated load the
    servers are filled with replicas, and the causes say how many requests they carry.
    """
    knobs, limits = knobs_of(brief)[name], limits_of(brief)
    choice = choose_server(named.accelerator, catalogue, named.gpus or 1, limits)
    units = _named_units(named, choice, demands, brief, catalogue)
    if units is None:
        count = count_for(named.accelerator, demands, knobs, limits, catalogue, trace, fixed_nodes(brief))
        return count.model_copy(update={"causes": (*count.causes, say("planning.accelerator_named"))})
    gpus = named.gpus or units * choice.gpus_per_unit
    card = catalogue.accelerator(named.accelerator)
    around = _Around(name, named, demands, card, choice, units, gpus, demands.load_stated, catalogue)
    return around.count(knobs, trace if name == "recommended" else None)


def _named_units(
    named: Named, choice: ServerChoice, demands: Demands, brief: Answers, catalogue: Catalogue
) -> int | None:
    """Servers named: by count, or as many as the stated power carries where only the kind was named."""
    if named.gpus is not None:
        return units_of(choice, named.gpus)
    power = brief.value("site_power_kw")
    if power is None or demands.load_stated or demands.tokens_stated:
        return None
    place = Surroundings(
        rack_limit_kw=float(brief.value("rack_kw")) if brief.stated("rack_kw") else None,
        rack_feed_kw=float(brief.value("rack_feed_kw")) if brief.value("rack_feed_kw") else None,
        pue=pue_of(brief),
        site_limit_kw=site_limit_kw(brief),
        technology="infiniband" if choice.gpus_per_domain >= CLUSTER_DOMAIN else "none",
    )
    return max(1, most_units_on_site(choice, place, catalogue))


class _Around:
    """One plan in work."""

    def __init__(
        self,
        name: PlanName,
        named: Named,
        demands: Demands,
        card: Accelerator,
        choice: ServerChoice,
        units: int,
        gpus: int,
        loaded: bool,
        catalogue: Catalogue,
    ) -> None:
        self.name, self.named, self.demands, self.card = name, named, demands, card
        self.choice, self.units, self.gpus, self.loaded, self.catalogue = choice, units, gpus, loaded, catalogue
        self.as_named = name == "recommended"

    def count(self, knobs: Knobs, trace: Trace | None) -> Count:
        """The plan's count."""
        level: Level = knobs.level if self.loaded else "likely"
        needs = tuple(self._serving(d, level, 1.0, trace) for d in self.demands.serving)
        units = self._units(needs)
        whole = units * self.choice.gpus_per_unit
        gpus = self.gpus if self.as_named else min(whole, self.gpus) if self.name == "lean" else whole
        servers = self._servers(units, gpus)
        trained = self._trained(level, gpus - sum(need.gpus for need in needs), trace)
        needs, short = self._fitted(needs, servers, sum(need.gpus for need in trained))
        return self._made((*needs, *trained), units, servers, gpus, short, knobs)

    def _serving(self, demand: ServingDemand, level: Level, factor: float, trace: Trace | None) -> Need:
        per_unit = min(self.choice.gpus_per_unit, self.gpus)
        return serving_need(demand, level, factor, self.card, per_unit, self.catalogue, trace)

    def _units(self, needs: tuple[Need, ...]) -> int:
        needed = units_for(needs, self.choice.gpus_per_unit)
        if self.as_named:
            return self.units
        if self.name == "lean":
            fewer = max(1, self.units - 1)
            return min(fewer, max(1, needed)) if self.loaded and not self.demands.training else fewer
        return max(self.units + 1, needed + spares(needs, needed, self.choice)) if self.loaded else self.units + 1

    def _servers(self, units: int, gpus: int) -> Rooms:
        """Servers by their GPUs; the last may be partly filled when a number of GPUs was named."""
        full, rest = divmod(gpus, self.choice.gpus_per_unit)
        rooms = {self.choice.gpus_per_unit: min(full, units)}
        return rooms | {rest: 1} if rest and full < units else rooms

    def _trained(self, level: Level, gpus: int, trace: Trace | None) -> tuple[Need, ...]:
        per_unit = self.choice.gpus_per_unit
        codes = (codes_need(per_unit, max(1, gpus)),) if self.demands.codes else ()
        trained = training_needs(self.demands.training, level, self.card, per_unit, self.catalogue, max(1, gpus), trace)
        # Beside codes, which take all that is left, training waits its turn.
        return (*codes, *(need.model_copy(update={"in_turn": True}) if codes else need for need in trained))

    def _fitted(
        self, needs: tuple[Need, ...], servers: Rooms, reserved: int
    ) -> tuple[tuple[Need, ...], tuple[Message, ...]]:
        """The needs cut to what has a place, or filled up where no load was stated; and what falls short, in words."""
        free = without(servers, reserved)
        total = sum(room * n for room, n in servers.items())
        counts = placed(needs, free, [need.replicas if self.loaded else total for need in needs])
        fitted, short = [], []
        for need, count in zip(needs, counts, strict=True):
            if count == 0:
                fitted.append(self._no_place(need, needs))
            elif not self.loaded:
                fitted.append(_filled(need, count))
            elif count < need.replicas:
                fitted.append(need.model_copy(update={"replicas": count, "required": need.replicas}))
                short.append(_short(need, count))
            else:
                fitted.append(need)
        return tuple(fitted), tuple(short)

    def _no_place(self, need: Need, needs: tuple[Need, ...]) -> Need:
        """A model that finds no place beside the others, or at all; the serving arithmetic tries the nearest fixes."""
        if need.why_not:
            return need
        if need.gpus_per_replica <= self.gpus:
            together = sum(n.gpus_per_replica for n in needs)
            why = say("planning.together_too_many", together=together, named=self.gpus)
            fix: dict[str, Any] = {"change": say("planning.fix_together", gpus=together)}
            return need.model_copy(update={"fits": False, "why_not": why, "nearest_fix": fix, "replicas": 1})
        why = say(
            "planning.replica_too_large",
            model=need.model,
            dtype=need.weight_dtype,
            gpus=need.gpus_per_replica,
            named=self.gpus,
        )
        fix = self._nearest_fix(need) or {"change": say("planning.fix_gpus", gpus=need.gpus_per_replica)}
        return need.model_copy(update={"fits": False, "why_not": why, "nearest_fix": fix, "replicas": 1})

    def _nearest_fix(self, need: Need) -> dict[str, Any] | None:
        demand = next(d for d in self.demands.serving if need.serves(d.group, d.model.name))
        if demand.model.architecture is None:
            return None
        asked = ServeRequest(
            model=demand.model.architecture,
            gpu=self.card.id,
            gpus=self.gpus,
            weight_dtype=demand.weight_dtype,
            kv_dtype=demand.kv_dtype,
            context=int(demand.input_tokens.max + demand.output_tokens.max),
        )
        try:
            found = estimate_serve(asked, self.catalogue).nearest_fix
        except BadInput:
            return None
        return dict(plain(found)) if found is not None and found.change else None

    def _made(
        self, needs: tuple[Need, ...], units: int, servers: Rooms, gpus: int, short: tuple[Message, ...], knobs: Knobs
    ) -> Count:
        misfit = next((need for need in needs if not need.fits), None)
        short = (*short, *(need.late for need in needs if need.late is not None))
        where = (
            say("planning.hardware_named", gpus=gpus, accelerator=self.card.name)
            if self.as_named
            else say("planning.instead_of_named", servers=units, named=self.units)
        )
        return Count(
            accelerator=self.named.accelerator,
            needs=needs,
            choice=self.choice.model_copy(update={"count": units, "gpus": gpus}),
            units=units,
            spare_units=0,
            binding="stated" if self.as_named else _binding(needs, self.loaded),
            fits=self.choice.fits and misfit is None,
            why_not=(misfit.why_not if misfit else None) or self.choice.why_not,
            after=after_failure(needs, servers, self.choice.failure_gpus),
            causes=(
                *(line for need in needs for line in need.causes),
                where,
                *self._whole_servers(units, gpus),
                *self._knob_causes(knobs),
            ),
            rooms=servers,
            named_gpus=gpus,
            shortfall=say("planning.too_little", parts=short) if short else None,
        )

    def _whole_servers(self, units: int, gpus: int) -> tuple[Text, ...]:
        """That fewer GPUs were named than the servers hold, which bill, power and racks count whole."""
        held = units * self.choice.gpus_per_unit
        if gpus >= held:
            return ()
        per = self.choice.gpus_per_unit
        return (say("planning.whole_servers", server=self.choice.name, gpus=per, held=held),)

    def _knob_causes(self, knobs: Knobs) -> tuple[Text, ...]:
        return knobs.causes[:1] if self.loaded and not self.as_named else ()


def _binding(needs: tuple[Need, ...], loaded: bool) -> str:
    return max(needs, key=lambda need: need.gpus).binding if loaded and needs else "stated"


def _filled(need: Need, count: int) -> Need:
    """As many replicas as have a place, and what they carry."""
    if not need.carries:
        return need
    filled = say("planning.filled", count=count, model=need.model, requests=count * need.carries)
    causes = (*need.causes[1:], filled)
    return need.model_copy(update={"replicas": count, "causes": causes})


def _short(need: Need, count: int) -> Message:
    more = ceil((need.replicas - count) * need.gpus_per_replica)
    return say(
        "planning.short",
        count=count,
        replicas=need.replicas,
        model=need.model,
        share=count / need.replicas,
        requests=count * need.carries,
        more=more,
    )
