"""How many GPUs, by a sizing of what the question says."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import related, sources_of
from assistant.messages import render


def count(desk: Desk) -> Draft | None:
    """How many GPUs, by a sizing of what the question says."""
    sizing = desk.sized
    if sizing is None:
        return None
    plan = sizing.plan()
    servers = " + ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu")
    racks, fullest = plan.facility.racks, plan.facility.rack_kw
    if desk.says(r"\bracks?\b|schränke") and racks is not None and fullest is not None:
        first = desk.either(
            f"{desk.show(racks)} racks of up to {desk.show(fullest)} kW for {servers} with network and storage.",
            f"{desk.show(racks)} Racks mit bis zu {desk.show(fullest)} kW für {servers} mit Netz und Speicher.",
        )
        claim = desk.library.computed("sizing.racks", first, float(racks), "racks", sources_of(desk, plan.accelerator))
        return Draft("racks", first, claims=[claim, *related(desk, "B-")])
    first = desk.either(
        f"{plan.gpus} x {plan.accelerator} in {servers}; the count is set by {plan.binding}.",
        f"{plan.gpus} x {plan.accelerator} in {servers}; maßgeblich ist: {plan.binding}.",
    )
    if not plan.fits:
        first = desk.either(f"It does not fit: {plan.why_not}.", f"Es passt nicht: {plan.why_not}.")
    draft = Draft(kind="size", first=first, more=[render(sizing.summary, desk.language)])
    draft.assumed = [f"{a.field.replace('_', ' ')}: {a.value}" for a in sizing.assumptions]
    claim = desk.library.computed("sizing", first, float(plan.gpus), "GPUs", sources_of(desk, plan.accelerator))
    draft.claims = [claim, *related(desk, "S0-", "F4-")]
    return draft
