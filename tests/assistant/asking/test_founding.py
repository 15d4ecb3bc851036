"""Every statement of the founding texts can be asked for, and the list in the docs is current."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from assistant.asking.library import Library
from assistant.service import Assistant
from assistant.validation.founding import answers, table

DOC = Path(__file__).parents[3] / "docs" / "founding.md"


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(Assistant())


def test_every_statement_is_answered() -> None:
    declined = [ident for ident, answer in answers(library()) if answer.declined]
    assert declined == []


def test_the_list_is_current() -> None:
    assert DOC.read_text(encoding="utf-8") == table(library())
