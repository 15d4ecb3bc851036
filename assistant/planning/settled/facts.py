"""From a completed brief and the recommended plan to the facts that rules speak of. What is not known is left out."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

from assistant.planning.building.build import Site
from assistant.planning.count.count import Count
from assistant.planning.count.formats import fits_fp8
from assistant.planning.demands.demand import Demands
from assistant.planning.power import site_limit_kw
from assistant.planning.view import Answers
from assistant.sizing.equipment.servers import needs_liquid
from assistant.sizing.fabric.busbw import expected_busbw
from knowledge.catalogue import Catalogue
from knowledge.schema import Accelerator
from rules.schema import Scalar

Facts = dict[str, Scalar]

CLUSTER_FROM = 4
"""So many servers named without a purpose are taken for a cluster, which is sold with a compute fabric."""

STAFF = ("slurm", "kubernetes", "infiniband", "ethernet")
AS_STATED = {
    "network": "network_stated",
    "scheduler": "scheduler_stated",
    "isolation": "isolation_stated",
}
"""Fields that reach the rules only where the customer said them."""

OWN_ROOM = ("rack_kw", "site_power_kw", "liquid_cooling", "site_total_it_kw")
"""Who states these has a room of their own to put it in."""

PEOPLE = ("tenants", "tenants_trust_each_other", "ops_staff", "sector", "employees", "ai_use", "rents_out_gpus")
"""Fields whose value is the topic of the same name."""

TRAINING_WORK = ("pretraining", "finetuning", "rl")
"""Work of which the stated deadline is the length of a run."""

SMALLEST_SHARE_OF_GPU = 0.001


def is_bare_cluster(demands: Demands, count: Count) -> bool:
    """Whether a cluster was named without saying what for: it is taken for mixed work that spans servers."""
    if count.binding != "stated" or demands.purpose_stated:
        return False
    return count.choice.gpus_per_domain >= 8 and count.units >= CLUSTER_FROM


def facts_of(
    brief: Answers, demands: Demands, count: Count, site: Site | None, catalogue: Catalogue, bare_cluster: bool = False
) -> Facts:
    """All facts that are known; ``site`` is None before the network has been decided.

    ``bare_cluster``: see ``is_bare_cluster``, of the recommended plan's count.
    """
    facts: dict[str, Any] = {}
    facts |= _place(brief, catalogue)
    facts |= _people(brief, demands)
    facts |= _work(demands)
    facts |= _hardware(brief, demands, count, catalogue)
    if bare_cluster:
        facts |= {"workload": "mixed", "trains": True, "job_spans_nodes": True}
    if demands.codes:
        facts["trains"] = True  # codes over many servers ask of the network what training asks
    if site is not None:
        facts |= _site(site, brief)
        facts |= _expected(count, site, catalogue)
    return {topic: value for topic, value in facts.items() if value is not None}


def _place(brief: Answers, catalogue: Catalogue) -> dict[str, Any]:
    country = brief.value("country")
    hosting = brief.value("hosting") or ("on_prem" if any(map(brief.stated, OWN_ROOM)) else "open")
    facts = {
        "hosting": hosting,
        "country": country,
        "country_is_eu": catalogue.country(country).eu if country else None,
        "site_operator": brief.value("site_operator") or "open",
        "rack_limit_kw": brief.value("rack_kw") if brief.stated("rack_kw") else None,
        "site_power_kw": brief.value("site_power_kw"),
        "site_liquid_available": brief.value("liquid_cooling") if brief.stated("liquid_cooling") else None,
        "data_centre_live_date_after_2026_07_01": brief.value("start_date_after_2026_07_01"),
        "ethernet_only_site": True if brief.stated("network") and brief.value("network") == "ethernet" else None,
        "defence_site": brief.value("defence_site") if brief.stated("defence_site") else None,
    }
    for field in ("data_class", "foreign_operator_excluded", "data_must_stay_in_country", "air_gap"):
        facts[field] = brief.value(field)
    return facts


def _people(brief: Answers, demands: Demands) -> dict[str, Any]:
    facts = {topic: brief.value(field) for field, topic in AS_STATED.items() if brief.stated(field)}
    facts |= {field: brief.value(field) for field in PEOPLE}
    facts["utilisation" if brief.stated("utilisation") else "assumed_utilisation"] = brief.value("utilisation")
    facts["horizon_years"] = brief.value("horizon_years") if brief.stated("horizon_years") else None
    facts["deadline_days"] = _delivery_days(brief, demands)
    facts["availability_target"] = brief.value("availability")
    budget = brief.value("budget")
    if isinstance(budget, Mapping):
        facts["budget_kind"] = "opex" if budget.get("per") else "capex"
    skills = brief.value("staff_skills")
    if skills is not None:
        facts |= {f"staff_knows_{skill}": skill in skills for skill in STAFF}
    return facts


def _delivery_days(brief: Answers, demands: Demands) -> float | None:
    """Days until the hardware must be there, as stated: how long a training run may take is another matter."""
    if brief.stated("delivery_days"):
        return float(brief.value("delivery_days"))
    trains = any(workload in TRAINING_WORK for workload in demands.workloads)
    return float(brief.value("deadline_days")) if brief.stated("deadline_days") and not trains else None


def _work(demands: Demands) -> dict[str, Any]:
    largest = max((model.params_b for model in demands.models), default=0.0)
    architecture = next((m.architecture for m in demands.models if m.params_b == largest), None)
    return {
        "workload": demands.workload,
        "trains": bool(demands.training),
        "serves": bool(demands.serving),
        "model_params_b": largest or None,
        "moe": architecture.moe is not None if architecture else None,
    }


def _hardware(brief: Answers, demands: Demands, count: Count, catalogue: Catalogue) -> dict[str, Any]:
    card = catalogue.accelerator(count.accelerator)
    choice = count.choice
    serving = [need for need in count.needs if not need.training]
    training = [need for need in count.needs if need.training]
    there = count.named_gpus or count.gpus
    largest = max((min(need.gpus_per_replica, there) for need in serving), default=None)
    jobs = max((need.gpus_per_replica for need in training), default=0)
    server = catalogue.server(choice.server) if choice.server else None
    flop = max((need.figures.get("training_flop") or 0.0 for need in training), default=0.0)
    checkpoint = max((need.figures.get("checkpoint_gb") or 0.0 for need in training), default=0.0)
    return {
        "gpus": count.gpus,
        "nodes": count.units * (server.nodes_per_unit if server else 1),
        "gpus_per_replica": largest,
        "replica_spans_nodes": largest > choice.gpus_per_domain if largest else False,
        "job_spans_nodes": jobs > choice.gpus_per_domain,
        "nvlink_domain_gpus": card.scale_up_domain_gpus.value,
        "gpu_memory_fits_fp8": fits_fp8(
            max((m.params_b for m in demands.models), default=0.0), choice.gpus_per_unit, card
        ),
        "has_fp8": card.fp8_tflops.value is not None,
        "has_fp4": card.fp4_tflops.value is not None,
        "server_kw": choice.max_power_kw or choice.stand_in_power_kw,
        "liquid_required_by_vendor": needs_liquid(server) if server else False,
        "mig_capable": (card.mig_max.value or 0) > 1,
        "gpu_share_needed": _share_of_gpu(demands, card) if largest == 1 else None,
        "serving_gpus": sum(need.gpus for need in serving),
        "prompt_tokens": max((d.input_tokens.mean for d in demands.serving), default=None),
        "training_gpus": sum(need.gpus for need in training),
        "vendor_stated": brief.value("vendor") or (_vendor(card.vendor) if count.binding == "stated" else None),
        "training_flop_log10": log10(flop) if flop > 0 else None,
        "checkpoint_gb": checkpoint or None,
        "spare_share": count.spare_units / count.units if count.units else None,
        "gpus_per_node": choice.failure_gpus,
    }


def _vendor(name: str) -> str:
    known = name.lower()
    return known if known in ("nvidia", "amd") else "other"


def _share_of_gpu(demands: Demands, card: Accelerator) -> float | None:
    memory = card.engine_visible_bytes.value or card.memory_bytes.value
    if memory is None or not demands.serving:
        return None
    share = max(d.model.params_b for d in demands.serving) * 2e9 / memory
    return min(1.0, max(SMALLEST_SHARE_OF_GPU, share))


def _site(site: Site, brief: Answers) -> dict[str, Any]:
    planned = site.facility.planned
    facts: dict[str, Any] = {
        name: getattr(planned, name)
        for name in (
            "it_kw",
            "nominal_it_kw",
            "connection_kw",
            "energy_input_kw",
            "facility_kw",
            "racks",
            "compute_racks",
            "rack_kw",
        )
    }
    facts["coolant_l_per_min"] = planned.coolant_l_per_min
    facts |= _whole_site(site, brief, facts)
    rack_limit = brief.value("rack_kw") if brief.stated("rack_kw") else None
    if rack_limit is not None and planned.rack_kw is not None:
        facts["rack_over_limit"] = planned.rack_kw > float(rack_limit)
    limit = site_limit_kw(brief)
    if limit is not None and planned.energy_input_kw is not None:
        facts["site_power_exceeded"] = planned.energy_input_kw > limit
    facts["storage_read_gb_per_s"] = site.storage.get("read_gb_per_s")
    facts["storage_write_gb_per_s"] = site.storage.get("write_gb_per_s")
    facts["checkpoint_write_s"] = site.storage.get("checkpoint_write_s")
    return facts


def _whole_site(site: Site, brief: Answers, plan: dict[str, Any]) -> dict[str, Any]:
    """The powers that laws measure are those of the whole data centre: with what stood there before, where that was
    stated (power scaled by the PUE), and with the connection that was stated. ``whole_site_*`` say that the rest of
    the site is known."""
    planned, before = site.facility.planned, brief.value("site_total_it_kw")
    facts: dict[str, Any] = {}
    if before is not None and planned.nominal_it_kw is not None:
        nominal = planned.nominal_it_kw + float(before)
        powers = {"nominal_it_kw": nominal, "connection_kw": nominal * site.facility.pue}
        powers["energy_input_kw"] = powers["connection_kw"]
        facts = {f"whole_site_{name}": kw for name, kw in powers.items()} | powers
    connection, stated = facts.get("connection_kw", plan["connection_kw"]), brief.value("site_power_kw")
    if brief.stated("site_power_kw") and connection is not None:
        facts["connection_kw"] = max(connection, float(stated))
    return facts


def _expected(count: Count, site: Site, catalogue: Catalogue) -> dict[str, Any]:
    """Figures that checks are held against."""
    facts: dict[str, Any] = {"coolant_supply_c": _coolant_supply_c(count, catalogue)}
    if site.fabric is None:
        return facts
    facts["nics_per_node"] = count.choice.compute_nics
    facts["link_gb_per_s"] = count.choice.compute_nic_gb_per_s
    technology = str(site.network["technology"])
    sizes = {"busbw_2_nodes_gb_per_s": 2, "busbw_8_nodes_gb_per_s": 8, "busbw_all_nodes_gb_per_s": count.units}
    for topic, nodes in sizes.items():
        found = expected_busbw(count.accelerator, technology, nodes, catalogue) if nodes <= count.units else None
        facts[topic] = found.value_gb_per_s if found else None
    return facts


def _coolant_supply_c(count: Count, catalogue: Catalogue) -> float | None:
    """The warmest coolant that the server takes."""
    limits = catalogue.server(count.choice.server).coolant_inlet_c.value if count.choice.server else None
    return limits[1] if limits else None
