"""What the customer's own business says; the messages are worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assistant.service import Assistant

INSURER = "Llama 3.3 70B in FP8, 60 requests at once. The index holds 50 million vectors of 1,024 dimensions in 32 bit."


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _said(assistant: Assistant, text: str) -> dict[str, Any]:
    return {answer.field: answer.value for answer in assistant.understand(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We are a GPU cloud provider and build 64 HGX B200 servers.", True),
        ("We want to rent out GPUs by the month.", True),
        ("Wir sind ein GPU-Cloud-Anbieter mit 64 HGX B200.", True),
        ("We would rent 64 HGX B200 of a cloud provider.", None),
        ("Our cloud provider has 64 HGX B200.", None),
    ],
)
def test_a_provider_says_so_of_itself(assistant: Assistant, text: str, expected: bool | None) -> None:
    said = _said(assistant, text)
    assert said.get("rents_out_gpus") is expected
    assert (said.get("hosting") == "cloud") <= (expected is None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("60 HGX B200 in our own hall in Frankfurt", "on_prem"),
        ("We have two server rooms 10 km apart and all hardware is our own.", "on_prem"),
        ("We have no server room.", None),
    ],
)
def test_rooms_and_hardware_of_ones_own(assistant: Assistant, text: str, expected: str | None) -> None:
    assert _said(assistant, text).get("hosting") == expected


def test_an_index_is_stated_by_vectors_and_dimensions(assistant: Assistant) -> None:
    said = _said(assistant, INSURER)
    assert (said["vectors"], said["vector_dimensions"], said["weight_dtype"]) == (50_000_000, 1024, "fp8")


def test_a_call_centre_that_states_tokens_reads_text(assistant: Assistant) -> None:
    said = _said(
        assistant, "An emergency call centre: its assistant takes 40 requests at once, 2,000 tokens in, 300 out."
    )
    assert said.get("workload") != "speech"
    assert _said(assistant, "Transcription for a call centre")["workload"] == "speech"
