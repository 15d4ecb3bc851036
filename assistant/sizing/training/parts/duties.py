"""Training compute beside the AI Act's limits, which stand as claims in the knowledge base."""

from __future__ import annotations

from typing import Literal

from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

TRAINED = {"ai_act_gpai": "L-AI-08", "ai_act_systemic_risk": "L-AI-01"}
"""Limits for who trains a model, by duty: the claims that state them."""
MODIFIED = {"ai_act_gpai": "L-AI-11", "ai_act_systemic_risk": "L-AI-10"}
"""Limits for who modifies a model whose original compute is not known: a third of the others."""


class ComputeLimit(Frozen):
    """A limit of law in FLOP, our figure for it, and where it stands; ``reached`` compares and does not judge."""

    id: str
    quantity: str = "training_flop"
    value: float
    threshold: float
    op: Literal[">"] = ">"
    reached: bool
    statement: str
    locator: str | None
    sources: tuple[str, ...]


def compute_limits(flop: float | None, catalogue: Catalogue, modified: bool = False) -> tuple[ComputeLimit, ...]:
    """The AI Act's limits beside ``flop`` of training, or of modifying a model; nothing where no tokens were stated."""
    if flop is None:
        return ()
    found = []
    for duty, ident in (MODIFIED if modified else TRAINED).items():
        claim = catalogue.entry("claims", ident)
        limit = float(claim.value)
        found.append(
            ComputeLimit(
                id=duty,
                value=flop,
                threshold=limit,
                reached=flop > limit,
                statement=claim.statement,
                locator=claim.locator,
                sources=claim.sources,
            )
        )
    return tuple(found)
