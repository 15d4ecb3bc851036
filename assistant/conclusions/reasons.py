"""Decisions as they are settled: the rules' own, with the reason of what stands above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assistant.planning.count.count import Count
from assistant.planning.count.ranking import Candidate
from assistant.planning.settled.settled import Ground, Override, Settled, served_format
from assistant.result import Decision, Reason
from knowledge.catalogue import Catalogue
from knowledge.message import Message, Text, say

RULES: dict[Ground, str] = {
    "named": "planner.stated",
    "least_power": "planner.least_power",
    "least_cost": "planner.least_cost",
    "format_stated": "planner.format",
    "format_published": "planner.format",
    "built": "planner.built_non_blocking",
    "stated": "planner.stated",
    "rack_density": "planner.rack_density",
}
"""Ground of an override -> what its reason is cited as."""


def decided(decisions: Iterable[Decision], settled: Settled, catalogue: Catalogue) -> tuple[Decision, ...]:
    """The decisions of the rules with every override of the settled design, products with their names."""
    return tuple(_with_names(_decided(decision, settled), catalogue) for decision in decisions)


def with_money(decisions: Iterable[Decision], cost: Mapping[str, Any] | None) -> tuple[Decision, ...]:
    """The decisions, with what the user's prices say of buying and renting where they reach that far."""
    told = tuple(_money(cost or {}))
    return tuple(
        decision.model_copy(update={"because": (*decision.because, *told)})
        if told and decision.id == "build_rent_sovereign"
        else decision
        for decision in decisions
    )


def _money(cost: Mapping[str, Any]) -> Iterator[Reason]:
    even, currency = cost.get("break_even"), str(cost.get("currency"))
    if even:
        share, rent = float(even["utilisation"]), float(even["rent_per_gpu_hour"])
        key = "reasons.never_even" if share > 1 else "reasons.break_even"
        yield _by_price(say(key, share=share, rent=rent, currency=currency))
    tokens = cost.get("per_million_tokens")
    if tokens:
        yield _by_price(say("reasons.million_tokens", amount=float(f"{float(tokens):.2g}"), currency=currency))


def _by_price(text: Message) -> Reason:
    return Reason(rule="planner.by_price", text=text, strength="medium", grade="arithmetic", sources=())


def _with_names(decision: Decision, catalogue: Catalogue) -> Decision:
    """The decision with the names of the products that can be chosen."""
    if decision.id != "accelerator":
        return decision
    choices = (decision.choice, decision.runner_up, *(flip.choice for flip in decision.flips_when))
    known = catalogue.entries("accelerators")
    return decision.model_copy(update={"names": {c: known[c].name for c in choices if c and c in known}})


def _decided(found: Decision, settled: Settled) -> Decision:
    override = settled.overrides.get(found.id)
    if override is None:
        return found
    if override.ground == "named":
        return _named(found, override)
    if override.ground in ("least_power", "least_cost"):
        return _ranked(found, override, settled.ranked)
    reason = _reason(override.ground, _text(override, settled))
    if override.ground in ("format_stated", "format_published"):
        because = (reason, *(r for r in found.because if r.rule != reason.rule))
        return _turned(found, override, because).model_copy(update={"confidence": "high"})
    return _turned(found, override, (reason,)).model_copy(update={"against": found.because})


def _turned(found: Decision, override: Override, because: tuple[Reason, ...]) -> Decision:
    """Another choice; what the rules lean to is the runner-up."""
    return found.model_copy(update={"choice": override.choice, "runner_up": found.choice, "because": because})


def _reason(ground: Ground, text: Text, strength: str = "") -> Reason:
    told = ground in ("named", "stated", "format_stated")
    firm = told or ground == "format_published"
    return Reason(
        rule=RULES[ground],
        text=text,
        strength=strength or ("requires" if firm else "strong"),
        grade="stated" if told else "arithmetic",
        sources=(),
    )


def _text(override: Override, settled: Settled) -> Text:
    facility, published = settled.built.site.facility, served_format(settled.built.count)
    texts: dict[Ground, Text] = {
        "format_stated": say("reasons.format_stated"),
        "format_published": say("reasons.format_published", dtype=published),
        "built": say("reasons.built"),
        "stated": say("reasons.stated"),
        "rack_density": facility.cooling_reason or say("reasons.rack_density"),
    }
    return texts[override.ground]


def _named(found: Decision, override: Override) -> Decision:
    other = next((d for d in (found.choice, found.runner_up) if d and d not in ("none", override.choice)), None)
    return found.model_copy(
        update={
            "choice": override.choice,
            "runner_up": other,
            "because": (_reason("named", say("reasons.named")), *found.because),
            "confidence": "high",
        }
    )


def _ranked(found: Decision, override: Override, ranked: tuple[Candidate, ...]) -> Decision:
    """The choice is the arithmetic's; the rules' reasons stand beside it."""
    usable = [c for c in ranked if c.score_kw is not None and c.count is not None]
    because = (_reason(override.ground, text) for c in usable[:1] if (text := _best(c)))
    against = (_compared(text) for c in usable[1:4] if (text := _other(c)))
    return found.model_copy(
        update={
            "choice": override.choice,
            "runner_up": usable[1].accelerator if len(usable) > 1 else None,
            "because": (*because, *found.because),
            "against": (*against, *found.against),
            "confidence": "medium" if usable else "low",
        }
    )


def _compared(text: Text) -> Reason:
    return Reason(rule="planner.compared", text=text, strength="medium", grade="arithmetic", sources=())


def _best(c: Candidate) -> Message | None:
    if c.count is None or c.cost is None:
        return None if c.count is None else say("reasons.best", **_figures(c, c.count), weighed=_weighed(c))
    return say("reasons.cheapest", **_figures(c, c.count), years=c.cost.years, cost=_cost(c))


def _other(c: Candidate) -> Message | None:
    if c.count is None or c.cost is None:
        return None if c.count is None else say("reasons.other", **_figures(c, c.count), weighed=_weighed(c))
    return say("reasons.dearer", **_figures(c, c.count), years=c.cost.years, cost=_cost(c))


def _cost(c: Candidate) -> Message:
    """What the servers and their energy cost over the horizon, with the handicap where there is one."""
    assert c.cost is not None
    amount = float(f"{c.cost.amount:.3g}")
    if c.handicap == 1:
        return say("reasons.cost", amount=amount, currency=c.cost.currency)
    return say("reasons.cost_weighed", amount=amount, currency=c.cost.currency, factor=float(c.handicap))


def _figures(c: Candidate, count: Count) -> dict[str, str | int | float]:
    return {
        "accelerator": c.accelerator,
        "servers": count.units,
        "server": count.choice.name,
        "gpus": count.gpus,
        "kw": float(count.power_kw or 0),
    }


def _weighed(candidate: Candidate) -> Message:
    """The handicap of a part: extrapolated speed, replicas over PCIe, or a scale that nobody has shown."""
    if candidate.handicap == 1 or candidate.score_kw is None:
        return say("reasons.as_rated")
    return say("reasons.weighed", kw=candidate.score_kw, factor=float(candidate.handicap))
