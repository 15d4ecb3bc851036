"""Values against what makers print and what drivers report; the comments say where."""

from __future__ import annotations

import pytest

from knowledge.catalogue import Catalogue
from knowledge.schema import Accelerator

MIB = 2**20
GIB = 2**30


@pytest.mark.parametrize(
    ("name", "bandwidth", "bf16", "tdp"),
    [
        ("h100-sxm-80gb", 3350, 989.4, 700),  # NVIDIA H100 page, Hopper whitepaper (1,978.9 with sparsity)
        ("h200-sxm-141gb", 4800, 989.5, 700),  # NVIDIA H200 page (1,979 with sparsity)
        ("a100-sxm-80gb", 2039, 312, 400),  # NVIDIA A100 datasheet
        ("a100-sxm-40gb", 1555, 312, 400),  # NVIDIA A100 datasheet
        ("a100-pcie-80gb", 1935, 312, 300),  # NVIDIA A100 datasheet
        ("b200-sxm", 7700, 2250, 1000),  # NVIDIA Exemplar table
        ("b300-sxm", 7700, 2250, 1100),  # NVIDIA Exemplar table
        ("gb200", 8000, 2500, 1200),  # NVIDIA Blackwell brief
        ("l40s", 864, 362.05, 350),  # NVIDIA L40S datasheet
        ("h100-96gb-hbm2e-500w", 2400, 989.4, 500),  # torchtitan benchmark page: 2.4 TB/s, 500 W
        ("tpu-v6e", 1638, 918, None),  # Google Cloud, TPU v6e
        ("tpu-v5p", 2765, 459, None),  # Google Cloud, TPU v5p
    ],
)
def test_printed_peaks(catalogue: Catalogue, name: str, bandwidth: float, bf16: float, tdp: float | None) -> None:
    part = catalogue.accelerator(name)
    assert part.id == name
    assert part.bandwidth_gb_per_s.value == bandwidth
    assert part.bf16_tflops.value == bf16
    assert part.tdp_w.value == tdp


@pytest.mark.parametrize(
    ("name", "total_mib"),
    [  # memory.total of nvidia-smi
        ("h100-sxm-80gb", 81559),
        ("h200-sxm-141gb", 143771),
        ("b200-sxm", 183359),
        ("b300-sxm", 275040),
        ("gb200", 189471),
        ("gb300", 284208),
        ("a100-sxm-80gb", 81920),
        ("a100-sxm-40gb", 40960),
        ("l40s", 46068),
        ("t4", 15360),
    ],
)
def test_memory_is_what_the_driver_reports(catalogue: Catalogue, name: str, total_mib: int) -> None:
    assert catalogue.accelerator(name).memory_bytes.value == total_mib * MIB


@pytest.mark.parametrize(
    ("name", "seen_gib"), [("h100-sxm-80gb", 79.19), ("h200-sxm-141gb", 139.8), ("b200-sxm", 178.4)]
)
def test_engines_see_less(catalogue: Catalogue, name: str, seen_gib: float) -> None:
    seen = catalogue.accelerator(name).engine_visible_bytes.value
    assert seen is not None
    assert seen / GIB == pytest.approx(seen_gib, abs=0.06)


def accelerators(catalogue: Catalogue) -> list[Accelerator]:
    return list(catalogue.entries("accelerators").values())


def test_engines_never_see_more_than_the_driver(catalogue: Catalogue) -> None:
    for part in accelerators(catalogue):
        total, seen = part.memory_bytes.value, part.engine_visible_bytes.value
        assert total is None or seen is None or seen <= total, part.id
        if part.vendor == "NVIDIA" and total and seen:
            assert 0.94 < seen / total < 1, part.id


def test_no_rate_is_a_sparse_one(catalogue: Catalogue) -> None:
    """FP8 runs at twice BF16 at most (1,466 of an L40S would be four times); a sparse BF16 of H100 would be 1,979."""
    for part in accelerators(catalogue):
        bf16, fp8 = part.bf16_tflops.value, part.fp8_tflops.value
        if bf16 and fp8 and part.generation != "rubin":
            assert fp8 <= 2.05 * bf16, part.id
    assert catalogue.accelerator("l40s").fp8_tflops.value == 733
    assert max(part.bf16_tflops.value or 0 for part in accelerators(catalogue) if part.generation == "hopper") < 1000


