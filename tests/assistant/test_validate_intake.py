"""``validate --metric intake``: the parser's score, the part never looked at apart."""

from __future__ import annotations

import pytest

from assistant.interview.parser import parse
from assistant.validation.intake import IntakeReport, measure, right, unaccounted
from knowledge.catalogue import load_catalogue


@pytest.fixture(scope="module")
def report() -> IntakeReport:
    return measure(load_catalogue())


def test_parts_are_told_apart_and_every_figure_is_accounted_for(report: IntakeReport) -> None:
    assert [row.part for row in report.parts] == ["threads", "written", "later", "unseen"]
    assert [row.messages for row in report.parts] == [108, 102, 40, 20]
    assert all(row.unaccounted == 0 for row in report.parts)


def test_what_is_stated_is_found(report: IntakeReport) -> None:
    for row in report.parts[:3]:
        assert row.found >= 0.92 * row.stated, row
        assert row.groups_right >= 0.85 * row.groups, row
        assert row.excluded_right >= 0.9 * row.excluded, row


def test_languages_sum_to_their_part(report: IntakeReport) -> None:
    for part in report.parts:
        rows = [row for row in report.by_language if row.part == part.part]
        assert sum(row.found for row in rows) == part.found
        assert sum(row.messages for row in rows) == part.messages


def test_comparison_of_values() -> None:
    catalogue = load_catalogue()
    assert right("gpus", [{"gpu": "H100", "count": 8}], [{"gpu": "h100-sxm-80gb", "count": 8}], catalogue)
    assert not right("gpus", [{"gpu": "H100", "count": 8}], [{"gpu": "h100-sxm-80gb", "count": 16}], catalogue)
    assert not right("users_total", 300, None, catalogue)
    assert unaccounted("12 users", parse("12 users", catalogue)) == []
