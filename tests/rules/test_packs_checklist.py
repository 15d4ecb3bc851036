"""The checklist: the founding guide's sixteen items, the conditional ones, and expected values that are numbers."""

from __future__ import annotations

from functools import lru_cache

import pytest

from rules.base import RuleBase, load_rules
from rules.engine import consult
from rules.schema import AddItem, Scalar


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def items(**facts: Scalar) -> set[str]:
    return {c.then.item for c in consult(base(), facts).conclusions if isinstance(c.then, AddItem)}


TRAINING: dict[str, Scalar] = {
    "gpus": 128, "nodes": 16, "trains": True, "serves": False, "job_spans_nodes": True, "replica_spans_nodes": False,
    "nvlink_domain_gpus": 8, "hosting": "on_prem",
}  # fmt: skip


def test_all_sixteen_founding_items_are_there() -> None:
    assert {i.founding_item for i in base().checklist.values() if i.founding_item} == set(range(1, 17))


def test_air_gapped_training_gets_all_sixteen() -> None:
    listed = items(**TRAINING, air_gap=True)
    assert {base().checklist[i].founding_item for i in listed} - {None} == set(range(1, 17))


def test_one_serving_node_is_not_asked_for_a_network() -> None:
    listed = items(gpus=8, nodes=1, trains=False, serves=True, job_spans_nodes=False, replica_spans_nodes=False)
    founding = {base().checklist[i].founding_item for i in listed} - {None}
    # 4 GPUDirect RDMA, 8 placement, 9 flight recorder, 10 checkpoints, 15 air gap: nothing to check here.
    assert founding == set(range(1, 17)) - {4, 8, 9, 10, 15}
    assert "nccl_one_node" in listed
    assert "nccl_two_nodes" not in listed


@pytest.mark.parametrize(
    ("item", "value", "op"),
    [
        ("dcgm_level_3", 0, "=="),
        ("gpudirect_rdma", 0, "=="),
        ("versions_identical", 1, "=="),
        ("flight_recorder", 2000, ">="),
        ("roce_mtu", 4096, "=="),
        ("ai_act_notification", 14, "<="),  # "at the latest two weeks", AI Act Art. 52(1)
        ("eed_report", 10, ">="),  # records kept for ten years, Annex II
    ],
)
def test_expected_constants(item: str, value: float, op: str) -> None:
    expected = base().checklist[item].expected
    assert expected is not None
    assert (expected.value, expected.op) == (value, op)


@pytest.mark.parametrize(
    ("item", "topic", "unit"),
    [
        ("nccl_two_nodes", "busbw_2_nodes_gb_per_s", "GB/s"),
        ("nccl_eight_nodes", "busbw_8_nodes_gb_per_s", "GB/s"),
        ("nccl_all_nodes", "busbw_all_nodes_gb_per_s", "GB/s"),
        ("gpus_visible", "gpus_per_node", "GPUs"),
        ("link_rate", "link_gb_per_s", "GB/s"),
        ("checkpoint_restore", "checkpoint_write_s", "s"),
        ("rack_power_confirmed", "rack_kw", "kW"),
        ("liquid_flow", "coolant_l_per_min", "l/min"),
        ("liquid_supply_temperature", "coolant_supply_c", "C"),
    ],
)
def test_expected_figures_come_from_this_design(item: str, topic: str, unit: str) -> None:
    expected = base().checklist[item].expected
    assert expected is not None
    assert (expected.topic, expected.unit) == (topic, unit)
    assert base().topics[topic].unit == unit


def test_what_is_expected_is_a_number_in_a_unit() -> None:
    for item in base().checklist.values():
        if item.expected is None:
            continue
        assert item.expected.unit, item.id
        if item.expected.topic is None:
            assert type(item.expected.value) in (int, float), item.id
        else:
            topic = base().topics[item.expected.topic]
            assert topic.type.numeric, item.id
            assert topic.unit == item.expected.unit, item.id


@pytest.mark.parametrize(
    ("item", "without", "given"),
    [
        ("roce_pfc", {}, {"network_stated": "roce"}),
        ("roce_gid_index", {"network_stated": "infiniband"}, {"ethernet_only_site": True}),
        ("ib_bit_errors", {"network_stated": "roce"}, {"network_stated": "infiniband"}),
        ("ib_ufm", {"network_stated": "roce"}, {}),
        ("mirror_images", {}, {"air_gap": True}),
        ("liquid_leak_detection", {}, {"liquid_required_by_vendor": True}),
        ("rear_door_water", {"rack_kw": 35.0}, {"rack_kw": 35.1}),
        ("mig_layout", {}, {"isolation_stated": "mig"}),
        ("slurm_constrain_devices", {"scheduler_stated": "kubernetes"}, {"scheduler_stated": "slurm"}),
        ("kubernetes_gang_scheduling", {"scheduler_stated": "slurm"}, {"scheduler_stated": "kubernetes"}),
        ("de_enefg_register", {"country": "FR", "connection_kw": 400.0}, {"country": "DE", "connection_kw": 400.0}),
        (
            "eed_report",
            {"country_is_eu": True, "nominal_it_kw": 499.9},
            {"country_is_eu": True, "nominal_it_kw": 500.0},
        ),
        ("gdpr_transfers", {"country_is_eu": True}, {"country_is_eu": True, "data_class": "personal"}),
        ("nccl_eight_nodes", {"nodes": 7}, {"nodes": 8}),
        ("checkpoint_restore", {"trains": False}, {"trains": True}),
        ("ask_sla", {}, {"hosting": "cloud"}),
        ("ask_delivery_dates", {"hosting": "cloud"}, {"hosting": "colocation"}),
        ("export_ownership_check", {"country_is_eu": True}, {"country_is_eu": False}),
        ("ask_operator_jurisdiction", {"hosting": "cloud"}, {"hosting": "sovereign_cloud"}),
        ("ai_act_notification", {"training_flop_log10": 25.0}, {"training_flop_log10": 25.1}),
    ],
)
def test_conditional_items(item: str, without: dict[str, Scalar], given: dict[str, Scalar]) -> None:
    assert item not in items(**{**TRAINING, **without})
    assert item in items(**{**TRAINING, **given})


def test_chosen_network_brings_its_own_checks_only() -> None:
    for more in ({}, {"staff_knows_ethernet": True}, {"network_stated": "roce"}, {"network_stated": "infiniband"}):
        listed = items(**{**TRAINING, **more})
        assert ("roce_pfc" in listed) != ("ib_subnet_manager" in listed), more


def test_procurement_questions_of_the_founding_guide() -> None:
    # Delivery by component, rack boundary, firmware and driver support, RMA turnaround and spares pool, burn-in and
    # acceptance with agreed criteria: the guide's list of what to ask for in writing.
    asked = {
        "ask_delivery_dates", "ask_rack_boundary", "ask_firmware_support", "ask_rma_turnaround", "ask_spares_pool",
        "ask_burn_in", "ask_acceptance_criteria",
    }  # fmt: skip
    assert asked <= items(**TRAINING)


def test_every_item_is_put_on_a_list_by_some_rule() -> None:
    used = {then.item for rule in base().rules.values() for then in rule.then if isinstance(then, AddItem)}
    assert set(base().checklist) - used == set()


def test_items_read_as_instructions() -> None:
    for item in base().checklist.values():
        assert item.item.endswith("."), item.id
        assert item.item[0].isupper(), item.id
        assert len(item.item) <= 240, item.id
