"""What a question states, by the interview's own reader of numbers and names; the one place that calls it.

A value is kept in one unit for each kind (bytes, seconds, kW ...), so that the arithmetic never meets a unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge import regexes as re
from knowledge.evidence import Frozen
from knowledge.shipped import shipped_yaml

if TYPE_CHECKING:
    from assistant.interview.parser import ParseResult


class Unit(Frozen):
    """One way of writing a unit: the pattern after a number, the unit that is kept and the factor to it."""

    unit: str
    pattern: str
    factor: float
    cased: bool = False


class Measure(Frozen):
    """A number with its unit, and where it stands in the question."""

    value: float
    unit: str
    start: int
    text: str


class Cards(Frozen):
    """Accelerators that are named: a catalogue id, and how many where that is said."""

    gpu: str
    count: int | None = None


class Heard(Frozen):
    """Names and numbers of a question; what it does not state is empty."""

    models: tuple[str, ...] = ()
    parameters: float | None = None
    cards: tuple[Cards, ...] = ()
    server: str | None = None
    weight_dtype: str | None = None
    country: str | None = None
    measures: tuple[Measure, ...] = ()

    def all(self, unit: str) -> tuple[float, ...]:
        """Every value in a unit, in order of the question."""
        return tuple(measure.value for measure in self.measures if measure.unit == unit)

    def one(self, unit: str) -> float | None:
        """The first value in a unit, or None."""
        return next(iter(self.all(unit)), None)


@lru_cache(maxsize=1)
def _units() -> tuple[tuple[Unit, re.Pattern[str]], ...]:
    units = (Unit.model_validate(row) for row in shipped_yaml(Path(__file__).parent / "measures.yaml"))
    return tuple((unit, re.compile(unit.pattern, 0 if unit.cased else re.IGNORECASE)) for unit in units)


@lru_cache(maxsize=1)
def _number() -> re.Pattern[str]:
    from assistant.interview.parser.numbers.values import MAGNITUDE, NOT_WITHIN, PLAIN, WORD

    return re.compile(
        rf"{NOT_WITHIN}(?P<n>{PLAIN}|{WORD}(?=[ -]))"
        rf"(?:[ -]?(?P<m>{MAGNITUDE}|(?-i:(?<=\d)[kKmMbBT]|[kmMbBT])(?![A-Za-z0-9/])))?[ \u00a0-]?",
        re.IGNORECASE,
    )


def measures(text: str, language: str) -> tuple[Measure, ...]:
    """Numbers with units, left to right; a number without a unit that is known is none."""
    return tuple(_measures(text, language))


def _measures(text: str, language: str) -> Iterator[Measure]:
    from assistant.interview.parser.numbers.values import magnitude, read_number

    for found in _number().finditer(text):
        for unit, pattern in _units():
            after = pattern.match(text, found.end())
            if after is None and found["m"] is not None:
                continue
            if after is not None:
                counted = unit.unit in _COUNTED
                value = read_number(found["n"], language, counted) * magnitude(found["m"] or "", language)
                yield Measure(
                    value=value * unit.factor,
                    unit=unit.unit,
                    start=found.start(),
                    text=text[found.start() : after.end()],
                )
                break


_COUNTED = frozenset(("tokens", "users", "requests", "servers", "cards", "ports", "racks", "switch_ports"))

_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3}),(\d{3})(?=,\d{3}\b| |\b)(?![\d,])")
_FORMATS = (
    (r"\b(?:nv|mx)?fp4\b|\b4[- ]?bits?\b|\bint4\b|\bq4\w*|\bawq\b|\bgptq\b|\b4bit", "int4"),
    (r"\bfp8\b|\bint8\b|\b8[- ]?bits?\b|\bw8a8\b", "fp8"),
    (r"\bbf16\b|\bbfloat16\b|\bfp16\b|\bhalf precision\b|\b16[- ]?bits?\b", "bf16"),
    (r"\bfp32\b|\b32[- ]?bits?\b", "fp32"),
)
_SPECIFIC = (
    (r"\bmxfp4\b", "mxfp4"), (r"\bnvfp4\b", "nvfp4"), (r"\bint8\b|\bw8a8\b", "int8"), (r"\bfp16\b", "fp16"),
)  # fmt: skip


def weight_format(text: str) -> str | None:
    """The number format that a question gives its weights; one that it gives the KV cache is none."""
    lower = re.sub(r"(kv[- ]?cache|cache|kv)[^,.;]{0,12}\b(in|of|as)?\s*(fp8|fp4|int8|bf16|fp16)", " ", text.casefold())
    for pattern, name in (*_SPECIFIC, *_FORMATS):
        if re.search(pattern, lower):
            return name
    return None


def listen(text: str, parsed: ParseResult) -> Heard:
    """The names and numbers of ``text``, which the interview parsed; hardware that is refused is not among them."""
    from assistant.interview.parser import to_answers

    stated = {answer.field: answer.value for answer in to_answers(parsed)}
    refused = {one.span.text for one in parsed.ambiguous if not one.candidates}
    rows = parsed.fields["gpus"].value if "gpus" in parsed.fields else stated.get("gpus") or ()  # compared ones too
    language = parsed.language if parsed.language in ("de", "fr", "es", "pt") else "en"
    return Heard(
        models=tuple(str(model) for model in stated.get("models") or ()),
        parameters=_parameters(text, parsed),
        cards=tuple(_cards(row) for row in rows if row.get("gpu") and row["gpu"] not in refused),
        server=str(stated["server"]) if stated.get("server") else None,
        weight_dtype=weight_format(text),
        country=str(stated["country"]) if stated.get("country") else None,
        measures=measures(text, language),
    )


def plain_thousands(text: str) -> str:
    """The text with "16,384" as "16384", which every reader takes as one number."""
    return _GROUPED.sub(r"\1\2", text)


_BILLIONS = re.compile(
    r"(?<![\w.,-])(\d{1,4}(?:\.\d{1,3})?)[ -]?(?:b\b|bn\b|billion param|mrd\.? param|milliarden param|T\b(?= param))",
    re.I,
)
_TRILLIONS = re.compile(
    r"\b(\d+(?:\.\d+)?|one|an?|two|eine?r?|zwei)?[ -]?(?:trillion|billionen|billion(?=en param)|t)[ -]?param", re.I
)
_FEW = {"two": 2.0, "zwei": 2.0}


def _parameters(text: str, parsed: ParseResult) -> float | None:
    trillions = _TRILLIONS.search(text)
    if trillions is not None:
        said = (trillions[1] or "1").lower()
        return (float(said) if said[0].isdigit() else _FEW.get(said, 1.0)) * 1e12
    if "parameters_b" in parsed.fields:
        return float(parsed.fields["parameters_b"].value) * 1e9
    stated = _BILLIONS.search(text)
    return float(stated[1]) * 1e9 if stated else None


def _cards(row: Mapping[str, object]) -> Cards:
    count = row.get("count")
    return Cards(gpu=str(row["gpu"]), count=int(str(count)) if count else None)
