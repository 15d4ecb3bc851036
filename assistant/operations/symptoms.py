"""Incidents without a log: what people see, ranked into failure modes, and the next check by what it rules out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.operations.findings import Authority, Check
from assistant.operations.triage import authority
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema.operations import Action, Category, FailureMode

MOST = 6
"""Failure modes worth showing; what ranks lower has one vague word in common."""


class Suspect(Frozen):
    """A failure mode with the words that point at it; ``share`` is its weight among all suspects (0 to 1)."""

    mode: str
    name: str
    category: Category
    action: Action
    share: float
    words: tuple[str, ...]
    meaning: str
    causes: tuple[str, ...]
    checks: tuple[Check, ...]
    sources: tuple[Authority, ...]


class NextCheck(Frozen):
    """The check that splits the suspects best; ``decides`` are the modes it is asked for."""

    command: str
    expected: str
    rules_out: str | None
    decides: tuple[str, ...]


class Suspicion(Frozen):
    """Ranked suspects for a symptom, and what to look at next."""

    symptom: str
    suspects: tuple[Suspect, ...]
    next_checks: tuple[NextCheck, ...]


def suspect(symptom: str, catalogue: Catalogue) -> Suspicion:
    """Failure modes that ``symptom`` (free text) points at, the likeliest first.

    Every expression of a mode that is found counts one, rarer ones more: an expression that fewer modes share says
    more. No suspect is a result too: then the symptom names nothing known.
    """
    modes: Sequence[FailureMode] = tuple(catalogue.entries("failure_modes").values())
    shared = _shares(modes)
    scored = [(mode, *_score(mode, symptom, shared)) for mode in modes]
    found = sorted((s for s in scored if s[1] > 0), key=lambda s: (-s[1], s[0].depth, s[0].id))[:MOST]
    total = sum(score for _, score, _ in found)
    suspects = tuple(_suspect(mode, score / total, words, catalogue) for mode, score, words in found)
    return Suspicion(symptom=symptom, suspects=suspects, next_checks=_next_checks(suspects))


def _shares(modes: Sequence[FailureMode]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for mode in modes:
        for expression in mode.symptoms:
            counts[expression] = counts.get(expression, 0) + 1
    return counts


def _score(mode: FailureMode, symptom: str, shared: dict[str, int]) -> tuple[float, tuple[str, ...]]:
    found = [(e, m) for e in mode.symptoms if (m := re.search(e, symptom[:2000], re.IGNORECASE))]
    return sum(1 / shared[e] ** 0.5 for e, _ in found), tuple(dict.fromkeys(m.group(0) for _, m in found))


def _suspect(mode: FailureMode, share: float, words: tuple[str, ...], catalogue: Catalogue) -> Suspect:
    return Suspect(
        mode=mode.id,
        name=mode.name,
        category=mode.category,
        action=mode.action,
        share=share,
        words=words,
        meaning=mode.meaning,
        causes=mode.causes,
        checks=tuple(Check(**check.model_dump()) for check in mode.checks),
        sources=tuple(authority(ident, catalogue) for ident in mode.sources),
    )


def _next_checks(suspects: Sequence[Suspect]) -> tuple[NextCheck, ...]:
    """Checks by the weight they put to the test; nearest to a half first, since either answer then says most."""
    weights: dict[str, tuple[Check, float, tuple[str, ...]]] = {}
    for one in suspects:
        for rank, check in enumerate(one.checks):
            kept, weight, decides = weights.get(check.command, (check, 0.0, ()))
            # The first check of a mode tests it most directly.
            weights[check.command] = (kept, weight + one.share / (1 + rank), (*decides, one.mode))
    ranked = sorted(weights.values(), key=lambda w: (abs(w[1] - 0.5), w[0].command))
    return tuple(
        NextCheck(command=c.command, expected=c.expected, rules_out=c.rules_out, decides=decides)
        for c, _, decides in ranked[:3]
    )
