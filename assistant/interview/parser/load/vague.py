"""Pairs of lengths, and figures that can mean two things: taken in the likelier sense, and asked."""

from __future__ import annotations

from assistant.interview.parser.load.rule import END, IS, wanted_at
from assistant.interview.parser.numbers.units import factor, unit_pattern
from assistant.interview.parser.numbers.values import amount, quantity
from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous
from assistant.interview.parser.vocabulary import fragments as v
from knowledge import regexes as re

_PAIR = re.compile(
    r"(?<![\w./])(?P<i>\d{1,6}k?)(?:/|(?<!k) / )(?P<o>\d{1,6}k?)(?![\w/.])|"
    r"(?<![\w.])(?P<i2>\d{1,3}k)(?P<o2>\d{1,3}k)(?!\w)|"
    r"(?<![\w.])(?P<i3>\d{1,6}k?)\s?in\s?/\s?(?P<o3>\d{1,6}k?)\s?out\b",
    re.IGNORECASE,
)
_TPS = re.compile(quantity(r"\s?TPS\b", letters=""))
_ANSWER_WITHIN = re.compile(
    rf"{v.RESPONSE}(?: in| within| innerhalb von)?{IS}" + quantity(unit_pattern("ms"), letters=""), re.IGNORECASE
)
_WITHIN_ANSWER = re.compile(quantity(unit_pattern("ms") + rf"\s?{v.RESPONSE}{END}", letters=""), re.IGNORECASE)
_PER_DAY = re.compile(
    quantity(rf"\s?{v.REQUESTS}\s?(?:per|a|pro|am|/|par|al|por)\s?(?:day|tag|jour|día|dia)\b"), re.IGNORECASE
)

WORKING_DAY_S = 8 * 3600
"""Seconds over which requests per day are spread until somebody says otherwise."""


def read_pairs(reading: Reading) -> None:
    """``8192/1024`` and ``1k1k``: prompt and answer lengths as benchmarks write them."""
    for match in reading.find(_PAIR):
        first, second = (match[f"{side}"] or match[f"{side}2"] or match[f"{side}3"] for side in "io")
        values = [_tokens(first), _tokens(second)]
        unlikely = min(values) < 32 or (values[0] < 512 and "k" not in first.lower()) or values[1] > 131072
        if unlikely and not match["i3"]:
            continue
        reading.take(*match.span())
        reading.state("input_tokens", values[0], *match.span(), unit="tokens")
        reading.state("output_tokens", values[1], *match.span(), unit="tokens")
        return


def _tokens(text: str) -> int:
    return int(text[:-1]) * 1024 if text[-1] in "kK" else int(text)


def read_vague(reading: Reading) -> None:
    """``TPS``, answers "within 2 s", requests per day, and two precisions at once."""
    for match in _wanted(reading, _TPS):
        meanings = ("transactions (requests) per second", "tokens per second")
        _unsure(
            reading, "requests_per_s", match, 1.0, "req/s", meanings, "Transactions (requests) or tokens per second?"
        )
    for pattern in (_ANSWER_WITHIN, _WITHIN_ANSWER):
        for match in _wanted(reading, pattern):
            meanings = ("time to the first word", "time to the whole answer")
            unit = factor("ms", match["unit"])
            _unsure(reading, "ttft_ms", match, unit, "ms", meanings, "Time to the first word or to the whole answer?")
    for match in _wanted(reading, _PER_DAY):
        meanings = ("spread over 8 working hours", "spread over 24 hours")
        question = "Over how many hours of the day do these requests come?"
        _unsure(reading, "requests_per_s", match, 1 / WORKING_DAY_S, "req/s", meanings, question)


def _wanted(reading: Reading, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    return [match for match in reading.find(pattern) if wanted_at(reading, *match.span())]


def _unsure(
    reading: Reading,
    field: str,
    match: re.Match[str],
    times: float,
    unit: str,
    meanings: tuple[str, ...],
    question: str,
) -> None:
    if field in reading.fields:
        return
    reading.take(*match.span())
    found = amount(match, reading.lang).times(times)
    reading.state_amount(field, found, unit, *match.span(), note=f"taken as {meanings[0]}")
    span = reading.span(*match.span())
    reading.ambiguous.append(
        Ambiguous.model_construct(field=field, span=span, candidates=meanings, question=question, assumed=meanings[0])
    )
