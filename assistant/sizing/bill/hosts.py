"""Processors, memory and drives of GPU servers: as delivered where the maker says, else as much as the GPUs need."""

from __future__ import annotations

import re
from math import ceil

from assistant.sizing.bill.models import BillLine
from knowledge.catalogue import Catalogue
from knowledge.schema import Server

SOCKETS = 2
"""Processors of a GPU server where its maker names none: all of the catalogue's with four GPUs and more have two."""

MEMORY_OVER_GPU_MEMORY = 2.0
"""Host memory over GPU memory where none is named; DGX H100 has 3.2 times, DGX B200 1.4 times as much."""

MEMORY_STEP_GB = 64
"""Memory comes in modules of 64 GB."""

DATA_DRIVES, DRIVE_TB = 2, 3.84
"""Drives for models and caches where none are named, two so that a stripe or a mirror can be made; assumed."""

OS_DRIVES = 2
"""A mirrored pair for the operating system, as every server of the catalogue that names its drives has."""

_COUNT = re.compile(r"^(\d+)\s*x\b", re.IGNORECASE)


def host_lines(
    of: str, machines: int, gpus: int, accelerator: str, server: Server | None, catalogue: Catalogue
) -> list[BillLine]:
    """Lines for ``machines`` equal servers with ``gpus`` each; what was assumed says so in its name."""
    trays = server.nodes_per_unit if server is not None else 1
    cpu = server.cpu.value if server is not None else None
    memory = server.host_ram_gb.value if server is not None else None
    nvme = server.nvme_tb.value if server is not None else None
    counted = _COUNT.match(cpu or "")
    sockets = int(counted[1]) if counted else SOCKETS * trays
    name = f"CPU, {_COUNT.sub('', cpu).strip()}" if cpu else "CPU (number assumed)"
    needed = MEMORY_STEP_GB * ceil(
        _gpu_memory_gb(accelerator, catalogue) * gpus * MEMORY_OVER_GPU_MEMORY / MEMORY_STEP_GB
    )
    ram = ("host memory", memory) if memory else ("host memory (assumed, twice the GPUs' memory)", needed or None)
    drives = ("local NVMe", nvme) if nvme else ("local NVMe (assumed)", DATA_DRIVES * DRIVE_TB * trays)
    lines = [BillLine(item=name, count=machines * sockets, unit="piece", of=of, included=True)]
    for (item, size), unit in ((ram, "GB"), (drives, "TB")):
        if size:
            lines.append(BillLine(item=item, count=round(machines * size), unit=unit, of=of, included=True))
    return lines


def _gpu_memory_gb(accelerator: str, catalogue: Catalogue) -> float:
    cards = catalogue.entries("accelerators")
    return float(cards[accelerator].memory_label_gb or 0.0) if accelerator in cards else 0.0
