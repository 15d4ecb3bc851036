"""What stands between the grid and the racks, as capacities: UPS, generators, transformer, on the warmest day.

The year's average PUE sizes no connection: on the design day compressors run. Losses of the UPS count on what it
carries. Figures that nobody published for a site are assumptions of ours, shown with their range.
"""

from __future__ import annotations

from math import ceil
from typing import Literal

from pydantic import Field

from knowledge.evidence import Frozen

DESIGN_DAY_OVERHEAD = 1.3
"""Power beside IT on the warmest day over that of the yearly average; 1.1 to 1.6, assumed."""

UPS_EFFICIENCY = 0.96
"""Double conversion at half load or more; 0.94 to 0.97, assumed."""

UPS_STEP_KW = 50.0
"""Modules that UPS systems grow by; assumed."""

POWER_FACTOR = 0.95
"""Of the whole site behind its UPS; 0.9 to 1, assumed."""

TRANSFORMER_MARGIN = 1.25
"""A transformer runs at 80 % of its rating in continuous duty, as the NEC has continuous loads on breakers."""

GENERATOR_MARGIN = 1.2
"""Room for the start of motors and for the recharge of batteries; 1.1 to 1.4, assumed."""

SETS = {"N": (1, 0), "N+1": (1, 1), "2N": (2, 0), "2N+1": (2, 1)}
"""Redundancy -> how often the capacity stands, and how many units more."""


class PowerTrainRequest(Frozen):
    """Rated IT power, the average PUE of the site, and the redundancy of its feeds."""

    nominal_it_kw: float = Field(gt=0, allow_inf_nan=False)
    pue: float = Field(ge=1, le=5)
    redundancy: Literal["N", "N+1", "2N", "2N+1"] = "N"
    generators: bool = True


class PowerTrain(Frozen):
    """Capacities. ``design_day_kw`` is what the connection carries at most; the counts are of equal units, the spare
    ones included. ``ups_kw`` and ``generator_kw`` are of one unit."""

    design_day_pue: float
    design_day_kw: float
    connection_kva: float
    ups_units: int
    ups_kw: float
    ups_loss_kw: float
    generator_units: int
    generator_kw: float
    transformer_units: int
    transformer_kva: float


def estimate_power_train(request: PowerTrainRequest) -> PowerTrain:
    """Size UPS, generators and transformers; see the constants for what is assumed.

    design day = IT / UPS efficiency + overhead of the average day x 1.3, the average overhead being IT x (PUE - 1) less
    the UPS losses that it already holds.
    """
    it = request.nominal_it_kw
    loss = it / UPS_EFFICIENCY - it
    overhead = max(0.0, it * (request.pue - 1) - loss)
    design_kw = it + loss + overhead * DESIGN_DAY_OVERHEAD
    times, more = SETS[request.redundancy]
    ups_kw = UPS_STEP_KW * ceil(it / UPS_STEP_KW)
    generator_kw = design_kw * GENERATOR_MARGIN
    kva = design_kw / POWER_FACTOR
    return PowerTrain(
        design_day_pue=design_kw / it,
        design_day_kw=design_kw,
        connection_kva=kva,
        ups_units=times + more,
        ups_kw=ups_kw,
        ups_loss_kw=loss,
        generator_units=(times + more) if request.generators else 0,
        generator_kw=generator_kw,
        transformer_units=min(2, times + more),
        transformer_kva=kva * TRANSFORMER_MARGIN,
    )
