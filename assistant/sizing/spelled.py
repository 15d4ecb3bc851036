"""Choices as people write them: ``BF16``, ``ZeRO-3`` or ``true`` for what a tool has another name for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Self


def key_of(value: object) -> str:
    """``value`` in lower case, with one underscore for blanks and hyphens."""
    return re.sub(r"[\s\-_]+", "_", str(value).strip().lower())


class Spelled(StrEnum):
    """A choice found whatever its case and by its other names; what has none of them is refused as ever."""

    @classmethod
    def also(cls) -> Mapping[str, str]:
        """Other names, in the form of ``key_of``, with the value they mean."""
        return {}

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        key = key_of(value)
        name = cls.also().get(key, key)
        return next((member for member in cls if member.value == name), None)
