"""A published figure beside ours, and what a heap of them says: errors, bias, and how often the band holds."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from knowledge.evidence import Frozen

Part = Literal["fit", "test", "published"]


class Compared(Frozen):
    """One published figure with our prediction of it; None where we refuse. ``low`` and ``high`` are P10 and P90.

    ``part``: ``fit`` where constants were fitted on it, ``test`` where it was held back, ``published`` where it is of
    another source. ``cell`` says whether its (model, GPU, engine) was in the fit.
    """

    id: str
    metric: str
    part: Part
    cell: str
    model: str
    gpu: str
    engine: str
    precision: str
    measured: float
    predicted: float | None
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float | None:
        """Predicted over measured, less one."""
        return None if self.predicted is None else self.predicted / self.measured - 1

    @property
    def covered(self) -> bool | None:
        """Whether the measured figure lies in the band; None without one."""
        return None if self.low is None or self.high is None else self.low <= self.measured <= self.high


class Verdict(Frozen):
    """A configuration that ran or ran out of memory, and whether we call it fit."""

    id: str
    ran: bool
    fits: bool


class Spread(Frozen):
    """Errors of a group as shares of the measured figure; ``band_width`` is the median of P90 / P10."""

    points: int
    refused: int
    median_error: float | None
    mean_error: float | None
    p90_error: float | None
    bias: float | None
    covered: float | None
    band_width: float | None


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None


def spread(found: Sequence[Compared]) -> Spread:
    """The distribution of errors of ``found``."""
    signed = [point.error for point in found if point.error is not None]
    errors = sorted(map(abs, signed))
    widths = [point.high / point.low for point in found if point.low and point.high]
    return Spread(
        points=len(found),
        refused=len(found) - len(signed),
        median_error=statistics.median(errors) if errors else None,
        mean_error=statistics.fmean(errors) if errors else None,
        p90_error=errors[int(0.9 * (len(errors) - 1) + 0.5)] if errors else None,
        bias=statistics.median(signed) if signed else None,
        covered=_share([point.covered for point in found if point.covered is not None]),
        band_width=statistics.median(widths) if widths else None,
    )


def by(found: Iterable[Compared], *names: str) -> dict[tuple[str, ...], Spread]:
    """Spreads of the groups that agree in ``names``, worst median error first."""
    groups: dict[tuple[str, ...], list[Compared]] = defaultdict(list)
    for point in found:
        groups[tuple(str(getattr(point, name)) for name in names)].append(point)
    spreads = {key: spread(points) for key, points in groups.items()}
    return dict(sorted(spreads.items(), key=lambda item: (-(item[1].median_error or 0.0), item[0])))


def worst(found: Iterable[Compared], count: int) -> list[Compared]:
    """The points furthest off, as a factor either way; refusals first."""

    def off(point: Compared) -> float:
        if not point.predicted or point.predicted <= 0:
            return float("inf")
        return max(point.predicted / point.measured, point.measured / point.predicted)

    return sorted(found, key=lambda point: (-off(point), point.id))[:count]
