"""Expected bus bandwidth of collectives, from measured and published figures only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import median

from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import BusBandwidth

LARGE_BYTES = 1 << 30
"""From 1 GiB on a message is large enough for its bandwidth to be near the plateau."""

TOLERANCE = 0.05
"""Relative tolerance of one figure alone; NVIDIA's own answers span 46 to 48 GB/s a network port (4 %)."""

SIMILAR_TECHNOLOGIES = {"efa": {"efa", "roce"}, "roce": {"roce", "efa"}, "infiniband": {"infiniband"}}
"""Ethernet-like fabrics stand for each other, and say so; InfiniBand with switch reduction does not."""


class Floor(Frozen):
    """A pass mark that an operator sets (GB/s): below it a node is taken out. Not an expectation."""

    value_gb_per_s: float
    platform: str
    sources: tuple[str, ...]


class ExpectedBusBandwidth(Frozen):
    """What a collective on large messages should reach, with a relative tolerance; ``floors`` are pass marks.

    ``exact`` is True where figures for this node count exist; else the nearest larger count's figure is given, which
    is what the count asked for should at least reach, or the nearest smaller's, which it will hardly exceed. Two nodes
    never stand for more: there the measure can exceed what the network carries.
    """

    value_gb_per_s: float
    tolerance: float
    low_gb_per_s: float
    high_gb_per_s: float
    nodes_measured: int
    exact: bool
    kind: str
    basis: str
    sources: tuple[str, ...]
    floors: tuple[Floor, ...] = ()


def expected_busbw(
    accelerator: str,
    fabric: str,
    nodes: int,
    catalogue: Catalogue,
    collective: str = "all_reduce",
) -> ExpectedBusBandwidth | None:
    """Expected bus bandwidth in GB/s at ``nodes`` nodes (trays in an NVL72), or None where nobody published one.

    ``fabric`` is ``nvlink_only``, ``roce``, ``infiniband`` or ``efa``; one node never uses it.
    """
    rows: Iterable[BusBandwidth] = catalogue.entries("busbw").values()
    alike = [row for row in rows if row.accelerator == accelerator and row.collective == collective]
    if nodes <= max((row.nodes for row in alike if row.technology == "nvlink_only"), default=1):
        fabric = "nvlink_only"
    alike = [row for row in alike if _same_fabric(row, fabric, nodes)]
    firm = [row for row in alike if row.kind in ("measured", "published") and _whole(row) and _large(row)]
    floors = tuple(
        Floor(value_gb_per_s=row.busbw_gb_per_s, platform=row.platform, sources=row.sources)
        for row in alike
        if row.kind == "floor" and row.nodes == nodes
    )
    count = _nearest_count(firm, nodes, fabric)
    if count is None:
        return None
    return _expected([row for row in firm if row.nodes == count], nodes, fabric, floors)


def _same_fabric(row: BusBandwidth, fabric: str, nodes: int) -> bool:
    if nodes == 1 or row.nodes == 1:
        return nodes == row.nodes
    return row.technology in SIMILAR_TECHNOLOGIES.get(fabric, {fabric})


def _whole(row: BusBandwidth) -> bool:
    """Whether all accelerators of a node took part: eight, or four on a tray of an NVL72."""
    return row.gpus in (8 * row.nodes, 4 * row.nodes) and not (row.nodes == 1 and row.gpus == 4)


def _large(row: BusBandwidth) -> bool:
    return row.message_bytes is None or row.message_bytes >= LARGE_BYTES


def _nearest_count(rows: list[BusBandwidth], nodes: int, fabric: str) -> int | None:
    counts = sorted({row.nodes for row in rows})
    larger = [count for count in counts if count >= nodes]
    if larger:
        return larger[0]
    return counts[-1] if counts and counts[-1] > 2 and fabric != "nvlink_only" else None


def _best_per_run(rows: list[BusBandwidth]) -> list[BusBandwidth]:
    """One figure a run: the largest message of each algorithm, then the fastest algorithm of each platform."""
    largest = _pick(rows, lambda row: (row.platform, row.algorithm, row.sources), lambda row: row.message_bytes or 0)
    return _pick(largest, lambda row: (row.platform, row.sources), lambda row: row.busbw_gb_per_s)


def _pick(
    rows: list[BusBandwidth], key: Callable[[BusBandwidth], object], rank: Callable[[BusBandwidth], float]
) -> list[BusBandwidth]:
    """Of the rows of equal ``key`` the first that ranks highest."""
    best: dict[object, BusBandwidth] = {}
    for row in rows:
        if key(row) not in best or rank(row) > rank(best[key(row)]):
            best[key(row)] = row
    return list(best.values())


def _expected(rows: list[BusBandwidth], nodes: int, fabric: str, floors: tuple[Floor, ...]) -> ExpectedBusBandwidth:
    runs = _best_per_run(rows)
    values = sorted(row.busbw_gb_per_s for row in runs)
    value = median(values)
    spread = max(value - values[0], values[-1] - value) / value
    count = runs[0].nodes
    tolerance = max(TOLERANCE if count == nodes else 2 * TOLERANCE, spread)
    others = sorted({row.technology for row in runs} - {fabric, "none", "nvlink_only"})
    basis = f"{len(runs)} run{'s' if len(runs) > 1 else ''} at {count} node{'s' if count > 1 else ''}"
    algorithms = sorted({row.algorithm for row in runs if row.algorithm})
    if algorithms:
        basis += f" ({', '.join(algorithms)})"
    if count != nodes:
        basis += f", none at {nodes}"
    if others and nodes > 1:
        basis += f", over {', '.join(others)}"
    return ExpectedBusBandwidth(
        value_gb_per_s=value,
        tolerance=tolerance,
        low_gb_per_s=value * (1 - tolerance),
        high_gb_per_s=value * (1 + tolerance),
        nodes_measured=count,
        exact=count == nodes,
        kind="measured" if any(row.kind == "measured" for row in runs) else "published",
        basis=basis,
        sources=tuple(dict.fromkeys(source for row in runs for source in row.sources)),
        floors=floors,
    )


def acceptance_points(
    accelerator: str, fabric: str, nodes: int, catalogue: Catalogue, collective: str = "all_reduce"
) -> dict[int, ExpectedBusBandwidth]:
    """Expected bandwidth at 1, 2, 8, 64 and all nodes, for the counts that somebody published a figure for."""
    counts = sorted({count for count in (1, 2, 8, 64) if count < nodes} | {nodes})
    found = {count: expected_busbw(accelerator, fabric, count, catalogue, collective) for count in counts}
    return {count: value for count, value in found.items() if value is not None}
