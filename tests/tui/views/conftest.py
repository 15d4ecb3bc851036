"""One small sizing, written by hand, so that what the views say can be checked by eye."""

from __future__ import annotations

import pytest

from assistant.planning.building.build import ServerCount
from assistant.planning.count.packing import AfterFailure
from assistant.result import (
    Assumption,
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
    Why,
)
from assistant.sizing.bill.lines import BillLine
from assistant.sizing.equipment.rated import Missing
from knowledge.message import verbatim
from tests.assistant.conftest import facility


def _plan(name: str, gpus: int, share: float) -> Plan:
    racks = -(-gpus // 16)
    return Plan.model_validate(
        {
            "name": name,
            "gpus": gpus,
            "accelerator": "h100-sxm-80gb",
            "fits": name != "lean",
            "why_not": "the first word comes too late" if name == "lean" else None,
            "nearest_fix": {"gpus": 16} if name == "lean" else None,
            "binding": "memory" if name == "lean" else "spare",
            "causes": (f"{gpus} GPUs for the load",),
            "servers": (ServerCount(id="dgx-h100", count=gpus // 8, name="NVIDIA DGX H100"),),
            "network": {"technology": "none", "why": "nothing spans servers", "switches": {}},
            "storage": {"capacity_tb": {"node_nvme": 1.5}, "read_gb_per_s": 2.0},
            "facility": facility(
                nominal_it_kw=gpus * 1.275,
                racks=racks,
                unknown=(
                    Missing(
                        item="dgx-h100",
                        field="weight_kg",
                        stand_in=None,
                        value=None,
                        why="its weight is not published",
                    ),
                ),
                assumptions=(verbatim("pue", "pue 1.54 (1.3 to 1.8) for air"),),
            ),
            "capacity_after_one_failure": AfterFailure(share_of_required_load=share, what_is_lost="one node"),
            "bill_of_materials": (
                BillLine(item="dgx-h100", count=gpus // 8, unit="node", of="GPUs of the plan"),
                BillLine(item="h100-sxm-80gb", count=gpus, unit="piece", of="dgx-h100", included=True),
                BillLine(item="rack", count=racks, unit="rack", of="GPU servers"),
                *((BillLine(item="rack", count=1, unit="rack", of="switches"),) if gpus > 16 else ()),
            ),
        }
    )


def _duty(ident: str, applies: object, value: float | None, threshold: float | None) -> Obligation:
    return Obligation.model_validate(
        {
            "id": ident,
            "title": f"Duty {ident}",
            "applies": applies,
            "value": value,
            "threshold": threshold,
            "unit": "kW",
            "by": "operator",
            "reason": "The rest of the site is not known.",
            "closes_with": "site_total_it_kw",
            "sources": ("law",),
        }
    )


def _item(ident: str, phase: str, expected: Expected | None = None) -> ChecklistEntry:
    return ChecklistEntry(
        id=ident,
        phase=phase,
        item=f"Do {ident}.",
        command="nccl-tests" if expected else None,
        expected=expected,
        owner_role="cluster engineer",
        sources=("law",),
    )


@pytest.fixture(scope="session")
def sizing() -> Sizing:
    """Three plans of 8, 16 and 32 GPUs in DGX H100 at 10.2 kW (1.275 kW a GPU), and one of everything else."""
    reason = Reason(rule="fac.air", text="20 kW go by air.", strength="strong", grade="third_party", sources=("blog",))
    return Sizing(
        engine="plain",
        summary="",
        workloads=(),
        plans=(_plan("lean", 8, 0.0), _plan("recommended", 16, 0.5), _plan("roomy", 32, 1.0)),
        decisions=(
            Decision(
                id="cooling",
                title="Cooling",
                choice="rear_door",
                runner_up="air",
                because=(reason,),
                against=(),
                dissent=({"says": "Air cannot do it", "sources": ["blog"]},),
                flips_when=({"topic": "rack_kw", "from": 20, "to": 10, "choice": "air", "change": "rack kw were 10"},),
                sources=("blog",),
                confidence="medium",
            ),
        ),
        obligations=(
            _duty("no", False, 20.4, 500.0),
            _duty("maybe", "open", 20.4, 300.0),
            _duty("yes", True, None, 1e25),
        ),
        warnings=(Notice(id="w", severity="caution", text="Measure first", sources=("blog",)),),
        assumptions=(
            Assumption(field="air_gap", value=False, unit=None, why="Nobody said so.", range=None),
            Assumption(
                field="active_share", value=0.1, unit="share", why="A guide.", range=(0.01, 0.3), sources=("blog",)
            ),
        ),
        next_questions=(NextQuestion(id="active_share", text="", why="", effect="decides between 4 and 24 GPUs"),),
        checklist=(
            _item("memory_plan", "before_order"),
            _item("spares", "before_order"),
            _item("nccl", "acceptance", Expected(value=370, unit="GB/s", op=">=", tolerance=0.05)),
        ),
        stated={},
        facts={},
        sources=(
            SourceEntry(
                id="law", title="Act", address="https://law.example", date="2023", grade="law", seen_as="primary_text"
            ),
            SourceEntry(id="blog", title="Blog", address=None, date=None, grade="third_party", seen_as="excerpt"),
        ),
        why=(
            Why(
                id=1,
                name="nominal_it_kw",
                value=20.4,
                formula="nominal_it",
                statement="Sum of the rated maximum.",
                inputs={"max_kw": {"dgx-h100": 10.2}},
                sources=("law",),
            ),
            Why(
                id=2,
                reasons={"nominal_it_kw": 1},
                name="heat_btu_per_h",
                value=69607.7,  # 20.4 kW x 3,412.142
                formula="heat",
                statement="Power x 3,412.142.",
                inputs={"nominal_it_kw": 20.4},
                assumed=("pue",),
            ),
            Why(id=3, name="racks", value=9, formula="racks", statement="By power.", inputs={}),
        ),
        catalogue_version="c",
        rules_version="r",
    )
