"""What spot nodes save and what a deadline costs: nodes, node-days and the share that must be on demand."""

from __future__ import annotations

from assistant.sizing.reliability.conditions import MOST_NODES, Conditions
from assistant.sizing.reliability.goodput import goodput_of
from knowledge.evidence import Frozen
from knowledge.message import Message, say

SEARCH_STEPS = 200
"""Steps of the search for nodes: enough to multiply them by seventeen thousand."""
GROWTH = 1.05
"""By how much a step of it grows: a number of nodes is found to within 5 %."""


class DeadlineCost(Frozen):
    """Whether the run is over in time, and what makes it so. None: nothing of that kind does.

    ``nodes_needed`` assumes that training speeds up in proportion to the nodes. Node-days are those held to the end.
    """

    deadline_days: float
    expected_days: float | None
    meets: bool
    nodes_needed: int | None
    node_days: float | None
    node_days_for_deadline: float | None
    on_demand_nodes_needed: int | None
    says: Message


class SpotOutcome(Frozen):
    """What spot nodes do to the run. ``worth_below_price_share``: below that share of the on-demand price they pay.

    ``goodput_low`` and ``goodput_high`` span the published preemption rates, which disagree by a factor of hundreds.
    """

    provider: str
    spot_nodes: int
    notice_s: float
    preemptions_per_day: float
    preemptions_say: Message
    saves_on_notice: bool
    replacement_min: float
    goodput_on_demand: float
    goodput_low: float
    goodput_high: float
    worth_below_price_share: float


def deadline_cost(at: Conditions, days: float, deadline_days: float) -> DeadlineCost:
    """The cost of a deadline for ``days`` of undisturbed training on ``at.nodes``."""
    taken = expected_days(at, days)
    meets = taken is not None and taken <= deadline_days
    needed = at.nodes if meets else _nodes_for(at, days, deadline_days)
    held = taken * at.nodes if taken is not None else None
    in_time = None if needed is None else needed * (expected_days(_grown(at, needed), days * at.nodes / needed) or 0.0)
    on_demand = _on_demand_for(at, days, deadline_days)
    return DeadlineCost(
        deadline_days=deadline_days,
        expected_days=taken,
        meets=meets,
        nodes_needed=needed,
        node_days=held,
        node_days_for_deadline=in_time,
        on_demand_nodes_needed=on_demand,
        says=_said(at, meets, needed, on_demand, deadline_days),
    )


def expected_days(at: Conditions, days: float) -> float | None:
    """Days with everything that the run meets; None where it makes no progress."""
    share = goodput_of(at).share
    return days / share if share > 0 and days / share < 1e6 else None


def _grown(at: Conditions, nodes: int) -> Conditions:
    return at.on(nodes, round(at.spot_nodes * nodes / at.nodes))


def _nodes_for(at: Conditions, days: float, deadline_days: float) -> int | None:
    """Fewest nodes that are in time: first in growing steps, then exactly. None where more nodes only fail more."""
    last, count = at.nodes, at.nodes
    for _ in range(SEARCH_STEPS):
        last, count = count, max(count + 1, int(count * GROWTH))
        if count > MOST_NODES:
            return None
        if _in_time(_grown(at, count), days * at.nodes / count, deadline_days):
            return _bisected(at, last, count, days, deadline_days)
    return None


def _bisected(at: Conditions, low: int, high: int, days: float, deadline_days: float) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        if _in_time(_grown(at, middle), days * at.nodes / middle, deadline_days):
            high = middle
        else:
            low = middle
    return high


def _in_time(at: Conditions, days: float, deadline_days: float) -> bool:
    taken = expected_days(at, days)
    return taken is not None and taken <= deadline_days


def _on_demand_for(at: Conditions, days: float, deadline_days: float) -> int | None:
    """Fewest of the nodes that must be on demand for the same number to be in time."""
    if not at.spot_nodes or not _in_time(at.on(at.nodes, 0), days, deadline_days):
        return None
    low, high = -1, at.spot_nodes
    while high - low > 1:
        middle = (low + high) // 2
        if _in_time(at.on(at.nodes, at.spot_nodes - middle), days, deadline_days):
            high = middle
        else:
            low = middle
    return at.nodes - at.spot_nodes + high


def _said(at: Conditions, meets: bool, needed: int | None, on_demand: int | None, deadline_days: float) -> Message:
    if meets:
        return say("reliability.deadline.in_time", days=deadline_days)
    ways = []
    if needed is not None:
        ways.append(say("reliability.deadline.more", needed=needed, nodes=at.nodes))
    if on_demand is not None:
        ways.append(say("reliability.deadline.on_demand", kept=on_demand, nodes=at.nodes))
    return say("reliability.deadline.late", ways=ways) if ways else say("reliability.deadline.hopeless")
