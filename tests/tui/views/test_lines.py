"""Rows, search and sources."""

from __future__ import annotations

from knowledge.evidence import Grade, SeenAs, Source
from tui.views.lines import Row, matches, matching, say_in, source_lines

ROWS = (
    Row("", ("Fruit",)),
    Row("a", ("Apple", "red")),
    Row("b", ("Pear", "green"), "conference"),
    Row("", ("Roots",)),
    Row("c", ("Beet", "red")),
)


def test_a_search_wants_every_word_in_any_order_and_case() -> None:
    assert matches("NVIDIA H100 NVL", "nvl h100")
    assert not matches("NVIDIA H100 SXM", "nvl h100")
    assert matches("anything", "  ")


def test_a_heading_goes_with_the_last_row_below_it() -> None:
    assert [row.cells[0] for row in matching(ROWS, "red")] == ["Fruit", "Apple", "Roots", "Beet"]
    assert [row.cells[0] for row in matching(ROWS, "beet")] == ["Roots", "Beet"]
    assert matching(ROWS, "no such thing") == ()


def test_a_search_looks_where_the_row_says_so() -> None:
    assert [row.key for row in matching(ROWS, "conference") if not row.heading] == ["b"]


def test_a_source_shows_grade_reading_and_address_and_an_address_stands_for_itself() -> None:
    act = Source(id="act", title="Act", address="https://law.example", grade=Grade.LAW, seen_as=SeenAs.PRIMARY_TEXT)
    lines = source_lines(("act", "https://other.example", "act"), {"act": act}, say_in("en"))
    assert [line.text for line in lines] == [
        "Act (law, read as primary text)",
        "https://law.example",
        "https://other.example",
    ]


def test_labels_follow_the_language() -> None:
    assert say_in("en")("for") == "For"
    assert say_in("de")("for") == "Dafür"
