"""Counts of people: of all, or of each of several."""

from __future__ import annotations

import pytest

from assistant.interview.parser import parse
from knowledge.catalogue import Catalogue


@pytest.mark.parametrize(
    "words",
    [
        "Llama 3.2 3B for 5 users per team on 1 H100, chat",
        "20 Nutzer pro Abteilung, Chat",
        "20 people in each office chat with Llama 3.1 8B",
    ],
)
def test_a_count_of_each_is_no_count_of_all(catalogue: Catalogue, words: str) -> None:
    found = parse(words, catalogue)
    assert "users_total" not in found.fields
    assert len(found.unused) == 1
