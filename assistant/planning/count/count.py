"""Servers of one accelerator for all demands, and what demands them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from pydantic import Field

from assistant.planning.count.knobs import Knobs
from assistant.planning.count.needs.need import Need
from assistant.planning.count.needs.serving import serving_need
from assistant.planning.count.needs.training import codes_need, training_needs
from assistant.planning.count.packing import AfterFailure, after_failure, units_for
from assistant.planning.demands.demand import Demands
from assistant.sizing.equipment.nodes import ServerChoice, ServerLimits, choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.message import Text, say

MOST_SPARES = 4


class Count(Frozen):
    """GPUs and servers of one accelerator for the demands, and what demands them.

    ``rooms``: GPUs that a server holds -> servers of that kind.
    """

    accelerator: str
    needs: tuple[Need, ...]
    choice: ServerChoice
    units: int
    spare_units: int
    binding: str
    fits: bool
    why_not: Text | None
    after: AfterFailure
    causes: tuple[Text, ...]
    rooms: Mapping[int, int] = Field(default_factory=dict)
    named_gpus: int | None = None
    shortfall: Text | None = None

    @property
    def gpus(self) -> int:
        """GPUs bought."""
        return self.units * self.choice.gpus_per_unit

    @property
    def power_kw(self) -> float | None:
        """Rated power of the servers, with a stand-in where none is published."""
        each = self.choice.max_power_kw or self.choice.stand_in_power_kw
        return None if each is None else each * self.units


def count_for(
    accelerator: str,
    demands: Demands,
    knobs: Knobs,
    limits: ServerLimits,
    catalogue: Catalogue,
    trace: Trace | None = None,
    nodes: int | None = None,
) -> Count:
    """Servers of one accelerator for all demands; ``nodes`` where the customer fixed their number.

    Raises BadInput where the accelerator cannot serve the demands at all.
    """
    card = catalogue.accelerator(accelerator)
    per_unit = choose_server(accelerator, catalogue, 8, limits).gpus_per_unit
    choice: ServerChoice | None = None
    needs: tuple[Need, ...] = ()
    for _ in range(2):
        needs = _needs(demands, knobs, accelerator, per_unit, catalogue, trace)
        gpus = sum(need.gpus for need in needs)
        choice = choose_server(card.id, catalogue, max(gpus, max(n.gpus_per_replica for n in needs)), limits)
        if choice.gpus_per_unit == per_unit:
            break
        per_unit = choice.gpus_per_unit
    assert choice is not None
    return _count(accelerator, needs, choice, knobs, nodes)


def _needs(
    demands: Demands, knobs: Knobs, accelerator: str, per_unit: int, catalogue: Catalogue, trace: Trace | None
) -> tuple[Need, ...]:
    card = catalogue.accelerator(accelerator)
    serving = [
        serving_need(demand, knobs.level, knobs.factor, card, per_unit, catalogue, trace) for demand in demands.serving
    ]
    training = training_needs(demands.training, knobs.level, card, per_unit, catalogue, None, trace)
    codes = [codes_need(per_unit)] if demands.codes else []
    return (*serving, *training, *codes)


def _count(accelerator: str, needs: tuple[Need, ...], choice: ServerChoice, knobs: Knobs, nodes: int | None) -> Count:
    per_unit = choice.gpus_per_unit
    needed = units_for(needs, per_unit)
    units = needed + spares(needs, needed, choice) if knobs.spare else needed
    crowded = nodes is not None and needed > nodes
    if nodes is not None:
        units = nodes
    return Count(
        accelerator=accelerator,
        needs=needs,
        choice=choice,
        units=units,
        spare_units=max(0, units - needed),
        binding="stated" if nodes is not None else _binding(needs, needed, units, per_unit),
        fits=choice.fits and not crowded and all(need.fits for need in needs),
        why_not=next((n.why_not for n in needs if not n.fits), None)
        or choice.why_not
        or (say("planning.crowded", needed=needed, server=choice.name, nodes=nodes) if crowded else None),
        after=after_failure(needs, {per_unit: units}, choice.failure_gpus),
        causes=_causes(needs, needed, units, choice, knobs, nodes),
        rooms={per_unit: units},
    )


def spares(needs: tuple[Need, ...], units: int, choice: ServerChoice) -> int:
    """Servers to add until one failure leaves the whole load."""
    for extra in range(MOST_SPARES + 1):
        left = after_failure(needs, {choice.gpus_per_unit: units + extra}, choice.failure_gpus)
        if left.share_of_required_load >= 1:
            return extra
    return 1


def _binding(needs: Sequence[Need], needed: int, units: int, per_unit: int) -> str:
    """What demands the count: the smallest unit where less would do, the spare where it is half, else the load."""
    if units > needed and needed <= units - needed:
        return "spare"
    if needed == 1 and sum(need.gpus for need in needs) < per_unit:
        return "minimum unit"
    return max(needs, key=lambda need: need.gpus).binding


def _causes(
    needs: Sequence[Need], needed: int, units: int, choice: ServerChoice, knobs: Knobs, nodes: int | None
) -> tuple[Text, ...]:
    lines: list[Text] = [line for need in needs for line in need.causes]
    holds = say("planning.holds", needed=needed, server=choice.name, reason=choice.reason)
    lines.append(choice.reason if units == choice.count else holds)
    if nodes is not None:
        lines.append(say("planning.servers_named", nodes=nodes))
    elif units > needed:
        lines.append(say("planning.more_for_spare", more=units - needed))
    return (*lines, *knobs.causes)


def units_of(choice: ServerChoice, gpus: int) -> int:
    """Servers for a number of GPUs."""
    return ceil(gpus / choice.gpus_per_unit)
