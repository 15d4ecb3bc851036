"""Statements with questions of their own: each has both languages, firm sources where it can, and patterns that "
"hold."""

from __future__ import annotations

import re
from functools import lru_cache

from assistant.asking.library import Library
from assistant.asking.reading.patterns import search
from assistant.asking.reading.query import forms
from assistant.service import Assistant
from knowledge.schema import Claim


@lru_cache(maxsize=1)
def statements() -> dict[str, Claim]:
    claims = Library(Assistant()).catalogue.entries("claims")
    return {ident: claims[ident] for ident in claims if ident.startswith("P-")}


def test_each_has_questions_and_both_languages() -> None:
    assert len(statements()) > 100
    assert [ident for ident, claim in statements().items() if claim.answers is None or not claim.statement_de] == []


def test_patterns_are_lower_case_and_compile() -> None:
    for claim in statements().values():
        assert claim.answers is not None
        for pattern in (*claim.answers.about, *claim.answers.unless, *claim.answers.yes, *claim.answers.no):
            re.compile(pattern)
            assert not re.search(r"(?<!\\)[A-Z]", pattern), pattern


def test_quantities_are_those_of_the_query() -> None:
    known = {quantity.id for quantity in forms().quantities}
    named = {name for claim in statements().values() if claim.answers for name in claim.answers.quantities}
    assert named <= known


def test_looking_for_a_literal_first_hides_no_match() -> None:
    """The patterns of all statements on the statements themselves: as with the pattern alone."""
    texts = [claim.statement.casefold() for claim in statements().values()]
    patterns = {pattern for claim in statements().values() if claim.answers for pattern in claim.answers.about}
    for pattern in sorted(patterns):
        plain = re.compile(pattern)
        assert [bool(plain.search(text)) for text in texts] == [search(pattern, text) is not None for text in texts]
