"""The measure between two designs, and that by it the most influential question is asked first."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from assistant.conclusions.questions import WORTH_ASKING, open_questions, plausible
from assistant.interview.assume import complete
from assistant.interview.brief import Answer, Brief
from assistant.interview.questions import question
from assistant.planning.chain import planner_of
from assistant.planning.settled.outline import (
    DECISION_WEIGHT,
    DUTY_WEIGHT,
    FIT_WEIGHT,
    HOSTING_WEIGHT,
    Outline,
    moved_by,
)
from assistant.service import Assistant
from tests.ranking import WORKLOADS, generated, influence

SERVING = tuple(kind for kind in WORKLOADS if kind not in ("finetuning", "pretraining"))
"""Training runs take a second each; ``calibration/measure_ranking.py`` measures them too."""

NAMED = [Answer(field="gpus", value=[{"gpu": "h200-sxm-141gb", "count": 32}])]
"""Hardware that the customer names."""


@cache
def assistant() -> Assistant:
    return Assistant()


def plan(**more: object) -> Outline:
    base = Outline(
        accelerator="h100-sxm-80gb", gpus=8, servers=1, nominal_it_kw=10.0, racks=1, fits=True,
        decisions={"build_rent_sovereign": "build", "scheduler": "none"}, duties={"eu_eed_data_centre": "open"},
    )  # fmt: skip
    return base.model_copy(update=more)


def test_the_measure_counts_doublings_decisions_duties_and_fit() -> None:
    """Four times the GPUs at double the power are two doublings; 1 kW to 8 kW are three, whatever the GPUs are."""
    assert moved_by(plan(), plan()) == 0
    assert moved_by(plan(), plan(gpus=32, nominal_it_kw=20.0)) == 2
    assert moved_by(plan(), plan(accelerator="l40s", gpus=128)) == 0  # other GPUs: their number says nothing
    assert moved_by(plan(nominal_it_kw=1.0), plan(accelerator="l40s", gpus=9, nominal_it_kw=8.0)) == 3
    assert moved_by(plan(), plan(fits=False)) == FIT_WEIGHT
    assert moved_by(plan(), plan(decisions={"build_rent_sovereign": "rent", "scheduler": "slurm"})) == (
        HOSTING_WEIGHT + DECISION_WEIGHT
    )
    assert moved_by(plan(), plan(duties={})) == DUTY_WEIGHT


def asks_the_best(brief: Brief) -> bool:
    """By trying every plausible answer to every open question, with the accelerator chosen anew each time."""
    truth = influence(brief, planner_of(assistant().catalogue, assistant().rules), assistant().catalogue)
    asked = assistant().size(brief).next_questions
    if not asked:
        return max(truth.values()) <= WORTH_ASKING
    sizes = [q.moves.size for q in asked if q.moves is not None]
    assert all(one >= other - 1e-9 for one, other in pairwise(sizes))
    assert min(sizes) > WORTH_ASKING
    return truth[asked[0].id] >= 0.99 * max(truth.values())


@pytest.mark.parametrize("seed", range(6))
def test_the_truly_most_influential_question_is_asked_first(seed: int) -> None:
    assert asks_the_best(generated(seed, assistant().catalogue, SERVING))


@pytest.mark.parametrize("seed", range(100, 102))
def test_also_where_the_hardware_is_named(seed: int) -> None:
    assert asks_the_best(generated(seed, assistant().catalogue, SERVING).with_answers(NAMED))


def test_what_is_tried_are_ends_choices_or_what_stands_in_for_the_question() -> None:
    completed = complete(Brief())
    assert [a.value for a in plausible(question("users_total"), completed)] == [20, 1000]
    assert {a.value for a in plausible(question("hosting"), completed)} == set(question("hosting").values)
    # Nobody lists models: the size that may be said instead is tried, at the ends of its range.
    assert {(a.field, a.value) for a in plausible(question("models"), completed)} == {
        ("parameters_b", 8),
        ("parameters_b", 120),
    }
    asked = {q.id for q in open_questions(Brief(), completed)}
    assert "models" in asked
    assert "parameters_b" not in asked
