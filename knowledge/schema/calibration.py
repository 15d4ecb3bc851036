"""Constants fitted to measurements, with the date, the data they were fitted on, and their error elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from knowledge.evidence import Frozen
from knowledge.schema.base import Entry, Finite, Positive

Rows = Annotated[int, Field(strict=True, ge=0)]


class Residual(Frozen):
    """What fitting left over for a set of rows: their median factor (shrunk by their number) and its spread.

    ``low`` and ``high`` are the P10 and P90 of measured over predicted on rows held out.
    """

    factor: Positive = 1.0
    low: Positive
    high: Positive
    rows: Rows = 0


class ServingCalibration(Entry):
    """One engine's constants; ``id`` is the engine's. Keys of the residuals are joined by "/".

    ``group``: generation/weight class/dense or moe. ``cell``: model/gpu/weight class. ``unseen`` holds for everything
    else on a GPU generation that was fitted, ``elsewhere`` for other GPUs. ``version``: factors by version/group.
    """

    date: str
    fitted_on: str
    rows: Rows
    constants: Mapping[str, Finite]
    tpot_group: Mapping[str, Residual]
    tpot_cell: Mapping[str, Residual]
    tpot_unseen: Residual
    tpot_elsewhere: Residual
    ttft_group: Mapping[str, Residual]
    ttft_cell: Mapping[str, Residual]
    ttft_unseen: Residual
    ttft_elsewhere: Residual
    tpot_version: Mapping[str, Positive] = Field(default_factory=dict)
    ttft_version: Mapping[str, Positive] = Field(default_factory=dict)
    errors: Mapping[str, Finite]
    sources: tuple[str, ...]
