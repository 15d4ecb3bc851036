"""Plans around hardware that the customer names: as named, one step smaller, one step larger."""

from __future__ import annotations

from assistant.demand import Demands
from assistant.interview.brief import Brief
from assistant.needs import Need, serving_need, training_need
from assistant.options import Count, Knobs, Named, knobs_of, limits_of, units_of, units_within
from assistant.packing import after_failure, units_for
from assistant.sizing.nodes import ServerChoice, choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue

SITE_OVERHEAD = 1.1
"""Network, storage and management beside the servers, as a share of their power, when a site is filled to its limit."""

LOAD_FIELDS = ("users_total", "users_concurrent", "requests_per_s", "models", "parameters_b", "training_tokens")


def count_of_named(
    name: str, named: Named, demands: Demands, brief: Brief, catalogue: Catalogue, trace: Trace | None = None
) -> Count:
    """The count of one plan around named hardware.

    Recommended is as named. With a stated load, lean is what carries its low end and roomy what carries its high end,
    at least one server more than named; without one they are a server fewer and a server more.
    """
    knobs = knobs_of(brief)[name]
    choice = choose_server(named.accelerator, catalogue, named.gpus or 1, limits_of(brief))
    units = _named_units(named, choice, brief)
    if units is None:
        from assistant.options import count_for

        count = count_for(named.accelerator, demands, knobs, limits_of(brief), catalogue, trace)
        return count.model_copy(update={"causes": (*count.causes, "accelerator stated by the customer")})
    gpus = named.gpus or units * choice.gpus_per_unit
    needs = _needs(demands, knobs, choice, named, gpus, catalogue, trace if name == "recommended" else None)
    needed = units_for(needs, choice.gpus_per_unit)
    has_load = any(brief.stated(field) for field in LOAD_FIELDS)
    wanted = {
        "lean": needed if has_load and not demands.training else max(1, units - 1),
        "recommended": units,
        "roomy": max(units + 1, needed) if has_load else units + 1,
    }[name]
    resized = choice.model_copy(update={"count": wanted, "gpus": wanted * choice.gpus_per_unit})
    return _made(name, named, needs, resized, wanted, needed, gpus, knobs)


def _named_units(named: Named, choice: ServerChoice, brief: Brief) -> int | None:
    """Servers named: by count, or as many as the stated power carries where only the kind was named."""
    if named.gpus is not None:
        return units_of(choice, named.gpus)
    power = brief.value("site_power_kw")
    loads = ("users_total", "users_concurrent", "requests_per_s", "training_tokens")
    if power is None or any(brief.stated(field) for field in loads):
        return None
    return units_within(float(power), SITE_OVERHEAD * float(brief.value("pue") or 1.0), choice)


def _needs(
    demands: Demands,
    knobs: Knobs,
    choice: ServerChoice,
    named: Named,
    gpus: int,
    catalogue: Catalogue,
    trace: Trace | None,
) -> tuple[Need, ...]:
    card = catalogue.accelerator(named.accelerator)
    per_unit = min(choice.gpus_per_unit, gpus)
    serving = [serving_need(d, knobs.level, 1.0, card, per_unit, catalogue, trace) for d in demands.serving]
    left = max(1, gpus - sum(need.gpus for need in serving))
    training = [training_need(d, knobs.level, card, per_unit, catalogue, left, trace) for d in demands.training]
    return (*serving, *training)


def _made(
    name: str,
    named: Named,
    needs: tuple[Need, ...],
    choice: ServerChoice,
    units: int,
    needed: int,
    gpus: int,
    knobs: Knobs,
) -> Count:
    as_named = name == "recommended"
    misfit = next((need for need in needs if not need.fits), None)
    too_large = (
        next((need for need in needs if not need.training and need.gpus_per_replica > gpus), None) if as_named else None
    )
    demanded = sum(need.gpus for need in needs if not need.training)
    why_not = misfit.why_not if misfit else None
    if too_large is not None:
        fix = {"change": f"{too_large.gpus_per_replica} x {named.accelerator}, or a smaller model or weight format"}
        needs = tuple(
            need.model_copy(update={"fits": False, "nearest_fix": need.nearest_fix or fix})
            if need is too_large
            else need
            for need in needs
        )
        why_not = f"{too_large.model} needs {too_large.gpus_per_replica} GPUs a replica, {gpus} were named"
    short = None
    if as_named and too_large is None and (needed > units or demanded > gpus):
        short = (
            f"The named {gpus} GPUs carry less than the load: {demanded} would be needed ({needed} servers); "
            "requests would queue."
        )
    return Count(
        accelerator=named.accelerator,
        needs=needs,
        choice=choice,
        units=units,
        spare_units=0,
        binding="stated" if as_named else max(needs, key=lambda need: need.gpus).binding,
        fits=choice.fits and misfit is None and too_large is None,
        why_not=why_not or choice.why_not,
        after=after_failure(needs, units, choice.gpus_per_unit, choice.failure_gpus),
        causes=(
            *(line for need in needs for line in need.causes),
            f"hardware stated by the customer: {gpus} x {named.accelerator}"
            if as_named
            else _around(name, units, gpus),
            *((knobs.causes) if not as_named else ()),
        ),
        named_gpus=gpus if as_named else None,
        shortfall=short,
    )


def _around(name: str, units: int, gpus: int) -> str:
    return f"{name}: {units} servers beside the stated {gpus} GPUs"
