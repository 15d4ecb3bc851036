"""Spot nodes in a brief: read from the words, and felt by the plan."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Brief
from assistant.service import Assistant

SAID = "Pre-training a 7B model on 1T tokens with 64 H100 in the cloud"


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("training on spot instances", True),
        ("Training auf Spot-Instanzen", True),
        ("we use preemptible VMs", True),
        ("no spot capacity, please", False),
        ("the rack has a hot spot, nodes throttle", None),
        ("we spotted slow nodes", None),
    ],
)
def test_spot_is_read_from_the_words(assistant: Assistant, text: str, value: bool | None) -> None:
    brief = Brief().with_answers(assistant.understand(text))
    assert brief.value("spot") == value


def test_spot_takes_longer_and_says_so(assistant: Assistant) -> None:
    plain, spot = (
        assistant.size(Brief().with_answers(assistant.understand(text)), questions=False).plan()
        for text in (SAID, f"{SAID}, on spot instances")
    )
    days = [plan.placements[0]["figures"]["days_with_failures"] for plan in (plain, spot)]
    # Seven days of one node in a thousand are taken; eight nodes wait 158 min each time, or have a spare.
    assert 1.0 < days[1] / days[0] < 1.05
    assert any("preemptions a day" in cause and "traces" in cause for cause in spot.placements[0]["causes"])
    assert plain.placements[0]["figures"]["failures"]["spot"] is None
