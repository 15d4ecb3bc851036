"""The vocabulary: one schema for all languages, examples for every kind, and words that no message uses are listed."""

from __future__ import annotations

import pytest

from assistant.interview.parser.vocabulary.lexicon import LANGUAGES, Lexicon, words_of
from assistant.interview.parser.vocabulary.schema import load
from assistant.validation.intake import cases


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_keeps_the_schema(language: str) -> None:
    kinds = load(language)
    assert all(len(set(kind.examples)) >= 2 for kind in kinds.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_kinds_that_english_has(language: str) -> None:
    optional = {"glue", "per", "speed", "parts", "steps", "w_translation", "t_ms", "greeting"}
    assert set(words_of("en")) - set(words_of(language)) <= optional


def test_words_that_no_message_exercises_are_listed() -> None:
    """A word may wait for its first message; a whole kind of English that none of 250 messages uses is no kind."""
    text = "\n".join(case.message for case in cases() if case.part != "unseen")
    idle = {
        kind: [word for word in words if not Lexicon([{kind: [word]}]).find(text)]
        for kind, words in words_of("en").items()
    }
    print({kind: f"{len(words)} of {len(words_of('en')[kind])} idle" for kind, words in idle.items()})
    unused = {kind for kind, words in idle.items() if len(words) == len(words_of("en")[kind])}
    assert len(unused) <= 0.2 * len(idle), unused


def test_a_stem_takes_any_ending_and_a_phrase_any_joint() -> None:
    lexicon = Lexicon(
        [{"people": ["engineer*"], "at_once": ["at the same time"], "site": ["on-prem"], "men": ["*leute"]}]
    )
    text = "Engineers at the\nsame time, on prem; Fachleute"
    assert [(text[w.start : w.end], set(w.kinds)) for w in lexicon.find(text)] == [
        ("Engineers", {"people"}),
        ("at the\nsame time", {"at_once"}),
        ("on prem", {"site"}),
        ("Fachleute", {"men"}),
    ]
