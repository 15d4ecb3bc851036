"""The place of a plan: what the customer says of the site, and what the rules chose for network and storage."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.messages import render
from assistant.planning.building.networks import Surroundings
from assistant.planning.count.count import Count
from assistant.planning.demands.demand import Demands
from assistant.planning.power import pue_of, site_limit_kw
from assistant.planning.site.services import services_for
from assistant.planning.site.storage import StorageNeed
from assistant.planning.view import Answers
from assistant.sizing.bill.lines import BillLine
from knowledge.catalogue import Catalogue

BUILT_OVERSUBSCRIPTION = {"two_to_one": 2.0}
"""Choices that a first sizing builds; a still thinner top layer is a saving that the design may find later."""


def surroundings_of(
    brief: Answers,
    demands: Demands,
    count: Count,
    chosen: Mapping[str, str],
    storage: StorageNeed,
    catalogue: Catalogue,
) -> Surroundings:
    """What the machines of a count meet: the site as far as it is known, the network and storage that were chosen."""
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
            BillLine(item=service.item, count=service.count, unit="node", of=render(service.why))
            for service in services_for(brief, demands, count, catalogue)
            if service.count
        ),
    )
