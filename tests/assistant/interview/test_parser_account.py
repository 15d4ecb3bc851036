"""The account of a message: no figure escapes it, and what is no sizing fact is named as what it is."""

from __future__ import annotations

import re
import time
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.interview.parser import parse
from assistant.validation.intake import cases, unaccounted
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


_WORDS = [
    "users",
    "Nutzer",
    "H100",
    "A100",
    "80GB",
    "x",
    "*",
    "per",
    "day",
    "pro",
    "Tag",
    "images",
    "人",
    "同时",
    "kW",
    "Rack",
    "tokens",
    "context",
    "ms",
    "first",
    "token",
    "MB",
    "€",
    "$",
    "§",
    "v1.2",
    "10.0.0.1",
    "nodes",
    "of",
    "with",
    "and",
    ",",
    ".",
    ";",
    ":",
    "(",
    ")",
    "-",
    "/",
    "%",
    "k",
    "M",
    "Mio",
    "until",
    "2027",
    "Llama",
    "3.1",
    "70B",
    "no",
    "cloud",
    "keine",
    "GPUs",
    "pages",
    "每天",
    "ユーザー",
    "명",
    "hours",
    "of",
    "audio",
    "A",
    "400V",
]
_FIGURES = st.one_of(
    st.integers(0, 10**9).map(str),
    st.floats(0.01, 1e6).map(lambda x: f"{x:.2f}"),
    st.sampled_from(["1,024", "16.384", "10 000", "1'600", "1,20,000", "3-5", "2x8", "4*8*80G", "00", "٣", "１２"]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(st.sampled_from(_WORDS), _FIGURES), max_size=40).map(" ".join))
def test_no_figure_of_a_made_up_message_escapes(message: str) -> None:
    result = parse(message, _catalogue())
    assert unaccounted(message, result) == []
    for one in (*result.unused, *result.context):
        assert message[one.start : one.end] == one.text


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=120))
def test_no_figure_of_any_text_escapes(message: str) -> None:
    assert unaccounted(message, parse(message, _catalogue())) == []


def test_no_figure_of_the_shipped_messages_escapes() -> None:
    escaped = {
        case.message[:60]: left
        for case in cases()
        if (left := unaccounted(case.message, parse(case.message, _catalogue())))
    }
    assert escaped == {}


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        ("Call +49 30 1234567 for access", "+49 30 1234567", "phone"),
        ("driver 580.126.09 is installed", "driver 580.126.09", "version"),
        ("the node answers at 10.20.30.40", "10.20.30.40", "address"),
        ("see https://example.org/a/12 for it", "https://example.org/a/12", "address"),
        ("gemäß § 203 StGB", "§ 203", "reference"),
        ("we are certified by ISO 27001", "ISO 27001", "reference"),
        ("founded in 1998 in Bern", "1998", "date"),
    ],
)
def test_what_is_no_sizing_fact_is_context(text: str, words: str, kind: str) -> None:
    context = parse(text, _catalogue()).context
    assert [(one.kind, words in one.text) for one in context] == [(kind, True)]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("the whole answer must be there within 8 seconds", "e2e_latency_s", 8),
        ("a model of 768 dimensions", "vector_dimensions", 768),
        ("40 pages per document on average", "pages_per_document", 40),
        ("zwischen 8 und 17 Uhr", "hours_per_day", 9),
    ],
)
def test_what_cannot_be_sized_is_named_with_its_value(text: str, field: str, value: float) -> None:
    named = {one.field: one.value for one in parse(text, _catalogue()).unused}
    assert named[field] == value
    assert all(one.reason for one in parse(text, _catalogue()).unused)


def test_figures_of_others_and_measurements_are_no_needs() -> None:
    text = "The paper says 2,048 A100 for 21 days. Today we get 200 requests/s; we need 10 requests per second."
    result = parse(text, _catalogue())
    assert "gpus" not in result.fields
    assert result.fields["requests_per_s"].value == 10
    assert {"200 requests/s"} <= {one.text for one in result.unused}


def test_time_grows_with_the_length_and_no_faster() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        parse(text, _catalogue())
        return time.process_time() - start

    for piece in ("1,024 x ", "同时30人", "no cloud, ", "12 users at 3 per day; "):
        short, long = piece * (2_000 // len(piece)), piece * (10_000 // len(piece))
        seconds(short)
        assert seconds(long) < 15 * max(seconds(short), 0.01), piece  # five times the text; far below 25 times


def test_digits_that_run_beyond_what_is_read_are_said_to_be_unread() -> None:
    result = parse("1 " * 15_000, _catalogue())
    assert result.unread > 0
    assert re.search(r"\d", result.unused[0].text)
