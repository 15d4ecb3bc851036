"""The record of an accelerator."""

from __future__ import annotations

from typing import Literal

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Count, Named, Positive, Tally


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
