"""The bars on published runs that no constant was fitted on."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from assistant.sizing.training.job import Job
from assistant.validation.training import training_verdicts
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


@pytest.mark.parametrize(("kind", "least"), [("experts", 20), ("dense", 100)])
def test_speed_by_kind_of_model_on_the_test_half(kind: str, least: int) -> None:
    ratios = [
        ratio(point, CATALOGUE)
        for point in training_points("test")
        if not point.is_memory and bool(Job(point.request, CATALOGUE).shape.moe_layers) == (kind == "experts")
    ]
    median, within = error_summary(ratios)
    assert len(ratios) >= least
    assert median <= 0.10
    assert within >= 0.80


@pytest.mark.parametrize("gpu", ["a100-sxm-80gb", "h100-sxm-80gb", "gb200", "gb300", "b200-sxm"])
def test_speed_by_gpu_on_both_halves(gpu: str) -> None:
    """Few configurations of a GPU are held back, so that both halves are counted here."""
    points = [point for half in ("fit", "test") for point in training_points(half)]
    ratios = [ratio(point, CATALOGUE) for point in points if not point.is_memory and point.request.gpu == gpu]
    median, within = error_summary(ratios)
    assert median <= 0.12
    assert within >= 0.80


def test_fits_or_not() -> None:
    """Published runs fitted, as they ran; thirteen configurations are reported to have run out of memory."""
    verdicts = training_verdicts(CATALOGUE)
    assert sum(not verdict.ran for verdict in verdicts) == 13
    assert sum(verdict.fits == verdict.ran for verdict in verdicts) / len(verdicts) >= 0.92
    failed = [verdict for verdict in verdicts if not verdict.ran]
    assert sum(not verdict.fits for verdict in failed) >= 9


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
