"""What the rules choose for each decision, without reasons."""

from __future__ import annotations

from collections.abc import Mapping

from rules.base import RuleBase
from rules.preview import previews_of
from rules.schema import Scalar


def choices_of(base: RuleBase, facts: Mapping[str, Scalar]) -> dict[str, str]:
    """Decision -> choice; ``none`` where no rule speaks on an open one."""
    # The document itself is consulted with the engine proper.
    return {name: choice or "none" for name, choice in previews_of(base).preview(facts).choices.items()}
