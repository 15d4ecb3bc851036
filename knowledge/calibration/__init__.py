"""Constants that were fitted to published measurements, as data: each file says on what, when, and with what error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowledge.shipped import shipped_yaml


@lru_cache(maxsize=8)
def calibration(name: str) -> Mapping[str, Any]:
    """The constants of ``name`` (a file beside this one). Read once per process. Raises BadInput if unreadable."""
    document: Mapping[str, Any] = shipped_yaml(Path(__file__).with_name(f"{name}.yaml"))
    return document
