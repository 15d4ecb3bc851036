"""The accelerator by the user's prices; amounts are invented, the sums are by hand."""

from __future__ import annotations

import pytest

from assistant.interview.brief import Brief
from assistant.interview.validation import validate
from assistant.messages import render
from assistant.result import Decision
from assistant.service import Assistant

CHAT = "chat for 20,000 employees on Llama 3.3 70B on our own site in Munich, PUE 1.4"


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return Assistant()


def _accelerator(assistant: Assistant, prices: str | None) -> Decision:
    answers = list(assistant.understand(CHAT))
    if prices is not None:
        answers.append(validate("prices", prices, assistant.catalogue))
    sizing = assistant.size(Brief().with_answers(answers), questions=False)
    found = next(decision for decision in sizing.decisions if decision.id == "accelerator")
    assert sizing.plan().accelerator == found.choice
    return found


@pytest.mark.parametrize(
    ("prices", "choice"),
    [
        (None, "h100-nvl-94gb"),
        ("server 90000 EUR", "h100-nvl-94gb"),
        ("H100 NVL server 100000 EUR; H200 server 300000 EUR; kWh 0.25 EUR", "h100-nvl-94gb"),
        ("H100 NVL server 500000 EUR; H200 server 300000 EUR; kWh 0.25 EUR", "h200-sxm-141gb"),
        ("H100 NVL server 500000 EUR; H200 server 300000 USD", "h100-nvl-94gb"),
    ],
)
def test_prices_decide_where_two_can_be_compared(assistant: Assistant, prices: str | None, choice: str) -> None:
    """Four servers of H100 NVL or two of H200 carry the load: 2,000,000 against 600,000, or 400,000 against them."""
    assert _accelerator(assistant, prices).choice == choice


def test_the_loser_is_named_with_its_cost(assistant: Assistant) -> None:
    """H200: 2 x 300,000 and 20.4 kW x 0.7 x 1.4 x 26,280 h x 0.25 = 131,000. H100 NVL: 4 x 500,000, 93,000."""
    found = _accelerator(assistant, "H100 NVL server 500000 EUR; H200 server 300000 EUR; kWh 0.25 EUR")
    assert found.because[0].rule == "planner.least_cost"
    assert "731,000 EUR" in render(found.because[0].text)
    assert any("2,090,000 EUR" in render(reason.text) for reason in found.against)
