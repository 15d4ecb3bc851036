"""Output of nccl-tests against what such servers were measured to give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operations.triage.sightings import Hit
from assistant.sizing.fabric.busbw import LARGE_BYTES, expected_busbw
from knowledge.catalogue import Catalogue

FABRICS = ("infiniband", "roce", "efa")


def bandwidth_hits(facts: Sequence[tuple[str, str]], catalogue: Catalogue) -> Iterator[tuple[Hit, str]]:
    """Hits for wrong results and for a bandwidth of large messages below the published range."""
    rows = [value.split() for name, value in facts if name == "row"]
    wrong = [row for row in rows if len(row) >= 5 and any(_positive(cell) for cell in (row[4], row[-1]))]
    if wrong:
        yield Hit("silent_corruption", "nccl", "wrong_results"), "nccl-tests #wrong: " + " ".join(wrong[0])
    best = max((_busbw(row) for row in rows if int(row[0]) >= LARGE_BYTES), default=None)
    devices = [value for name, value in facts if name == "device"]
    if best is None or not devices:
        return
    accelerator = catalogue.resolve("accelerators", devices[0].partition(" ")[2]).id
    hosts = {device.split()[0] for device in devices}
    if accelerator is None or len(devices) not in (8 * len(hosts), 4 * len(hosts)):
        return
    expected = [e for fabric in FABRICS if (e := expected_busbw(accelerator, fabric, len(hosts), catalogue))]
    low = min((e.low_gb_per_s for e in expected), default=None)
    if low is not None and best < low:
        text = f"bus bandwidth {best:g} GB/s on {len(hosts)} node(s), {low:.4g} or more was published for {accelerator}"
        note = f"{text}: {expected[0].basis}"
        mode = "bandwidth_low" if len(hosts) > 1 else "bandwidth_low_node"
        yield Hit(mode, "nccl", "busbw", note=note), text


def _busbw(row: Sequence[str]) -> float:
    """The larger bus bandwidth (GB/s) of a row: bytes, then time, algbw, busbw, #wrong, out of place and in place."""
    cells = [_number(row[n]) for n in (3, 7) if n < len(row)]
    return max(cells, default=0.0)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _positive(text: str) -> bool:
    return text.isdigit() and int(text) > 0