def test_memory_label_and_bytes_are_the_same_part(catalogue: Catalogue) -> None:
    """A label counts 1e9 or 2**30 bytes, and the driver keeps a few per cent back: never off by more than 10 %."""
    for part in accelerators(catalogue):
        if part.memory_bytes.value and part.memory_label_gb:
            assert 0.90 < part.memory_bytes.value / (part.memory_label_gb * 1e9) < 1.10, part.id


def test_mig_belongs_to_nvidia_and_partitions_to_amd(catalogue: Catalogue) -> None:
    for part in accelerators(catalogue):
        assert part.vendor == "NVIDIA" or part.mig_max.value is None, part.id
        assert part.vendor == "AMD" or part.compute_partitions_max.value is None, part.id
    assert catalogue.accelerator("mi300x").compute_partitions_max.value == 8  # CPX, AMD partitioning guide
    assert catalogue.accelerator("h100-sxm-80gb").mig_max.value == 7
    assert catalogue.accelerator("l40s").mig_max.value == 0


def test_dgx_h100(catalogue: Catalogue) -> None:
    """NVIDIA user guide: 8U, 10.2 kW at most, 130.45 kg; its 38,557 BTU/h equals 11.3 kW and is kept as a conflict."""
    server = catalogue.server("DGX H100")
    assert (server.rack_units.value, server.max_power_kw.value, server.weight_kg.value) == (8, 10.2, 130.45)
    assert server.heat_btu_per_h.value == pytest.approx(10.2 * 3412.14, rel=1e-4)
    assert 38557 in [conflict.value for conflict in server.heat_btu_per_h.conflicts]
    assert (server.compute_nics.value, server.compute_nic_gb_per_s.value) == (8, 50)


@pytest.mark.parametrize(
    ("name", "power_kw"),
    [("dgx-b200", 14.3), ("dgx-b300", 14.5), ("gb200-nvl72", 132), ("gb300-nvl72", 142), ("dell-xe9680", 10.2)],
)
def test_power_to_plan_by(catalogue: Catalogue, name: str, power_kw: float) -> None:
    """DGX datasheets; HPE QuickSpecs 115 + 17 kW; NVIDIA reference architecture; XE9680 as DGX H100."""
    assert catalogue.server(name).max_power_kw.value == power_kw


def test_no_node_is_planned_below_its_gpus(catalogue: Catalogue) -> None:
    for server in catalogue.entries("servers").values():
        if server.accelerator and server.max_power_kw.value and "cap" not in str(server.typical_power_kw.note):
            tdp = catalogue.entry("accelerators", server.accelerator).tdp_w.value
            if tdp:
                assert server.max_power_kw.value * 1000 > server.gpu_count * tdp, server.id


def test_quantum_2(catalogue: Catalogue) -> None:
    """NVIDIA QM97xx manual: 32 OSFP cages of two 400 Gb/s ports; 1,720 W with active cables."""
    switch = catalogue.switch("QM9700")
    assert (switch.id, switch.ports.value, switch.port_gb_per_s.value) == ("qm9700", 64, 50)
    assert switch.max_power_w.value == 1720


def test_unknown_stays_unknown(catalogue: Catalogue) -> None:
    """No page read prints the most that an SN4600C draws: unknown, never zero."""
    assert catalogue.switch("sn4600c").max_power_w.value is None


def test_countries(catalogue: Catalogue) -> None:
    countries = catalogue.entries("countries")
    assert len(countries) == 249  # ISO 3166-1
    assert sum(country.eu for country in countries.values()) == 27
    assert {ident for ident, country in countries.items() if country.eea and not country.eu} == {"IS", "LI", "NO"}
    for text, ident in [
        ("Norway", "NO"),
        ("Deutschland", "DE"),
        ("Allemagne", "DE"),
        ("munich", "DE"),
        ("Muenchen", "DE"),
        ("Frankfurt", "DE"),
        ("Zürich", "CH"),
        ("Wien", "AT"),
        ("Österreich", "AT"),
        ("UK", "GB"),
        ("Lyon", "FR"),
        ("Oslo", "NO"),
        ("CHE", "CH"),
    ]:
        assert catalogue.country(text).id == ident, text
