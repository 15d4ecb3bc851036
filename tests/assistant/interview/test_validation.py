"""Answers in the units that people write, and what is refused."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.validation import validate
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import AmbiguousName, BadInput, UnknownName


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    ("field", "raw", "value"),
    [
        ("users_total", "1.5k users", 1500),
        ("users_total", "1.000", 1000),
        ("users_total", 500, 500),
        ("rack_kw", "40 kW/rack", 40),
        ("rack_kw", "40", 40),
        ("rack_kw", "0,04 MW", 40),
        ("rack_kw", "15000 W", 15),
        ("parameters_b", "70b", 70),
        ("parameters_b", "70", 70),
        ("parameters_b", "1T", 1000),
        ("parameters_b", "70 Milliarden", 70),
        ("context_tokens", "128k", 131_072),
        ("context_tokens", "120K tokens", 120_000),
        ("ttft_ms", "2 s", 2000),
        ("ttft_ms", "500", 500),
        ("tpot_ms", "20 tok/s", 50),
        ("tpot_ms", "50 ms", 50),
        ("active_share", "10 %", 0.1),
        ("active_share", "0.1", 0.1),
        ("deadline_days", "6 weeks", 42),
        ("horizon_years", "36 months", 3),
        ("dataset_tb", "500 GB", 0.5),
        ("training_tokens", "12 Billionen", 12e12),
        ("input_tokens", "mean 800, p95 2000, max 8000", {"mean": 800, "p95": 2000, "max": 8000}),
        ("input_tokens", "300-500", {"mean": 400, "p95": 500, "max": 500}),
        ("input_tokens", {"mean": 800}, {"mean": 800, "p95": 800, "max": 800}),
        ("gpus", "8xH100", [{"gpu": "h100-sxm-80gb", "count": 8}]),
        ("gpus", [{"gpu": "h100", "count": 8}], [{"gpu": "h100-sxm-80gb", "count": 8}]),
        ("models", "llama 3.1 70b, whisper large v3", ["llama-3.1-70b-instruct", "whisper-large-v3"]),
        ("accelerator", "h200", "h200-sxm-141gb"),
        ("country", "Frankfurt", "DE"),
        ("budget", "3.5 million EUR", {"amount": 3_500_000, "currency": "EUR"}),
        ("budget", "€30.000", {"amount": 30_000, "currency": "EUR"}),
        ("budget", "15000 USD per month", {"amount": 15_000, "currency": "USD", "per": "month"}),
        ("deadline", "01.03.2027", "2027-03-01"),
        ("air_gap", "nein", False),
        ("air_gap", True, True),
        ("staff_skills", "slurm und ethernet", ["ethernet", "slurm"]),
        ("weight_dtype", "Q4_K_M", "q4_k_m"),
        ("redundancy", "n", "n"),
        ("hosting", "on our own site", "on_prem"),
    ],
)
def test_accepted(field: str, raw: Any, value: Any) -> None:
    assert validate(field, raw, _catalogue()).value == value


def test_a_range_is_kept_and_sized_on_its_high_end() -> None:
    answer = validate("site_power_kw", "200-300 kW")
    assert (answer.value, answer.low, answer.high, answer.unit) == (300, 200, 300, "kW")
    assert validate("users_total", {"low": 200, "high": 300}).low == 200


@pytest.mark.parametrize(
    ("field", "raw", "says"),
    [
        ("users_total", "-5", "at least 1"),
        ("users_total", -5, "at least 1"),
        ("users_total", "2.5", "whole number"),
        ("users_total", "80GB", "whole number of users"),
        ("users_total", True, "whole number"),
        ("users_total", float("nan"), "whole number"),
        ("users_total", "9" * 40, "users"),
        ("users_total", "", "users"),
        ("rack_kw", "80GB", "kW, W, MW"),
        ("ttft_ms", "2 kW", "ms, s"),
        ("active_share", "10", "10 %"),
        ("active_share", 1.5, "at most 1"),
        ("pue", "0.8", "at least 1"),
        ("input_tokens", "mean 900, p95 800", "mean not above p95"),
        ("input_tokens", {"median": 3}, "mean, p95 and max"),
        ("users_total", {"low": 300, "high": 200}, "low not above high"),
        ("hosting", "moon", "on_prem"),
        ("air_gap", "perhaps", "yes or no"),
        ("budget", "lots", "amount with its currency"),
        ("budget", {"amount": -1, "currency": "EUR"}, "at least 0"),
        ("gpus", [{"gpu": "h100", "count": 0}], "at least 1"),
        ("gpus", "8", "8xH100"),
        ("deadline", "45.13.2027", "day.month.year"),
        ("notes", 5, "text"),
    ],
)
def test_refused_with_what_is_accepted(field: str, raw: Any, says: str) -> None:
    with pytest.raises(BadInput) as error:
        validate(field, raw, _catalogue())
    assert says in str(error.value)
    assert error.value.field == field


def test_names_in_an_answer_are_exact_or_refused() -> None:
    with pytest.raises(AmbiguousName, match="a100-sxm-40gb"):
        validate("gpus", "8xA100", _catalogue())
    with pytest.raises(AmbiguousName, match="rtx-6000-ada"):
        validate("accelerator", "RTX 6000", _catalogue())
    with pytest.raises(UnknownName, match="llama"):
        validate("models", "lama 3.1 70b", _catalogue())
