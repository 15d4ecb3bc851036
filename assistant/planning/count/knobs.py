"""What sets the three plans apart, and what the site and the customer allow a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assistant.interview.brief import Status
from assistant.planning.count.needs.need import Level
from assistant.planning.view import Answers, Known
from assistant.sizing.equipment.nodes import ServerChoice, ServerLimits
from knowledge.message import Text, say

PlanName = Literal["lean", "recommended", "roomy"]
PLANS: tuple[PlanName, ...] = ("lean", "recommended", "roomy")

LEVELS: dict[PlanName, Level] = {"lean": "low", "recommended": "likely", "roomy": "high"}
"""The end of the load's range that a plan is made for."""


@dataclass(frozen=True, eq=False)
class Knobs:
    """What sets a plan apart: which end of the load's range, headroom, growth, and whether one failure is covered.

    Made once for each setting of the margins and kept, so that what is counted with them is kept by their identity.
    """

    level: Level
    factor: float
    spare: bool
    causes: tuple[Text, ...]


def limits_of(brief: Answers) -> ServerLimits:
    """What the site allows a server, as far as the customer said so."""
    rack, liquid = brief.get("rack_kw"), brief.get("liquid_cooling")
    feed = brief.value("rack_feed_kw")  # one feed must carry the rack, unless the rack's own limit is said
    bound = rack.value if rack.status is Status.STATED and rack.value else feed
    return ServerLimits(
        rack_limit_kw=float(bound) if bound else None,
        liquid=bool(liquid.value) if liquid.status is Status.STATED and liquid.value is False else None,
        server=str(brief.value("server")) if brief.value("server") else None,
    )


def spare_wanted(brief: Answers) -> bool:
    """Whether one failure must be covered, as stated or assumed."""
    return str(brief.value("redundancy") or "n") in ("n+1", "2n")


def knobs_of(brief: Answers) -> Mapping[PlanName, Knobs]:
    """The three plans' settings for a brief, each with its causes in words."""
    growth = 1.0 + max(0.0, _number(brief.get("growth_share")))
    headroom = 1.0 + max(0.0, _number(brief.get("headroom_share")))
    return _knobs(growth, headroom, spare_wanted(brief), str(brief.value("redundancy")) == "2n")


@lru_cache(maxsize=4096)
def _knobs(growth: float, headroom: float, spare: bool, doubled: bool) -> Mapping[PlanName, Knobs]:
    more = say("planning.headroom", share=headroom - 1) if headroom > 1 else say("planning.no_headroom")
    return {
        "lean": Knobs(level=LEVELS["lean"], factor=1.0, spare=False, causes=(say("planning.lean"),)),
        "recommended": Knobs(
            level=LEVELS["recommended"],
            factor=headroom * (2.0 if doubled else 1.0),
            spare=spare,
            causes=(
                say("planning.likely", headroom=more),
                say("planning.covered") if spare else say("planning.no_spare"),
            ),
        ),
        "roomy": Knobs(
            level=LEVELS["roomy"],
            factor=headroom * growth * (2.0 if doubled else 1.0),
            spare=True,
            causes=(say("planning.roomy", headroom=more, growth=growth - 1), say("planning.covered")),
        ),
    }


def _number(answer: Known) -> float:
    return float(answer.value) if answer.value is not None else 0.0


def trays(brief: Answers, choice: ServerChoice) -> int:
    """GPUs of the nodes that the customer named: of servers, or of trays where a rack is sold as one."""
    return int(brief.value("nodes")) * choice.failure_gpus


def fixed_nodes(brief: Answers) -> int | None:
    """The number of servers that the customer fixed, if any; that of hardware we cannot size says nothing."""
    fixed = brief.stated("nodes") and not brief.value("refused_hardware")
    return int(brief.value("nodes")) if fixed else None
