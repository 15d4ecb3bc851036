"""Text that is meant to hurt: long, deep, and full of signs that are not text."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.parser import parse, to_answers
from assistant.interview.parser.text import MAX_CHARACTERS, clean
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


HOSTILE = {
    "a megabyte of digits": "1" * 1_000_000,
    "grouped digits": "1,000." * 160_000,
    "spaces": " " * 1_000_000,
    "open brackets": "(" * 1_000_000,
    "ranges": "1-" * 500_000,
    "crosses": "8x" * 500_000,
    "one unending word": "llama" * 200_000,
    "many sizes": "70B " * 250_000,
    "many users": "5 users at the same time " * 40_000,
    "cards": "8xH100 " * 140_000,
    "adjectives": "5 very very " * 80_000,
    "bidi overrides": "\u202e8xH100\u202c " * 70_000,
    "zero width": "7\u200b0\u200bB" * 200_000,
    "control characters": "".join(map(chr, range(32))) * 30_000,
    "lone surrogates": "\ud83d 500 users \udc00" * 60_000,
    "combining signs": "e\u0301" * 500_000,
    "euros": "€" * 1_000_000,
    "percent": "10 % " * 200_000,
    "questions": "?" * 1_000_000,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_spans_stay_exact_and_the_rest_is_reported(name: str) -> None:
    text = HOSTILE[name]
    result = parse(text, _catalogue())
    assert result.unread == len(text) - MAX_CHARACTERS
    for mention in result.fields.values():
        assert text[mention.start : mention.end] == mention.text
    to_answers(result)


def test_bounded_processor_time() -> None:
    """The costliest texts, in a process that the kernel would stop after 30 s of processor time."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (30, 30))\n"
        "from tests.assistant.interview.test_parser_hostile import HOSTILE, _catalogue, parse\n"
        "for name in ('many sizes', 'percent', 'cards'): parse(HOSTILE[name], _catalogue())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_parses_with_exact_spans(text: str) -> None:
    result = parse(text, _catalogue())
    for mention in result.fields.values():
        assert text[mention.start : mention.end] == mention.text
    assert all(text[a.span.start : a.span.end] == a.span.text for a in result.ambiguous)


def test_scrambled_vocabulary_never_fails() -> None:
    words = [
        "8x",
        "H100",
        "DGX",
        "70B",
        "Llama",
        "3.1",
        "1.000",
        "Nutzer",
        "gleichzeitig",
        "10",
        "%",
        "kW/Rack",
        "0,5",
        "MW",
        "-",
        "bis",
        "not",
        "no",
        "TPS",
        "12",
        "Billionen",
        "Token",
        "/",
        "(",
        ")",
        ",",
        ".",
        "?",
    ]
    order = random.Random(7)
    for _ in range(200):
        text = " ".join(order.choice(words) for _ in range(30))
        for mention in parse(text, _catalogue()).fields.values():
            assert text[mention.start : mention.end] == mention.text


def test_cleaning_keeps_every_place() -> None:
    text = "８×Ｈ１００ \u202eabc\u00a01\u2009000 – ‘x’"
    assert len(clean(text)) == len(text)
    assert clean(text).startswith("8*H100")


def test_same_text_same_result() -> None:
    text = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt, 8xA100"
    assert parse(text, _catalogue()) == parse(text, _catalogue())
