"""Which deciding values rest on sources that nobody read at the maker's, a standard's or a measurement's address."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.catalogue import Catalogue
from knowledge.evidence import Grade
from knowledge.schema import cited_fields

DECIDING: dict[str, frozenset[str]] = {
    "accelerators": frozenset(
        {"memory_bytes", "engine_visible_bytes", "bandwidth_gb_per_s", "bf16_tflops", "fp16_tflops", "fp8_tflops"}
        | {"fp4_tflops", "int8_tops", "scale_up_gb_per_s_per_direction", "scale_up_domain_gpus", "tdp_w"}
    ),
    "servers": frozenset({"rack_units", "max_power_kw", "weight_kg", "compute_nics", "compute_nic_gb_per_s"}),
    "switches": frozenset({"ports", "port_gb_per_s", "max_power_w", "typical_power_w", "rack_units"}),
    "optics": frozenset({"ports", "port_gb_per_s", "reach_m", "power_w"}),
    "nics": frozenset({"ports", "port_gb_per_s", "max_power_w"}),
    "storage": frozenset({"read_gb_per_s", "write_gb_per_s", "capacity_tb"}),
}
"""Kind -> the fields that sizing decides by."""

WEAK = frozenset({Grade.UNVERIFIED, Grade.THIRD_PARTY, Grade.PRACTITIONER_OPINION})


def weak_values(catalogue: Catalogue) -> Iterator[str]:
    """Every deciding value whose sources are all unverified or third party, as ``kind/id/field``, in order."""
    for kind, fields in DECIDING.items():
        for ident, record in catalogue.entries(kind).items():
            for name, cited in cited_fields(record):
                if name in fields and cited.value is not None and is_weak(catalogue, cited.sources):
                    yield f"{kind}/{ident}/{name}"


def is_weak(catalogue: Catalogue, sources: tuple[str, ...]) -> bool:
    """Whether none of the sources is a law, a vendor's text, a paper or a measurement."""
    return all(catalogue.source(ident).grade in WEAK for ident in sources)
