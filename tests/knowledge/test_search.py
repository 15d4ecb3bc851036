"""Full-text search: coverage by rare words, synonyms, and questions that are only text."""

from __future__ import annotations

import pytest

from knowledge.search import Document, SearchIndex

DOCUMENTS = [
    Document(kind="claims", id="A-1", title="cooling", body="Air cooling ends at 30 kW a rack."),
    Document(kind="claims", id="A-2", title="cooling", body="Liquid cooling carries 120 kW a rack."),
    Document(kind="rules", id="r.1", title="network", body="InfiniBand is a network for a rack."),
]


@pytest.fixture
def index() -> SearchIndex:
    return SearchIndex(DOCUMENTS, ["a", "is", "the", "what"], {"luft": "air", "kühlung": "cooling"})


def test_the_document_that_holds_the_rare_words_comes_first(index: SearchIndex) -> None:
    assert [hit.document.id for hit in index.search("liquid cooling")] == ["A-2", "A-1"]
    assert index.search("liquid cooling")[0].coverage == pytest.approx(1.0)


def test_a_word_that_nothing_holds_weighs_most(index: SearchIndex) -> None:
    (hit, *_) = index.search("cooling zebra")
    # weights: ln(4 / 2.5) + 0.1 = 0.570 for "cooling" (2 of 3), ln(4 / 0.5) + 0.1 = 2.179 for "zebra"
    assert hit.coverage == pytest.approx(0.570 / (0.570 + 2.179), abs=0.001)


def test_synonyms_and_kinds(index: SearchIndex) -> None:
    assert index.search("Luft Kühlung")[0].document.id == "A-1"
    assert [hit.document.id for hit in index.search("rack", kinds=["rules"])] == ["r.1"]
    assert {hit.document.id for hit in index.search("rack", prefixes=["A-"])} == {"A-1", "A-2"}


def test_a_number_that_nothing_holds_says_nothing(index: SearchIndex) -> None:
    assert index.search("liquid 4711")[0].coverage == pytest.approx(1.0)


@pytest.mark.parametrize("text", ['"', "* OR *", "NEAR(a b)", "rack AND", "-rack", "body:rack", "", "\x00", "的 🦆"])
def test_operators_are_words(index: SearchIndex, text: str) -> None:
    assert isinstance(index.search(text), list)
