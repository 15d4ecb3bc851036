"""Records of the physical cluster: cooling methods, and bus bandwidth that was measured or that a cloud demands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from knowledge.evidence import Cited
from knowledge.schema.base import UNKNOWN, Count, Entry, Finite, Positive


class CoolingMethod(Entry):
    """A way to cool racks: the most one rack may draw with it, and the PUE range of a site built for it."""

    name: str
    rack_kw_typical: Cited[tuple[Finite, Finite]] = UNKNOWN
    rack_kw_most: Cited[Positive] = UNKNOWN
    pue_low: Cited[Positive] = UNKNOWN
    pue_likely: Cited[Positive] = UNKNOWN
    pue_high: Cited[Positive] = UNKNOWN
    airflow_m3_per_h_per_kw: Cited[Positive] = UNKNOWN
    coolant_rise_k: Cited[Positive] = UNKNOWN
    note: str | None = None


class BusBandwidth(Entry):
    """One nccl-tests or rccl-tests figure. ``kind`` floor is a pass mark that an operator sets, never an expectation.

    ``busbw_gb_per_s`` is the bus bandwidth as those tests define it, ``node_gb_per_s`` the node's network rate in one
    direction. ``accelerator`` is the id of the variant that the source names, or of the commonest where it names none.
    """

    platform: str
    accelerator: str
    nodes: Count
    gpus: Count
    technology: Literal["none", "nvlink_only", "roce", "infiniband", "efa", "tcp", "unknown"]
    node_gb_per_s: Cited[Positive] = UNKNOWN
    collective: Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
    message_bytes: Count | None
    algorithm: str | None = None
    library_version: str | None = None
    busbw_gb_per_s: Positive
    kind: Literal["measured", "published", "floor", "degraded"]
    sources: tuple[str, ...]
    note: str | None = None


class Price(Entry):
    """A price from the user's own list. The program ships none.

    ``item`` is a catalogue id or the item text of a bill line; ``energy`` (per kwh) and ``rent`` (per gpu_hour) are
    known by these names, and a ``per`` year price counts once a year whether or not the bill has the item. ``share`` is
    a part of the priced hardware, charged once (freight, spares), ``share_per_year`` one of all capital cost each year.
    """

    item: str
    amount: Finite
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    per: Literal["unit", "year", "kwh", "gpu_hour", "share", "share_per_year"] = "unit"
    date: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")
    valid_until: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")
    price_source: str
    note: str | None = None
