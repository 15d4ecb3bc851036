"""Every choice of every decision is reached by a set of facts, for the reason that stands beside it."""

from __future__ import annotations

from functools import lru_cache

import pytest

from rules.base import RuleBase, load_rules
from rules.decide import decide
from rules.engine import consult
from rules.schema import Scalar, Severity, Warn

Facts = dict[str, Scalar]


@lru_cache(maxsize=1)
def base() -> RuleBase:
    return load_rules()


def chosen(decision: str, **facts: Scalar) -> str | None:
    return {d.id: d.choice for d in decide(base(), consult(base(), facts))}[decision]


def warnings(**facts: Scalar) -> dict[str, Severity]:
    conclusions = consult(base(), facts).conclusions
    return {c.then.id: c.then.severity for c in conclusions if isinstance(c.then, Warn)}


def facts(**given: Scalar) -> Facts:
    return given


TRAINING = facts(trains=True, serves=False, job_spans_nodes=True, replica_spans_nodes=False, nvlink_domain_gpus=8)
SERVING = facts(trains=False, serves=True, replica_spans_nodes=False, job_spans_nodes=False, nvlink_domain_gpus=8)

# decision, choice, facts, why by hand
CASES: list[tuple[str, str, Facts]] = [
    # What the customer has settled is kept.
    ("build_rent_sovereign", "build", facts(hosting="on_prem")),
    ("build_rent_sovereign", "build", facts(hosting="colocation")),
    ("build_rent_sovereign", "rent", facts(hosting="cloud")),
    ("build_rent_sovereign", "sovereign", facts(hosting="sovereign_cloud")),
    ("build_rent_sovereign", "hybrid", facts(hosting="hybrid")),
    # 18 U.S.C. 2713 reaches a US-controlled cloud wherever the data lie: the excluded operator forces a sovereign one.
    ("build_rent_sovereign", "sovereign", facts(hosting="cloud", foreign_operator_excluded=True)),
    ("build_rent_sovereign", "sovereign", facts(foreign_operator_excluded=True)),
    # Jurisdiction binds, but the GPUs stay busy for years: own them.
    ("build_rent_sovereign", "build", facts(foreign_operator_excluded=True, utilisation=0.8, horizon_years=3.0)),
    ("build_rent_sovereign", "build", facts(utilisation=0.7, horizon_years=2.0)),
    ("build_rent_sovereign", "hybrid", facts(utilisation=0.5, horizon_years=3.0)),
    ("build_rent_sovereign", "rent", facts(utilisation=0.2, horizon_years=3.0)),
    ("build_rent_sovereign", "rent", facts(utilisation=0.9, horizon_years=1.0)),
    ("build_rent_sovereign", "rent", facts(deadline_days=30.0)),
    # What is only assumed speaks weakly, and loses to anything that was said.
    ("build_rent_sovereign", "rent", facts(assumed_utilisation=0.3)),
    ("build_rent_sovereign", "build", facts(assumed_utilisation=0.3, budget_kind="capex")),
    ("build_rent_sovereign", "build", facts(utilisation=0.85)),
    # Who rents out GPUs builds, unless the message says where it rents.
    ("build_rent_sovereign", "build", facts(rents_out_gpus=True, assumed_utilisation=0.3)),
    ("build_rent_sovereign", "rent", facts(rents_out_gpus=True, hosting="cloud")),
    ("build_rent_sovereign", "build", facts(air_gap=True)),
    ("build_rent_sovereign", "build", facts(data_class="classified")),
    ("build_rent_sovereign", "rent", {}),
    # Replicas inside a server, training inside a server: nothing crosses between servers.
    ("fabric_technology", "none", SERVING | facts(gpus=64, nodes=8)),
    ("fabric_technology", "none", facts(trains=True, job_spans_nodes=False, replica_spans_nodes=False, gpus=8)),
    # One NVL72 rack, and two racks whose replicas fit a rack each.
    ("fabric_technology", "nvlink_only", TRAINING | facts(nvlink_domain_gpus=72, gpus=72)),
    ("fabric_technology", "nvlink_only", SERVING | facts(nvlink_domain_gpus=72, gpus=144, gpus_per_replica=72)),
    # Training over two NVL72 racks leaves the NVLink domain.
    ("fabric_technology", "infiniband", TRAINING | facts(nvlink_domain_gpus=72, gpus=144, training_gpus=144)),
    ("fabric_technology", "infiniband", TRAINING | facts(gpus=64)),
    ("fabric_technology", "roce", TRAINING | facts(gpus=64, network_stated="roce")),
    ("fabric_technology", "roce", TRAINING | facts(gpus=64, network_stated="ethernet")),
    ("fabric_technology", "roce", TRAINING | facts(gpus=64, ethernet_only_site=True)),
    ("fabric_technology", "roce", TRAINING | facts(gpus=64, staff_knows_ethernet=True)),
    ("fabric_technology", "infiniband", TRAINING | facts(staff_knows_ethernet=True, staff_knows_infiniband=True)),
    ("fabric_technology", "infiniband", SERVING | facts(network_stated="infiniband")),
    # A replica over two servers without InfiniBand skills.
    ("fabric_technology", "roce", SERVING | facts(replica_spans_nodes=True, gpus=16)),
    ("fabric_technology", "infiniband", SERVING | facts(replica_spans_nodes=True, staff_knows_infiniband=True)),
    # 64 ports of 400 Gb/s on one switch; two tiers of 64-port switches end at 64 x 64 / 2 = 2,048.
    ("topology", "single_switch", TRAINING | facts(gpus=64)),
    ("topology", "rail_optimised", TRAINING | facts(gpus=65, nics_per_node=8)),
    ("topology", "rail_optimised", TRAINING | facts(gpus=2048, nics_per_node=8)),
    ("topology", "three_tier", TRAINING | facts(gpus=2049, nics_per_node=8)),
    ("topology", "leaf_spine", TRAINING | facts(gpus=256, nics_per_node=2)),
    ("topology", "none", SERVING | facts(gpus=64)),
    # A named network is built although nothing spans servers.
    ("topology", "single_switch", SERVING | facts(gpus=64, network_stated="infiniband")),
    # Meta: full bisection inside 3,072 GPUs, 1:7 above.
    ("oversubscription", "non_blocking", TRAINING | facts(gpus=3072)),
    ("oversubscription", "more", TRAINING | facts(gpus=3073)),
    ("oversubscription", "two_to_one", SERVING | facts(replica_spans_nodes=True, gpus=128)),
    ("oversubscription", "none", SERVING | facts(gpus=128)),
    ("scheduler", "slurm", TRAINING | facts(nodes=8)),
    ("scheduler", "kubernetes", TRAINING | facts(nodes=8, staff_knows_kubernetes=True)),
    ("scheduler", "slurm", TRAINING | facts(nodes=8, staff_knows_kubernetes=True, staff_knows_slurm=True)),
    ("scheduler", "kubernetes", SERVING | facts(nodes=2)),
    ("scheduler", "none", SERVING | facts(nodes=1)),
    ("scheduler", "both", facts(trains=True, serves=True, nodes=4)),
    ("scheduler", "slurm", SERVING | facts(nodes=4, scheduler_stated="slurm")),
    ("scheduler", "none", TRAINING | facts(nodes=4, scheduler_stated="none")),
    ("quotas", "hard_partitions", facts(tenants=3, tenants_trust_each_other=False)),
    ("quotas", "fair_share", facts(tenants=3, tenants_trust_each_other=True)),
    ("quotas", "quotas_with_preemption", facts(trains=True, serves=True, gpus=64)),
    ("quotas", "none", SERVING),
    # 20 and 35 kW are the bands of air, 75 kW the largest door rating; GB200 is delivered for liquid only.
    ("cooling", "air", facts(rack_kw=20.4, liquid_required_by_vendor=False)),
    ("cooling", "air", facts(rack_kw=35.0)),
    ("cooling", "rear_door", facts(rack_kw=35.1)),
    ("cooling", "rear_door", facts(rack_kw=40.8)),  # four DGX H100: 4 x 10.2
    ("cooling", "rear_door", facts(rack_kw=75.0)),
    ("cooling", "direct_liquid", facts(rack_kw=75.1)),
    ("cooling", "direct_liquid", facts(rack_kw=150.0)),
    ("cooling", "immersion", facts(rack_kw=150.1)),
    ("cooling", "direct_liquid", facts(rack_kw=132.0, liquid_required_by_vendor=True)),
    ("cooling", "direct_liquid", facts(rack_kw=225.0, liquid_required_by_vendor=True)),
    ("cooling", "air", facts(rack_kw=40.8, site_liquid_available=False)),
    ("isolation", "gpu", SERVING | facts(gpus=8)),
    ("isolation", "mig", SERVING | facts(gpus=8, mig_capable=True, gpu_share_needed=0.5)),
    ("isolation", "gpu", SERVING | facts(gpus=8, mig_capable=True, gpu_share_needed=0.51)),
    ("isolation", "shared", SERVING | facts(gpus=1, mig_capable=False, gpu_share_needed=0.25)),
    ("isolation", "node", SERVING | facts(gpus=16, tenants=4, tenants_trust_each_other=False)),
    ("isolation", "cluster", facts(gpus=16, tenants=4, tenants_trust_each_other=False, data_class="classified")),
    ("isolation", "node", TRAINING | facts(gpus=64)),
    ("isolation", "mig", SERVING | facts(gpus=8, isolation_stated="mig")),
    # Named sharing gives way: it is no boundary between tenants who must be kept apart.
    ("isolation", "node", facts(gpus=8, isolation_stated="shared", tenants=2, tenants_trust_each_other=False)),
    ("isolation", "gpu", facts(gpus=8, isolation_stated="gpu", tenants=2, tenants_trust_each_other=False)),
    # MIG was named, and this accelerator has none.
    ("isolation", "gpu", SERVING | facts(gpus=8, isolation_stated="mig", mig_capable=False)),
    ("confidential_computing", "on", facts(hosting="cloud", data_class="health")),
    ("confidential_computing", "off", facts(hosting="on_prem", data_class="health")),
    # A100: no FP8 arithmetic (compute capability 8.0, FP8 from 8.9); Hopper FP8; Blackwell FP4 where FP8 does not fit.
    ("precision", "fp8", SERVING | facts(has_fp8=True, has_fp4=False)),
    ("precision", "bf16", SERVING | facts(has_fp8=False, has_fp4=False, gpu_memory_fits_fp8=True)),
    ("precision", "int4", SERVING | facts(has_fp8=False, has_fp4=False, gpu_memory_fits_fp8=False)),
    ("precision", "int8", SERVING | facts(has_fp8=False, has_fp4=False, workload="batch")),
    ("precision", "fp4", SERVING | facts(has_fp8=True, has_fp4=True, gpu_memory_fits_fp8=False)),
    ("precision", "fp16", SERVING | facts(has_fp8=True, has_fp4=False, workload="embeddings")),
    ("precision", "fp16", SERVING | facts(has_fp8=True, has_fp4=False, workload="reranking")),
    ("precision", "fp64", facts(workload="hpc", has_fp8=True)),
    ("precision", "bf16", TRAINING | facts(has_fp8=True)),
    ("storage_kind", "local_nvme", SERVING | facts(nodes=3)),
    ("storage_kind", "object_with_cache", SERVING | facts(nodes=4)),
    ("storage_kind", "object", SERVING | facts(nodes=2, workload="batch")),
    ("storage_kind", "parallel_file_system", TRAINING | facts(nodes=8)),
    ("storage_kind", "nfs", facts(trains=True, job_spans_nodes=False, nodes=2, storage_read_gb_per_s=4.0)),
    ("storage_kind", "local_nvme", facts(trains=True, job_spans_nodes=False, nodes=2, storage_read_gb_per_s=4.1)),
    # Three, four and five nines: 8.8 hours, 53 minutes and 5 minutes a year.
    ("redundancy", "spare_node", SERVING | facts(availability_target=0.99, nodes=4)),
    ("redundancy", "n_plus_1", SERVING | facts(availability_target=0.999)),
    ("redundancy", "2n", SERVING | facts(availability_target=0.9999)),
    ("redundancy", "second_site", SERVING | facts(availability_target=0.99999)),
    ("redundancy", "n_plus_1", SERVING | facts(serving_gpus=8)),
    ("redundancy", "spare_node", TRAINING | facts(nodes=8)),
    ("redundancy", "none", TRAINING | facts(nodes=2)),
    ("method", "retrieval", SERVING | facts(workload="rag")),
    ("method", "finetuning", facts(workload="finetuning", trains=True)),
    ("method", "pretraining", facts(workload="pretraining", trains=True, training_flop_log10=23.5)),
    ("method", "continued_pretraining", facts(workload="pretraining", trains=True, training_flop_log10=21.9)),
    ("method", "as_is", SERVING | facts(workload="chat")),
    ("need_a_cluster", "api_or_single_server", facts(gpus=8, compute_racks=1)),
    ("need_a_cluster", "single_rack", facts(gpus=32, nodes=4, compute_racks=5)),
    ("need_a_cluster", "single_rack", facts(gpus=40, nodes=5, compute_racks=1)),
    ("need_a_cluster", "cluster", facts(gpus=40, nodes=5, compute_racks=2)),
    ("air_gap", "air_gapped", facts(air_gap=True)),
    ("air_gap", "proxied", facts(data_class="health")),
    ("air_gap", "connected", facts(air_gap=False)),
    ("software_stack", "pinned_vendor_matrix", facts(nodes=2)),
    ("software_stack", "vendor_matrix", facts(nodes=1)),
    ("software_stack", "hold_and_report", facts(nodes=1, vendor_stated="amd")),
    ("isolation", "node", facts(rents_out_gpus=True, tenants_trust_each_other=False)),
    ("isolation", "node", facts(rents_out_gpus=True)),
    # The platform around the GPUs.
    ("nic", "dpu", facts(tenants=5, tenants_trust_each_other=False)),
    ("nic", "dpu", facts(rents_out_gpus=True)),
    ("nic", "roce_adapters", TRAINING | facts(network_stated="roce", gpus=128, nodes=16)),
    ("nic", "as_delivered", TRAINING | facts(network_stated="infiniband", gpus=128, nodes=16)),
    ("host", "as_delivered", TRAINING),
    ("host", "more_memory", SERVING | facts(workload="rag", nodes=8)),
    ("host", "as_delivered", SERVING | facts(workload="rag", nodes=9)),
    ("host", "more_cores", SERVING | facts(workload="video")),
    ("os_stack", "pinned_open", facts(hosting="on_prem", nodes=3)),
    ("os_stack", "vendor_image", facts(hosting="on_prem", nodes=4)),
    ("os_stack", "hardened_mirror", facts(hosting="on_prem", nodes=4, air_gap=True)),
    # BasePOD has three control-plane machines from four servers on; two or three share one head node.
    ("control_plane", "on_the_server", facts(nodes=1)),
    ("control_plane", "single_head", facts(nodes=3)),
    ("control_plane", "three_nodes", facts(nodes=4)),
    ("control_plane", "managed", facts(nodes=4, hosting="cloud")),
    ("observability", "exporters", facts(nodes=3)),
    ("observability", "full_stack", facts(nodes=4)),
    ("observability", "provider", facts(nodes=4, hosting="cloud")),
    ("backup", "configuration", facts(serves=False)),
    ("backup", "second_copy", facts(serves=True, availability_target=0.999)),
    ("backup", "second_place", facts(serves=True, availability_target=0.9999)),
    ("backup", "second_place", facts(serves=True, sector="insurance")),
    ("security_zones", "one_zone", facts(nodes=1, data_class="internal")),
    ("security_zones", "three_zones", facts(nodes=1, data_class="personal")),
    ("security_zones", "three_zones", facts(nodes=2)),
    ("security_zones", "per_tenant", facts(nodes=2, tenants=3, tenants_trust_each_other=False)),
    ("model_registry", "files", facts(serves=True, trains=False, nodes=3)),
    ("model_registry", "internal_registry", facts(serves=True, trains=False, nodes=4)),
    ("model_registry", "mirrored_hub", facts(serves=True, nodes=4, air_gap=True)),
    ("licences", "open_source", facts(gpus=64)),
    ("licences", "vendor_supported", facts(gpus=64, availability_target=0.999)),
    ("licences", "vendor_supported", facts(gpus=64, ops_staff=0.5)),
    ("staffing", "part_time", facts(nodes=15)),
    ("staffing", "team", facts(nodes=16)),
    ("staffing", "round_the_clock", facts(nodes=16, availability_target=0.999, hosting="on_prem")),
    ("staffing", "provider", facts(nodes=16, hosting="cloud")),
    ("timeline", "weeks", facts(hosting="cloud")),
    ("timeline", "months", facts(hosting="on_prem", connection_kw=4999.0)),
    ("timeline", "years", facts(hosting="on_prem", connection_kw=5000.0)),
    ("timeline", "years", facts(hosting="on_prem", site_power_exceeded=True)),
    ("disaggregated_serving", "no", SERVING | facts(serving_gpus=31, prompt_tokens=8000.0, moe=True)),
    ("disaggregated_serving", "no", SERVING | facts(serving_gpus=64, prompt_tokens=1999.0, moe=True)),
    ("disaggregated_serving", "later", SERVING | facts(serving_gpus=64, prompt_tokens=4000.0, moe=False)),
    ("disaggregated_serving", "yes", SERVING | facts(serving_gpus=64, prompt_tokens=4000.0, moe=True)),
]


