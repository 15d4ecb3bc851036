"""Records of machines and their parts."""

from __future__ import annotations

from typing import Literal

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Count, Finite, Named, Positive, Share, Tally


class MigProfile(Frozen):
    """One MIG profile: its name, how many fit on one GPU, and the memory of each as the device reports it."""

    name: str
    instances: Count
    memory_mib: Count | None = None


class Accelerator(Named):
    """One accelerator as engines see it. All rates are dense (no sparsity) peaks of one device.

    ``memory_bytes`` is the driver's total, ``engine_visible_bytes`` what an engine can see of it with the context not
    yet created. Bandwidths named ``per_direction`` count one direction. ``scale_up_technology`` is "none" where GPUs
    meet over PCIe only; the scale-up rate is then None and the domain 1. ``mig_max`` is the most NVIDIA MIG instances
    (0 where the part has none), ``compute_partitions_max`` AMD's partitioning. ``power_limit_min_w`` is the lowest cap.
    Our own choices: ``compared_by_default`` parts are on sale for data centres and compared where nobody names one;
    ``offered_as_larger`` ones are proposed where a smaller card does not hold a model. ``small_batches``: engines start
    the part with the defaults of small cards whatever its memory.
    """

    vendor: str
    generation: str
    form: str
    memory_label_gb: Positive | None
    memory_kind: str | None = None
    memory_bytes: Cited[Count] = UNKNOWN
    engine_visible_bytes: Cited[Count] = UNKNOWN
    bandwidth_gb_per_s: Cited[Positive] = UNKNOWN
    fp32_tflops: Cited[Positive] = UNKNOWN
    tf32_tflops: Cited[Positive] = UNKNOWN
    bf16_tflops: Cited[Positive] = UNKNOWN
    fp16_tflops: Cited[Positive] = UNKNOWN
    fp8_tflops: Cited[Positive] = UNKNOWN
    fp4_tflops: Cited[Positive] = UNKNOWN
    int8_tops: Cited[Positive] = UNKNOWN
    scale_up_technology: Literal["nvlink", "nvlink_bridge", "xgmi", "ethernet", "ici", "none"] | None = None
    scale_up_gb_per_s_per_direction: Cited[Positive] = UNKNOWN
    scale_up_domain_gpus: Cited[Count] = UNKNOWN
    pcie_gb_per_s_per_direction: Cited[Positive] = UNKNOWN
    c2c_gb_per_s_per_direction: Cited[Positive] = UNKNOWN
    tdp_w: Cited[Positive] = UNKNOWN
    power_limit_min_w: Cited[Positive] = UNKNOWN
    idle_power_w: Cited[Positive] = UNKNOWN
    achievable_bf16_tflops: Cited[Positive] = UNKNOWN
    mig_max: Cited[Tally] = UNKNOWN
    mig_profiles: Cited[tuple[MigProfile, ...]] = UNKNOWN
    compute_partitions_max: Cited[Count] = UNKNOWN
    small_batches: Cited[bool] = UNKNOWN
    compared_by_default: bool = False
    offered_as_larger: bool = False
    released: Cited[str] = UNKNOWN
    note: str | None = None


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
    """A transceiver or cable. ``reach_m`` is the longest supported length; ``power_w`` is of one end."""

    vendor: str
    medium: Literal["transceiver", "dac", "acc", "aec", "aoc"]
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
