"""Products by the name on their box: what people read in place of a catalogue's id."""

from __future__ import annotations

from functools import lru_cache

from knowledge.catalogue import load_catalogue

KINDS = ("accelerators", "models", "servers", "switches")
"""Kinds of entries that people know by name."""


@lru_cache(maxsize=4096)
def product_name(ident: str) -> str:
    """The shipped catalogue's name of a product; an id that it does not have (an overlay's, a path) as it stands."""
    catalogue = load_catalogue()
    for kind in KINDS:
        if ident in (entries := catalogue.entries(kind)):
            return str(entries[ident].name)
    return ident