@pytest.mark.parametrize(("decision", "choice", "given"), CASES)
def test_facts_reach_the_choice(decision: str, choice: str, given: Facts) -> None:
    assert chosen(decision, **given) == choice


def test_every_choice_is_reached() -> None:
    reached = {(decision, choice) for decision, choice, _ in CASES}
    declared = {(d.id, choice) for d in base().decisions.values() for choice in d.choices}
    assert declared - reached == set()


def test_both_engines_reach_the_same_conclusions() -> None:
    for _, _, given in CASES:
        plain, auto = consult(base(), given, engine="plain"), consult(base(), given)
        assert plain.fired == auto.fired


def test_requirements_decide_alone() -> None:
    # Liquid is required by the vendor, however little the rack draws.
    assert chosen("cooling", rack_kw=10.0, liquid_required_by_vendor=True) == "direct_liquid"
    # MIG has no NVLink: excluded for a job over several servers even where it was named.
    assert chosen("isolation", isolation_stated="mig", trains=True, serves=False, job_spans_nodes=True) != "mig"
    # An A100 has no FP8 arithmetic.
    assert chosen("precision", serves=True, has_fp8=False, has_fp4=False) not in ("fp8", "fp4")


def test_stops() -> None:
    assert warnings(rack_over_limit=True)["rack_over_limit"] is Severity.STOP
    assert warnings(site_power_exceeded=True)["site_power_exceeded"] is Severity.STOP
    dry = warnings(liquid_required_by_vendor=True, site_liquid_available=False)
    assert dry["no_facility_water"] is Severity.STOP
    assert "no_facility_water" not in warnings(liquid_required_by_vendor=True, site_liquid_available=True)
    assert "rack_over_limit" not in warnings(rack_over_limit=False)


