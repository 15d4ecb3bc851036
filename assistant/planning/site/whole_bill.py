"""The bill of a plan with all that stands beside machines and networks; of a rented one, its instances and services."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.interview.brief import Brief
from assistant.planning.building.build import Site
from assistant.planning.building.networks import trays_of
from assistant.planning.count.count import Count
from assistant.planning.view import Answers
from assistant.sizing.bill.extras import (
    Extras,
    cooling_lines,
    installation_lines,
    licence_lines,
    plant_lines,
    spare_lines,
)
from assistant.sizing.bill.lines import BillLine, support_machines
from assistant.sizing.equipment.instances import Rented, rented_instances
from assistant.sizing.facility.power_train import PowerTrain, PowerTrainRequest, estimate_power_train
from knowledge.catalogue import Catalogue

RENTED = ("cloud", "sovereign_cloud")
"""Hosting in which a provider has the machines."""

YEARS = 3.0
"""Term of licences and support where no horizon is known; as the question on the horizon assumes."""

PROVIDERS = ("aws", "azure", "google", "oracle", "nebius", "scaleway", "ovh", "hetzner")
"""Providers of the catalogue by the word that people write."""


def rented_of(said: Brief, choice: str, count: Count, catalogue: Catalogue) -> Rented | None:
    """The instances of a plan whose hosting was decided to be rented; None where machines are bought.

    ``said`` is searched for the name of a shape or a provider in the customer's own words.
    """
    hosting = said.value("hosting")
    if choice not in ("rent", "sovereign") or (choice == "sovereign" and hosting != "sovereign_cloud"):
        return None
    words = " ".join(filter(None, (answer.text for answer in said.answers.values()))).lower()
    named = next((name for name in catalogue.entries("instances") if name.lower() in words), None)
    provider = next((name for name in PROVIDERS if name in words), None)
    european = hosting == "sovereign_cloud" or said.value("foreign_operator_excluded") is True
    largest = max((need.gpus_per_replica for need in count.needs), default=1)
    gpus = count.named_gpus or count.gpus
    return rented_instances(count.accelerator, gpus, min(largest, gpus), catalogue, named, provider, european or None)


def rented_bill(rented: Rented, site: Site) -> tuple[BillLine, ...]:
    """What is ordered of a provider: instances, storage and network as services; racks and cables are its own."""
    whose = f"{rented.provider}, " if rented.provider else ""
    item = rented.id or f"instance with {rented.gpus_per_instance} x {rented.accelerator}"
    lines = [
        BillLine(item=item, count=rented.count, unit="instance", of=f"{whose}GPUs of the plan"),
        BillLine(item=rented.accelerator, count=rented.gpus, unit="piece", of=item, included=True),
    ]
    capacity: Mapping[str, float] = site.storage.get("capacity_tb") or {}
    for tier, words in (("parallel_fs", "shared file storage"), ("object", "object storage")):
        if capacity.get(tier):
            lines.append(
                BillLine(item=words, count=max(1, round(capacity[tier])), unit="TB", of="storage as a service")
            )
    if site.fabric is not None:
        of = "instances placed together on the provider's GPU network"
        lines.append(BillLine(item="placement group", count=1, unit="piece", of=of))
    return tuple(lines)


def power_plant(site: Site, hosting: str | None) -> PowerTrain | None:
    """UPS, generators and transformer of an own building; None in somebody else's, or where power is not known."""
    nominal = site.facility.planned.nominal_it_kw
    if hosting not in ("on_prem", "hybrid") or not nominal:
        return None
    feeds = site.place.redundancy.upper()
    redundancy = feeds if feeds in ("N", "N+1", "2N", "2N+1") else "N"
    return estimate_power_train(
        PowerTrainRequest.model_validate({"nominal_it_kw": nominal, "pue": site.facility.pue, "redundancy": redundancy})
    )


def extra_lines(
    told: Answers,
    hosting: str | None,
    scheduler: str,
    count: Count,
    site: Site,
    bill: tuple[BillLine, ...],
    catalogue: Catalogue,
) -> tuple[BillLine, ...]:
    """Cooling gear, power plant, spares, licences and installation of machines that are bought."""
    planned = site.facility.planned
    nodes = site.units * trays_of(site.choice, catalogue)
    extras = Extras(
        cooling=site.facility.cooling,
        racks=site.facility.racks,
        compute_racks=site.facility.compute_racks,
        rack_kw=planned.rack_kw or 0.0,
        heat_to_air_kw=planned.heat_to_air_kw or 0.0,
        heat_to_liquid_kw=planned.heat_to_liquid_kw or 0.0,
        years=float(told.value("horizon_years") or YEARS),
        gpus=count.gpus,
        gpu_nodes=nodes,
        machines=nodes + support_machines(site.bill_request),
        storage_systems=site.place.storage_units,
        vendor=catalogue.accelerator(count.accelerator).vendor.lower(),
        scheduler=scheduler,
        infiniband=site.place.technology == "infiniband",
    )
    switches = sum(line.count for line in bill if line.unit == "switch")
    return (
        *cooling_lines(extras),
        *plant_lines(power_plant(site, hosting)),
        *spare_lines(bill),
        *licence_lines(extras, switches, catalogue),
        *installation_lines(site.facility.racks),
    )


NOT_SIZED = (
    "the room itself, fire protection and access control",
    "the connection to the internet and to other sites",
    "people: recruiting and training",
    "software of the application around the model",
    "taxes, freight and customs",
)
"""What no plan of ours holds, bought or rented."""

NOT_SIZED_OWN = ("chillers and pipes outside the row", "switchgear and cables to the racks' feeds")


def not_in_plan(rented: Rented | None) -> tuple[str, ...]:
    """What a plan leaves out, so that nobody takes it for included."""
    return NOT_SIZED if rented is not None else (*NOT_SIZED, *NOT_SIZED_OWN)
