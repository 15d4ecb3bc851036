"""The records of a bill: a line, a fabric with its purpose, and the sized parts that a bill is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.units import Box, Counted
from assistant.sizing.fabric.estimate import FabricRequest, FabricResult
from assistant.sizing.fabric.storage_fabric import StorageFabric
from knowledge.evidence import Frozen

Whole = Annotated[int, Field(ge=0)]


class BillLine(Frozen):
    """``count`` ``unit`` of ``item``, demanded by ``of``. ``included`` parts come inside another line's item.

    ``links`` are the links that cables carry, where that is not one each.
    """

    item: str
    count: int
    unit: str
    of: str
    included: bool = False
    links: int | None = None


class FabricPart(Frozen):
    """A sized fabric with its purpose, such as ``compute`` or ``storage``."""

    purpose: str
    request: FabricRequest
    result: FabricResult


class BillRequest(Frozen):
    """The sized parts. ``servers`` are GPU servers or rack products, ``boxes`` those that the catalogue does not have;
    ``management`` and ``login`` are machines, as are the ``services`` that the platform runs.

    ``compute_racks`` hold the GPU servers, ``other_racks`` the rest; a PDU ends each of ``feeds_per_rack``, if known.
    ``storage_ports`` are ports of storage on the in-band network, where storage has no fabric of its own. ``inband``
    False leaves out the in-band and out-of-band switches, as for machines that a provider runs.
    """

    servers: tuple[Counted, ...]
    boxes: tuple[Box, ...] = ()
    fabrics: tuple[FabricPart, ...] = ()
    storage_fabric: StorageFabric | None = None
    storage: tuple[BillLine, ...] = ()
    services: tuple[BillLine, ...] = ()
    management: Whole = 0
    login: Whole = 0
    compute_racks: Whole = 0
    other_racks: Whole = 0
    feeds_per_rack: Whole | None = None
    storage_ports: Whole = 0
    inband: bool = True
    inband_switch: str = "sn4600c"
    oob_switch: str = "sn2201"
