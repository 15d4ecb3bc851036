"""Which model stands on which server: hand-drawn placements, and that every replica is somewhere exactly once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.export.fleet import fleet_lines
from assistant.messages import render
from assistant.planning.count.fleet import Held, fleet_of
from assistant.planning.count.needs.need import Need
from assistant.planning.count.packing import units_for
from tests.assistant.conftest import made_plan


def need(model: str, gpus: int, replicas: int, **rest: object) -> Need:
    fields = {"kind": "chat", "model": model, "gpus_per_replica": gpus, "replicas": replicas, "binding": "memory"}
    return Need.model_validate(fields | rest)


def held(group: tuple[Held, ...]) -> list[tuple[str, int]]:
    return [(one.model, one.replicas) for one in group]


def test_small_models_share_the_server_of_a_larger_one() -> None:
    """Five replicas of 2 GPUs and three of 1 on servers of 4: two servers full of the first, the rest together."""
    first, second = fleet_of([need("b", 1, 3), need("a", 2, 5)], {4: 4})[:2]
    assert (first.servers, held(first.holds)) == (2, [("a", 2)])
    assert (second.servers, held(second.holds), second.free_gpus) == (1, [("a", 1), ("b", 2)], 0)
    rest = fleet_of([need("b", 1, 3), need("a", 2, 5)], {4: 4})[2:]
    assert [(g.servers, held(g.holds), g.free_gpus) for g in rest] == [(1, [("b", 1)], 3)]


def test_a_replica_over_two_servers_and_one_that_stands_by() -> None:
    groups = fleet_of([need("large", 16, 1)], {8: 3})
    assert [(g.servers, [h.servers_per_replica for h in g.holds]) for g in groups] == [(2, [2]), (1, [])]


def test_a_job_takes_whole_servers_first() -> None:
    """20 GPUs of training on servers of 8: two whole, half of a third, where a replica of 4 finds its place."""
    groups = fleet_of([need("chat", 4, 1), need("job", 20, 1, training=True)], {8: 3})
    assert [(g.servers, [h.model for h in g.holds], g.free_gpus) for g in groups] == [
        (2, ["job"], 0),
        (1, ["job", "chat"], 0),
    ]


def test_parts_of_a_gpu_are_counted() -> None:
    mig = need("small", 1, 2, mig_profile="1g.10gb", instances=9, instances_per_gpu=7)
    (only,) = fleet_of([mig], {8: 1})
    assert (only.holds[0].replicas, only.holds[0].instances, only.free_gpus) == (2, 14, 6)


def test_lines_for_people() -> None:
    plan = made_plan("recommended", 8).model_copy(update={"fleet": fleet_of([need("a", 2, 3)], {4: 3})})
    assert tuple(map(render, fleet_lines(plan))) == (
        "1 server of 4 GPUs: 2 x a on 2 GPUs each",
        "1 server of 4 GPUs: 1 x a on 2 GPUs; 2 GPUs free",
        "1 server of 4 GPUs: none of the load, stands by",
    )


sizes = st.sampled_from([1, 2, 4, 8, 16])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(sizes, st.integers(1, 40)), min_size=1, max_size=4))
def test_every_replica_has_its_place_once(asked: list[tuple[int, int]]) -> None:
    needs = [need(f"m{i}", gpus, replicas) for i, (gpus, replicas) in enumerate(asked)]
    servers = units_for(needs, 8)
    groups = fleet_of(needs, {8: servers})
    assert sum(group.servers for group in groups) == servers
    for one in needs:
        placed = sum(
            group.servers * (h.replicas if h.servers_per_replica == 1 else 1 / h.servers_per_replica)
            for group in groups
            for h in group.holds
            if h.model == one.model
        )
        assert placed == one.replicas
