"""The short form holds in two screens, is in one language, and names products and not ids."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

from assistant.export import text
from assistant.export.flips import plausible_flips
from assistant.export.short import build_short
from assistant.export.summary import summary_lines
from assistant.interview.brief import Brief
from assistant.messages import render
from assistant.messages.figures import two_digits
from assistant.result import Sizing
from assistant.service import Assistant

ROOT = Path(__file__).parents[3]
TWO_SCREENS = 2 * 45
COLUMNS = 100
MESSAGES = [
    *(yaml.safe_load(path.read_text("utf-8"))["message"] for path in sorted((ROOT / "transcripts").glob("*.yaml"))),
    *(json.loads(line)["message"] for line in (ROOT / "tests/data/designs.jsonl").read_text("utf-8").splitlines()),
]
STEP = 1 if os.environ.get("SIZEWRIGHT_BRIEFS") else 3
"""All of them where the long tests run."""
IDS = re.compile(r"\b(?:h100|h200|b200|l40s?|a100|mi300x|rtx)-[a-z0-9-]+")
RAG = "Llama 3.3 70B for 500 users, RAG chatbot, on premises in Germany, we have 8 H100 NVL, does it fit?"


@cache
def assistant() -> Assistant:
    return Assistant()


@cache
def sized(message: str) -> Sizing:
    return assistant().size(Brief().with_answers(assistant().understand(message)))


@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("message", MESSAGES[::STEP], ids=lambda message: message[:40])
def test_two_screens_hold_the_short_form(message: str, lang: str) -> None:
    printed = text.render(build_short(sized(message), lang=lang), COLUMNS)
    assert printed.count("\n") <= TWO_SCREENS
    assert max(map(len, printed.splitlines())) <= COLUMNS
    assert not IDS.search(printed)


@pytest.mark.parametrize("message", MESSAGES[::4], ids=lambda message: message[:40])
def test_the_summary_is_six_lines_after_the_replies(message: str) -> None:
    sizing = sized(message)
    lines = [render(line) for line in summary_lines(sizing)][len(sizing.replies) :]
    starts = ["For:", "Hardware:", "Site:", "Targets:", "It hinges on:", "Ask next:"]
    assert [line.split(":")[0] + ":" for line in lines] == starts[: len(lines)]
    assert len(lines) >= 5
    assert "\n" not in render(sizing.summary)
    assert all(line in render(sizing.summary) for line in lines)


def test_what_was_asked_is_answered_first_with_the_product_by_name() -> None:
    first = render(summary_lines(sized(RAG))[0])
    assert first.startswith("Yes: 8 GPUs of NVIDIA H100 NVL 94GB")


def test_a_choice_is_one_short_line() -> None:
    printed = text.render(build_short(sized(RAG)), COLUMNS)
    assert "Network between the GPUs: none" in printed
    assert "needs more than one server" not in printed


def test_flips_are_those_that_an_answer_still_open_would_bring() -> None:
    sizing = sized(RAG)
    flips = {(decision.id, flip.topic) for decision in sizing.decisions for flip in plausible_flips(decision, sizing)}
    assert ("air_gap", "air_gap") in flips  # nobody spoke of it
    topics = {topic for _, topic in flips}
    assert not topics & {"hosting", "country", "workload"}  # said by the customer
    assert not topics & {"nodes", "gpus", "replica_spans_nodes"}  # figures of the plan


@pytest.mark.parametrize(
    ("value", "up", "shown"),
    [(14.7, False, 15), (14.2, True, 15), (3.74, False, 3.7), (1466.0, False, 1500), (97.0, True, 97),
     (0.123, False, 0.12), (None, True, None)],
)  # fmt: skip
def test_figures_are_read_out_with_two_digits(value: float | None, up: bool, shown: float | None) -> None:
    assert two_digits(value, up) == shown
