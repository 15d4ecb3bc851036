"""Every language has every message, every message is said somewhere, and the blanks agree with what fills them."""

from __future__ import annotations

import pytest

from assistant.messages import LANGUAGES
from assistant.messages.catalogue import FIRST
from assistant.messages.template import blanks, pieces
from tests.assistant.messages.used import calls, said, sentences

BESIDE = ("units.", "words.")
"""Words that figures look up by themselves."""

OTHERS = [lang for lang in LANGUAGES if lang != FIRST]


def test_english_and_german_are_there() -> None:
    assert LANGUAGES[:2] == ("en", "de")
    assert sentences("en")


@pytest.mark.parametrize("lang", OTHERS)
def test_a_language_has_every_message_and_no_other(lang: str) -> None:
    own = {ident for ident in sentences(lang) if not ident.startswith("rules.")}  # the English stands in the rules
    wanted = set(sentences(FIRST))
    assert {ident for ident in wanted if ident.split(".")[0] != "units"} - own == set()
    assert {ident for ident in own if ident.split(".")[0] != "units"} - wanted == set()


@pytest.mark.parametrize("lang", OTHERS)
def test_a_sentence_has_the_same_blanks_in_every_language(lang: str) -> None:
    own = sentences(lang)
    differ = {i for i, text in sentences(FIRST).items() if i in own and blanks(text) != blanks(own[i])}
    assert differ == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_can_be_read(lang: str) -> None:
    for ident, text in sentences(lang).items():
        assert pieces(text) or not text, ident


def test_every_message_that_the_code_says_has_a_sentence() -> None:
    known = sentences(FIRST)
    assert {(ident, place) for ident, _, place in calls() if ident not in known} == set()


def test_every_blank_is_filled_and_every_value_has_a_blank() -> None:
    known = sentences(FIRST)
    wrong = {
        (ident, place): sorted(given ^ blanks(known[ident]))
        for ident, given, place in calls()
        if ident in known and not blanks(known[ident]) <= given
    }
    assert wrong == {}


def test_every_message_is_said_somewhere() -> None:
    ids, beginnings = said()
    silent = [i for i in sentences(FIRST) if i not in ids and not i.startswith((*BESIDE, *beginnings))]
    assert silent == []
