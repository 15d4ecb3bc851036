"""The layout of a plan as data: racks in rows, devices in racks, and the cables between them by length and medium."""

from __future__ import annotations

from functools import cached_property

from assistant.sizing.bill.lines import FabricPart
from assistant.sizing.fabric.storage_fabric import StorageFabric
from knowledge.evidence import Frozen


class Device(Frozen):
    """One box. ``u`` is its lowest height unit, 1 at the floor; a rack that is sold as one product starts at 1.

    ``item`` is a catalogue id where there is one, ``of`` says what demanded it, ``nodes`` how many computers it holds.
    ``carries`` are the rails and nodes of a leaf.
    """

    name: str
    item: str
    role: str
    of: str
    u: int
    height: int
    kw: float
    nodes: int = 1
    carries: str | None = None


class Rack(Frozen):
    """One rack: ``row`` and ``place`` count from 0; ``kw`` and ``kg`` are rated, with the rack itself.

    ``pdus`` stand upright beside the units and take none.
    """

    name: str
    row: int
    place: int
    kind: str
    height: int
    kw: float
    kg: float
    pdus: int = 0
    devices: tuple[Device, ...]


class CableRun(Frozen):
    """So many links of one hop, length and medium. ``part`` is an entry of the catalogue, None where it has none.

    ``cables`` are pieces to order: a twin-port or split copper cable carries two links.
    """

    purpose: str
    hop: str
    medium: str
    part: str | None
    length_m: float
    in_rack: bool = False
    links: int
    cables: int


class Modules(Frozen):
    """Transceivers of one kind in one fabric: what copper joins needs none."""

    purpose: str
    part: str | None
    switch: int
    node: int


class Layout(Frozen):
    """Everything that has a place. ``fabrics`` are what the cables follow from; ``assumed`` what a site replaces."""

    rack_height_units: int
    racks: tuple[Rack, ...]
    fabrics: tuple[FabricPart, ...] = ()
    storage_fabric: StorageFabric | None = None
    cables: tuple[CableRun, ...] = ()
    modules: tuple[Modules, ...] = ()
    assumed: tuple[str, ...] = ()

    @cached_property
    def places(self) -> dict[str, tuple[Rack, Device]]:
        """Rack and device by the device's name."""
        return {device.name: (rack, device) for rack in self.racks for device in rack.devices}

    def devices(self, role: str) -> tuple[Device, ...]:
        """All devices of a role, in the order of their racks."""
        return tuple(device for rack in self.racks for device in rack.devices if device.role == role)
