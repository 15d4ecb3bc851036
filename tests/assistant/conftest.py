"""Fixtures for the tests of the assistant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from assistant.planning.building.build import ServerCount
from assistant.planning.building.planned import PlannedFacility
from assistant.planning.count.packing import AfterFailure
from assistant.result import (
    ChecklistEntry,
    Decision,
    Expected,
    NextQuestion,
    Notice,
    Obligation,
    Plan,
    Reason,
    Sizing,
    SourceEntry,
    Workload,
)
from assistant.sizing.bill.lines import BillLine
from assistant.store import Store
from knowledge.message import say


def facility(**figures: object) -> PlannedFacility:
    """An air-cooled site that fits, with these figures and no others known."""
    unknown = dict.fromkeys(name for name, field in PlannedFacility.model_fields.items() if field.is_required())
    words: dict[str, object] = {
        "fits": True,
        "cooling": "air",
        "cooling_reason": say("assumptions.cooled_by_liquid"),
        "pue": 1.5,
        "units_per_rack": {},
    }
    return PlannedFacility.model_validate({**unknown, **words, **figures})


def made_plan(name: str, gpus: int) -> Plan:
    """A plan with figures of the DGX H100 user guide: 10.2 kW and eight GPUs a system."""
    servers = gpus // 8
    return Plan(
        name=name,
        gpus=gpus,
        accelerator="h100-sxm-80gb",
        fits=True,
        binding="memory",
        causes=("weights take the memory of four GPUs",),
        servers=(ServerCount(id="dgx-h100", count=servers, name="NVIDIA DGX H100"),),
        network={"technology": "none"},
        storage={"capacity_tb": 10.0},
        facility=facility(it_kw=8.1 * servers, nominal_it_kw=10.2 * servers, racks=1, rack_kw=10.2),
        capacity_after_one_failure=AfterFailure(share_of_required_load=0.5, what_is_lost="one of two nodes"),
        bill_of_materials=(BillLine(item="dgx-h100", count=servers, unit="server", of="GPUs"),),
    )


@pytest.fixture
def sizing() -> Sizing:
    """A small, complete sizing document with hostile text where users' text can stand."""
    reason = Reason(rule="r1", text="Data stay [in] <house> | pipe.", strength="strong", grade="law", sources=("eed",))
    return Sizing(
        engine="plain",
        summary="One DGX H100 carries it.",
        workloads=(Workload(kind="rag", model="llama-3.1-70b"),),
        plans=(made_plan("lean", 8), made_plan("recommended", 16), made_plan("roomy", 24)),
        decisions=(
            Decision(
                id="fabric_technology", title="Compute fabric", choice="none", runner_up="roce", because=(reason,),
                against=(), flips_when=(), sources=("eed",), confidence="high",
            ),
        ),
        obligations=(
            Obligation(
                id="eu_eed_data_centre", title="EU report", applies="open", threshold=500.0, value=20.4, unit="kW",
                by="operator", reason="Below the threshold by itself.", sources=("eed",),
            ),
        ),
        warnings=(Notice(id="w", severity="caution", text="=SUM(A1) [bold]x[/bold]"),),
        assumptions=(),
        next_questions=(NextQuestion(id="users_total", text="How many?", why="Load.", effect="1 to 3 servers"),),
        checklist=(
            ChecklistEntry(
                id="fabric.nccl", phase="acceptance", item="=Test the fabric", command="all_reduce_perf -b 8G",
                expected=Expected(value=370.0, unit="GB/s", op=">=", tolerance=0.05), owner_role="network",
                sources=("eed",),
            ),
        ),
        stated={"users_total": {"value": 500, "unit": "people", "text": "500 people"}},
        facts={"gpus": 16},
        sources=(
            SourceEntry(
                id="eed", title="Directive (EU) 2023/1791", address="http://data.europa.eu/eli/dir/2023/1791/oj",
                date="2023-09-20", grade="law", seen_as="primary_text",
            ),
        ),
        catalogue_version="c1",
        rules_version="r1",
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in an empty folder whose clock ticks once a call."""
    ticks = count()
    with Store(tmp_path / "s.db", now=lambda: f"2026-01-01T00:{next(ticks) // 60:02d}:00Z") as opened:
        yield opened
