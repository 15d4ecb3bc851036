"""A brief in work, up to counts and site: the steps that the sizing and its quick outline for what-ifs share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.interview.brief import Brief
from assistant.planning.count.formats import chooser
from assistant.planning.count.named_hardware import count_of_named
from assistant.planning.count.options import Count, Knobs, Named, Prepare, count_for, fixed_nodes, knobs_of, limits_of
from assistant.planning.demands.demand import PURPOSE, Demands, pue_of, site_limit_kw
from assistant.planning.site.build import Site, Surroundings, build_site
from assistant.planning.site.services import services_for
from assistant.planning.site.storage import storage_for
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.equipment.nodes import choose_server
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from rules.base import RuleBase

PLANS = ("lean", "recommended", "roomy")


@dataclass(frozen=True)
class Case:
    """A brief in work: completed, with its demands and the hardware that it names."""

    brief: Brief
    stated: Brief
    demands: Demands
    named: Named | None
    catalogue: Catalogue
    rules: RuleBase

    def prepared(self, demands: Demands, accelerator: str) -> Demands:
        """Other demands as this accelerator would serve them."""
        return chooser_of(demands, self.rules, self.brief, self.catalogue)(self.catalogue.accelerator(accelerator))


def chooser_of(demands: Demands, rules: RuleBase, brief: Brief, catalogue: Catalogue) -> Prepare:
    """A function from an accelerator to the demands as it would serve them."""
    limits = limits_of(brief)
    return chooser(demands, rules, lambda card: choose_server(card.id, catalogue, 8, limits).gpus_per_unit)


BUILT_OVERSUBSCRIPTION = {"two_to_one": 2.0}
"""Choices that a first sizing builds; a still thinner top layer is a saving that the design may find later."""

CLUSTER_FROM = 4
"""So many servers named without a purpose are taken for a cluster, which is sold with a compute fabric."""


def is_bare_cluster(stated: Brief, count: Count) -> bool:
    """Whether a cluster was named without saying what for: it is taken for mixed work that spans servers."""
    if count.binding != "stated" or any(stated.stated(field) for field in PURPOSE):
        return False
    return count.choice.gpus_per_domain >= 8 and count.units >= CLUSTER_FROM


def counts_of(case: Case, accelerator: str, known: Count | None, trace: Trace | None) -> dict[str, Count]:
    """The three plans' counts; ``known`` is the recommended one where the choice has computed it already."""
    knobs, limits = knobs_of(case.brief), limits_of(case.brief)
    if case.named:
        return {
            name: count_of_named(name, case.named, case.demands, case.brief, case.catalogue, trace) for name in PLANS
        }
    return {
        name: known
        if known is not None and name == "recommended" and trace is None
        else count_of(case, accelerator, knobs[name], limits, name, trace)
        for name in PLANS
    }


def count_of(case: Case, accelerator: str, knobs: Knobs, limits: Any, name: str, trace: Trace | None) -> Count:
    """One plan's count for an accelerator that the customer did not name."""
    return count_for(
        accelerator,
        case.demands,
        knobs,
        limits,
        case.catalogue,
        trace if name == "recommended" else None,
        fixed_nodes(case.brief),
    )


def site_of(case: Case, count: Count, chosen: dict[str, str], trace: Trace | None) -> Site:
    """The machines of a count put up on the customer's site, with the network and storage that the rules chose."""
    place = surroundings_of(case, count, chosen, trace)
    return build_site(count.choice, count.units, place, case.catalogue, trace)


def surroundings_of(case: Case, count: Count, chosen: dict[str, str], trace: Trace | None) -> Surroundings:
    """What the machines of a count meet: the site as far as it is known, the network and storage that were chosen."""
    storage = storage_for(case.brief, case.demands, count, chosen["storage_kind"], case.catalogue, trace)
    brief = case.brief
    rack_kw = float(brief.value("rack_kw")) if brief.value("rack_kw") else None
    server_kw = count.choice.max_power_kw or count.choice.stand_in_power_kw or 0.0
    if rack_kw is not None and not brief.stated("rack_kw") and server_kw > rack_kw:
        rack_kw = None  # an assumed limit must not forbid a server; the question stays open
    feed_kw = float(brief.value("rack_feed_kw")) if brief.value("rack_feed_kw") else None
    if feed_kw is not None and not brief.stated("rack_kw"):
        rack_kw = None  # what a feed carries stands above an assumed limit
    return Surroundings(
        rack_limit_kw=rack_kw,
        pue=pue_of(brief),
        redundancy=str(brief.value("redundancy") or "n"),
        site_limit_kw=site_limit_kw(brief),
        technology=chosen["fabric_technology"],
        oversubscription=BUILT_OVERSUBSCRIPTION.get(chosen["oversubscription"], 1.0),
        storage_kw=storage.power_kw,
        storage_rack_units=storage.rack_units,
        storage_item=storage.item,
        storage_units=storage.units,
        storage=storage.figures,
        rack_feed_kw=feed_kw,
        operating_hours="office" if brief.value("operating_hours") == "office" else "24x7",
        services=tuple(
            BillLine(item=service.item, count=service.count, unit="node", of=service.why)
            for service in services_for(brief, case.demands, count, case.catalogue)
            if service.count
        ),
    )
