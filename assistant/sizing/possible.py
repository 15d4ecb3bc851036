"""Results that cannot be: no estimate hands one out, whatever went wrong behind it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar, Self

from pydantic import model_validator

from knowledge.evidence import Frozen

SHARES = ("_share", "mfu", "hfu", "mfu_full_attention", "goodput")
"""Endings of figures that are parts of a whole."""
TIMES_AND_RATES = ("_ms", "_s", "_per_s", "tokens_per_s_per_gpu", "_p10", "_p90")
"""Endings of figures that are above zero wherever they are known."""
ROUNDING = 1e-9
"""By which a share may pass the whole."""


class ImpossibleResult(ArithmeticError):
    """A figure that no machine can show: a fault of the program, never of the input."""


class Possible(Frozen):
    """Base of results: figures are finite and not negative, shares at most the whole.

    ``SIGNED`` names figures for which less than nothing has a meaning; ``ABOVE_ZERO``: whether times and rates must be
    more than nothing. Raises ``ImpossibleResult`` naming the figure.
    """

    SIGNED: ClassVar[frozenset[str]] = frozenset()
    ABOVE_ZERO: ClassVar[bool] = False

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        values = self.__dict__
        for name, least, most in _bounds(type(self)):
            value = values[name]
            if value is not None and not least <= value <= most:
                raise ImpossibleResult(f"{type(self).__name__}.{name} is {value}")
        return self


@lru_cache(maxsize=64)
def _bounds(kind: type[Possible]) -> tuple[tuple[str, float, float], ...]:
    """(field, least, most) of every figure of a result."""
    figures = [
        name for name, field in kind.model_fields.items() if field.annotation in (float, int, float | None, int | None)
    ]
    return tuple((name, _least(kind, name), _most(name)) for name in figures)


def _least(kind: type[Possible], name: str) -> float:
    if name in kind.SIGNED:
        return -math.nextafter(math.inf, 0)
    return math.ulp(0.0) if kind.ABOVE_ZERO and name.endswith(TIMES_AND_RATES) else 0.0


def _most(name: str) -> float:
    return 1.0 + ROUNDING if name.endswith(SHARES) else math.nextafter(math.inf, 0)
