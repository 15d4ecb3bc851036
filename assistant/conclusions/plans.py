"""The three plans of the document, from what is built."""

from __future__ import annotations

from typing import Any

from assistant.conclusions.ratio import ratio_line
from assistant.output import plain
from assistant.planning.building.build import Site, furnished
from assistant.planning.building.networks import acceptance_of
from assistant.planning.building.planned import planned_facility
from assistant.planning.chain import Course
from assistant.planning.count.fleet import fleet_of
from assistant.planning.count.knobs import PLANS
from assistant.planning.count.needs.need import Need
from assistant.planning.settled.settled import Built
from assistant.planning.site.costing import cost_of
from assistant.planning.site.growth import growth_of
from assistant.planning.stages import COST
from assistant.result import LoadRatio, Plan
from knowledge.catalogue import Catalogue


def plans_of(course: Course, ratio: LoadRatio | None) -> tuple[Plan, ...]:
    """Lean, recommended and roomy; the recommended one says from which ratio of people it comes."""
    return tuple(_plan(course, course.built(name), ratio) for name in PLANS)


def _plan(course: Course, built: Built, ratio: LoadRatio | None) -> Plan:
    count, site, catalogue = built.count, built.site, course.planner.catalogue
    recommended = built.name == "recommended"
    layout, bill = furnished(site, catalogue)
    trace = course.trace if recommended else None
    cost = cost_of(COST.view(course.completed), course.demands, count, site, bill, catalogue, trace)
    return Plan(
        name=built.name,
        gpus=built.gpus,
        accelerator=count.accelerator,
        fits=built.fits,
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
        bill_of_materials=bill,
        platform=tuple(plain(built.services)),
        growth=tuple(plain(growth_of(site, catalogue))) if recommended else (),
        layout=plain(layout) if recommended else None,
    )


def _placement(need: Need) -> dict[str, Any]:
    """A need as the document shows it; its group where there are several."""
    return need.model_dump(mode="json", exclude=None if need.group else {"group"})


def _nearest_fix(built: Built) -> dict[str, Any] | None:
    """The smallest change that would make it fit: of the models, else of the hardware, the site or the network."""
    count, site = built.count, built.site
    fix = next((need.nearest_fix for need in count.needs if not need.fits), None)
    if fix is not None or built.why_not is None:
        return fix
    change = count.choice.nearest_fix if not count.fits else site.facility.nearest_fix
    change = change or (site.fabric.nearest_fix if site.fabric is not None else None)
    return {"change": change} if change else None


def _acceptance(site: Site, catalogue: Catalogue) -> dict[str, Any]:
    """What the collectives must reach on this network, where figures for it are known."""
    found = acceptance_of(site.choice, site.units, str(site.network["technology"]), catalogue)
    return {"acceptance": plain(found)} if found else {}
