"""The facts that the assistant asserts are exactly the topics that the rules declare as input."""

from __future__ import annotations

from assistant.interview.brief import Answer, Brief
from assistant.service import Assistant

BRIEFS: tuple[dict[str, object], ...] = (
    {"workload": "rag", "models": ["llama-3.1-70b-instruct"], "users_total": 500, "country": "DE", "hosting": "on_prem",
     "site_power_kw": 100.0, "rack_kw": 20.0, "site_total_it_kw": 300.0, "data_class": "personal", "tenants": 3,
     "foreign_operator_excluded": True, "data_must_stay_in_country": True, "air_gap": True, "ops_staff": 2.0,
     "staff_skills": ["slurm", "ethernet"], "network": "roce", "scheduler": "slurm", "isolation": "node",
     "availability": 0.999, "start_date_after_2026_07_01": False, "defence_site": False, "liquid_cooling": False,
     "deadline_days": 90.0, "utilisation": 0.5, "horizon_years": 4.0, "sector": "bank", "employees": 300,
     "ai_use": "credit", "rents_out_gpus": False},
    {"workload": "pretraining", "parameters_b": 70.0, "training_tokens": 1e12,
     "gpus": [{"gpu": "h100-sxm-80gb", "count": 128}], "network": "infiniband"},
    {"workload": "chat", "gpus": [{"gpu": "gb300", "count": 144}], "network": "ethernet"},
    {"workload": "chat", "models": ["llama-3.1-8b-instruct"], "users_total": 5},
    {"workload": "chat", "gpus": [{"gpu": "mi300x", "count": 8}]},
)  # fmt: skip

NOT_ASKED = {"budget_kind"}
"""Input topics that no field or figure gives yet: the brief has a budget and does not ask of which kind."""


def test_asserted_facts_are_the_declared_input_topics() -> None:
    assistant = Assistant()
    asserted: set[str] = set()
    for fields in BRIEFS:
        answers = [Answer(field=field, value=value) for field, value in fields.items()]
        asserted |= set(assistant.size(Brief().with_answers(answers), questions=False).facts)
    declared = {topic.id for topic in assistant.rules.topics.values() if topic.origin == "input"}
    assert asserted - declared == set()
    assert declared - asserted == NOT_ASKED


def _facts(**fields: object) -> dict[str, object]:
    answers = [Answer(field=field, value=value) for field, value in fields.items()]
    return dict(Assistant().size(Brief().with_answers(answers), questions=False).facts)


PRETRAINING: dict[str, object] = {
    "workload": "pretraining",
    "parameters_b": 7.0,
    "training_tokens": 2e11,
    "gpus": [{"gpu": "h100-sxm-80gb", "count": 64}],
}


def test_the_length_of_a_run_is_no_delivery_date() -> None:
    """A run may take 60 days though its machines have years to come; only a stated delivery date is one."""
    assert "deadline_days" not in _facts(**PRETRAINING)
    assert "deadline_days" not in _facts(**PRETRAINING, deadline_days=60.0)
    assert _facts(**PRETRAINING, delivery_days=45.0)["deadline_days"] == 45.0


def test_what_is_assumed_of_utilisation_is_not_passed_off_as_said() -> None:
    assumed = _facts(**PRETRAINING)
    assert assumed["assumed_utilisation"] == 0.6
    assert "utilisation" not in assumed
    assert _facts(**PRETRAINING, utilisation=0.9)["utilisation"] == 0.9


def test_laws_measure_the_whole_data_centre() -> None:
    """300 kW stood there before; a connection of 2 MW that was stated counts, used or not."""
    alone = _facts(**PRETRAINING, country="DE", hosting="on_prem")
    whole = _facts(**PRETRAINING, country="DE", hosting="on_prem", site_total_it_kw=300.0)
    assert float(str(whole["nominal_it_kw"])) == float(str(alone["nominal_it_kw"])) + 300.0
    assert whole["whole_site_nominal_it_kw"] == whole["nominal_it_kw"]
    assert _facts(**PRETRAINING, country="DE", hosting="on_prem", site_power_kw=2000.0)["connection_kw"] == 2000.0
