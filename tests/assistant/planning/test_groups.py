"""Several groups of users or jobs on one cluster: each is sized by its own answers, all stand on one fleet."""

from __future__ import annotations

from functools import cache

import pytest
from pydantic import ValidationError

from assistant.interview.brief import Answer, Brief, Group
from assistant.planning.chain import planner_of
from assistant.result import Sizing
from assistant.service import Assistant
from knowledge.errors import BadInput


@cache
def assistant() -> Assistant:
    return Assistant()


def answers(**said: object) -> dict[str, Answer]:
    return {field: Answer(field=field, value=value) for field, value in said.items()}


CODERS = answers(workload="coding", models=["qwen3-32b"], users_concurrent=60)
CLERKS = answers(workload="chat", models=["llama-3.1-8b"], users_concurrent=300)
COMMON = answers(accelerator="h100-sxm-80gb", country="DE")


def brief(*groups: Group) -> Brief:
    return Brief(answers=COMMON, groups=groups)


TWO = brief(Group(name="developers", answers=CODERS), Group(name="clerks", answers=CLERKS))


@cache
def two() -> Sizing:
    return assistant().size(TWO, questions=False)


def alone(said: dict[str, Answer]) -> Sizing:
    return assistant().size(Brief(answers={**COMMON, **said}), questions=False)


def test_each_group_has_its_own_demand_and_its_own_replicas() -> None:
    serving = planner_of(assistant().catalogue, assistant().rules).course(TWO).demands.serving
    assert [(d.group, d.kind, d.in_flight.likely if d.in_flight else None) for d in serving] == [
        ("developers", "coding", 60),
        ("clerks", "chat", 300),
    ]
    placements = two().plan().placements
    assert [place["group"] for place in placements] == ["developers", "clerks"]
    # What a group asks for does not depend on who else is there: the same replicas as on a cluster of its own.
    for place, said in zip(placements, (CODERS, CLERKS), strict=True):
        (own,) = alone(said).plan().placements
        assert (place["replicas"], place["gpus_per_replica"]) == (own["replicas"], own["gpus_per_replica"])


def test_both_stand_on_one_fleet() -> None:
    plan = two().plan()
    held = {hold.model: 0 for group in plan.fleet for hold in group.holds}
    for group in plan.fleet:
        for hold in group.holds:
            held[hold.model] += group.servers * hold.replicas
    assert held == {place["model"]: place["replicas"] for place in plan.placements}
    apart = sum(alone(said).plan().gpus for said in (CODERS, CLERKS))
    assert plan.gpus <= apart  # servers are shared; never more than two clusters


def test_one_model_for_two_groups_is_served_to_each() -> None:
    same = {**CLERKS, **answers(models=["qwen3-32b"])}
    sizing = assistant().size(
        brief(Group(name="developers", answers=CODERS), Group(name="clerks", answers=same)), questions=False
    )
    assert [(w.kind, w.model, w.demand["group"]) for w in sizing.workloads] == [
        ("coding", "Qwen3 32B", "developers"),
        ("chat", "Qwen3 32B", "clerks"),
    ]
    assert sizing.facts["workload"] == "mixed"


def test_what_was_said_of_a_group_stands_above_what_was_said_of_all() -> None:
    common = Brief(answers={**COMMON, **answers(users_concurrent=10)}, groups=TWO.groups)
    assert assistant().size(common, questions=False).plan().placements == two().plan().placements


def test_training_beside_serving() -> None:
    jobs = answers(workload="finetuning", models=["llama-3.1-8b"], training_tokens=1e9, deadline_days=3)
    sizing = assistant().size(
        brief(Group(name="chat", answers=CLERKS), Group(name="tuning", answers=jobs)), questions=False
    )
    assert [(place["group"], place["training"]) for place in sizing.plan().placements] == [
        ("chat", False),
        ("tuning", True),
    ]
    assert sizing.facts["serves"]
    assert sizing.facts["trains"]


def test_the_document_says_what_each_group_stated() -> None:
    stated = two().stated
    assert stated["developers.users_concurrent"]["value"] == 60
    assert stated["clerks.users_concurrent"]["value"] == 300
    assert stated["country"]["value"] == "DE"


def test_questions_are_ranked_for_groups_too() -> None:
    assert isinstance(assistant().size(TWO).next_questions, tuple)


def test_groups_survive_as_text() -> None:
    assert Brief.model_validate_json(TWO.model_dump_json()) == TWO
    assert TWO.only_stated().groups == TWO.groups
    assert TWO.with_answers([Answer(field="hosting", value="on_prem")]).groups == TWO.groups


def test_two_groups_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError, match="two groups have one name"):
        brief(Group(name="a", answers=CODERS), Group(name="a", answers=CLERKS))


def test_a_number_of_a_group_beyond_its_limits_is_refused() -> None:
    with pytest.raises(BadInput, match="users_concurrent"):
        assistant().size(brief(Group(name="all", answers=answers(users_concurrent=1e12))), questions=False)
