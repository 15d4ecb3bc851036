"""What people watch of a design, and how far two designs are apart: the measure by which open questions are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

from assistant.planning.settled.settled import Settled
from knowledge.evidence import Frozen

DECISION_WEIGHT = 0.25
HOSTING_WEIGHT = 1.0
DUTY_WEIGHT = 0.1
FIT_WEIGHT = 1.0
"""What a decision, the one to build or rent, a duty in law and whether it fits count for, in doublings of the hardware;
our judgement. Hardware itself counts as the doublings of rated power, racks, or GPUs of one kind, whichever is most."""


class Outline(Frozen):
    """The recommended plan in the figures, decisions and duties that people watch."""

    accelerator: str
    gpus: int
    servers: int
    nominal_it_kw: float | None
    racks: int | None
    fits: bool
    decisions: Mapping[str, str]
    duties: Mapping[str, str]


def moved_by(one: Outline, other: Outline) -> float:
    """How far two plans are apart, in doublings of the hardware."""
    alike = one.accelerator == other.accelerator  # eight small GPUs in place of two large ones are not four times more
    hardware = max(
        _doublings(one.gpus, other.gpus) if alike else 0.0,
        _doublings(one.nominal_it_kw, other.nominal_it_kw),
        _doublings(one.racks, other.racks),
    )
    turned = differing(one.decisions, other.decisions)
    return (
        hardware
        + sum(HOSTING_WEIGHT if ident == "build_rent_sovereign" else DECISION_WEIGHT for ident in turned)
        + DUTY_WEIGHT * len(differing(one.duties, other.duties))
        + FIT_WEIGHT * (one.fits != other.fits)
    )


def _doublings(one: float | None, other: float | None) -> float:
    return abs(log2(one / other)) if one and other else 0.0


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The ids whose value is not the same in both."""
    return [ident for ident in dict.fromkeys([*one, *other]) if one.get(ident) != other.get(ident)]


def outline_of(settled: Settled) -> Outline:
    """The outline of a design. Which accelerator it is shows in GPUs and power, not as a decision of its own."""
    built = settled.built
    planned = built.site.facility.planned
    return Outline(
        accelerator=built.count.accelerator,
        gpus=built.gpus,
        servers=built.count.units,
        nominal_it_kw=planned.nominal_it_kw,
        racks=planned.racks,
        fits=built.fits,
        decisions={name: choice for name, choice in settled.choices.items() if name != "accelerator"},
        duties={name: str(applies) for name, applies in settled.duties.items()},
    )
