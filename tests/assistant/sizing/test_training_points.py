"""The bars on published runs that no constant was fitted on."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assistant.validation.training_points import (
    DATA,
    error_summary,
    finetune_points,
    finetune_ratio,
    ratio,
    training_points,
)
from knowledge.calibration import calibration
from knowledge.catalogue import load_catalogue

CATALOGUE = load_catalogue()


def test_speed_on_the_test_half() -> None:
    ratios = [ratio(point, CATALOGUE) for point in training_points("test") if not point.is_memory]
    median, within = error_summary(ratios)
    assert len(ratios) > 150
    assert median <= 0.10
    assert within >= 0.80


def test_memory_on_the_test_half() -> None:
    ratios = [ratio(point, CATALOGUE) for point in training_points("test") if point.is_memory]
    median, within = error_summary(ratios)
    assert median <= 0.10
    assert within >= 0.80


def test_finetune_memory_on_the_test_half() -> None:
    ratios = [finetune_ratio(request, gib, CATALOGUE) for request, gib in finetune_points("test")]
    assert error_summary(ratios)[0] <= 0.15


@pytest.mark.parametrize("name", ["points", "finetune"])
def test_no_run_stands_on_both_sides(name: str) -> None:
    def rows(half: str) -> set[str]:
        with Path(DATA / f"{name}_{half}.csv").open(encoding="utf-8", newline="") as file:
            return {row.get("config") or row["id"] for row in csv.DictReader(file)}

    assert rows("fit").isdisjoint(rows("test"))


def test_the_noted_error_is_the_measured_one() -> None:
    noted = calibration("training")["errors"]["memory"]
    ratios = [ratio(point, CATALOGUE) for point in training_points("test") if point.is_memory]
    assert noted["points"] == len(ratios)
    assert noted["median_error"] == pytest.approx(error_summary(ratios)[0], rel=0.01)
