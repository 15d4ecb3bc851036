"""Published measurements that the arithmetic is held against, shipped so that anybody can repeat the comparison.

README.md beside this file says what each table holds, where it comes from, and how it is split into fit and test.
"""

from __future__ import annotations

import csv
from pathlib import Path

ROOT = Path(__file__).parent


def read_rows(table: str) -> list[dict[str, str]]:
    """Rows of ``table`` ("serving/memory", "training/points_fit"); empty text where a figure is not known."""
    with (ROOT / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
