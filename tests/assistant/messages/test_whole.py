"""Every language has every message, every message is said somewhere, and the blanks agree with what fills them."""

from __future__ import annotations

import pytest

from assistant.messages import LANGUAGES
from assistant.messages.catalogue import FIRST
from assistant.messages.template import Blank, blanks, pieces
from tests.assistant.messages.used import said, sayings, sentences

OF_FIGURES = ("units.", "words.")
"""Words that figures look up by themselves."""

BESIDE = ("rules.", "items.", "roles.", "decisions.", "topics.")
"""Texts whose English stands in the rules; ``test_rules_said`` looks after them."""

OTHERS = [lang for lang in LANGUAGES if lang != FIRST]


def test_english_and_german_are_there() -> None:
    assert LANGUAGES[:2] == ("en", "de")
    assert sentences("en")


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_has_every_message_and_no_other(lang: str) -> None:
    own = {ident for ident in sentences(lang) if not ident.startswith((*BESIDE, "units."))}
    wanted = {ident for ident in sentences(FIRST) if not ident.startswith("units.")}
    assert wanted - own == set()
    assert own - wanted == set()


@pytest.mark.parametrize("lang", OTHERS)
def test_every_unit_that_is_a_word_is_one_in_every_language(lang: str) -> None:
    """Plural categories differ between languages, units do not."""
    names = [{ident.split(".")[1] for ident in sentences(one) if ident.startswith("units.")} for one in (FIRST, lang)]
    assert names[0] == names[1]


@pytest.mark.parametrize("lang", OTHERS)
def test_a_sentence_has_the_same_blanks_in_every_language(lang: str) -> None:
    own = sentences(lang)
    differ = {i for i, text in sentences(FIRST).items() if i in own and blanks(text) != blanks(own[i])}
    assert differ == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_can_be_read(lang: str) -> None:
    for ident, text in sentences(lang).items():
        assert pieces(text) or not text, ident


def test_every_group_of_words_exists() -> None:
    """A blank ``{x:@group}`` names messages that are there."""
    known = sentences(FIRST)
    groups = {p.format[1:] for text in known.values() for p in pieces(text) if isinstance(p, Blank) and "@" in p.format}
    assert {group for group in groups if not any(ident.startswith(f"{group}.") for ident in known)} == set()


def test_every_message_that_the_code_says_has_a_sentence() -> None:
    known = sentences(FIRST)
    assert {(one.ident, one.place) for one in sayings() if one.ident not in known} == set()


def test_every_blank_is_filled_and_every_value_has_a_blank() -> None:
    known = sentences(FIRST)
    wrong = {
        (one.ident, one.place): sorted(one.given ^ blanks(known[one.ident]))
        for one in sayings()
        if one.ident in known and not one.more and one.given != _needed(known[one.ident])
    }
    assert wrong == {}


def _needed(text: str) -> frozenset[str]:
    """The blanks of a sentence, and the values that their formats name (a currency, a unit)."""
    named = {p.format.split()[1] for p in pieces(text) if isinstance(p, Blank) and p.format.startswith("money ")}
    units = {p.format[1:] for p in pieces(text) if isinstance(p, Blank) and p.format.startswith("$")}
    return blanks(text) | named | units


def test_every_message_is_said_somewhere() -> None:
    code = said()
    silent = [ident for ident in sentences(FIRST) if not ident.startswith(OF_FIGURES) and not code.says(ident)]
    assert silent == []
