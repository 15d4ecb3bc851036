"""What a facility request and its result hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, field_validator

from assistant.sizing.equipment.rated import Missing
from assistant.sizing.equipment.units import Box, Counted, NotNegative, Positive
from assistant.sizing.possible import Possible
from knowledge.evidence import Frozen
from knowledge.message import Message

BTU_PER_H_PER_KW = 3412.142
"""1 kWh is 3,412.142 Btu (international table)."""

HOURS_PER_YEAR = 8760
"""Of 365 days."""

EXPECTED_SHARE = 0.70
"""Assumed draw of rated maximum: 8 x H100 7.02 of 10.2 kW and 8 x B200 9.6 to 10.0 of 14.3 kW in MLPerf training."""

IDLE_SHARE = 0.23
"""Draw at rest of rated maximum: 8 x H200 2.37 of 10.2 kW between queries in MLPerf inference."""

OFFICE_HOURS = 2600
"""Ten hours on five days of 52 weeks."""

EXPECTED_SHARE_RANGE = (0.45, 0.85)
"""H200 serving tuned for efficiency (4.6 of 10.2 kW), and the 95th percentile of H100 training (8.7 of 10.2 kW)."""

Method = Literal["air", "rear_door", "direct_liquid", "immersion"]


class FacilityRequest(Frozen):
    """What stands in the building. ``server`` with ``nodes`` is short for one entry of ``servers`` (counts are units),
    and ``gpu`` with ``gpus`` for the server that carries them; ``boxes`` are servers that the catalogue does not have.
    The brief's names ``rack_kw`` and ``site_power_kw`` are accepted for ``rack_limit_kw`` and ``site_limit_kw``.

    Left out: ``pue`` and ``cooling`` follow from the density, ``rack_limit_kw`` from the servers, ``draw_share`` is
    assumed. ``connection_limit_kw`` is the power agreed with the grid operator, where it is known. ``storage_boxes``
    says how many equal boxes make up the storage's total, so that racks hold whole ones. ``rack_feed_kw`` is what one
    feed of a rack carries: without a ``rack_limit_kw`` a rack draws no more, so that a second feed can stand in for it.
    ``operating_hours`` office: idle at night and at weekends, for the energy of a year.
    """

    servers: tuple[Counted, ...] = ()
    server: str | None = None
    nodes: Annotated[int, Field(ge=1)] | None = None
    gpu: str | None = None
    gpus: Annotated[int, Field(ge=1)] | None = None
    boxes: tuple[Box, ...] = ()
    switches: tuple[Counted, ...] = ()
    storage_kw: NotNegative = 0.0
    storage_rack_units: NotNegative = 0.0
    storage_kg: NotNegative = 0.0
    storage_boxes: Annotated[int, Field(ge=0)] = 0
    support_kw: NotNegative = 0.0
    support_rack_units: NotNegative = 0.0
    support_kg: NotNegative = 0.0
    draw_share: Annotated[float, Field(gt=0, le=1)] | None = None
    rack_limit_kw: Positive | None = Field(None, validation_alias=AliasChoices("rack_limit_kw", "rack_kw"))
    rack_height_units: Positive = 42.0
    rack_limit_kg: Positive | None = 1361.0
    cooling: Method | None = None
    pue: Annotated[float, Field(ge=1, le=5)] | None = None
    redundancy: Literal["N", "N+1", "2N", "2N+1"] = "N"
    connection_limit_kw: Positive | None = None
    site_limit_kw: Positive | None = Field(None, validation_alias=AliasChoices("site_limit_kw", "site_power_kw"))
    rack_feed_kw: Positive | None = None
    operating_hours: Literal["24x7", "office"] = "24x7"
    floor_limit_kg_per_m2: Positive | None = None
    lift_limit_kg: Positive | None = None
    door_height_m: Positive | None = None

    @field_validator("servers", "switches", mode="before")
    @classmethod
    def _counts_by_name(cls, given: object) -> object:
        """One name, a list of names or a table of names and counts, as well as the full form."""
        if isinstance(given, Mapping):
            return [{"id": name, "count": count} for name, count in given.items()]
        rows = [given] if isinstance(given, str) else given
        if not isinstance(rows, list | tuple):
            return rows
        return [{"id": row, "count": 1} if isinstance(row, str) else row for row in rows]


class Threshold(Frozen):
    """A threshold of law and our figure for the quantity it names; ``reached`` is the comparison, not a judgement."""

    id: str
    quantity: str
    value: float | None
    threshold: float
    op: Literal[">=", ">"]
    reached: bool | None


class Building(Frozen):
    """What a site asks of its building. Temperatures are ranges in degrees C; None where no vendor publishes any.

    ``start_step_kw`` comes on at once where every rack starts one server, ``start_steps`` times. ``reusable_share`` is
    the part of all energy that liquid could hand on as heat.
    """

    feeds_per_rack: int | None = None
    floor_kg_per_m2: float
    rack_height_m: float
    start_steps: int
    start_step_kw: float
    start_minutes: float
    supply_air_c: tuple[float, float] | None = None
    coolant_supply_c: tuple[float, float] | None = None
    coolant_return_c: float | None = None
    reusable_heat_mwh: float | None = None
    reusable_share: float = 0.0


class RackPart(Frozen):
    """So many of one item in each rack of a group; ``item`` is a catalogue id, ``storage`` or ``support``."""

    item: str
    count: int
    rack_units: float
    kw: float


class RackGroup(Frozen):
    """``count`` equal racks: rated kW and kg of each, what stands in it, and whether it is sold as one product."""

    count: int
    kw: float
    kg: float
    compute: bool = False
    sealed: bool = False
    parts: tuple[RackPart, ...] = ()


class FacilityFigures(Possible):
    """The figures of a site; None where a rated figure they rest on is not published.

    ``it_kw`` expected draw; ``idle_kw`` draw at rest; ``nominal_it_kw`` servers, storage and network as rated;
    ``connection_kw`` non-redundant connection (IT, cooling, building); ``energy_input_kw`` total rated input;
    ``facility_kw`` expected draw with overhead; ``feed_kw`` installed feeds with redundancy; ``compute_racks`` are
    those with GPU servers. Heat, air and coolant are for the rated power.
    """

    it_kw: float | None
    it_kw_low: float | None
    it_kw_high: float | None
    idle_kw: float | None = None
    nominal_it_kw: float | None
    connection_kw: float | None
    energy_input_kw: float | None
    facility_kw: float | None
    feed_kw: float | None
    racks: int
    compute_racks: int = 0
    rack_kw: float | None
    rack_kg: float | None
    heat_btu_per_h: float | None
    heat_to_air_kw: float | None
    heat_to_liquid_kw: float | None
    airflow_m3_per_h: float | None
    coolant_l_per_min: float | None
    floor_kg: float | None
    annual_mwh: float | None
    obligations: tuple[Threshold, ...] = ()


class FacilityResult(FacilityFigures):
    """A site that fits its racks and limits, or does not with the nearest fix; assumptions name field, value, range."""

    fits: bool
    why_not: Message | None = None
    nearest_fix: Message | None = None
    cooling: str
    cooling_reason: Message
    pue: float
    pue_low: float | None
    pue_high: float | None
    units_per_rack: dict[str, int]
    rack_groups: tuple[RackGroup, ...] = ()
    building: Building | None = None
    unknown: tuple[Missing, ...] = ()
    conflicts: tuple[Message, ...] = ()
    assumptions: tuple[Message, ...] = ()
    with_stand_ins: FacilityFigures | None = None

    @property
    def planned(self) -> FacilityFigures:
        """The figures to plan with: the stand-ins' where something is not published."""
        return self.with_stand_ins or self
