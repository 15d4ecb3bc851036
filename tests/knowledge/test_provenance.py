"""The number of deciding values without a firm source may only fall."""

from __future__ import annotations

from pathlib import Path

from knowledge.catalogue import load_catalogue
from knowledge.provenance import is_weak, weak_values

BUDGET = Path(__file__).with_name("provenance_budget.txt")


def test_weak_values_do_not_grow() -> None:
    weak = list(weak_values(load_catalogue()))
    allowed = int(BUDGET.read_text(encoding="utf-8").split()[0])
    print(f"{len(weak)} deciding values rest on unverified or third-party sources alone (allowed {allowed}):")
    print("\n".join(weak))
    assert len(weak) <= allowed, "a new value needs a source that was read; see the list above"


def test_memory_alone_is_weak_and_a_vendor_beside_it_is_not() -> None:
    catalogue = load_catalogue()
    assert is_weak(catalogue, ("recalled",))
    assert is_weak(catalogue, ("recalled", "tpu"))
    assert not is_weak(catalogue, ("recalled", "hopper-whitepaper"))


def test_the_parts_most_asked_for_rest_on_firm_sources() -> None:
    weak = set(weak_values(load_catalogue()))
    for part in ("h100-sxm-80gb", "h200-sxm-141gb", "a100-sxm-80gb", "b200-sxm", "b300-sxm", "gb200", "gb300", "l40s"):
        for field in ("memory_bytes", "bandwidth_gb_per_s", "bf16_tflops", "fp8_tflops", "tdp_w"):
            assert f"accelerators/{part}/{field}" not in weak
