"""Everyday words for numbers, people, places, sites and sums, each with the value that a reader would give."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import ParseResult, parse
from assistant.interview.parser.numbers.words import with_digits
from assistant.interview.validation import validate
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _parsed(text: str) -> ParseResult:
    return parse(text, _catalogue())


def _value(text: str, field: str) -> Any:
    mention = _parsed(text).fields.get(field)
    return None if mention is None else mention.value


@pytest.mark.parametrize(
    ("text", "users"),
    [
        ("five hundred people", 500),
        ("5 hundred users", 500),
        ("seven hundred users", 700),
        ("a hundred users", 100),
        ("two thousand users", 2000),
        ("twenty-five users", 25),
        ("two hundred and fifty users", 250),
        ("five hundred thousand users", 500_000),
        ("a million users", 1_000_000),
        ("between twenty and thirty users", 30),
        ("between one hundred and two hundred users", 200),
        ("zweitausend Mitarbeiter", 2000),
        ("einhundert Nutzer", 100),
        ("fünfhundert Leute", 500),
        ("zweihundertfünfundzwanzig Nutzer", 225),
        ("tausendzweihundert Nutzer", 1200),
        ("cinq cents utilisateurs", 500),
        ("quatre-vingt-dix utilisateurs", 90),
        ("quinientos usuarios", 500),
        ("treinta y cinco usuarios", 35),
        ("duzentos e cinquenta usuários", 250),
        ("500ppl", 500),
        ("30 ppl", 30),
        ("120 employes", 120),
        ("45 staff", 45),
        ("300 Leute", 300),
        ("800 MA", 800),
        ("half a million users", 500_000),
        ("eine halbe Million Nutzer", 500_000),
    ],
)
def test_people_counted_in_words(text: str, users: int) -> None:
    assert _value(text, "users_total") == users


@pytest.mark.parametrize(
    "text",
    [
        "5oo people",
        "seven gazillion users",
        "a few hundred users",
        "ein paar hundert Nutzer",
        "hundreds of users",
        "200 servers in MA",
        "one user",
        "5.2 ppl",
    ],
)
def test_what_is_no_exact_number_states_nothing(text: str) -> None:
    assert _value(text, "users_total") is None


def test_digits_keep_every_place_of_the_text() -> None:
    text = "for five hundred people"
    assert with_digits(text, "en") == "for 000000000500 people"
    mention = _parsed(text).fields["users_total"]
    assert mention.text == "five hundred people"
    assert with_digits("we have two servers and five six", "en") == "we have two servers and five six"


@pytest.mark.parametrize("raw", ["500 GB", "500 G", "500 B", "500 W", "500 kW", "500 GPUs", "8 gpus", "20 %", "5oo"])
@pytest.mark.parametrize("field", ["users_total", "users_concurrent"])
def test_a_measure_of_something_else_is_no_count(field: str, raw: str) -> None:
    with pytest.raises(BadInput) as refused:
        validate(field, raw, _catalogue())
    assert "5k" in refused.value.expected
    assert "200-300" in refused.value.expected


@pytest.mark.parametrize(
    ("raw", "users"), [("two thousand", 2000), ("a hundred", 100), ("500ppl", 500), ("500 staff", 500), ("5k", 5000)]
)
def test_a_count_typed_in_words(raw: str, users: int) -> None:
    assert validate("users_total", raw, _catalogue()).value == users


@pytest.mark.parametrize(("raw", "near"), [("200000", ("0.2", "20 %")), ("20", ("20 %",))])
def test_a_share_above_one_is_offered_shares_that_can_be(raw: str, near: tuple[str, ...]) -> None:
    with pytest.raises(BadInput) as refused:
        validate("active_share", raw, _catalogue())
    assert tuple(refused.value.nearest) == near


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("chat in frankfurt", "DE"),
        ("in munich", "DE"),
        ("berlin, 50 users", "DE"),
        ("in essen", "DE"),
        ("not in berlin", None),
        ("have a nice day", None),
        ("a phoenix project", None),
    ],
)
def test_cities_in_lower_case(text: str, country: str | None) -> None:
    assert _value(text, "country") == country


@pytest.mark.parametrize(
    "text",
    ["in our DC", "our datacenter", "im eigenen RZ", "eigenes RZ", "eigener Standort", "in unserem Rechenzentrum"],
)
def test_the_own_site(text: str) -> None:
    assert _value(text, "hosting") == "on_prem"


def test_another_place_wins_over_the_own_site_that_is_ruled_out() -> None:
    assert _value("not in our DC but in the cloud", "hosting") == "cloud"
    assert _value("not in our DC", "hosting") is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("h100s, 8 of them", 8),
        ("H100, eight of them", 8),
        ("two hundred H100", 200),
        ("sixteen H100 cards", 16),
        ("16 H100s, 8 of them in bonn", 16),
    ],
)
def test_a_count_said_after_its_gpu(text: str, count: int) -> None:
    assert _value(text, "gpus") == [{"gpu": "h100-sxm-80gb", "count": count}]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("budget 200k", 200_000),
        ("budget 200k for all of it", 200_000),
        ("our budget is 300.000", 300_000),
        ("Budget 1.5 Mio", 1_500_000),
    ],
)
def test_a_budget_without_its_currency_is_held_and_asked(text: str, amount: int) -> None:
    result = _parsed(text)
    assert result.fields["budget"].value == {"amount": amount, "currency": "?"}
    assert [a.field for a in result.ambiguous] == ["budget"]


def test_a_budget_with_its_currency_keeps_it() -> None:
    assert _value("budget 200k EUR", "budget") == {"amount": 200_000, "currency": "EUR"}


def test_other_numbers_after_budget_are_no_money() -> None:
    assert _value("power budget 40 kW", "budget") is None
    assert _value("budget 2027", "budget") is None
    assert _value("thinking budget 32k", "budget") is None
    assert _value("budget 8000 tokens", "budget") is None


def test_a_misspelt_model_is_a_labelled_reading() -> None:
    mention = _parsed("lama 3.1 70B").fields["models"]
    assert mention.value == ["llama-3.1-70b-instruct"]
    assert mention.note == "lama 3.1 70B is read as llama-3.1-70b-instruct"