@pytest.mark.parametrize(
    ("warning", "below", "at"),
    [
        ("ask_rack_limit", facts(server_kw=9.9), facts(server_kw=10.0)),
        ("stagger_starts", facts(it_kw=99.0), facts(it_kw=100.0)),
        ("failures_at_scale", facts(trains=True, gpus=1023), facts(trains=True, gpus=1024)),
        ("few_spares", facts(spare_share=0.05, nodes=16), facts(spare_share=0.049, nodes=16)),
        ("checkpoint_async", facts(checkpoint_gb=499.0), facts(checkpoint_gb=500.0)),
        ("no_operations_staff", facts(hosting="on_prem", ops_staff=0.5), facts(hosting="on_prem", ops_staff=0.4)),
        # 85 TJ a year = 85e12 J / (8,760 h x 3,600 s) = 2,695 kW; 10 TJ = 317 kW.
        (
            "eed_energy_management",
            facts(country_is_eu=True, facility_kw=2695.0),
            facts(country_is_eu=True, facility_kw=2695.1),
        ),
        (
            "eed_energy_audit",
            facts(country_is_eu=True, facility_kw=317.0),
            facts(country_is_eu=True, facility_kw=317.1),
        ),
    ],
)
def test_cautions_on_both_sides_of_their_line(warning: str, below: Facts, at: Facts) -> None:
    assert warning not in warnings(**below)
    assert warning in warnings(**at)


def test_founding_texts_disagree_where_they_do() -> None:
    said = {source for rule in base().rules.values() for dissent in rule.dissent for source in dissent.sources}
    assert {"guide_sivaro_llm", "guide_sivaro_scale", "guide_sivaro_hard_won", "guide_swfte"} <= said


def test_a_named_network_leaves_the_other_as_runner_up() -> None:
    # Llama 3 paper: both tuned to equivalent performance, so the other network is the alternative, not none at all.
    found = decide(base(), consult(base(), TRAINING | facts(gpus=64, network_stated="roce")))
    fabric = next(d for d in found if d.id == "fabric_technology")
    assert (fabric.choice, fabric.runner_up) == ("roce", "infiniband")
    assert "llama3_paper" in fabric.sources
