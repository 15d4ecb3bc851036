"""Decisions as they are settled: the rules' own, with the reason of what stands above them."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.planning.count.ranking import Candidate
from assistant.planning.settled.settled import Ground, Override, Settled, served_format
from assistant.result import Decision, Reason

RULES: dict[Ground, str] = {
    "named": "planner.stated",
    "least_power": "planner.least_power",
    "format_stated": "planner.format",
    "format_published": "planner.format",
    "built": "planner.built_non_blocking",
    "stated": "planner.stated",
    "rack_density": "planner.rack_density",
}
"""Ground of an override -> what its reason is cited as."""


def decided(decisions: Iterable[Decision], settled: Settled) -> tuple[Decision, ...]:
    """The decisions of the rules with every override of the settled design."""
    return tuple(_decided(decision, settled) for decision in decisions)


def _decided(found: Decision, settled: Settled) -> Decision:
    override = settled.overrides.get(found.id)
    if override is None:
        return found
    if override.ground == "named":
        return _named(found, override)
    if override.ground == "least_power":
        return _least_power(found, override, settled.ranked)
    reason = _reason(override.ground, _text(override, settled))
    if override.ground in ("format_stated", "format_published"):
        because = (reason, *(r for r in found.because if r.rule != reason.rule))
        return _turned(found, override, because).model_copy(update={"confidence": "high"})
    return _turned(found, override, (reason,)).model_copy(update={"against": found.because})


def _turned(found: Decision, override: Override, because: tuple[Reason, ...]) -> Decision:
    """Another choice; what the rules lean to is the runner-up."""
    return found.model_copy(update={"choice": override.choice, "runner_up": found.choice, "because": because})


def _reason(ground: Ground, text: str, strength: str = "") -> Reason:
    told = ground in ("named", "stated", "format_stated")
    firm = told or ground == "format_published"
    return Reason(
        rule=RULES[ground],
        text=text,
        strength=strength or ("requires" if firm else "strong"),
        grade="stated" if told else "arithmetic",
        sources=(),
    )


def _text(override: Override, settled: Settled) -> str:
    facility, published = settled.built.site.facility, served_format(settled.built.count)
    texts: dict[Ground, str] = {
        "format_stated": "The customer names this format.",
        "format_published": f"The checkpoint is published in {published}; it is served as it is.",
        "built": "The first sizing is built non-blocking; a thinner top layer is a saving for the detailed design.",
        "stated": "The customer asks for it.",
        "rack_density": facility.cooling_reason or "The racks of this plan need it.",
    }
    return texts[override.ground]


def _named(found: Decision, override: Override) -> Decision:
    other = next((d for d in (found.choice, found.runner_up) if d and d not in ("none", override.choice)), None)
    return found.model_copy(
        update={
            "choice": override.choice,
            "runner_up": other,
            "because": (_reason("named", "The customer names this hardware."), *found.because),
            "confidence": "high",
        }
    )


def _least_power(found: Decision, override: Override, ranked: tuple[Candidate, ...]) -> Decision:
    """The choice is the arithmetic's; the rules' reasons stand beside it."""
    usable = [c for c in ranked if c.score_kw is not None and c.count is not None]
    because = (_reason("least_power", text) for c in usable[:1] if (text := _best(c)))
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


def _compared(text: str) -> Reason:
    return Reason(rule="planner.compared", text=text, strength="medium", grade="arithmetic", sources=())


def _best(c: Candidate) -> str:
    return (
        ""
        if c.count is None
        else (
            f"{c.accelerator}: {c.count.units} x {c.count.choice.name}, {c.count.gpus} GPUs, "
            f"{c.count.power_kw or 0:.4g} kW rated{_weighed(c)}; the least among the parts compared that carry the "
            "load within the targets, by rated power (give prices to decide by cost)"
        )
    )


def _other(c: Candidate) -> str:
    return (
        ""
        if c.count is None
        else (
            f"{c.accelerator}: {c.count.units} servers, {c.count.gpus} GPUs, "
            f"{c.count.power_kw or 0:.4g} kW rated{_weighed(c)}"
        )
    )


def _weighed(candidate: Candidate) -> str:
    """The handicap of a part in words: extrapolated speed, replicas over PCIe, or a scale that nobody has shown."""
    if candidate.handicap == 1 or candidate.score_kw is None:
        return ""
    return f", counted as {candidate.score_kw:.4g} kW for what nobody has measured of it (x{candidate.handicap:g})"
