"""Short replies that leave out what the question makes plain: a number among words, a sum without its currency."""

from __future__ import annotations

import re

from assistant.interview.brief import Brief
from assistant.interview.parser.vocabulary.fragments import CURRENCY
from assistant.interview.questions import Kind, Question

_NUMBER = re.compile(r"(?<![\w.,-])\d[\d.,']{0,20}(?: ?[kKmM](?!\w)| ?%)?")
_OTHER_UNIT = re.compile(r" ?(?:[GTMk]i?B|B|[kM]?W|GPUs?)(?!\w)", re.IGNORECASE)
_SUM = re.compile(r"\d[\d.,' ]{0,20} ?(?:k|m|mio\.?|million(?:en)?|tsd\.?|mrd\.?)?", re.IGNORECASE)
_NUMERIC = (Kind.NUMBER, Kind.INTEGER, Kind.LENGTHS)


def lone_number(words: str, asked: Question | None) -> str | None:
    """The number in ``about 500 or so``, where a number is asked for and no other is said; None where it is refused."""
    numbers = list(_NUMBER.finditer(words))
    if asked is None or asked.type not in _NUMERIC or len(numbers) != 1:
        return None
    if _OTHER_UNIT.match(words, numbers[0].end()):  # the whole line was refused for its unit just now
        return None
    return numbers[0].group()


def bare_sum(words: str) -> bool:
    """Whether a reply is an amount without its currency."""
    return bool(_SUM.fullmatch(words))


def with_currency(words: str, waiting: str, brief: Brief) -> str:
    """A sum with the currency of a sum said before; a currency alone, with the sum that was ``waiting`` for it."""
    if waiting and words.lower() in CURRENCY:
        return f"{waiting} {words}"
    held = (answer.value for answer in brief.answers.values() if isinstance(answer.value, dict))
    known = next((str(value["currency"]) for value in held if "currency" in value), "")
    return f"{words} {known}".strip() if bare_sum(words) else words
