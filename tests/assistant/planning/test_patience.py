"""Targets that nobody stated: longer prompts are waited for longer, reasoning models write longer answers."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Brief
from assistant.messages import render
from assistant.result import Sizing
from assistant.service import Assistant


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _sized(assistant: Assistant, said: str) -> Sizing:
    return assistant.size(Brief().with_answers(assistant.understand(said)), questions=False)


def test_longer_prompts_than_usual_are_waited_for_longer(assistant: Assistant) -> None:
    """RAG is usual at 4,096 tokens and 2 s; 40,960 are ten times that, within the 10 to 60 s of published guides."""
    sizing = _sized(assistant, "RAG for 200 users on Llama 3.1 8B, prompts of 40960 tokens on average")
    (ttft,) = (target for target in sizing.plan().targets if target.name == "ttft")
    assert (ttft.wanted, ttft.stated) == (20_000, False)
    assert any("longer prompts are waited for longer" in render(w.text) for w in sizing.warnings)


def test_a_stated_wait_holds_for_any_prompt(assistant: Assistant) -> None:
    said = "RAG for 200 users on Llama 3.1 8B, prompts of 40960 tokens on average, first token within 3 s"
    sizing = _sized(assistant, said)
    (ttft,) = (target for target in sizing.plan().targets if target.name == "ttft")
    assert (ttft.wanted, ttft.stated) == (3_000, True)


@pytest.mark.parametrize(("model", "thinks"), [("QwQ 32B", True), ("Qwen2.5 32B", False)])
def test_reasoning_models_write_their_thought(assistant: Assistant, model: str, thinks: bool) -> None:
    """MLPerf's limit for DeepSeek-R1 is 20,000 tokens of output."""
    sizing = _sized(assistant, f"chat for 200 users on {model}")
    (output,) = (a for a in sizing.assumptions if a.field == "output_tokens")
    assert (output.value["max"] == 20_000) is thinks
    assert ("thinks in writing" in render(output.why)) is thinks


@pytest.mark.parametrize(
    "said",
    [
        "500 people, RAG chatbot on Llama 3.1 70B",
        "200 developers, coding assistant with Qwen2.5 32B",
        "agents for 100 people on DeepSeek-R1",
        "chat for 1 million users",
        "200 users with Llama 3.1 70B at 128k context",
    ],
)
def test_lean_and_roomy_are_a_choice(assistant: Assistant, said: str) -> None:
    """The first sizings gave 8, 488 and 1,736 GPUs; assumptions alone must not spread plans by more than 16."""
    gpus = [plan.gpus for plan in _sized(assistant, said).plans]
    assert gpus == sorted(gpus)
    assert gpus[-1] <= 16 * gpus[0]
