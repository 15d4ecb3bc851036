"""What stages have made, kept under all that it was made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

T = TypeVar("T")

_serial = count()


@dataclass(frozen=True, eq=False)
class Made(Generic[T]):
    """A stage's result; ``token`` stands for it in the keys of later stages and is never given twice."""

    value: T
    token: int = field(default_factory=lambda: next(_serial))


class Memo(Generic[T]):
    """The latest ``most`` results of one stage. An error is not kept: it is raised anew."""

    def __init__(self, most: int = 1024) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, Made[T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> Made[T]:
        """The result under ``key``, made where it is not there."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        made = Made(make())
        self._kept[key] = made
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return made

    def alike(self, made: Made[T]) -> Made[T]:
        """The first result equal to ``made``: what comes out the same need not be worked with again."""
        return self.get(made.value, lambda: made.value)
