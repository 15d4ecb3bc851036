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
        ("One server in its own room in Graz, no cloud.", "on_prem"),
        ("8 H100 for a chat assistant, no cloud please", "on_prem"),
        ("A startup rents at a European provider: 8x H200.", "cloud"),
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


def test_the_precision_of_an_index_is_not_that_of_the_weights(assistant: Assistant) -> None:
    said = _said(assistant, "200 million vectors of 768 dimensions in 8 bit, HNSW, with Llama 3.1 8B in FP8")
    assert (said["vector_bits"], said["weight_dtype"]) == (8, "fp8")


def test_what_an_instance_has_is_no_count_of_gpus(assistant: Assistant) -> None:
    said = _said(assistant, "On Azure, ND H100 v5 instances (8 x H100 SXM each): DeepSeek-R1, 60 requests at once")
    assert said["gpus"] == [{"gpu": "h100-sxm-80gb", "count": None}]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("a credit scoring assistant for a bank", "credit"),
        ("an assistant that screens applicants", "recruitment"),
        ("screening of CVs and ranking of applicants", "recruitment"),
        ("an internal chat for a bank", None),
    ],
)
def test_uses_of_annex_three(assistant: Assistant, text: str, use: str | None) -> None:
    assert _said(assistant, text).get("ai_use") == use


def test_tokens_of_all_are_requests_by_their_length(assistant: Assistant) -> None:
    """20,000 tokens a second of answers of 500 are 40 requests a second."""
    said = _said(assistant, "DeepSeek-V3 at 20,000 tokens a second output, 2,000 tokens in and 500 out")
    assert said["requests_per_s"] == 40


@pytest.mark.parametrize(
    ("text", "documents", "days"),
    [
        ("We summarise 400,000 documents a day with Llama 3.3 70B, nobody waits", 400_000, 1),
        ("OCR of two million scanned pages a month with Qwen2.5-VL-7B", 2_000_000, 30),
        ("a chat about 400,000 documents a day", None, None),
    ],
)
def test_a_stream_of_documents_is_a_batch_of_its_period(
    assistant: Assistant, text: str, documents: int | None, days: int | None
) -> None:
    said = _said(assistant, text)
    assert (said.get("documents"), said.get("batch_days")) == (documents, days)
