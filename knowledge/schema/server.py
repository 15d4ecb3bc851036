"""The record of a server."""

from __future__ import annotations

from typing import Literal

from knowledge.evidence import Cited
from knowledge.schema.base import UNKNOWN, Count, Finite, Named, Positive, Share


class Server(Named):
    """A server, or a rack sold as one unit (``unit`` rack, with ``nodes_per_unit`` compute trays).

    Powers, weights, GPU and NIC counts are of one unit. ``liquid_fraction`` is the share of the heat that the liquid
    takes. ``accelerator`` is a catalogue id, or None for a host without one; ``accelerator_options`` are others that
    the same machine is sold with. NVLink switch trays and power shelves are those of a rack.
    ``estimated_power_kw`` is somebody's planning estimate where no maximum is printed.
    """

    vendor: str
    accelerator: str | None
    gpu_count: Count | None
    accelerator_options: tuple[str, ...] = ()
    unit: Literal["node", "rack"] = "node"
    nodes_per_unit: Count = 1
    rack_units: Cited[Positive] = UNKNOWN
    max_power_kw: Cited[Positive] = UNKNOWN
    typical_power_kw: Cited[Positive] = UNKNOWN
    estimated_power_kw: Cited[Positive] = UNKNOWN
    power_supplies: Cited[str] = UNKNOWN
    heat_btu_per_h: Cited[Positive] = UNKNOWN
    weight_kg: Cited[Positive] = UNKNOWN
    depth_mm: Cited[Positive] = UNKNOWN
    airflow_m3_per_h: Cited[Positive] = UNKNOWN
    coolant_l_per_min: Cited[Positive] = UNKNOWN
    coolant_inlet_c: Cited[tuple[Finite, Finite]] = UNKNOWN
    liquid_fraction: Cited[Share] = UNKNOWN
    cooling: Cited[str] = UNKNOWN
    cpu: Cited[str] = UNKNOWN
    host_ram_gb: Cited[Positive] = UNKNOWN
    nvme_tb: Cited[Positive] = UNKNOWN
    drives: Cited[str] = UNKNOWN
    nvlink_switch_trays: Cited[Count] = UNKNOWN
    power_shelves: Cited[Count] = UNKNOWN
    compute_nics: Cited[Count] = UNKNOWN
    compute_nic_gb_per_s: Cited[Positive] = UNKNOWN
    storage_nics: Cited[Count] = UNKNOWN
    storage_nic_gb_per_s: Cited[Positive] = UNKNOWN
    network: Cited[str] = UNKNOWN
    inlet_c: Cited[tuple[Finite, Finite]] = UNKNOWN
    released: Cited[str] = UNKNOWN
    note: str | None = None
