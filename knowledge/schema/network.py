"""Records of switches, optics and network adapters."""

from __future__ import annotations

from typing import Literal

from knowledge.evidence import Cited
from knowledge.schema.base import UNKNOWN, Count, Named, Positive


class Switch(Named):
    """A switch with ``ports`` logical ports at ``port_gb_per_s`` each (one direction); optics are powered apart."""

    vendor: str
    technology: Literal["infiniband", "ethernet", "nvlink"]
    ports: Cited[Count] = UNKNOWN
    port_gb_per_s: Cited[Positive] = UNKNOWN
    cages: Cited[Count] = UNKNOWN
    max_power_w: Cited[Positive] = UNKNOWN
    typical_power_w: Cited[Positive] = UNKNOWN
    rack_units: Cited[Positive] = UNKNOWN
    weight_kg: Cited[Positive] = UNKNOWN
    depth_mm: Cited[Positive] = UNKNOWN
    latency_ns: Cited[Positive] = UNKNOWN
    power_supplies: Cited[str] = UNKNOWN
    cooling: Cited[str] = UNKNOWN
    airflow: Cited[str] = UNKNOWN
    optic_max_power_w: Cited[Positive] = UNKNOWN
    note: str | None = None


class Optic(Named):
    """A transceiver or cable. ``reach_m`` is the longest supported length; ``power_w`` is of one end.

    ``technologies`` that it carries: XDR parts are InfiniBand alone (their makers' tables). ``splits``: its other end
    goes to several ports.
    """

    vendor: str
    medium: Literal["transceiver", "dac", "acc", "aec", "aoc"]
    technologies: tuple[Literal["infiniband", "ethernet"], ...] = ("infiniband", "ethernet")
    splits: bool = False
    port_gb_per_s: Cited[Positive] = UNKNOWN
    ports: Cited[Count] = UNKNOWN
    reach_m: Cited[Positive] = UNKNOWN
    power_w: Cited[Positive] = UNKNOWN
    typical_power_w: Cited[Positive] = UNKNOWN
    connector: Cited[str] = UNKNOWN
    usage: Cited[str] = UNKNOWN
    note: str | None = None


class Nic(Named):
    """A network adapter or DPU with ``ports`` ports of ``port_gb_per_s`` each (one direction)."""

    vendor: str
    technology: Literal["infiniband", "ethernet", "both"]
    ports: Cited[Count] = UNKNOWN
    port_gb_per_s: Cited[Positive] = UNKNOWN
    pcie: Cited[str] = UNKNOWN
    max_power_w: Cited[Positive] = UNKNOWN
    typical_power_w: Cited[Positive] = UNKNOWN
    form: Cited[str] = UNKNOWN
    usage: Cited[str] = UNKNOWN
    note: str | None = None
