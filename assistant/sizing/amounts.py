"""Large numbers as people write them: ``70B``, ``15T``."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

_SUFFIX = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}
"""What the letter behind a number multiplies it by; B is a billion, as in names of models."""


def _count(value: object) -> object:
    """``70B``, ``15T`` and ``1_000`` as numbers; anything else is left for the model to judge."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"\s*([\d_]+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([KMBGTkmbgt]?)\s*", value)
    return float(match[1].replace("_", "")) * _SUFFIX[match[2].upper()] if match else value


Amount = Annotated[float, BeforeValidator(_count), Field(gt=0, le=1e18)]
