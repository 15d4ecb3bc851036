"""The catalogue as the two faces open it: ours, with the company's overlay where one is set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "accelerators": ("memory_label_gb", "bandwidth_gb_per_s", "bf16_tflops", "fp8_tflops", "tdp_w"),
    "servers": ("accelerator", "gpu_count", "rack_units", "max_power_kw", "weight_kg"),
    "switches": ("technology", "ports", "port_gb_per_s", "max_power_w", "rack_units"),
    "optics": ("medium", "ports", "port_gb_per_s", "reach_m", "power_w"),
    "nics": ("technology", "ports", "port_gb_per_s", "typical_power_w"),
    "storage": ("what", "read_gb_per_s", "write_gb_per_s", "capacity_tb"),
    "countries": ("alpha_3", "eu", "eea"),
    "models": ("family", "layers", "hidden", "total_params"),
    "sources": ("grade", "seen_as", "date"),
}
"""Kind -> the fields that its table shows beside id and name."""


def open_catalogue(overlay: str | None = None) -> Catalogue:
    """The catalogue with ``overlay`` (a folder) merged over it. Raises BadInput where the folder is not one."""
    if not overlay:
        return load_catalogue()
    folder = Path(overlay)
    if not folder.is_dir():
        raise BadInput("--overlay", overlay, "a folder of catalogue files is expected")
    return load_catalogue((folder,))
