"""Questions that people asked in public and that are choices: each is answered with a source that was read."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import pytest

from assistant.asking.ask import ask
from assistant.asking.library import Library
from assistant.service import Assistant

MESSAGES = Path(__file__).parents[3] / "assistant" / "validation" / "messages" / "messages.jsonl"
CHOICES = {
    "IC-060": "scheduler",
    "IC-062": "air_gap",
    "IC-063": "air_gap",
    "IC-065": "build_rent_sovereign",
    "IC-119": "fabric_technology",
    "IC-177": "air_gap",
}
"""Those of the messages whose question is a network, a scheduler, a place, an air gap or isolation."""


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(Assistant())


@lru_cache(maxsize=1)
def messages() -> dict[str, str]:
    rows = map(json.loads, MESSAGES.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["message"] for row in rows}


@pytest.mark.parametrize(("ident", "decision"), CHOICES.items())
def test_choices_are_answered_with_sources(ident: str, decision: str) -> None:
    found = ask(messages()[ident], library())
    assert not found.declined
    assert found.kind in (f"choice:{decision}", "found")
    assert any(claim.sources and claim.grade != "unverified" for claim in found.claims)


def test_every_message_has_some_answer_or_is_declined() -> None:
    for text in messages().values():
        found = ask(text, library())
        assert found.answer
        assert found.declined or any(claim.grade != "unverified" for claim in found.claims)
