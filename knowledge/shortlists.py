"""Parts that are looked at where nobody names one: our choice, kept as flags of the catalogue's entries."""

from __future__ import annotations

from knowledge.catalogue import Catalogue
from knowledge.schema import Accelerator


def compared_by_default(catalogue: Catalogue) -> tuple[Accelerator, ...]:
    """Accelerators on sale for data centres that a first sizing compares, in the order of the catalogue."""
    return tuple(card for card in catalogue.entries("accelerators").values() if card.compared_by_default)


def offered_as_larger(catalogue: Catalogue) -> tuple[Accelerator, ...]:
    """Accelerators that are proposed where a smaller one does not hold a model, in the order of the catalogue."""
    return tuple(card for card in catalogue.entries("accelerators").values() if card.offered_as_larger)
