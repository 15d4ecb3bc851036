"""The shared intake messages: how much of what was stated is understood, and how much is invented."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from assistant.interview.brief import Brief
from assistant.interview.parser import Mention, ParseResult, parse, to_answers
from assistant.interview.questions import question
from knowledge.catalogue import Catalogue, load_catalogue

INTAKE = Path(__file__).parents[3] / "assistant" / "validation" / "messages"
CASES, WRITTEN = INTAKE / "messages.jsonl", INTAKE / "written.jsonl"
SCORED = [
    "models",
    "parameters_b",
    "weight_dtype",
    "context_tokens",
    "output_tokens",
    "users_total",
    "users_concurrent",
    "requests_per_s",
    "ttft_ms",
    "gpus",
    "hosting",
    "air_gap",
    "country",
    "site_power_kw",
    "rack_kw",
    "budget",
    "network",
    "deadline",
    "training_tokens",
]
RECALL_BAR = 0.90
INVENTED_BAR = 0.02
"""Issue 8 asks for these of the shared messages."""


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


@lru_cache(maxsize=1)
def _cases() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines())


@lru_cache(maxsize=1)
def _parsed() -> tuple[ParseResult, ...]:
    return tuple(parse(case["message"], _catalogue()) for case in _cases())


def _ident(kind: str, name: str) -> str:
    """The id of a name as the compiler wrote it; the likeliest candidate of an ambiguous one."""
    found = _catalogue().resolve(kind, name)
    return found.id or (found.candidates[0] if found.candidates else name)


def _right(field: str, wanted: Any, mention: Mention | None) -> bool:
    if mention is None:
        return False
    if field == "models":
        return bool({_ident("models", n) for n in wanted} <= {_ident("models", n) for n in mention.value})
    if field == "gpus":
        got = [(entry["gpu"], entry["count"]) for entry in mention.value]
        return all((w["gpu"] and _ident("accelerators", w["gpu"]), w["count"]) in got for w in wanted)
    if field == "budget":
        return bool({k: mention.value[k] for k in ("amount", "currency")} == wanted)
    return bool(mention.value == wanted)


def _mention(result: ParseResult, field: str) -> Mention | None:
    """A prompt length counts for the context, where the compiler has one column for both."""
    found = result.fields.get(field)
    return result.fields.get("input_tokens") if field == "context_tokens" and found is None else found


@lru_cache(maxsize=1)
def _written() -> tuple[tuple[dict[str, Any], ParseResult], ...]:
    cases = [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]
    return tuple((case, parse(case["message"], _catalogue())) for case in cases)


def _misses(pairs: Iterable[tuple[dict[str, Any], ParseResult]] | None = None) -> Iterator[tuple[str, str, Any]]:
    for case, result in pairs or zip(_cases(), _parsed(), strict=True):
        for field in SCORED:
            if field in case["stated"] and not _right(field, case["stated"][field], _mention(result, field)):
                yield case["id"], field, case["stated"][field]


def _inventions(pairs: Iterable[tuple[dict[str, Any], ParseResult]] | None = None) -> Iterator[tuple[str, str, Any]]:
    for case, result in pairs or zip(_cases(), _parsed(), strict=True):
        known = {*case["stated"], *case.get("follows", ()), *case.get("vague", ())}
        for field, mention in result.fields.items():
            if field in SCORED and field not in known:
                yield case["id"], field, mention.text


def test_recall_of_stated_fields() -> None:
    stated = sum(field in case["stated"] for case in _cases() for field in SCORED)
    misses = list(_misses())
    recall = 1 - len(misses) / stated
    print(f"recall {recall:.3f} of {stated} stated fields; missed: {misses}")
    assert stated > 240  # the file is whole
    assert recall >= RECALL_BAR, misses


def test_rate_of_invented_fields() -> None:
    found = sum(field in result.fields for result in _parsed() for field in SCORED)
    inventions = list(_inventions())
    print(f"invented {len(inventions)} of {found}: {inventions}")
    assert len(inventions) <= INVENTED_BAR * found, inventions


def test_written_messages_are_understood_as_well() -> None:
    pairs = _written()
    stated = sum(field in case["stated"] for case, _ in pairs for field in SCORED)
    found = sum(field in result.fields for _, result in pairs for field in SCORED)
    misses, inventions = list(_misses(pairs)), list(_inventions(pairs))
    print(f"recall {1 - len(misses) / stated:.3f} of {stated}; missed: {misses}; invented: {inventions}")
    assert len(misses) <= (1 - RECALL_BAR) * stated, misses
    assert len(inventions) <= INVENTED_BAR * found, inventions


def test_ranges_are_kept() -> None:
    wanted = {(c["id"], f): tuple(r) for c in _cases() for f, r in c.get("ranges", {}).items()}
    got = {
        (case["id"], field): (m.low, m.high)
        for case, result in zip(_cases(), _parsed(), strict=True)
        for field, m in result.fields.items()
        if (case["id"], field) in wanted
    }
    assert got == wanted


def test_workload_labels_are_reported() -> None:
    labelled = [(c, r) for c, r in zip(_cases(), _parsed(), strict=True) if "workload" in c["stated"]]
    right = 0
    for case, result in labelled:
        found = result.fields.get("workload") or result.derived.get("workload")
        right += found is not None and found.value == case["stated"]["workload"]
    print(f"workload label agrees in {right} of {len(labelled)}")
    # Half of the labels are not in the words of the message ("deploy for 10 000 users"): a lower bar than for facts.
    assert right >= 0.6 * len(labelled)


@pytest.mark.parametrize("index", range(108))
def test_every_message_gives_answers_that_point_to_their_words(index: int) -> None:
    case, result = _cases()[index], _parsed()[index]
    for mention in result.fields.values():
        assert case["message"][mention.start : mention.end] == mention.text
        assert all(case["message"][s.start : s.end] == s.text for s in mention.also)
    answers = to_answers(result)
    assert all(question(answer.field).unit == answer.unit or answer.field in ("gpus", "budget") for answer in answers)
    assert set(Brief().with_answers(answers).answers) == {answer.field for answer in answers}
    json.dumps(result.as_json())
