"""The three plans of the document, from what is built."""

from __future__ import annotations

from typing import Any

from assistant.conclusions.ratio import ratio_line
from assistant.messages import in_words
from assistant.output import plain
from assistant.planning.building.build import Site, furnished
from assistant.planning.building.networks import acceptance_of
from assistant.planning.building.planned import planned_facility
from assistant.planning.chain import Course
from assistant.planning.count.fleet import fleet_of
from assistant.planning.count.knobs import LEVELS, PLANS
from assistant.planning.count.needs.need import Need
from assistant.planning.power import site_limit_kw
from assistant.planning.settled.settled import Built
from assistant.planning.settled.targets import targets_of
from assistant.planning.site.costing import cost_of
from assistant.planning.site.growth import growth_of
from assistant.planning.site.whole_bill import RENTED, extra_lines, not_in_plan, rented_bill, rented_of
from assistant.planning.stages import COST
from assistant.result import LoadRatio, Plan
from assistant.sizing.equipment.instances import Rented
from knowledge.catalogue import Catalogue
from knowledge.message import Text


def plans_of(course: Course, ratio: LoadRatio | None) -> tuple[Plan, ...]:
    """Lean, recommended and roomy; the recommended one says from which ratio of people it comes."""
    return tuple(_plan(course, course.built(name), ratio) for name in PLANS)


MACHINES = (
    "hosting",
    "server",
    "network",
    "rack_kw",
    "rack_feed_kw",
    "site_power_kw",
    "liquid_cooling",
    "storage_kind",
)
"""What is said of machines or of the place in which they stand: then they are listed whatever is advised."""


def _nowhere(course: Course) -> bool:
    """Whether nothing was said of machines or a place for them, so that what is decided to be rented is rented."""
    return not any(course.said.stated(field) for field in MACHINES)


def _plan(course: Course, built: Built, ratio: LoadRatio | None) -> Plan:
    count, site, catalogue = built.count, built.site, course.planner.catalogue
    recommended = built.name == "recommended"
    layout, bill = furnished(site, catalogue)
    trace = course.trace if recommended else None
    choices, hosting = course.settled.choices, course.said.value("hosting")
    rented = rented_of(course.said, choices["build_rent_sovereign"], count, catalogue)
    away = rented is not None and (hosting in RENTED or _nowhere(course))
    told = COST.view(course.completed)
    cost = cost_of(told, course.demands, count, site, bill, catalogue, trace)
    targets = targets_of(_promised(course), course.demands, count, site, cost, LEVELS[built.name])
    return Plan(
        name=built.name,
        gpus=built.gpus,
        accelerator=count.accelerator,
        accelerator_name=catalogue.accelerator(count.accelerator).name,
        fits=built.fits,
        targets=targets,
        meets_targets=not any(target.missed for target in targets),
        why_not=built.why_not,
        nearest_fix=_nearest_fix(built),
        binding=count.binding,
        causes=(*count.causes, ratio_line(ratio)) if ratio and recommended else count.causes,
        placements=tuple(_placement(need) for need in count.needs),
        fleet=fleet_of(count.needs, count.rooms),
        servers=site.servers,
        network=site.network | _acceptance(site, catalogue),
        storage=site.storage,
        facility=planned_facility(site.facility),
        cost=cost,
        capacity_after_one_failure=count.after,
        bill_of_materials=rented_bill(rented, site)
        if rented is not None and away
        else (*bill, *extra_lines(told, hosting, choices["scheduler"], count, site, bill, catalogue)),
        instances=() if rented is None else (_instances(rented),),
        not_in_plan=not_in_plan(rented if away else None),
        platform=built.services,
        growth=growth_of(site, catalogue) if recommended else (),
        layout=plain(layout) if recommended and not away else None,
    )


def _promised(course: Course) -> dict[str, Any]:
    """What the customer set for the whole: power, availability and money."""
    said = course.said
    fields = ("site_power_kw", "availability", "budget")
    told = {field: said.value(field) for field in fields if said.stated(field)}
    return told | {"site_power_kw": site_limit_kw(course.completed)} if "site_power_kw" in told else told


def _instances(rented: Rented) -> dict[str, Any]:
    """The instances of a plan as the document shows them."""
    name = rented.id or f"{rented.gpus_per_instance} x {rented.accelerator}"
    shown = {"id": name, "count": rented.count, "provider": rented.provider, "why": rented.why}
    return {**shown, "gpus_per_instance": rented.gpus_per_instance, "alternatives": list(rented.alternatives)}


def _placement(need: Need) -> dict[str, Any]:
    """A need as the document shows it; its group where there are several."""
    return need.model_dump(mode="json", exclude=None if need.group else {"group"}, context=in_words())


def _nearest_fix(built: Built) -> dict[str, Any] | None:
    """The smallest change that would make it fit: of the models, else of the hardware, the site or the network."""
    count, site = built.count, built.site
    fix = next((need.nearest_fix for need in count.needs if not need.fits), None)
    if fix is not None or built.why_not is None:
        return fix
    change: Text | None = count.choice.nearest_fix if not count.fits else site.facility.nearest_fix
    change = change or (site.fabric.nearest_fix if site.fabric is not None else None)
    return {"change": change} if change else None


def _acceptance(site: Site, catalogue: Catalogue) -> dict[str, Any]:
    """What the collectives must reach on this network, where figures for it are known."""
    found = acceptance_of(site.choice, site.units, str(site.network["technology"]), catalogue)
    return {"acceptance": plain(found)} if found else {}
