"""How often what happens: the rates of each kind of event as things stand."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.operations.simulator.events import Event, Phase
from assistant.operations.simulator.pool import Pool
from assistant.sizing.reliability.conditions import Conditions


def daily_rates(at: Conditions, pool: Pool, phase: Phase) -> Mapping[Event, float]:
    """Events a day of each kind. While the job waits nothing interrupts it, but nodes that stand ready may go too."""
    each = at.hardware_daily / at.nodes
    if phase is Phase.WAIT:
        held = 1.0 - pool.taken / at.spot_nodes if at.spot_nodes else 0.0
        return {Event.SPARE_LOST: each * max(0, pool.healthy), Event.PREEMPTED: at.preemptions_daily * max(0.0, held)}
    return {
        Event.HARDWARE: at.hardware_daily,
        Event.SOFTWARE: max(0.0, at.failures_daily - at.hardware_daily),
        Event.PREEMPTED: at.preemptions_daily,
        Event.CORRUPTED: at.corruptions_daily if phase is Phase.TRAIN else 0.0,
        Event.SPARE_LOST: each * pool.idle,
    }


def said(event: Event, at: Conditions, pool: Pool) -> str:
    """An interruption in words."""
    if event is Event.SOFTWARE:
        return "the job ends (software, network or unknown); the nodes are sound"
    left = f"{pool.idle} spare{'' if pool.idle == 1 else 's'} left" if at.spares else "no spares"
    if event is Event.PREEMPTED:
        saved = "saved in time" if at.saves_on_notice else "the notice is too short to save"
        return f"a spot node is taken, {saved}; {left}"
    return f"a node fails and goes to repair; {left}"
