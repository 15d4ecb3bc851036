"""What a line of an interview is, before it is read for facts: an answer, a question, a supposition, and so on.

Only answers become facts. What is asked is answered, what is supposed is tried and kept apart, and what is left to us
is assumed and marked. The ways of saying so are data, by language, in ``turns.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from pydantic import model_validator

from knowledge.evidence import Frozen
from knowledge.shipped import shipped_yaml

LONGEST = 400
"""Characters; a longer line is a message, whatever its first words are."""

_MORE_THAN_ONE_SENTENCE = re.compile(r"[.!?;]\s+\S|\n\s*\S")
_LAST_SIGN = " .!?…¿¡"


class Turn(StrEnum):
    """What a line is."""

    ANSWER = "answer"
    EXPLAIN = "explain"
    DECIDE = "decide"
    DEPENDS = "depends"
    SUPPOSE = "suppose"
    QUESTION = "question"


class Ways(Frozen):
    """Patterns by language, for each kind of turn and for yes and no."""

    explain: Mapping[str, tuple[str, ...]]
    decide: Mapping[str, tuple[str, ...]]
    depends: Mapping[str, tuple[str, ...]]
    suppose: Mapping[str, tuple[str, ...]]
    question: Mapping[str, tuple[str, ...]]
    agree: Mapping[str, tuple[str, ...]]
    refuse: Mapping[str, tuple[str, ...]]

    @model_validator(mode="after")
    def _are_patterns(self) -> Ways:
        for kind in type(self).model_fields:
            self.pattern(kind)
        return self

    def pattern(self, kind: str) -> re.Pattern[str]:
        """One alternation over all languages of a kind; raises ValueError where it is no regular expression."""
        said = (one for patterns in getattr(self, kind).values() for one in patterns)
        try:
            return re.compile("|".join(f"(?:{one})" for one in said))
        except re.error as error:
            raise ValueError(f"{kind}: {error}") from None


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    ways = Ways.model_validate(shipped_yaml(Path(__file__).with_name("turns.yaml")))
    return {kind: ways.pattern(kind) for kind in Ways.model_fields}


def turn_of(line: str) -> Turn:
    """The kind of a line. A line of several sentences, or a long one, is a message with whatever facts it has."""
    said = " ".join(line.lower().replace("’", "'").split())
    bare = said.strip(_LAST_SIGN)
    if not bare or len(said) > LONGEST or _MORE_THAN_ONE_SENTENCE.search(line.strip()):
        return Turn.ANSWER
    known = _patterns()
    for kind in (Turn.EXPLAIN, Turn.DECIDE, Turn.DEPENDS):
        if known[kind].fullmatch(bare):
            return kind
    if known[Turn.SUPPOSE].match(said):
        return Turn.SUPPOSE
    asks = said.endswith(("?", "？")) and known[Turn.QUESTION].match(said)
    return Turn.QUESTION if asks else Turn.ANSWER


def yes_or_no(line: str) -> bool | None:
    """Whether a line is a yes or a no and nothing else; None where it is neither."""
    bare = " ".join(line.lower().replace("’", "'").split()).strip(_LAST_SIGN + ",")
    known = _patterns()
    if known["agree"].fullmatch(bare):
        return True
    return False if known["refuse"].fullmatch(bare) else None
