"""Cost from the user's prices; the prices here are made up for the arithmetic."""

from __future__ import annotations

import pytest

from assistant.sizing.bill.cost import CostRequest, CostResult, estimate_cost
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput
from knowledge.schema import Price

EMPTY = Catalogue({}, "test")
BILL = (
    BillLine(item="node", count=2, unit="node", of="GPUs of the plan"),
    BillLine(item="card", count=16, unit="piece", of="node", included=True),
    BillLine(item="switch", count=1, unit="switch", of="compute fabric"),
)


def _price(item: str, amount: float, per: str = "unit", currency: str = "EUR", until: str | None = None) -> Price:
    return Price.model_validate(
        {
            "id": f"{item}-{per}",
            "item": item,
            "amount": amount,
            "currency": currency,
            "per": per,
            "date": "2026-10-01",
            "valid_until": until,
            "price_source": "example list",
        }
    )


PRICES = (
    _price("node", 300_000.0),
    _price("switch", 30_000.0),
    _price("energy", 0.2, "kwh"),
    _price("node", 10_000.0, "year"),  # support contract for each node
    _price("staff", 50_000.0, "year"),
    _price("rent", 3.0, "gpu_hour"),
)


def _cost(prices: tuple[Price, ...] = PRICES, **more: float | str) -> CostResult:
    asked = {"bill": BILL, "gpus": 16, "annual_mwh": 150.0, "prices": prices, **more}
    result = estimate_cost(CostRequest.model_validate(asked), EMPTY)
    assert result is not None
    return result


def test_capital_and_yearly_cost() -> None:
    result = _cost()
    assert result.capex == 630_000  # 2 x 300,000 + 30,000; the cards come inside the nodes
    # 150 MWh x 1000 x 0.20 = 30,000; 2 x 10,000; 50,000
    assert result.opex_lines == {"energy": 30_000, "node": 20_000, "staff": 50_000}
    assert (result.opex_per_year, result.total_1_year, result.total_3_years) == (100_000, 730_000, 930_000)


def test_cost_of_an_hour_and_of_a_million_tokens() -> None:
    """(630,000 / 3 + 100,000) a year = 310,000; 16 GPUs x 8,760 h x 0.5 = 70,080 h; 10,000 tokens/s half the year."""
    result = _cost(tokens_per_s=10_000.0, utilisation=0.5, run_gpu_hours=1000.0)
    assert result.per_gpu_hour == pytest.approx(310_000 / 70_080)
    assert result.per_million_tokens == pytest.approx(310_000 / (10_000 * 31_536_000 * 0.5 / 1e6))
    assert result.per_training_run == pytest.approx(1000 * 310_000 / 70_080)


def test_break_even_against_rent() -> None:
    """Renting 16 GPUs at 3.00 costs 420,480 a full year: 310,000 are spent at 73.7 % of it."""
    result = _cost()
    assert result.break_even is not None
    assert result.break_even.utilisation == pytest.approx(310_000 / 420_480)
    below, above = result.break_even.curve[6], result.break_even.curve[7]
    assert below[1] > below[2]
    assert above[1] < above[2]


def test_a_missing_price_leaves_the_total_unknown_and_is_named() -> None:
    result = _cost(tuple(price for price in PRICES if price.item != "switch"))
    assert (result.capex, result.total_3_years, result.per_gpu_hour) == (None, None, None)
    assert result.capex_priced == 600_000
    assert result.unpriced == ("switch",)


def test_without_an_energy_price_the_yearly_cost_is_unknown() -> None:
    result = _cost(tuple(price for price in PRICES if price.item != "energy"))
    assert result.opex_per_year is None
    assert "energy" in result.unpriced


def test_no_prices_no_cost() -> None:
    assert estimate_cost(CostRequest(bill=BILL, gpus=16), EMPTY) is None


def test_two_currencies_are_refused() -> None:
    with pytest.raises(BadInput, match="prices"):
        _cost((*PRICES, _price("rack", 1.0, currency="USD")))


def test_a_price_past_its_validity_is_named() -> None:
    old = (*PRICES, _price("rack", 1.0, until="2026-10-31"))
    assert _cost(old, as_of="2026-11-29").expired == ("rack",)
    assert _cost(old, as_of="2026-10-31").expired == ()


def test_the_shipped_catalogue_has_no_prices_and_all_formulas() -> None:
    catalogue = load_catalogue()
    assert not catalogue.entries("prices")
    trace = Trace()
    estimate_cost(CostRequest(bill=BILL, gpus=16, annual_mwh=150.0, prices=PRICES), EMPTY, trace)
    assert {step.formula for step in trace.steps.values()} <= set(catalogue.entries("formulas"))
