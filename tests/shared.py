"""What tests of many rooms share."""

from __future__ import annotations

from functools import cache

from knowledge.catalogue import Catalogue, load_catalogue


@cache
def catalogue() -> Catalogue:
    """Our own catalogue, opened once; tests that take arguments have it as the fixture of the same name."""
    return load_catalogue()
