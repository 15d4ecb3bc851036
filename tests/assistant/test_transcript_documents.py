"""Every transcript's sizing agrees with itself: the parts of one document cannot say different things."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from assistant.output import plain
from assistant.service import Assistant
from assistant.sessions.replay import told
from assistant.transcript import load_transcript, transcript_files

FILES = {path.stem: path for path in transcript_files([])}
TOLERANCE = 1e-4
"""Figures are rounded to six digits, so sums of them differ in the last."""


@cache
def assistant() -> Assistant:
    return Assistant()


@cache
def document(name: str) -> dict[str, Any]:
    brief, _ = told(load_transcript(FILES[name]), assistant())
    sizing: dict[str, Any] = plain(assistant().size(brief, questions=False))
    return sizing


PLAIN_BOX = "plain-box"
"""A server that no catalogue lists, named in the bill by its cards."""

PLANS = [(name, plan) for name in FILES for plan in range(3)]


@pytest.mark.parametrize(("name", "number"), PLANS)
def test_the_bill_counts_what_the_plan_counts(name: str, number: int) -> None:
    plan = document(name)["plans"][number]
    bill: dict[str, int] = {}
    for line in plan["bill_of_materials"]:
        bill[line["item"]] = bill.get(line["item"], 0) + line["count"]
    if plan["instances"]:
        # The racks are the provider's. Whole instances carry the GPUs, and less than one instance of them idles.
        (rented,) = plan["instances"]
        assert bill[plan["accelerator"]] == rented["count"] * rented["gpus_per_instance"]
        assert plan["gpus"] <= bill[plan["accelerator"]] < plan["gpus"] + rented["gpus_per_instance"]
        assert "rack" not in bill
        return
    servers = [server for server in plan["servers"] if server["role"] == "gpu"]
    whole = any("count the" in cause and "of whole servers" in cause for cause in plan["causes"])
    assert bill[plan["accelerator"]] >= plan["gpus"] if whole else bill[plan["accelerator"]] == plan["gpus"]
    sold_as_racks = sum(s["count"] for s in servers if s["id"].endswith("nvl72"))
    assert bill.get("rack", 0) + sold_as_racks == plan["facility"]["racks"]
    listed = {s["id"]: s["count"] for s in servers if s["id"] != PLAIN_BOX}
    assert {ident: bill[ident] for ident in listed} == listed
    if plan["fits"]:
        assert sum(p["gpus_per_replica"] * p["replicas"] for p in plan["placements"]) <= plan["gpus"]


@pytest.mark.parametrize(("name", "number"), PLANS)
def test_power_is_in_order(name: str, number: int) -> None:
    # Expected draw is at most what is rated, and the connection carries that with its overhead.
    facility = document(name)["plans"][number]["facility"]
    assert facility["it_kw"] <= facility["nominal_it_kw"] * (1 + TOLERANCE)
    assert facility["nominal_it_kw"] <= facility["connection_kw"] * (1 + TOLERANCE)
    # 1 kW is 3,412.14 BTU/h: all electrical power becomes heat.
    assert facility["heat_btu_per_h"] == pytest.approx(facility["nominal_it_kw"] * 3412.14, rel=1e-3)


@pytest.mark.parametrize(("name", "number"), PLANS)
def test_a_plan_that_does_not_fit_says_why_and_what_would(name: str, number: int) -> None:
    plan = document(name)["plans"][number]
    assert plan["fits"] != bool(plan["why_not"])
    assert plan["fits"] or plan["nearest_fix"]
    limit = document(name)["stated"].get("rack_kw")
    if limit and plan["facility"]["fits"]:
        assert plan["facility"]["rack_kw"] <= limit["value"] * (1 + TOLERANCE)


@pytest.mark.parametrize("name", FILES)
def test_plans_grow_and_decisions_describe_the_recommended_one(name: str) -> None:
    sizing = document(name)
    lean, recommended, roomy = sizing["plans"]
    assert lean["gpus"] <= recommended["gpus"] <= roomy["gpus"]
    choices = {decision["id"]: decision["choice"] for decision in sizing["decisions"]}
    assert choices["accelerator"] == recommended["accelerator"]
    assert choices["fabric_technology"] == recommended["network"]["technology"]


@pytest.mark.parametrize("name", FILES)
def test_a_duty_applies_only_where_its_threshold_is_reached(name: str) -> None:
    for duty in document(name)["obligations"]:
        # What the law demands of its addressee (all power renewable from 2027) is held against no figure of ours.
        if duty["applies"] is True and None not in (duty["threshold"], duty["value"]):
            assert duty["value"] >= duty["threshold"], duty["id"]


@pytest.mark.parametrize("name", FILES)
def test_every_source_cited_is_listed(name: str) -> None:
    sizing = document(name)
    listed = {source["id"] for source in sizing["sources"]}
    cited = [
        s for part in ("decisions", "obligations", "checklist") for entry in sizing[part] for s in entry["sources"]
    ]
    cited += [s for d in sizing["decisions"] for reason in (*d["because"], *d["against"]) for s in reason["sources"]]
    assert cited
    assert set(cited) <= listed
