"""The rule base in every language: each text is there, no other, and its figures are those of the English one."""

from __future__ import annotations

import re
from functools import cache

import pytest

from assistant.messages import LANGUAGES, has, render
from assistant.messages.catalogue import FIRST
from knowledge.message import Message
from rules import texts
from rules.base import load_rules
from rules.schema import Warn
from tests.assistant.messages.used import sentences

OTHERS = [lang for lang in LANGUAGES if lang != FIRST]
BESIDE = ("rules.", "items.", "roles.", "decisions.", "topics.")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
CODES = re.compile(
    r"Llama \d(?:\.\d)?|\d+(?:\.\d+)+-Gb|2025:570|21/8027|C-703/25|2\.18(?:\.\d)?|6\.2\.2|10\.0|8\.9|C5:2026"
    r"|3\.2\b|5\.[01]\b|1\.35"
)
"""Numbers that are names: versions and file numbers are written alike in every language."""


@cache
def said() -> dict[str, Message]:
    return {message.id: message for message in texts.every_text(load_rules())}


@pytest.mark.parametrize("lang", OTHERS)
def test_every_text_of_the_rules_is_said_and_none_besides(lang: str) -> None:
    own = {ident for ident in sentences(lang) if ident.startswith(BESIDE)}
    assert set(said()) - own == set()
    assert own - set(said()) == set()


def figures(text: str) -> list[float]:
    """The numbers of an English text, without those that are names."""
    return sorted(float(number.replace(",", "")) for number in NUMBER.findall(CODES.sub("", text)))


def german_figures(text: str) -> list[float]:
    """The numbers of a German text: thousands with a point, decimals with a comma."""
    found = NUMBER.findall(CODES.sub("", text))
    return sorted(float(number.replace(".", "").replace(",", ".")) for number in found)


def test_german_says_the_figures_of_the_english_text() -> None:
    """A translation that was not changed with its rule shows here, since rules are about numbers."""
    differ = {
        ident: (message.text, render(message, "de"))
        for ident, message in said().items()
        if message.text and figures(message.text) != german_figures(render(message, "de"))
    }
    assert differ == {}


def test_a_rule_has_one_warning_and_a_duty_once() -> None:
    """Ids are made of the rule and the kind, so two of a kind in one rule would share a text."""
    for rule in load_rules().rules.values():
        assert sum(isinstance(then, Warn) for then in rule.then) <= 1, rule.id


def test_an_overlays_rule_is_said_as_its_author_wrote_it() -> None:
    rule = next(iter(load_rules().rules.values())).model_copy(update={"id": "own.rule", "reason": "Our house rule."})
    assert not has(texts.reason(rule).id, "de")
    assert render(texts.reason(rule), "de") == "Our house rule."
