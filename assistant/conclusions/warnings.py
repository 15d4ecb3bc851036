"""What the arithmetic itself has to say, beside the rules: misfits, overload, extrapolation, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assistant.conclusions.stated_conflicts import conflicts
from assistant.interview.brief import Brief
from assistant.interview.parser.choices.money import NO_CURRENCY
from assistant.planning.count.count import Count
from assistant.planning.count.knobs import spare_wanted
from assistant.planning.count.named import Named
from assistant.planning.demands.demand import Demands
from assistant.result import Notice, Plan
from knowledge.message import Message, say

ONLY_WHEN_IT_FITS = frozenset({"no_cluster_needed"})
"""Warnings of the rules that make no sense beside a plan that does not fit."""


def own_warnings(
    brief: Brief, demands: Demands, count: Count, plan: Plan, named: Named | None, vendor: str
) -> tuple[Notice, ...]:
    """The warnings of one recommended plan, the gravest first."""
    return (
        *_refused(brief),
        *_misfit(count, plan),
        *_missed(plan),
        *_disagreements(brief, demands),
        *_notes(demands, count, plan),
        *_software(vendor),
        *_failure(brief, plan),
        *_gaps(plan, named),
        *_money(brief, plan),
    )


def fitting(warnings: Iterable[Notice], plan: Plan) -> tuple[Notice, ...]:
    """The rules' warnings without those that contradict a misfit."""
    return tuple(w for w in warnings if plan.fits or w.id not in ONLY_WHEN_IT_FITS)


def _refused(brief: Brief) -> Iterator[Notice]:
    """Hardware that the customer wants and the catalogue cannot size must never vanish."""
    value = brief.value("refused_hardware")
    if value:
        shown = ", ".join(value) if isinstance(value, list | tuple) else str(value)
        text = say("warnings.refused_hardware", names=shown)
        yield Notice(id="refused_hardware", severity="stop", text=text)


def _misfit(count: Count, plan: Plan) -> Iterator[Notice]:
    if not plan.fits:
        yield Notice(id="does_not_fit", severity="stop", text=say("warnings.does_not_fit", why=plan.why_not))
    if count.shortfall is not None:
        yield Notice(id="load_exceeds_named_hardware", severity="stop", text=count.shortfall)


def _missed(plan: Plan) -> Iterator[Notice]:
    """Targets are promises: one that is missed stands at the top, what was only assumed as a caution."""
    for place, target in enumerate(target for target in plan.targets if target.missed):
        severity = "stop" if target.stated else "caution"
        yield Notice(id=f"target_missed_{place}", severity=severity, text=target.told)


def _disagreements(brief: Brief, demands: Demands) -> Iterator[Notice]:
    for place, text in enumerate(conflicts(brief, demands.models)):
        yield Notice(id=f"stated_{place}", severity="caution", text=say("warnings.note", note=text))


def _notes(demands: Demands, count: Count, plan: Plan) -> Iterator[Notice]:
    for place, note in enumerate(dict.fromkeys(note for demand in demands.serving for note in demand.notes)):
        yield Notice(id=f"reading_{place}", severity="caution", text=say("warnings.note", note=note))
    for place, text in enumerate(dict.fromkeys(need.caution for need in count.needs if need.caution)):
        yield Notice(id=f"placement_{place}", severity="caution", text=say("warnings.note", note=text))
    if any(need.basis == "extrapolated" for need in count.needs):
        text = say("warnings.extrapolated", accelerator=plan.card)
        yield Notice(id="extrapolated", severity="caution", text=text)


def _software(vendor: str) -> Iterator[Notice]:
    """Whoever names an AMD card, or whatever leads to one: engines and formats reach ROCm later than CUDA."""
    if vendor == "AMD":
        yield Notice(id="rocm", severity="caution", text=say("warnings.rocm"), sources=("rocm_issue_3766",))


def _failure(brief: Brief, plan: Plan) -> Iterator[Notice]:
    left = plan.capacity_after_one_failure.share_of_required_load
    if spare_wanted(brief) and left < 1 and plan.fits:
        text = say("warnings.no_spare", share=left)
        yield Notice(id="no_spare_in_named_hardware", severity="caution", text=text)


def _gaps(plan: Plan, named: Named | None) -> Iterator[Notice]:
    if plan.facility.rests_on_stand_ins:
        gaps = dict.fromkeys(gap.item for gap in plan.facility.unknown)
        text = say("warnings.stand_ins", items=[say("warnings.item", item=gap) for gap in gaps])
        yield Notice(id="stand_ins", severity="info", text=text)
    if named and named.also:
        yield Notice(id="also_named", severity="info", text=say("warnings.also_named", names=named.also))


def _money(brief: Brief, plan: Plan) -> Iterator[Notice]:
    """What the prices given say of the budget; without prices nobody knows."""
    budget, cost = brief.value("budget"), plan.cost or {}
    if cost.get("problem"):
        yield Notice(id="prices_unread", severity="caution", text=say("warnings.prices_unread", why=cost["problem"]))
    elif isinstance(budget, Mapping):
        text = _covered(budget, cost)
        severity = "caution" if text.id in SHORT_OF_MONEY else "info"
        yield Notice(id="budget", severity=severity, text=text)


SHORT_OF_MONEY = frozenset({"warnings.budget.exceeded", "warnings.budget.exceeded_at_least"})
"""What is said where the budget does not cover the plan."""


def _covered(budget: Mapping[str, Any], cost: Mapping[str, Any]) -> Message:
    amount, currency, per = float(budget["amount"]), str(budget.get("currency")), budget.get("per")
    if currency == NO_CURRENCY:
        return say("warnings.budget.no_currency", amount=amount)
    shown = say(f"warnings.budget.{f'a_{per}' if per else 'once'}", amount=amount, currency=currency)
    if not cost:
        return say("warnings.budget.no_price", budget=shown)
    if cost.get("currency") != currency:
        return say("warnings.budget.other_currency", budget=shown, other=str(cost.get("currency")))
    if per:
        yearly = cost.get("yearly")
        needed = None if yearly is None else float(yearly) / (12 if per == "month" else 1)
        least = needed
    else:
        needed, least = cost.get("capex"), cost.get("capex_priced")
    if least is not None and float(least) > amount:
        short = "exceeded_at_least" if needed is None else "exceeded"
        return say(f"warnings.budget.{short}", budget=shown, needed=float(least), currency=currency)
    if needed is None:
        missing = ", ".join(map(str, list(cost.get("unpriced", []))[:MOST_MISSING]))
        return say("warnings.budget.prices_missing", budget=shown, items=missing)
    return say("warnings.budget.covered", budget=shown, needed=float(needed), currency=currency)


MOST_MISSING = 6
"""Items without a price that a warning names."""
