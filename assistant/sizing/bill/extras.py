"""What a bill has beside machines and networks: cooling gear, power plant, spares, licences, installation."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Annotated

from pydantic import Field

from assistant.sizing.bill.models import BillLine
from assistant.sizing.facility.models import Method
from assistant.sizing.facility.power_train import PowerTrain
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import Licence

Whole = Annotated[int, Field(ge=0)]
Kw = Annotated[float, Field(ge=0, allow_inf_nan=False)]

CDU_ROW_KW, CDU_RACK_KW = 1350.0, 250.0
"""Ratings of a row and of an in-rack cooling distribution unit (Vertiv CoolChip CDU 1350, Supermicro 250 kW)."""

IN_ROW_KW = 30.0
"""Heat that one in-row cooler takes; 20 to 60 kW, assumed."""

IN_ROW_FROM_RACK_KW = 15.0
"""From so much in one rack on, room air alone does not reach it without coolers in the row; assumed."""

SPARE_SHARE = 0.02
"""Transceivers and cables kept on the shelf, at least two of a kind; 1 to 5 %, assumed."""


class Extras(Frozen):
    """What the extra lines are counted from. ``plant``: power plant that has to be bought, None where it is there."""

    cooling: Method
    racks: Whole
    compute_racks: Whole
    rack_kw: Kw
    heat_to_air_kw: Kw
    heat_to_liquid_kw: Kw
    plant: PowerTrain | None = None
    years: float = Field(default=3.0, gt=0)
    gpus: Whole
    gpu_nodes: Whole
    machines: Whole
    storage_systems: Whole = 0
    vendor: str = "nvidia"
    scheduler: str = "none"
    infiniband: bool = False


def cooling_lines(extras: Extras) -> list[BillLine]:
    """Doors, coolers or distribution units for the heat, one of the latter to spare."""
    if extras.cooling == "rear_door":
        return [
            BillLine(item="rear-door heat exchanger", count=extras.compute_racks, unit="piece", of="cooling"),
            *_distribution(extras.heat_to_air_kw + extras.heat_to_liquid_kw, extras),
        ]
    if extras.cooling in ("direct_liquid", "immersion"):
        return _distribution(extras.heat_to_liquid_kw, extras) + _in_row(extras)
    return _in_row(extras)


def _distribution(kw: float, extras: Extras) -> list[BillLine]:
    """Cooling distribution units N+1, and a pair of manifolds with piping for each rack."""
    size = CDU_ROW_KW if kw > 2 * CDU_RACK_KW else CDU_RACK_KW
    count = ceil(kw / size) + 1 if kw > 0 else 0
    return [
        BillLine(item=f"coolant distribution unit (CDU) {size:g} kW", count=count, unit="piece", of="cooling, N+1"),
        BillLine(item="coolant manifold pair with piping", count=extras.compute_racks, unit="rack", of="cooling"),
    ]


def _in_row(extras: Extras) -> list[BillLine]:
    if extras.rack_kw <= IN_ROW_FROM_RACK_KW or not extras.heat_to_air_kw:
        return []
    count = ceil(extras.heat_to_air_kw / IN_ROW_KW) + 1
    return [BillLine(item=f"in-row cooler {IN_ROW_KW:g} kW", count=count, unit="piece", of="cooling, N+1")]


def plant_lines(plant: PowerTrain | None) -> list[BillLine]:
    """UPS, generators and transformers with their capacity in the item's name."""
    if plant is None:
        return []
    return [
        BillLine(item=f"UPS {plant.ups_kw:,.0f} kW", count=plant.ups_units, unit="piece", of="power plant"),
        BillLine(
            item=f"generator {plant.generator_kw:,.0f} kW", count=plant.generator_units, unit="piece", of="power plant"
        ),
        BillLine(
            item=f"transformer {plant.transformer_kva:,.0f} kVA",
            count=plant.transformer_units,
            unit="piece",
            of="power plant",
        ),
    ]


def spare_lines(lines: Iterable[BillLine]) -> list[BillLine]:
    """Transceivers and cables to keep on the shelf, by what they are."""
    found: dict[tuple[str, str], int] = {}
    for line in lines:
        if line.unit in ("cable", "module"):
            found[line.item, line.unit] = found.get((line.item, line.unit), 0) + line.count
    return [
        BillLine(item=f"{item}, spare", count=max(2, ceil(SPARE_SHARE * count)), unit=unit, of="spares on the shelf")
        for (item, unit), count in found.items()
        if count
    ]


def licence_lines(extras: Extras, switches: int, catalogue: Catalogue) -> list[BillLine]:
    """Software and support as quantities over the horizon; what has a free way is named as optional."""
    counts = {
        "gpu": extras.gpus,
        "gpu_node": extras.gpu_nodes,
        "machine": extras.machines,
        "switch": switches,
        "storage_system": extras.storage_systems,
    }
    entries: Iterable[Licence] = catalogue.entries("licences").values()
    lines = []
    for licence in entries:
        if not _wanted(licence, extras):
            continue
        years = ceil(extras.years) if licence.yearly else 1
        optional = ", optional" if licence.free_way else ""
        unit = f"{licence.per.replace('_', ' ')} year" if licence.yearly else licence.per.replace("_", " ")
        of = f"software and support for {years} years{optional}"
        lines.append(BillLine(item=licence.name, count=counts[licence.per] * years, unit=unit, of=of))
    return [line for line in lines if line.count]


def _wanted(licence: Licence, extras: Extras) -> bool:
    if licence.only_vendor is not None and licence.only_vendor != extras.vendor:
        return False
    return {
        "always": True,
        "optional": True,
        "storage": extras.storage_systems > 0,
        "infiniband": extras.infiniband,
        "slurm": extras.scheduler in ("slurm", "both"),
        "kubernetes": extras.scheduler in ("kubernetes", "both"),
    }[licence.when]


def installation_lines(racks: int) -> list[BillLine]:
    """Mounting, cabling and acceptance by the rack."""
    return [BillLine(item="installation, cabling and acceptance", count=racks, unit="rack", of="installation")]
