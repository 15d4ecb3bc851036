"""What is asked of the choice of a server, and what it answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assistant.sizing.equipment.rated import Method
from assistant.sizing.equipment.units import Positive
from knowledge.evidence import Frozen

Whole = Annotated[int, Field(ge=1)]


class ServerLimits(Frozen):
    """What the site allows a server; None allows anything. Where the customer named a ``server`` no other is taken.

    ``liquid`` False: none at the rack. True: only servers built for it. None: not known, so a server that needs liquid
    is taken only where the accelerator comes in no other.
    """

    rack_limit_kw: Positive | None = None
    rack_limit_kg: Positive | None = None
    liquid: bool | None = None
    vendor: str | None = None
    whole_domain_gpus: Whole | None = None
    server: str | None = None


class Rejected(Frozen):
    """A server that was looked at and not taken, with the reason."""

    server: str
    reason: str


class ServerChoice(Frozen):
    """The server taken (None: a plain box that the catalogue has no product for) and how many units.

    ``gpus_idle`` are GPUs bought beyond those asked for. ``max_power_kw`` is of one unit as filled, None where it is
    not published; ``stand_in_power_kw`` is then the nearest sourced figure, and ``stand_in`` says whose. ``method`` is
    the cooling that the server cannot run without.
    """

    server: str | None
    name: str
    accelerator: str
    count: int
    gpus_per_unit: int
    gpus_per_domain: int
    failure_gpus: int
    gpus: int
    gpus_idle: int
    reason: str
    alternatives: tuple[Rejected, ...] = ()
    fits: bool = True
    why_not: str | None = None
    nearest_fix: str | None = None
    max_power_kw: float | None = None
    stand_in: str | None = None
    stand_in_power_kw: float | None = None
    compute_nics: int | None = None
    compute_nic_gb_per_s: float | None = None
    method: Method = "air"
    liquid_required: bool = False

    @property
    def planned_kw(self) -> float | None:
        """Power of one unit to plan with, in kW: rated, else the stand-in's; None where neither is known."""
        return self.max_power_kw if self.max_power_kw is not None else self.stand_in_power_kw
