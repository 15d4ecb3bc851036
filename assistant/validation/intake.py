"""How well messages are understood: fields found and invented, figures unaccounted for, by language and kind.

The messages ship with the program. Those of the part ``unseen`` were never used to write a reading.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.interview.parser import ParseResult, parse
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen

FOLDER = Path(__file__).with_name("messages")
PARTS = ("threads", "written", "later", "unseen")
FIRST_UNSEEN = 40
"""Messages of ``later.jsonl`` after this many were never looked at while readings were written."""

SCORED = frozenset(
    [
        "models",
        "parameters_b",
        "weight_dtype",
        "context_tokens",
        "input_tokens",
        "output_tokens",
        "users_total",
        "users_concurrent",
        "requests_per_s",
        "ttft_ms",
        "tpot_ms",
        "gpus",
        "hosting",
        "air_gap",
        "country",
        "site_power_kw",
        "rack_kw",
        "budget",
        "network",
        "training_tokens",
    ]
)
"""Fields whose presence without a word for them counts as invented."""

_DIGITS = re.compile(r"\d+")


class Row(Frozen):
    """Counts over messages that have something in common.

    ``found`` of ``stated`` fields; ``invented`` of ``states`` fields that the parser gave; ``unaccounted`` runs of
    digits; ``groups_right`` and ``excluded_right`` of those that have several demands, or that rule something out.
    """

    part: str
    name: str
    messages: int = 0
    stated: int = 0
    found: int = 0
    states: int = 0
    invented: int = 0
    unaccounted: int = 0
    groups: int = 0
    groups_right: int = 0
    excluded: int = 0
    excluded_right: int = 0


class IntakeReport(Frozen):
    """The scores by part, and within each part by language and by kind."""

    catalogue_version: str
    parts: tuple[Row, ...]
    by_language: tuple[Row, ...]
    by_kind: tuple[Row, ...]


@dataclass(frozen=True)
class Case:
    """A message with what it states, in one form for all files."""

    part: str
    language: str
    kind: str
    message: str
    stated: Mapping[str, Any]
    known: frozenset[str]
    groups: tuple[Mapping[str, Any], ...]
    excluded: Mapping[str, tuple[Any, ...]]


def cases() -> Iterator[Case]:
    """All shipped messages."""
    for part in ("threads", "written"):
        name = "messages" if part == "threads" else part
        for raw in _lines(name):
            known = {*raw["stated"], *raw.get("follows", ()), *raw.get("vague", ())}
            yield Case(part, raw["lang"], part, raw["message"], _plain(raw["stated"]), frozenset(known), (), {})
    for at, raw in enumerate(_lines("later")):
        groups = tuple(raw.get("groups", ()))
        known = {*raw.get("expect", ()), *raw.get("expect_new", ()), *(field for group in groups for field in group)}
        yield Case(
            "unseen" if at >= FIRST_UNSEEN else "later",
            raw["lang"],
            raw["kind"],
            raw["message"],
            raw.get("expect", {}),
            frozenset({*known, *(() if "models" not in known else ("parameters_b",))}),
            groups,
            {field: tuple(values) for field, values in raw.get("excluded", {}).items()},
        )


def _plain(stated: Mapping[str, Any]) -> Mapping[str, Any]:
    return {field: value for field, value in stated.items() if field in SCORED}


def _lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def measure(catalogue: Catalogue) -> IntakeReport:
    """Parse every shipped message and count."""
    counted = [(case, _count(case, parse(case.message, catalogue), catalogue)) for case in cases()]
    return IntakeReport(
        catalogue_version=catalogue.version,
        parts=_rows(counted, lambda case: "all"),
        by_language=_rows(counted, lambda case: case.language),
        by_kind=_rows(counted, lambda case: case.kind),
    )


def _rows(counted: Iterable[tuple[Case, Mapping[str, int]]], name: Any) -> tuple[Row, ...]:
    sums: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for case, counts in counted:
        for key, value in counts.items():
            sums[case.part, name(case)][key] += value
    ordered = sorted(sums, key=lambda key: (PARTS.index(key[0]), key[1]))
    return tuple(Row(part=part, name=label, **sums[part, label]) for part, label in ordered)


def _count(case: Case, result: ParseResult, catalogue: Catalogue) -> dict[str, int]:
    found = sum(right(field, want, _value(result, field), catalogue) for field, want in case.stated.items())
    states = [field for field in result.fields if field in SCORED]
    several = len(case.groups) > 1
    out = [(field, value) for field, values in case.excluded.items() for value in values]
    return {
        "messages": 1,
        "stated": len(case.stated),
        "found": found,
        "states": len(states),
        "invented": sum(field not in case.known for field in states),
        "unaccounted": len(unaccounted(case.message, result)),
        "groups": several,
        "groups_right": several and groups_right(case.groups, result, catalogue),
        "excluded": len(out),
        "excluded_right": sum(_is_out(field, value, result) for field, value in out),
    }


def _value(result: ParseResult, field: str) -> Any:
    mention, derived = result.fields.get(field), result.derived.get(field)
    if field == "context_tokens" and mention is None:
        mention = result.fields.get("input_tokens")  # where a compiler had one column for both
    return mention.value if mention else derived.value if derived else None


def _is_out(field: str, value: Any, result: ParseResult) -> bool:
    return any(e.field == field and str(value).lower() in str(e.value).lower() for e in result.excluded)


@lru_cache(maxsize=4096)
def _meanings(catalogue: Catalogue, kind: str, name: str) -> frozenset[str]:
    found = catalogue.resolve(kind, name)
    return frozenset({found.id} if found.id else found.candidates or {name.lower()})


def right(field: str, want: Any, got: Any, catalogue: Catalogue) -> bool:
    """Whether a value says what was stated; names are compared by what they mean."""
    if got is None:
        return want is None
    if field == "models":
        return all(
            any(_meanings(catalogue, "models", w) & _meanings(catalogue, "models", g) for g in got) for w in want
        )
    if field == "gpus":
        return all(any(_same_gpus(w, g, catalogue) for g in got) for w in want)
    if isinstance(want, dict) and isinstance(got, dict):
        return all(right(key, value, got.get(key), catalogue) for key, value in want.items())
    if isinstance(want, (int, float)) and isinstance(got, (int, float)) and not isinstance(want, bool):
        return bool(abs(want - got) <= 1e-6 * max(1.0, abs(want)))
    return bool(want == got)


def _same_gpus(want: Mapping[str, Any], got: Mapping[str, Any], catalogue: Catalogue) -> bool:
    if want.get("count") is not None and want["count"] != got["count"]:
        return False
    if not want.get("gpu"):
        return True
    if not got["gpu"]:
        return False
    wanted = _meanings(catalogue, "accelerators", want["gpu"])
    return bool(wanted & _meanings(catalogue, "accelerators", got["gpu"])) or got["gpu"].lower() in want["gpu"].lower()


def groups_right(wanted: Iterable[Mapping[str, Any]], result: ParseResult, catalogue: Catalogue) -> bool:
    """Whether every demand stands in a group of its own."""
    left = list(result.groups)
    for want in wanted:
        match = next((group for group in left if _fits(want, group, catalogue)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _fits(want: Mapping[str, Any], group: Any, catalogue: Catalogue) -> bool:
    for field, value in want.items():
        if field == "amount":
            if not any(right("amount", value, one.model_dump(), catalogue) for one in group.amounts):
                return False
            continue
        got = group.fields.get(field) or group.derived.get(field)
        if got is None or not right(field, value, got.value, catalogue):
            return False
    return True


def unaccounted(message: str, result: ParseResult) -> list[str]:
    """The runs of digits that stand in no field, group, doubt, exclusion, context or list of what is not used."""
    covered = bytearray(len(message))
    for start, end in _places(result):
        covered[start:end] = b"\x01" * (end - start)
    return [m[0] for m in _DIGITS.finditer(message) if not all(covered[m.start() : m.end()])]


def _places(result: ParseResult) -> Iterator[tuple[int, int]]:
    mentions = [*result.fields.values(), *(m for group in result.groups for m in group.fields.values())]
    for mention in mentions:
        yield mention.start, mention.end
        yield from ((also.start, also.end) for also in mention.also)
    yield from ((a.start, a.end) for group in result.groups for a in group.amounts)
    yield from ((one.start, one.end) for one in (*result.unused, *result.context))
    yield from ((doubt.span.start, doubt.span.end) for doubt in result.ambiguous)
    yield from ((out.span.start, out.span.end) for out in result.excluded)
