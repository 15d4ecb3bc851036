"""Cost of a whole plan from a worked price list; its amounts are invented, the sums are by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.interview.brief import Brief
from assistant.interview.validation import validate
from assistant.messages import render
from assistant.result import Plan, Sizing
from assistant.service import Assistant
from knowledge.errors import BadInput

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "price-list"
TRAINING = "8 DGX H100 with InfiniBand for pretraining, our own site in Munich, budget 2 million EUR"
SERVING = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt, budget 200000 EUR"
_AMOUNTS = {
    "lenovo-sr675-v3": "80000, per: unit",
    "management node": "5000, per: unit",
    "sn2201": "3000, per: unit",
    "rack": "3000, per: unit",
    "PDU": "1000, per: unit",
    "in-band cable": "100, per: unit",
    "1 Gb/s cable": "5, per: unit",
    "energy": "0.25, per: kwh",
}
PRICES = "\n".join(
    f"- {{item: {item}, amount: {amount}, currency: EUR, date: '2026-11-01'}}" for item, amount in _AMOUNTS.items()
)
"""A price for every line of a small site."""


def _sized(assistant: Assistant, said: str, **fields: Any) -> Sizing:
    answers = [*assistant.understand(said), *(validate(f, v, assistant.catalogue) for f, v in fields.items())]
    return assistant.size(Brief().with_answers(answers), questions=False)


@pytest.fixture(scope="module")
def bought() -> Sizing:
    return _sized(Assistant(str(EXAMPLE)), TRAINING, ops_staff=2)


@pytest.fixture(scope="module")
def served() -> Sizing:
    return _sized(Assistant(), SERVING, prices=PRICES)


def _cost(plan: Plan) -> dict[str, Any]:
    assert plan.cost is not None
    return dict(plan.cost)


def _notice(sizing: Sizing, ident: str) -> str:
    return render(next(w.text for w in sizing.warnings if w.id == ident))


def test_the_example_list_prices_every_line(bought: Sizing) -> None:
    plan = bought.plan()
    cost = _cost(plan)
    assert "unpriced" not in cost
    lines: dict[str, int] = {}
    for line in plan.bill_of_materials:
        if not line.included:
            lines[line.item] = lines.get(line.item, 0) + line.count
    assert cost["capex_lines"]["dgx-h100"] == 8 * 300_000
    assert cost["capex_lines"]["PDU"] == lines["PDU"] * 2_500
    hardware = sum(v for k, v in cost["capex_lines"].items() if k not in ("installation and freight", "spare parts"))
    assert cost["capex_lines"]["installation and freight"] == pytest.approx(0.04 * hardware, rel=1e-5)
    assert cost["capex"] == pytest.approx(1.06 * hardware, rel=1e-5)
    assert cost["opex_lines"]["maintenance"] == pytest.approx(0.06 * cost["capex"], rel=1e-5)
    assert cost["opex_lines"]["staff"] == 2 * 95_000
    assert cost["opex_lines"]["h100-sxm-80gb"] == 64 * 1_500
    assert cost["total_3_years"] == pytest.approx(cost["capex"] + 3 * cost["opex_per_year"], rel=1e-5)


def test_a_training_run_pays_for_failures_and_idle_time(bought: Sizing) -> None:
    """GPU hours of the run with failures, at the price of an hour in use (60 % of the year)."""
    plan = bought.plan()
    cost = _cost(plan)
    days = plan.placements[0]["figures"]["days_with_failures"]
    yearly = cost["capex"] / 3 + cost["opex_per_year"]
    assert cost["per_gpu_hour"] == pytest.approx(yearly / (64 * 8760 * 0.6), rel=1e-4)
    assert cost["per_training_run"] == pytest.approx(cost["per_gpu_hour"] * 64 * 24 * days, rel=1e-4)


def test_the_budget_is_held_against_the_prices(bought: Sizing, served: Sizing) -> None:
    assert _notice(bought, "budget").startswith("The budget does not cover this plan: 2,000,000 € of 3,")
    assert _notice(served, "budget").startswith("The budget of 200,000 € covers this plan")


def test_without_prices_the_budget_stays_open() -> None:
    sizing = _sized(Assistant(), SERVING)
    assert sizing.plan().cost is None
    assert "no price was given" in _notice(sizing, "budget")


def test_input_and_output_add_up_to_all_cost(served: Sizing) -> None:
    """4,096 tokens in and 512 out: the output's cost and eight times the input's are what output alone would bear."""
    cost = _cost(served.plan())
    both = cost["per_million_output_tokens"] + 4096 / 512 * cost["per_million_input_tokens"]
    assert both == pytest.approx(cost["per_million_tokens"], rel=0.01)
    assert cost["per_million_cached_tokens"] == pytest.approx(0.1 * cost["per_million_input_tokens"], rel=1e-4)


def test_prices_that_are_not_understood_are_refused_when_they_are_given() -> None:
    with pytest.raises(BadInput, match="item, amount and currency"):
        validate("prices", "cheap", Assistant().catalogue)


def test_budget_kind_reaches_the_rules(bought: Sizing) -> None:
    assert bought.facts["budget_kind"] == "capex"


def test_break_even_stands_with_the_decision_to_build_or_rent() -> None:
    """Buying costs what renting does where the year's cost is the rent of all GPUs' hours in use."""
    sizing = _sized(Assistant(), SERVING, prices=PRICES + "\n- {item: rent, amount: 2.5, currency: EUR, per: gpu_hour}")
    plan = sizing.plan()
    cost = _cost(plan)
    yearly = cost["capex"] / 3 + cost["opex_per_year"]
    assert cost["break_even"]["utilisation"] == pytest.approx(yearly / (plan.gpus * 8760 * 2.5), rel=1e-3)
    hosting = next(decision for decision in sizing.decisions if decision.id == "build_rent_sovereign")
    told = [render(reason.text) for reason in hosting.because if reason.rule == "planner.by_price"]
    assert any("2.5 EUR a GPU-hour" in text for text in told)
    assert any("a million tokens cost" in text for text in told)
