"""Number habits of the languages."""

from __future__ import annotations

import pytest

from assistant.interview.parser.numbers.values import magnitude, read_number
from knowledge.errors import BadInput


@pytest.mark.parametrize(
    ("text", "lang", "count", "value"),
    [
        ("1.000", "de", True, 1000),
        ("1.000", "en", True, 1000),
        ("1.500", "de", False, 1500),
        ("1.500", "en", False, 1.5),
        ("1,500", "en", False, 1500),
        ("1,500", "de", False, 1.5),
        ("1.5", "de", False, 1.5),
        ("0,5", "de", False, 0.5),
        ("0.125", "de", False, 0.125),
        ("8'000", "de", False, 8000),
        ("10 000", "fr", True, 10_000),
        ("1.234.567", "en", False, 1_234_567),
        ("3.133,5", "de", False, 3133.5),
        ("3,133.5", "en", False, 3133.5),
        ("zwei", "de", True, 2),
        ("三", "zh", True, 3),
    ],
)
def test_read_number(text: str, lang: str, count: bool, value: float) -> None:
    assert read_number(text, lang, count) == value


@pytest.mark.parametrize(
    ("word", "lang", "factor"),
    [
        ("billion", "en", 1e9),
        ("Billion", "de", 1e12),
        ("Billionen", "de", 1e12),
        ("billion", "fr", 1e12),
        ("milliards", "fr", 1e9),
        ("bilhões", "pt", 1e9),
        ("mil millones", "es", 1e9),
        ("亿", "zh", 1e8),
        ("만", "ko", 1e4),
        ("lakh", "en", 1e5),
        ("Mio.", "de", 1e6),
    ],
)
def test_magnitude(word: str, lang: str, factor: float) -> None:
    assert magnitude(word, lang) == factor


@pytest.mark.parametrize("text", ["", "abc", "1.2.3,4,5", "--"])
def test_no_number(text: str) -> None:
    with pytest.raises(BadInput, match="number"):
        read_number(text)
