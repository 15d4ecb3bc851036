"""Records of what is not a machine: storage references, facilities, countries, formulas, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from knowledge.evidence import Cited, Frozen
from knowledge.schema.base import UNKNOWN, Entry, Named, Positive, Stated


class StorageSystem(Named):
    """A storage product, a published measurement, a reference design's guideline or a node's own drives.

    Rates are per ``unit`` (one system, one scalable unit, one node). ``facts`` holds what only some entries have;
    its keys end in their unit.
    """

    vendor: str | None = None
    what: Literal["product", "measurement", "guideline", "need", "node_local", "limit"]
    unit: str
    read_gb_per_s: Cited[Positive] = UNKNOWN
    write_gb_per_s: Cited[Positive] = UNKNOWN
    read_iops: Cited[Positive] = UNKNOWN
    capacity_tb: Cited[Positive] = UNKNOWN
    rack_units: Cited[Positive] = UNKNOWN
    max_power_w: Cited[Positive] = UNKNOWN
    weight_kg: Cited[Positive] = UNKNOWN
    facts: Mapping[str, Cited[Stated]] = Field(default_factory=dict)
    note: str | None = None


class Facility(Named):
    """A fact table on racks, cooling or energy; the keys of ``facts`` end in their unit."""

    topic: Literal["density", "cooling", "coolant", "air", "power", "pue", "rack", "outage"]
    facts: Mapping[str, Cited[Stated]]
    note: str | None = None


class City(Frozen):
    """A city with data centres, by the names people write."""

    name: str
    aliases: tuple[str, ...] = ()


class Country(Named):
    """A country of ISO 3166-1; ``id`` is its alpha-2 code. Grid and PUE figures only where sourced.

    ``adjectives`` are its stems in several languages ("deutsch" also stands for "deutschen"), ``cloud_regions`` the
    identifiers of AWS, Azure, Google and Oracle regions that lie in it.
    """

    name_de: str
    name_fr: str
    alpha_3: str
    eu: bool
    eea: bool
    cities: tuple[City, ...] = ()
    adjectives: tuple[str, ...] = ()
    cloud_regions: tuple[str, ...] = ()
    grid_g_co2_per_kwh: Cited[Positive] = UNKNOWN
    average_pue: Cited[Positive] = UNKNOWN
    sources: tuple[str, ...] = ()


class Formula(Entry):
    """A formula that a trace names by id: its statement with units, where it comes from, and its limits."""

    statement: str
    sources: tuple[str, ...]
    note: str | None = None


class Refused(Named):
    """A product that people name and that is not sized, with the reason and what to name instead."""

    of_kind: Literal["accelerators", "servers", "switches", "models", "storage"]
    reason: str
    instead: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
