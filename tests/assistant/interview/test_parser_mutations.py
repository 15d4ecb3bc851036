"""A message keeps its meaning when its separators, case, spaces or line breaks change."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import parse
from assistant.validation.intake import Case, cases
from knowledge.catalogue import Catalogue, load_catalogue

_SEEN = 40
_EVERY = 4
"""Every fourth message is tried: all of them take a minute."""


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


@lru_cache(maxsize=1)
def _cases() -> tuple[Case, ...]:
    return tuple(case for case in cases() if case.part != "unseen")[::_EVERY]


@lru_cache(maxsize=1024)
def _fields(message: str) -> dict[str, Any]:
    return {name: mention.value for name, mention in parse(message, _catalogue()).fields.items()}


def _narrow_spaces(text: str) -> str:
    return text.replace(" ", "\u00a0")


def _line_breaks(text: str) -> str:
    """A break in the place of every seventh space between two lower-case words."""
    at = 0

    def broken(match: re.Match[str]) -> str:
        nonlocal at
        at += 1
        return "\n" if at % 7 == 0 else " "

    return re.sub(r"(?<=[a-zà-ÿ]) (?=[a-zà-ÿ])", broken, text)


def _dashes(text: str) -> str:
    return text.replace("-", "\u2011")


def _trailing(text: str) -> str:
    return f"  {text} \n"


def _filler(text: str) -> str:
    """Typing errors in words that carry nothing."""
    for word, typo in (("please", "plaese"), ("hardware", "hardwrae"), ("bitte", "bitet"), ("somewhat", "somehwat")):
        text = text.replace(word, typo)
    return text


@pytest.mark.parametrize("mutate", [_narrow_spaces, _line_breaks, _dashes, _trailing, _filler])
def test_form_changes_no_field(mutate: Callable[[str], str]) -> None:
    changed = {
        case.message[:70]: {
            k: (before.get(k), after.get(k)) for k in {*before, *after} if before.get(k) != after.get(k)
        }
        for case in _cases()
        if (before := _fields(case.message)) != (after := _fields(mutate(case.message)))
    }
    assert changed == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,024 H100 for training a 70B model", "1024 H100 for training a 70B model"),
        ("12.500 Nutzer, davon 1.100 gleichzeitig", "12500 Nutzer, davon 1100 gleichzeitig"),
        ("time to first token 2 s", "time to first token 2000 ms"),
        ("500 users, 64 of them at once, on Llama 3.1 8B", "on Llama 3.1 8B, 500 users, 64 of them at once"),
        ("0.3 MW for the site", "300 kW for the site"),
        ("H100 x 8", "8 x H100"),
        ("30 requests per second", "1800 requests per minute"),
    ],
)
def test_units_signs_and_order_change_no_field(one: str, other: str) -> None:
    assert _fields(one) == _fields(other)
