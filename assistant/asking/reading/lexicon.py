"""What questions are about, in people's words: decisions, laws, prices; read once from ``lexicon.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from assistant.asking.reading.patterns import search
from knowledge import regexes as re
from knowledge.evidence import Frozen
from knowledge.shipped import shipped_yaml


class DecisionWords(Frozen):
    """How people ask for a decision: ``options`` finds the choices they name, ``fields`` the answers these are not.

    ``turns_on`` are the topics that settle it most often, in order; ``plain`` are choices that are there anyway, so
    that they are enough where the decision is that nothing is needed.
    """

    patterns: tuple[str, ...]
    options: Mapping[str, str] = Field(default_factory=dict)
    claims: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    turns_on: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()
    how: bool = False


class LawWords(Frozen):
    """How people ask for a law: the duties that answer, the quantity they compare, claims (``core`` always).

    ``names`` are those of the law itself and count twice. ``verdicts`` are forms of a question that its first claim
    answers with yes or no. ``national``: member states have rules of their own on it.
    """

    names: tuple[str, ...] = ()
    patterns: tuple[str, ...]
    unless: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    duties: tuple[str, ...] = ()
    quantity: str | None = None
    national: bool = False
    verdicts: Mapping[Literal["yes", "no"], str] = Field(default_factory=dict)
    core: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


class Lexicon(Frozen):
    """All of it. ``synonyms`` map words of questions to words of the knowledge base."""

    decisions: Mapping[str, DecisionWords]
    laws: Mapping[str, LawWords]
    prices: tuple[str, ...]
    out_of_reach: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    trade: tuple[str, ...]
    elsewhere: tuple[str, ...]
    stop_words: str
    plain_words: str = ""
    synonyms: Mapping[str, str]

    @cached_property
    def plain(self) -> frozenset[str]:
        """Words that every question of the trade has."""
        return frozenset(self.plain_words.split())

    @cached_property
    def stop(self) -> frozenset[str]:
        """The stop words."""
        return frozenset(self.stop_words.split())


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The words as shipped."""
    return Lexicon.model_validate(shipped_yaml(Path(__file__).parent / "lexicon.yaml"))


def found(patterns: tuple[str, ...], text: str) -> list[re.Match[str]]:
    """The first place of each pattern that the text has."""
    return [match for pattern in patterns if (match := search(pattern, text))]
