"""Calibration cells: the constants of an engine, and the factors and bands of a model on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from assistant.sizing.serving.parts.hardware import Gpu
from assistant.sizing.serving.parts.shape import ServingShape
from assistant.sizing.serving.speed.terms import DECODE_TERMS, PREFILL_TERMS, TTFT_TERMS
from knowledge.catalogue import Catalogue
from knowledge.schema.calibration import Residual, ServingCalibration


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Constants of one engine as tuples in the order of the terms."""

    record: ServingCalibration
    decode: tuple[float, ...]
    prefill: tuple[float, ...]
    prompt: float
    ttft: tuple[float, ...]


@lru_cache(maxsize=256)
def calibrated(catalogue: Catalogue, engine: str) -> Calibrated:
    """The constants fitted for ``engine``; raises UnknownName where none are."""
    record: ServingCalibration = catalogue.entry("serving_calibrations", engine)
    c = record.constants
    return Calibrated(
        record=record,
        decode=tuple(c[name] for name in DECODE_TERMS),
        prefill=tuple(c[name] for name in PREFILL_TERMS),
        prompt=c["prompt"],
        ttft=tuple(c[f"ttft_{name}"] for name in TTFT_TERMS),
    )


@dataclass(frozen=True)
class Cell:
    """Factors and bands (measured over predicted, P10 and P90) of TPOT and TTFT, and how they were come by."""

    tpot: Residual
    ttft: Residual
    tpot_factor: float
    ttft_factor: float
    basis: str


@lru_cache(maxsize=65536)
def cell_of(cal: Calibrated, shape: ServingShape, gpu: Gpu, klass: str, version: str | None = None) -> Cell:
    """The calibration cell: this model on this GPU if measured, else its kind on the GPU's generation, else wider.

    ``version`` of the engine, where measured for the group, has a factor of its own.
    """
    record = cal.record
    group = f"{gpu.family}/{klass}/{'moe' if shape.is_moe else 'dense'}"
    cell = f"{shape.name}/{gpu.id}/{klass}" if gpu.slice is None else ""
    group_tpot, group_ttft = record.tpot_group.get(group), record.ttft_group.get(group)
    factor_tpot = group_tpot.factor if group_tpot else 1.0
    factor_ttft = group_ttft.factor if group_ttft else 1.0
    factor_tpot *= record.tpot_version.get(f"{version}/{group}", 1.0)
    factor_ttft *= record.ttft_version.get(f"{version}/{group}", 1.0)
    if cell in record.tpot_cell:
        tpot, ttft = record.tpot_cell[cell], record.ttft_cell.get(cell, record.ttft_unseen)
        return Cell(tpot, ttft, factor_tpot * tpot.factor, factor_ttft * ttft.factor, "calibrated")
    if group_tpot and group_ttft:
        return Cell(record.tpot_unseen, record.ttft_unseen, factor_tpot, factor_ttft, "extrapolated")
    return Cell(record.tpot_elsewhere, record.ttft_elsewhere, 1.0, 1.0, "extrapolated")
