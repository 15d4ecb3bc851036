"""Real incidents: category, action and side as the threads concluded."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from assistant.operations.triage.diagnose import triage_files, triage_text
from assistant.operations.triage.findings import Triage
from knowledge.catalogue import Catalogue, load_catalogue

DATA = Path(__file__).parents[2] / "data" / "ops"
CASES: list[dict[str, Any]] = [json.loads(line) for line in (DATA / "cases.jsonl").read_text("utf-8").splitlines()]
THREADS: list[dict[str, Any]] = [json.loads(line) for line in (DATA / "threads.jsonl").read_text("utf-8").splitlines()]
KINDS = [line.split("|", 1) for line in (DATA / "kinds.txt").read_text("utf-8").splitlines()]
APPLICATION = {"app_fault", "collective_slow_rank"}
HARDWARE = {
    "gpu_lost_bus",
    "thermal_power",
    "nvlink_nvswitch",
    "memory_uncorrectable",
    "memory_remap_pending",
    "amd_ras",
}


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    return load_catalogue()


@lru_cache(maxsize=64)
def triaged(number: int) -> Triage:
    return triage_text("\n".join(CASES[number]["lines"]), catalogue())


def test_of_the_firm_conclusions_nine_in_ten_are_reached_in_category_and_action() -> None:
    strict = [n for n, case in enumerate(CASES) if case["strict"]]
    assert len(strict) == 18
    right = [
        n
        for n in strict
        if triaged(n).verdict.category == CASES[n]["category"] and triaged(n).verdict.action in CASES[n]["actions"]
    ]
    assert len(right) >= 0.9 * len(strict), [CASES[n]["id"] for n in strict if n not in right]


def test_of_all_cases_nine_in_ten_have_a_finding() -> None:
    assert sum(bool(triaged(n).findings) for n in range(len(CASES))) >= 0.9 * len(CASES)


def test_cases_without_an_xid_are_diagnosed() -> None:
    without = [n for n, case in enumerate(CASES) if "xid" not in " ".join(case["lines"]).lower().replace("sxid", "")]
    right = [n for n in without if triaged(n).verdict.category == CASES[n]["category"]]
    assert len(without) >= 30
    assert len(right) >= 20


def test_no_hardware_is_called_an_application_nor_the_reverse() -> None:
    for n, case in enumerate(CASES):
        category = triaged(n).verdict.category
        if case["side"] == "hardware":
            assert category not in APPLICATION, case["id"]
        if case["side"] == "application":
            assert category not in HARDWARE, case["id"]


def test_further_threads_are_read_as_they_concluded() -> None:
    seen = {case["id"]: triage_text("\n".join(case["lines"]), catalogue()) for case in THREADS}
    firm = [case for case in THREADS if case["strict"]]
    wrong = [
        case["id"]
        for case in firm
        if seen[case["id"]].verdict.category != case["category"]
        or seen[case["id"]].verdict.action not in case["actions"]
    ]
    assert len(firm) == 54
    assert len(wrong) <= 0.05 * len(firm), wrong
    assert sum(bool(found.findings) for found in seen.values()) >= 0.95 * len(THREADS)
    for case in THREADS:
        category = seen[case["id"]].verdict.category
        if case["side"] in ("hardware", "application"):
            assert category not in (APPLICATION if case["side"] == "hardware" else HARDWARE), case["id"]


@pytest.mark.parametrize(("category", "line"), KINDS)
def test_every_kind_of_line_has_its_category(category: str, line: str) -> None:
    verdict = triage_text(line, catalogue()).verdict
    assert verdict.category == category, verdict


def test_a_harmless_line_asks_for_nothing() -> None:
    for line in (DATA / "benign.log").read_text("utf-8").splitlines():
        result = triage_text(line, catalogue())
        assert {finding.action for finding in result.findings} <= {"ignore"}, line
        assert result.unrecognised == 0, line


def test_a_harmless_day_asks_for_nothing() -> None:
    result = triage_files([str(DATA / "benign.log")], catalogue())
    assert result.verdict.action in ("ignore", "unknown")
    assert result.findings == ()
