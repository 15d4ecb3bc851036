"""What tests of many rooms share."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from knowledge.catalogue import Catalogue, load_catalogue

T = TypeVar("T")


def known(value: T | None) -> T:
    """The value, where a test rests on its being known."""
    assert value is not None
    return value


@cache
def catalogue() -> Catalogue:
    """Our own catalogue, opened once; tests that take arguments have it as the fixture of the same name."""
    return load_catalogue()
