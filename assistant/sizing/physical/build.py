"""From a sized site to its layout, and back into the bill: cables by length and medium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assistant.sizing.bill.lines import BillLine, FabricPart
from assistant.sizing.fabric.storage_fabric import StorageFabric
from assistant.sizing.facility.models import RackGroup
from assistant.sizing.physical.cabling import (
    COPPER,
    RACK_PITCH_M,
    ROW_PITCH_M,
    SLACK_M,
    TRAY_M,
    cable_runs,
    networks_of,
)
from assistant.sizing.physical.elevation import RACKS_PER_ROW, lay_out
from assistant.sizing.physical.layout import CableRun, Layout, Rack
from assistant.sizing.physical.links import layout_links, rails_of
from assistant.sizing.physical.names import names_of
from knowledge.catalogue import Catalogue

MEDIUM_WORDS = {"transceiver": "optical cable", "optics": "optical cable"}
"""Media as bill lines name them: of optics the cable and its modules are two things to order."""

PDU_LINES = {"compute": "racks of GPU servers", "network and support": "other racks"}
"""Which line of the bill orders the PDUs of a kind of rack."""

ASSUMED = (
    f"racks {RACK_PITCH_M:g} m apart in rows of up to {RACKS_PER_ROW}, rows {ROW_PITCH_M:g} m apart",
    f"cables go over trays {TRAY_M:g} m above the racks, with {SLACK_M:g} m to spare",
)


def build_layout(
    groups: tuple[RackGroup, ...],
    bill: tuple[BillLine, ...],
    fabrics: tuple[FabricPart, ...],
    catalogue: Catalogue,
    stands_for: Mapping[str, str],
    storage_fabric: StorageFabric | None = None,
    rack_height_units: int = 42,
) -> Layout:
    """Racks, devices and cables of a site whose racks are ``groups`` and whose boxes and PDUs the ``bill`` counts."""
    names = names_of(bill, fabrics, stands_for, storage_fabric is not None)
    servers = catalogue.entries("servers")
    nodes = {item: servers[item].nodes_per_unit for item in names if item in servers}
    layout = Layout(
        rack_height_units=rack_height_units,
        racks=_with_pdus(lay_out(groups, names, rack_height_units, nodes), bill),
        fabrics=fabrics,
        storage_fabric=storage_fabric,
    )
    links = tuple(layout_links(layout))
    cables, modules = cable_runs(layout, links, catalogue)
    racks = _with_rails(layout.racks, rails_of(links))
    told = (*ASSUMED, *_copper_note(cables))
    return layout.model_copy(update={"cables": cables, "modules": modules, "racks": racks, "assumed": told})


def _copper_note(cables: tuple[CableRun, ...]) -> Iterator[str]:
    """What copper would save where the reference designs take optics."""
    links = sum(run.links for run in cables if run.in_rack and run.medium not in COPPER)
    if links:
        yield f"optics for every link, as SuperPOD designs take them; {links:,} stay in a rack, within copper's reach"


def _with_pdus(racks: tuple[Rack, ...], bill: tuple[BillLine, ...]) -> tuple[Rack, ...]:
    """Racks with the PDUs that the bill orders for each of their kind."""
    ordered = {line.of: line.count for line in bill if line.item == "PDU"}
    kinds = Counter(rack.kind for rack in racks)
    each = {kind: ordered.get(PDU_LINES[kind], 0) // count for kind, count in kinds.items()}
    return tuple(rack.model_copy(update={"pdus": each[rack.kind]}) for rack in racks)


def _with_rails(racks: tuple[Rack, ...], carried: Mapping[str, str]) -> tuple[Rack, ...]:
    """Racks whose leaves say which rails of which nodes they carry."""
    return tuple(
        rack.model_copy(
            update={"devices": tuple(box.model_copy(update={"carries": carried.get(box.name)}) for box in rack.devices)}
        )
        if any(box.name in carried for box in rack.devices)
        else rack
        for rack in racks
    )


def with_cables(bill: tuple[BillLine, ...], layout: Layout) -> tuple[BillLine, ...]:
    """The bill with the fabrics' cables and modules as the layout has them, in the place of the plain counts."""
    out: list[BillLine] = []
    done: set[str] = set()
    purposes = {f"{net.purpose} fabric": net.purpose for net in networks_of(layout)}
    for line in bill:
        purpose = purposes.get(line.of.partition(", ")[0])
        if purpose is None or line.unit not in ("cable", "module"):
            out.append(line)
        elif purpose not in done:
            done.add(purpose)
            out += _cable_lines(purpose, layout)
    return tuple(out)


def _cable_lines(purpose: str, layout: Layout) -> Iterator[BillLine]:
    net = next(net for net in networks_of(layout) if net.purpose == purpose)
    rate = f"{net.link_gb_per_s * 8:g} Gb/s"
    yield from (_cable_line(run, rate) for run in layout.cables if run.purpose == purpose)
    for modules in layout.modules:
        of = f"{purpose} fabric, {modules.part}" if modules.part else f"{purpose} fabric"
        for end, count in (("switch", modules.switch), ("node", modules.node)):
            if count and modules.purpose == purpose:
                yield BillLine(item=f"{end} transceiver {rate}", count=count, unit="module", of=of)


def _cable_line(run: CableRun, rate: str) -> BillLine:
    part = f", {run.part}" if run.part else ""
    return BillLine(
        item=f"{rate} {MEDIUM_WORDS.get(run.medium, run.medium.upper())}",
        count=run.cables,
        unit="cable",
        of=f"{run.purpose} fabric, {run.hop}, {run.length_m:g} m{part}",
        links=run.links if run.links != run.cables else None,
    )
