"""Prices as people state them; all amounts here are made up."""

from __future__ import annotations

import pytest

from assistant.interview.given.prices import stated_prices
from knowledge.errors import BadInput


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("server 300000 EUR, kWh 0.18 EUR", [("dgx-h100", 300_000, "EUR", "unit"), ("energy", 0.18, "EUR", "kwh")]),
        ("Server: 300.000 €; Strom 0,21 €/kWh", [("dgx-h100", 300_000, "EUR", "unit"), ("energy", 0.21, "EUR", "kwh")]),
        ("qm9700 $38,500.50", [("qm9700", 38_500.5, "USD", "unit")]),
        ("server 0.3M USD\nGPU-hour 2.5 USD", [("dgx-h100", 300_000, "USD", "unit"), ("rent", 2.5, "USD", "gpu_hour")]),
        ("staff 90k EUR/year", [("staff", 90_000, "EUR", "year")]),
        ("rack 4000 EUR 2026-10-01", [("rack", 4_000, "EUR", "unit")]),
    ],
)
def test_prices_in_words(text: str, read: list[tuple[str, float, str, str]]) -> None:
    found = stated_prices(text, "dgx-h100")
    assert [(price.item, price.amount, price.currency, price.per) for price in found] == read


def test_a_date_is_kept() -> None:
    assert stated_prices("rack 4000 EUR 2026-10-01", "x")[0].date == "2026-10-01"


def test_a_list_in_yaml() -> None:
    text = "- {item: rack, amount: 4000, currency: EUR, date: 2026-10-01, price_source: offer 17}\n"
    found = stated_prices(text.replace("2026-10-01", "'2026-10-01'"), "x")
    assert (found[0].item, found[0].price_source, found[0].date) == ("rack", "offer 17", "2026-10-01")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("server 300000", "prices"),
        ("about three hundred thousand", "prices"),
        ("server 300000 EUR, and the rest is free", "prices"),
        ("- {item: rack, amount: much, currency: EUR}", "prices.0.amount"),
        ("- {item: rack, amount: 1, currency: euro}", "prices.0.currency"),
        ("- amount", "prices.0"),
        ("a " * 2000 + "1", "prices"),
    ],
)
def test_what_is_not_understood_is_refused_and_never_lost(text: str, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        stated_prices(text, "x")
    assert refused.value.field == field
