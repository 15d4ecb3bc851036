"""One paragraph that a presales engineer can read out on the call."""

from __future__ import annotations

from assistant.export.document import number, quantity
from assistant.result import Plan, Sizing


def summary_of(sizing: Sizing) -> str:
    """What, how many, what drives it, power, network, what is assumed, what is open."""
    plan = sizing.plan()
    sentences = [_what(sizing, plan), _hardware(plan), _power(plan), _decisions(sizing), _range(sizing), _open(sizing)]
    return " ".join(sentence for sentence in sentences if sentence)


def _what(sizing: Sizing, plan: Plan) -> str:
    work = "; ".join(f"{w.kind.replace('_', ' ')} with {w.model}" for w in sizing.workloads)
    if not plan.fits:
        fix = plan.nearest_fix.get("change") if plan.nearest_fix else None
        return f"For {work}: does not fit ({plan.why_not})." + (f" Nearest change that fits: {fix}." if fix else "")
    return f"For {work}:"


def _hardware(plan: Plan) -> str:
    servers = ", ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu")
    after = plan.capacity_after_one_failure
    return (
        f"{plan.gpus:,} x {plan.accelerator} in {servers}, demanded by {plan.binding}; "
        f"after one failure {after.share_of_required_load:.0%} of the load is carried."
    )


def _power(plan: Plan) -> str:
    facility = plan.facility
    nominal, expected = facility.get("nominal_it_kw"), facility.get("it_kw")
    racks = facility.get("racks")
    return (
        f"IT power {quantity(nominal, 'kW')} nominal, {quantity(expected, 'kW')} expected, in {number(racks)} "
        f"rack{'s' if racks != 1 else ''} of up to {quantity(facility.get('rack_kw'), 'kW')}, cooled by "
        f"{str(facility.get('cooling', 'air')).replace('_', ' ')}."
    )


def _decisions(sizing: Sizing) -> str:
    shown = {d.id: d.choice for d in sizing.decisions}
    wanted = (("build_rent_sovereign", "hosting"), ("fabric_technology", "compute fabric"), ("scheduler", "scheduler"))
    parts = [f"{label} {shown[key].replace('_', ' ')}" for key, label in wanted if key in shown]
    return f"Decided: {', '.join(parts)}." if parts else ""


def _range(sizing: Sizing) -> str:
    lean, roomy = sizing.plan("lean"), sizing.plan("roomy")
    if lean.gpus == roomy.gpus:
        return ""
    return f"The range of what is not known goes from {lean.gpus:,} (lean) to {roomy.gpus:,} GPUs (roomy)."


def _open(sizing: Sizing) -> str:
    duties = [o.title for o in sizing.obligations if o.applies is True]
    text = f"{len(sizing.assumptions)} values are assumed and listed."
    return text + (f" Duties that apply: {'; '.join(duties)}." if duties else "")
